/** @jsxImportSource preact */
/** The page that decodes and checks pasted tokens, `/tokens`. */

import type { VNode } from "preact";
import { CheckItem } from "../check_item.tsx";
import { DecodedToken, type JwtContent } from "../decoded_token.tsx";
import { Field } from "../field.tsx";
import { Layout, Section, type Site } from "../layout.tsx";
import { Notice } from "../notice.tsx";
import { citedSections } from "../specifications.ts";
import { Code, DefinitionItem } from "../value.tsx";
import { lowerFirst } from "../lower_first.ts";

/** A check of a token. */
export interface TokenCheck {
  /** What is true when it passes: a sentence without a full stop. */
  readonly title: string;
  /** The sections that require it. */
  readonly cites: readonly string[];
  /** The ID of the rule of this server with the same check. */
  readonly rule?: string;
  /** Undefined: not checked. */
  readonly passed?: boolean;
  readonly expected?: string;
  readonly received?: string;
  /** Why it was not checked. */
  readonly note?: string;
  /** How to fix it. */
  readonly fix: string;
}

/** A checked token. */
export interface TokenResult extends Partial<JwtContent> {
  /** Its kind: `ID token`. */
  readonly name: string;
  /** The parameter, member or header that contained it. */
  readonly source?: string;
  /** The token without disclosures. */
  readonly token: string;
  readonly form: "signed" | "encrypted" | "opaque";
  /** The selectively disclosable claims that were pasted with it. */
  readonly disclosures: readonly { readonly name?: string; readonly value: unknown; readonly isListed: boolean }[];
  readonly checks: readonly TokenCheck[];
}

/** The page at `/tokens`. */
export interface TokensProps extends Site {
  /** The values of the form. */
  readonly values: Readonly<Partial<Record<"token" | "key_set" | "kind" | "issuer" | "client_id" | "nonce", string>>>;
  /** The kinds that a token can be checked as, with their names. */
  readonly kinds: readonly (readonly [kind: string, name: string])[];
  readonly results: readonly TokenResult[];
  /** Remarks about the pasted text, one sentence each. */
  readonly notes: readonly string[];
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  readonly csrfToken: string;
}

export function Tokens(props: TokensProps): VNode {
  const { base, results, notes, now } = props;
  const [first] = results;
  return (
    <Layout
      site={props}
      path="/tokens"
      head={<link rel="stylesheet" href={`${base}/flows/tokens.css`} />}
      heading={first === undefined ? "Check a token" : results.length === 1 ? headline(first) : "Checked tokens"}
      opening={
        <>
          {notes.length > 0 && (
            <Notice kind="warn">
              {notes.map((note) => <p key={note}>{note}</p>)}
            </Notice>
          )}
          {results.length === 0 && <TokenForm {...props} />}
          {results.length === 1 && <Result result={first!} now={now} level={2} />}
        </>
      }
    >
      {results.length > 1 &&
        results.map((result, i) => (
          <div key={i}>
            <h2>{headline(result)}</h2>
            <Result result={result} now={now} level={3} />
          </div>
        ))}
      {results.length > 0 && (
        <Section id="again" heading="Check again">
          <TokenForm {...props} />
        </Section>
      )}
    </Layout>
  );
}

/** What was found, in a few words. */
function headline({ name, form, checks }: TokenResult): string {
  if (form === "opaque") return `${name}: opaque`;
  const lowerCaseName = lowerFirst(name);
  const failed = checks.filter(({ passed }) => passed === false).length;
  if (failed > 0) return `This ${lowerCaseName} breaks ${failed === 1 ? "1 rule" : `${failed} rules`}`;
  if (form === "encrypted") return `Encrypted ${lowerCaseName}`;
  const open = checks.filter(({ passed }) => passed === undefined).length;
  return `This ${lowerCaseName} passes every check${open > 0 ? " that was possible" : ""}`;
}

function Result(
  { result, now, level }: { readonly result: TokenResult; readonly now: number; readonly level: 2 | 3 },
): VNode {
  const { name, source, token, form, checks, disclosures } = result;
  const failed = checks.filter(({ passed }) => passed === false);
  const open = checks.filter(({ passed }) => passed === undefined);
  const passed = checks.filter((check) => check.passed === true);
  return (
    <DecodedToken
      name={source === undefined ? name : `${name} (${source})`}
      token={token}
      now={now}
      level={level}
      encoded
    >
      <div class="results">
        {form === "encrypted" && (
          <p>
            A JWE (RFC 7516): five parts. Its claims can be checked by the receiver, after decryption, and it proves
            nothing about its sender unless a signed JWT is inside.
          </p>
        )}
        {form === "opaque" && (
          <p>
            It is not a JWT. A resource asks the introspection endpoint about it (RFC 7662); a client never needs to
            read it.
          </p>
        )}
        {failed.map((check) => <Check key={check.title} check={check} />)}
        {open.map((check) => <Check key={check.title} check={check} />)}
        {passed.length > 0 && (
          <details class="quiet">
            <summary>{`${passed.length} of ${checks.length} checks passed`}</summary>
            {passed.map((check) => <Check key={check.title} check={check} />)}
          </details>
        )}
        {disclosures.length > 0 && (
          <>
            <p>Disclosed claims (SD-JWT, RFC 9901):</p>
            <dl class="facts">
              {disclosures.map(({ name = "(element of an array)", value, isListed }, i) => (
                <DefinitionItem key={i} label={<Code text={name} />}>
                  <Code text={JSON.stringify(value)} />
                  {isListed ? "" : " – the token does not contain its digest"}
                </DefinitionItem>
              ))}
            </dl>
          </>
        )}
      </div>
    </DecodedToken>
  );
}

function Check({ check }: { readonly check: TokenCheck }): VNode {
  const { title, cites, rule, passed, expected, received, note, fix } = check;
  return (
    <div class="checked">
      <CheckItem passed={passed} expected={expected} received={received} rule={rule}>
        {title}. {note}
      </CheckItem>
      {passed === false && (
        <p>
          <strong>How to fix it:</strong> {fix}
        </p>
      )}
      <p class="cited">
        {citedSections(cites).map(({ title: section, url }) => <a key={url} href={url} rel="noreferrer">{section}</a>)}
      </p>
    </div>
  );
}

function TokenForm({ base, issuer, values, kinds, csrfToken }: TokensProps): VNode {
  const { token, key_set: keys, kind, issuer: expectedIssuer, client_id: clientId, nonce } = values;
  return (
    <form class="form" method="post" action={`${base}/tokens`}>
      <input type="hidden" name="form_token" value={csrfToken} />
      <Field
        name="token"
        label="Token"
        hint="A JWT, an Authorization header, a whole token response as JSON, a callback URL, or a signed request. It is sent to this server only, and stored nowhere."
        value={token}
        lines={6}
      />
      <details class="quiet" open={[keys, kind, expectedIssuer, clientId, nonce].some((value) => value !== undefined)}>
        <summary>Other keys, and what to expect</summary>
        <Field
          name="key_set"
          label="Keys of the issuer"
          hint="A JWK Set, as its jwks_uri returns it. Without it, the keys of this server are used."
          value={keys}
          lines={4}
          optional
        />
        <div class="field">
          <label for="kind">Check it as</label>
          <select id="kind" name="kind">
            <option value="">what it looks like</option>
            {kinds.map(([value, name]) => <option key={value} value={value} selected={value === kind}>{name}</option>)}
          </select>
        </div>
        <Field name="issuer" label="Issuer" hint={`Without it: ${issuer}`} value={expectedIssuer} optional />
        <Field name="client_id" label="Client ID" hint="The client that receives it." value={clientId} optional />
        <Field name="nonce" label="Nonce" hint="That of the authorization request." value={nonce} optional />
      </details>
      <button type="submit" class="button">Check the token</button>
    </form>
  );
}
