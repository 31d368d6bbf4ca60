/** @jsxImportSource preact */
/** The page that decodes and checks pasted tokens, `/tokens`. */

import type { VNode } from "preact";
import type { RuleResult } from "../../../server/oauth/explanation.ts";
import { CheckItem } from "../../../server/pages/check_item.tsx";
import { Claims, type JwtContent } from "../../../server/pages/decoded_token.tsx";
import { Field } from "../../../server/pages/field.tsx";
import { Fix } from "../../../server/pages/fix.tsx";
import { Layout, Script, type Site, Stylesheet } from "../../../server/pages/layout.tsx";
import { Notice } from "../../../server/pages/notice.tsx";
import { Hint } from "../../../server/pages/parameters.tsx";
import { citedSections } from "../../../server/pages/specifications.ts";
import { StatusBadge } from "../../../server/pages/status_badge.tsx";
import { Code, DefinitionItem } from "../../../server/pages/value.tsx";
import { lowerFirst } from "../../../server/pages/first_letter.ts";

export interface TokenCheck extends RuleResult {
  /** What is true when it passes: a sentence without a full stop. */
  readonly title: string;
  /** The sections that require it. */
  readonly cites: readonly string[];
  /** Why it was not checked. */
  readonly note?: string;
}

/** A checked token. */
export interface TokenResult extends Partial<JwtContent> {
  /** Its kind: `ID token`. */
  readonly name: string;
  /** The parameter, member or header that contained it. */
  readonly source?: string;
  readonly form: "signed" | "encrypted" | "opaque";
  /** Whether it is an opaque refresh token. */
  readonly isRefreshToken?: boolean;
  /** The selectively disclosable claims that were pasted with it. */
  readonly disclosures: readonly { readonly name?: string; readonly value: unknown; readonly isListed: boolean }[];
  readonly checks: readonly TokenCheck[];
  /** The verdict on the signature, with a heading: `Signature valid`. Absent if the token has none or is malformed. */
  readonly signature?: TokenCheck & { readonly heading: string };
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
  /** The token to show as an example; absent if one is pasted. */
  readonly example?: JwtContent;
  /** The parameters of a pasted callback URL; absent if it is none. */
  readonly callback?: readonly (readonly [name: string, value: string])[];
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  readonly csrfToken: string;
  /** Whether a recorded flow has an ID token. */
  readonly hasLastIdToken: boolean;
}

/** What the page does with parameters of a callback URL, and what a client must do. */
const parameterHints: Readonly<Record<string, string>> = {
  code: "the client exchanges it once, at the token endpoint",
  state: "must be the state that the client stored for this browser",
  iss: "must be the issuer to which the client sent the user (RFC 9207)",
  id_token: "checked below",
  access_token: "checked below",
  response: "checked below: the signed response (JARM)",
  error: "the authorization request failed",
};

/** What a callback URL contains. */
function Callback({ parameters }: { readonly parameters: NonNullable<TokensProps["callback"]> }): VNode {
  return (
    <>
      <p>Parameters of the callback URL:</p>
      <dl class="facts claims">
        {parameters.map(([name, value], i) => (
          <DefinitionItem key={i} label={name}>
            {value.length > maxShownChars ? `${value.slice(0, maxShownChars)}…` : value}
            <Hint text={Object.hasOwn(parameterHints, name) ? parameterHints[name] : undefined} />
          </DefinitionItem>
        ))}
      </dl>
    </>
  );
}

/** Maximum length of a shown parameter: tokens are shown whole below. */
const maxShownChars = 60;

export function Tokens(props: TokensProps): VNode {
  const { results, notes, example, callback, now } = props;
  const [first] = results;
  const tone = results.length === 0 ? undefined : worstTone(results);
  return (
    <Layout
      site={props}
      path="/flows/tokens"
      head={
        <>
          <Stylesheet site={props} name="devtools/tokens" />
          <Script site={props} name="devtools/tokens" />
        </>
      }
      heading={pageHeading(props)}
      badges={tone && <StatusBadge tone={tone} label={toneLabel(tone, results)} />}
      opening={
        <div class="checking">
          <TokenForm {...props} />
          {/* The script replaces it while the user types. */}
          <div id="results">
            {notes.length > 0 && (
              <Notice kind="warn">
                {notes.map((note) => <p key={note}>{note}</p>)}
              </Notice>
            )}
            {callback && <Callback parameters={callback} />}
            {example && <Example example={example} now={now} />}
            {results.length === 1 && <Result result={first!} now={now} />}
            {results.length > 1 &&
              results.map((result, i) => (
                <div key={i}>
                  <h2>{headline(result)}</h2>
                  <Result result={result} now={now} isOneOfSeveral />
                </div>
              ))}
          </div>
        </div>
      }
    />
  );
}

const toneLabels = { good: "valid", bad: "rejected", open: "not verified" } as const;

/** Says that it is the status of the JWTs only, if others were pasted with them. */
function toneLabel(tone: keyof typeof toneLabels, results: readonly TokenResult[]): string {
  const hasUnknown = results.some((result) => isOpaque(result) && !isValid(result));
  return tone === "good" && hasUnknown ? "JWTs valid" : toneLabels[tone];
}

/** The worst status. An encrypted token cannot be verified here, nor an opaque one of another server. */
function worstTone(results: readonly TokenResult[]): keyof typeof toneLabels {
  if (results.some(hasFailed)) return "bad";
  const verifiable = results.filter((result) => !isOpaque(result) || isValid(result));
  return verifiable.length > 0 && verifiable.every(isValid) ? "good" : "open";
}

function isOpaque({ form }: TokenResult): boolean {
  return form === "opaque";
}

function hasFailed({ checks }: TokenResult): boolean {
  return checks.some(({ passed }) => passed === false);
}

/** Whether the signature and the rules are right; of an opaque token, whether this server accepts it. */
function isValid(result: TokenResult): boolean {
  const isGenuine = isOpaque(result) ? result.checks.length > 0 : result.signature?.passed === true;
  return isGenuine && !hasFailed(result);
}

/** The verdict on what was pasted. */
function pageHeading({ results, callback }: TokensProps): string {
  if (results.length === 1) return headline(results[0]!);
  if (results.length > 1) {
    const opaque = results.filter(isOpaque).length;
    const jwts = results.length - opaque;
    if (jwts === 0) return `${opaque} opaque tokens`;
    const valid = `${results.filter((result) => !isOpaque(result) && isValid(result)).length} of ${
      jwts === 1 ? "1 JWT" : `${jwts} JWTs`
    } valid`;
    return opaque === 0 ? valid : `${valid}, ${opaque} opaque`;
  }
  if (callback === undefined) return "Check a token";
  const error = callback.find(([name]) => name === "error")?.[1].slice(0, maxShownChars);
  return error === undefined ? "Callback URL with a code, without a token" : `Callback URL with the error ${error}`;
}

/** The verdict on a token: first that on its signature. */
function headline({ name, form, checks, signature }: TokenResult): string {
  if (form === "opaque") {
    const status = checks.length === 0 ? "" : checks[0]!.passed ? ", valid" : `, ${checks[0]!.received}`;
    return `${name}: opaque${status}`;
  }
  const lowerCaseName = lowerFirst(name);
  if (signature !== undefined && signature.passed !== true) return signature.heading;
  const failed = checks.filter(({ passed }) => passed === false).length;
  if (failed > 0) {
    const broken = `This ${lowerCaseName} breaks ${failed === 1 ? "1 rule" : `${failed} rules`}`;
    return signature === undefined ? broken : `${signature.heading}, but ${lowerFirst(broken)}`;
  }
  if (form === "encrypted") return `Encrypted ${lowerCaseName}`;
  const open = checks.filter(({ passed }) => passed === undefined).length;
  const passed = checks.length - open;
  return `Valid ${lowerCaseName} (${passed} checks passed${open > 0 ? `, ${open} not checked` : ""})`;
}

/** What the page does, shown by an example. */
function Example({ example, now }: { readonly example: JwtContent; readonly now: number }): VNode {
  return (
    <article class="token">
      <h2>Example: an ID token, decoded</h2>
      <Claims {...example} now={now} />
      <p class="aside">
        Paste a token to see the rules that it breaks, how to fix them, and its claims.
      </p>
    </article>
  );
}

/** What is wrong with a token, then its claims. */
function Result({ result, now, isOneOfSeveral = false }: {
  readonly result: TokenResult;
  readonly now: number;
  readonly isOneOfSeveral?: boolean;
}): VNode {
  const { name, source, header, claims, form, isRefreshToken, checks, disclosures } = result;
  const heading = source === undefined ? name : `${name} (${source})`;
  const failed = checks.filter(({ passed }) => passed === false);
  const open = checks.filter(({ passed }) => passed === undefined);
  const passed = checks.filter((check) => check.passed === true);
  return (
    <article class="token">
      {isOneOfSeveral ? <h3>{heading}</h3> : <h2>{heading}</h2>}
      {failed.length > 0 && (
        <div class="results">{failed.map((check) => <Check key={check.title} check={check} />)}</div>
      )}
      {(header ?? claims) !== undefined && (
        <Claims header={header ?? {}} claims={claims ?? {}} now={now}>
          {form === "encrypted" && (
            <DefinitionItem label="Claims">encrypted: only the holder of the private key can read them.</DefinitionItem>
          )}
        </Claims>
      )}
      <div class="results">
        {form === "encrypted" && (
          <p>
            The token is a JWE (RFC 7516). Only the receiver can decrypt the token and check its claims. Encryption does
            not prove who sent the token, unless the JWE contains a signed JWT.
          </p>
        )}
        {form === "opaque" && (
          <p>
            The token is not a JWT. {isRefreshToken
              ? "A client sends a refresh token only to the token endpoint, never to a resource."
              : "A resource sends the token to the introspection endpoint (RFC 7662). A client never needs to read it."}
          </p>
        )}
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
    </article>
  );
}

/** What a check found. */
export function checkSentence({ title, passed, note }: TokenCheck): string {
  const outcome = passed === undefined ? "Not checked: " : passed ? "" : "Rule broken: ";
  return `${outcome === "" ? title : outcome + lowerFirst(title)}.${note === undefined ? "" : ` ${note}`}`;
}

function Check({ check }: { readonly check: TokenCheck }): VNode {
  const { cites, rule, passed, expected, received, fix } = check;
  return (
    <div class="checked">
      <CheckItem passed={passed} expected={expected} received={received} rule={rule}>
        {checkSentence(check)}
      </CheckItem>
      {passed === false && <Fix fix={fix} />}
      <p class="cited">
        {citedSections(cites).map(({ title: section, url }) => <a key={url} href={url} rel="noreferrer">{section}</a>)}
      </p>
    </div>
  );
}

function TokenForm({ base, issuer, values, kinds, csrfToken, hasLastIdToken }: TokensProps): VNode {
  const { token, key_set: keys, kind, issuer: expectedIssuer, client_id: clientId, nonce } = values;
  return (
    <form class="form" method="post" action={`${base}/tokens`}>
      <input type="hidden" name="form_token" value={csrfToken} />
      <Field
        name="token"
        label="Token"
        hint="A JWT, an Authorization header, a token response as JSON, a callback URL, or a signed request. The page sends it only to this server, which does not store it."
        value={token}
        lines={6}
      />
      <details class="quiet" open={[keys, kind, expectedIssuer, clientId, nonce].some((value) => value !== undefined)}>
        <summary>Keys and expected values</summary>
        <Field
          name="key_set"
          label="Keys of the issuer"
          hint="A JWK Set, as the jwks_uri of the issuer returns it. Default: the keys of this server."
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
        <Field name="issuer" label="Issuer" hint={`Default: ${issuer}`} value={expectedIssuer} optional />
        <Field
          name="client_id"
          label="Client ID"
          hint="The client that receives the token."
          value={clientId}
          optional
        />
        <Field name="nonce" label="Nonce" hint="The nonce of the authorization request." value={nonce} optional />
      </details>
      <p class="ways">
        <button type="submit" class="button">Check the token</button>
        {hasLastIdToken && <a href={`${base}/tokens?last=id_token`}>Check the last ID token</a>}
      </p>
    </form>
  );
}
