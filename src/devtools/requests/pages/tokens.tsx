/** @jsxImportSource preact */
/** The page that decodes and checks pasted tokens, `/tokens`. */

import type { VNode } from "preact";
import type { RuleResult } from "../../../server/pages/rule_result.ts";
import { CheckItem } from "../../../server/pages/check_item.tsx";
import { type JwtContent, TokenClaims } from "../../../server/pages/decoded_token.tsx";
import { FieldInput } from "../../../server/pages/field.tsx";
import { Fix } from "../../../server/pages/fix.tsx";
import { Layout, type Site } from "../../../server/pages/layout.tsx";
import { Notice } from "../../../server/pages/notice.tsx";
import { citedSections } from "../../../server/pages/specifications.ts";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import { DefinitionItem } from "../../../server/pages/value.tsx";
import { lowerFirst } from "../../../server/pages/first_letter.ts";

export interface TokenCheck extends RuleResult {
  /** What is true when it passes: a sentence without a full stop. */
  readonly title: string;
  /** The sections that require it. */
  readonly cites: readonly string[];
  /** Why it was not checked. */
  readonly note?: string;
}

export interface TokenResult extends Partial<JwtContent> {
  /** Its kind: `ID token`. */
  readonly name: string;
  /** The parameter, member or header that contained it. */
  readonly source?: string;
  readonly form: "signed" | "encrypted" | "opaque";
  /** Whether it is an opaque refresh token. */
  readonly isRefreshToken?: boolean;
  readonly checks: readonly TokenCheck[];
  /** The verdict on the signature, with a heading: `Signature valid`. Absent if the token has none or is malformed. */
  readonly signature?: TokenCheck & { readonly heading: string };
}

/** The page at `/tokens`. */
export interface TokensProps extends Site {
  readonly values: Readonly<Partial<Record<"token" | "key_set" | "kind" | "issuer" | "client_id" | "nonce", string>>>;
  /** The kinds that a token can be checked as, with their names. */
  readonly kinds: readonly (readonly [kind: string, name: string])[];
  readonly results: readonly TokenResult[];
  /** Remarks about the pasted text, one sentence each. */
  readonly notes: readonly string[];
  /** The token to show as an example; absent if one is pasted. */
  readonly example?: JwtContent;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  readonly csrfToken: string;
  /** Whether a recorded flow has an ID token. */
  readonly hasLastIdToken: boolean;
}

/** The verdict on a token, or on all tokens of a text. */
type Verdict = "good" | "bad" | "open";

const verdictLabels: Readonly<Record<Verdict, string>> = { good: "valid", bad: "rejected", open: "not verified" };

export function Tokens(props: TokensProps): VNode {
  const { results, notes, example, now } = props;
  const verdict = findVerdict(results);
  return (
    <Layout
      site={props}
      path="/flows/tokens"
      styles={["devtools/tokens"]}
      scripts={["script", "devtools/tokens"]}
      heading={pageHeading(results)}
      badges={verdict && <StatusBadge tone={verdict} label={verdictLabels[verdict]} />}
    >
      <div class="checking">
        <TokenForm {...props} />
        {/* The script replaces it while the user types. */}
        <div id="results">
          {notes.length > 0 && (
            <Notice kind="warn">
              {notes.map((note) => <p key={note}>{note}</p>)}
            </Notice>
          )}
          {example && (
            <article class="token">
              <h2>Example: an ID token, decoded</h2>
              <TokenClaims {...example} now={now} />
              <p class="aside">Paste a token to see whether it is valid, what is wrong with it, and its claims.</p>
            </article>
          )}
          {results.map((result, i) => <Result key={i} result={result} now={now} isOnly={results.length === 1} />)}
        </div>
      </div>
    </Layout>
  );
}

const isOpaque = ({ form }: TokenResult) => form === "opaque";

/** The verdict on a token. An encrypted one cannot be verified here, nor an opaque one of another server. */
function verdictOf(result: TokenResult): Verdict {
  const { checks, signature } = result;
  if (checks.some(({ passed }) => passed === false)) return "bad";
  return (isOpaque(result) ? checks.length > 0 : signature?.passed === true) ? "good" : "open";
}

/** The worst verdict on the JWTs, and on an opaque token that this server knows. */
function findVerdict(results: readonly TokenResult[]): Verdict | undefined {
  const known = results.filter((result) => !isOpaque(result) || result.checks.length > 0).map(verdictOf);
  if (results.length === 0) return undefined;
  return known.includes("bad") ? "bad" : known.length === 0 || known.includes("open") ? "open" : "good";
}

function pageHeading(results: readonly TokenResult[]): string {
  if (results.length === 0) return "Check a token";
  if (results.length === 1) return headline(results[0]!);
  const jwts = results.filter((result) => !isOpaque(result));
  const valid = jwts.filter((result) => verdictOf(result) === "good").length;
  const opaque = results.length - jwts.length;
  return [
    ...jwts.length === 0 ? [] : [`${valid} of ${jwts.length === 1 ? "1 JWT" : `${jwts.length} JWTs`} valid`],
    ...opaque === 0 ? [] : [`${opaque} opaque`],
  ].join(", ");
}

/** The verdict on a token in words. A signature that was not verified comes first. */
function headline({ name, form, checks, signature }: TokenResult): string {
  if (form === "opaque") {
    const status = checks.length === 0 ? "" : checks[0]!.passed ? ", valid" : `, ${checks[0]!.received}`;
    return `${name}: opaque${status}`;
  }
  const lowerCaseName = lowerFirst(name);
  if (form === "encrypted") return `Encrypted ${lowerCaseName}`;
  if (signature !== undefined && signature.passed !== true) return signature.heading;
  const failed = checks.filter(({ passed }) => passed === false).length;
  if (failed === 0) return `Valid ${lowerCaseName}`;
  const broken = `this ${lowerCaseName} breaks ${failed === 1 ? "1 rule" : `${failed} rules`}`;
  return `${signature === undefined ? "Malformed" : signature.heading}: ${broken}`;
}

/** What is wrong with a token, its header and claims, and what else was checked. */
function Result({ result, now, isOnly }: {
  readonly result: TokenResult;
  readonly now: number;
  readonly isOnly: boolean;
}): VNode {
  const { name, source, header, claims, form, isRefreshToken, checks } = result;
  const passed = checks.filter((check) => check.passed === true);
  return (
    <article class="token">
      <h2>{(isOnly ? name : headline(result)) + (source === undefined ? "" : ` (${source})`)}</h2>
      <Failures checks={checks.filter((check) => check.passed === false)} />
      {form === "opaque"
        ? (
          <p>
            The token is not a JWT. {isRefreshToken
              ? "A client sends a refresh token only to the token endpoint, never to a resource."
              : "A resource sends the token to the introspection endpoint (RFC 7662). A client never needs to read it."}
          </p>
        )
        : (
          <TokenClaims header={header ?? {}} claims={claims ?? {}} now={now}>
            {form === "encrypted" && (
              <DefinitionItem label="Claims">
                encrypted (JWE, RFC 7516): only the holder of the private key can read and check them.
              </DefinitionItem>
            )}
          </TokenClaims>
        )}
      {checks.filter((check) => check.passed === undefined).map((check) => (
        <p key={check.title} class="aside">{checkSentence(check)}</p>
      ))}
      {passed.length > 0 && <p class="aside">Checked: {passed.map(({ title }) => lowerFirst(title)).join("; ")}.</p>}
    </article>
  );
}

/** What a check found. */
export function checkSentence({ title, passed, note }: TokenCheck): string {
  const outcome = passed === undefined ? "Not checked: " : passed ? "" : "Rule broken: ";
  return `${outcome === "" ? title : outcome + lowerFirst(title)}.${note === undefined ? "" : ` ${note}`}`;
}

function Failures({ checks }: { readonly checks: readonly TokenCheck[] }): VNode | null {
  if (checks.length === 0) return null;
  return (
    <div class="results">
      {checks.map((check) => (
        <div key={check.title} class="checked">
          <CheckItem {...check}>{checkSentence(check)}</CheckItem>
          <Fix fix={check.fix} />
          <p class="cited">
            {citedSections(check.cites).map(({ title, url }) => <a key={url} href={url} rel="noreferrer">{title}</a>)}
          </p>
        </div>
      ))}
    </div>
  );
}

function TokenForm({ base, issuer, values, kinds, csrfToken, hasLastIdToken }: TokensProps): VNode {
  const { token, key_set: keys, kind, issuer: expectedIssuer, client_id: clientId, nonce } = values;
  return (
    <form class="form" method="post" action={`${base}/tokens`}>
      <input type="hidden" name="form_token" value={csrfToken} />
      <FieldInput
        name="token"
        label="Token"
        hint="A JWT, an Authorization header, a token response as JSON, a callback URL, or a signed request. The page sends it only to this server, which does not store it."
        value={token}
        lines={6}
      />
      <details class="quiet" open={[keys, kind, expectedIssuer, clientId, nonce].some((value) => value !== undefined)}>
        <summary>Keys and expected values</summary>
        <FieldInput
          name="key_set"
          label="Keys of the issuer"
          hint="A JWK Set, as the jwks_uri of the issuer returns it; for HS256 the client secret. Default: the keys of this server."
          value={keys}
          lines={4}
          optional
        />
        <div class="field">
          <label for="kind">Kind of token</label>
          <select id="kind" name="kind">
            <option value="">detect from the token</option>
            {kinds.map(([value, name]) => <option key={value} value={value} selected={value === kind}>{name}</option>)}
          </select>
        </div>
        <FieldInput name="issuer" label="Issuer" hint={`Default: ${issuer}`} value={expectedIssuer} optional />
        <FieldInput
          name="client_id"
          label="Client ID"
          hint="The client that receives the token."
          value={clientId}
          optional
        />
        <FieldInput name="nonce" label="Nonce" hint="The nonce of the authorization request." value={nonce} optional />
      </details>
      <p class="ways">
        <button type="submit" class="button">Check the token</button>
        {hasLastIdToken && <a href={`${base}/tokens?last=id_token`}>Check the last ID token</a>}
      </p>
    </form>
  );
}
