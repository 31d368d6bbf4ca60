/**
 * Redaction by declaration: hides the values of declared names, known secrets, and codes and tokens in texts.
 *
 * 1. Endpoints, grant types and extensions declare secret parameters and members: {@link ParameterDescription}.
 * 2. `create_app.ts` collects them in the `RegisteredSecrets` of a server, which also finds client secrets.
 * 3. {@link hideSecrets} hides the secrets of one text.
 * 4. `redact.ts` redacts events for logs by it, `recorder/redact.ts` requests and responses.
 */

import type { ParameterDescription } from "./params.ts";

/** Declared names, normalized, with their labels; `undefined` for names that are not secret. */
export type DeclaredNames = Map<string, string | undefined>;

/** Adds declarations. A name that is secret at one endpoint is secret everywhere. */
export function declareNames(declared: DeclaredNames, parameters: readonly ParameterDescription[]): void {
  for (const { name, secret } of parameters) {
    const key = normalizeName(name);
    declared.set(key, secret ?? declared.get(key));
  }
}

/** Names that are secret without a declaration: headers, names of OAuth for texts without a server, and common ones. */
const commonNames: DeclaredNames = new Map();
declareNames(
  commonNames,
  [
    ...["code", "access_token", "refresh_token", "id_token", "token", "code_verifier", "client_secret", "password"],
    ...["client_assertion", "secret", "api_key", "private_key"],
  ].map((name) => ({ name, secret: name })),
);
declareNames(commonNames, [
  { name: "id_token_hint", secret: "id_token" },
  ...["authorization", "cookie", "set-cookie"].map((name) => ({ name, secret: "credentials" })),
  { name: "dpop", secret: "dpop_proof" },
]);

/** The name without case, separators and escapes: equal for `client_secret`, `clientSecret`, `client%5Bsecret%5D`. */
export function normalizeName(name: string): string {
  let decoded = name;
  for (let times = 0; times < 3 && isEncoded(decoded); times++) decoded = decodeAscii(decoded);
  return decoded.replace(/[^A-Za-z\d]/g, "").toLowerCase();
}

/** Decodes percent-encoded ASCII characters, and those of JSON (`\u0022`). It never throws: catching is slow. */
function decodeAscii(text: string): string {
  return text.replace(/(?:%|\\u00)([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
}

function isEncoded(text: string): boolean {
  return text.includes("%") || text.includes("\\u00");
}

/** Decodes a name or value of a form; returns it unchanged if it is malformed. */
export function decodeFormValue(text: string): string {
  if (!/[%+]/.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** The end of names that no endpoint declares: of parameters of another protocol, or of an extension that is off. */
const secretNameEnd = /(?:token|assertion|secret|password)$/;

/** The label of values of such names. */
const undeclaredLabel = "value";

/** The label of a common name, or of a name that ends like a secret; otherwise `undefined`. */
export function commonLabel(name: string): string | undefined {
  return findLabel(name, (key) => commonNames.get(key)) ??
    findLabel(name, (key) => secretNameEnd.test(key) ? undeclaredLabel : undefined);
}

/**
 * The label of a name, or of a part of it: `user[password]`, `oauth.client_secret`, `client_secret[0]`. Before a dot
 * there may be the host of a URI with a port, such as `code.example.com:8443`, which is no name.
 */
export function findLabel(name: string, labelOf: (key: string) => string | undefined): string | undefined {
  const label = labelOf(normalizeName(name));
  if (label !== undefined || !/[.[\]]|%5b/i.test(name)) return label;
  const lastParts = name.split(/[[\]]|%5[bd]/i).map((part) => part.slice(part.lastIndexOf(".") + 1));
  return lastParts.map((part) => labelOf(normalizeName(part))).find((label) => label !== undefined);
}

/** How the texts of a record or log are redacted. */
export interface Redaction {
  /** The label of the values of a name; `undefined` if it is not declared as secret. */
  label(name: string): string | undefined;
  /** Replaces a secret. Returns the replacement of an earlier call unchanged. */
  mask(secret: string, label: string): string;
  /** Replaces the known secrets of a text, whatever their names. */
  known(text: string): string;
  /** Whether texts are percent-decoded already. Default: false. */
  readonly isDecoded?: boolean;
}

/**
 * A name, or the last 64 characters of it, and the separator before its value, in a query, a header, JSON, whose quotes
 * may be escaped, or a dump.
 */
const pairStart = /([\w.~%+[\]-]{1,64})(\\*["']?\s{0,20}(?:=>?|:)\s{0,20}<?\\*["']?)/g;

/** User and password of a URI (RFC 3986 §3.2.1). A password that is not percent-encoded may contain any character. */
const userInfo = /(:\/\/)([^\s"'<>/?#]*|[^\s"'<>/?#:]*:(?!\d+[/\s?#])[^"'<>\r\n]*)@/g;

/** Credentials after the scheme of an `Authorization` header, but not the next word of a sentence. */
const schemeCredentials = /(?<=\b(?:basic|bearer|dpop)(?:\s|\+|%20){1,20})(?![a-z]+(?![\w.~+/=-]))[\w.~+/=-]{8,}/gi;

/** A JWT, signed or encrypted, complete or cut: base64url parts, the first of which begins like a JSON object. */
const jwt = /eyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g;

/** The format of a code verifier (RFC 7636 §4.1), and of every code and opaque token of this server (`randomToken`). */
const opaqueToken = /(?<![\w.~-])[\w.~-]{43,128}(?![\w.~-])/g;

const jsonShape = /^\s*[{[][^]*[}\]]\s*$/;

/** Maximum levels of percent-encoding to decode. Text with more levels is hidden. */
const maxEncodings = 8;

/**
 * Hides the secrets of a text of any format: text, URI, form, header or JSON, also percent-encoded, or JSON in a
 * string.
 */
export function hideSecrets(text: string, redaction: Redaction): string {
  const hidden = hideDecoded(text, redaction);
  if (redaction.isDecoded || !isEncoded(hidden)) return hidden;
  return hidden.replace(
    /[^\s&?#=;"<>]+/g,
    (part) => isEncoded(part) && containsSecret(part, redaction) ? redaction.mask(part, "value") : part,
  );
}

/** Whether an encoded part of a text contains a secret. */
function containsSecret(part: string, redaction: Redaction): boolean {
  const detection = { ...redaction, mask: () => "", isDecoded: true };
  let decoded = part;
  for (let times = 0; times < maxEncodings; times++) {
    const next = decodeAscii(decoded);
    if (next === decoded) return false;
    decoded = next;
    if (hideDecoded(decoded, detection) !== decoded) return true;
  }
  return true;
}

function hideDecoded(text: string, redaction: Redaction): string {
  const { mask } = redaction;
  const json = jsonShape.test(text) ? hideInJson(text, redaction) : undefined;
  if (json !== undefined) return json;
  const hidden = /[=:]/.test(text) ? hideUserInfo(hidePairs(text, redaction), redaction) : text;
  return hideKnown(hidden.replace(schemeCredentials, (word) => mask(word, "credentials")), redaction);
}

/** Hides user and password of URIs. Reads no text after the last `@` of a line: each URI would read all of it again. */
function hideUserInfo(text: string, { mask }: Redaction): string {
  return text.replace(/[^"'<>\r\n]+/g, (line) => {
    const end = line.lastIndexOf("@") + 1;
    const hidden = line.slice(0, end).replace(
      userInfo,
      (_, slashes, info: string) => `${slashes}${info.replace(/[^:]+/g, (part) => mask(part, "password"))}@`,
    );
    return hidden + line.slice(end);
  });
}

/** Hides known secrets and JWTs in a text that this server wrote. */
export function hideKnown(text: string, { known, mask }: Redaction): string {
  return known(text).replace(jwt, (token) => mask(token, "token"));
}

/** Hides the values of declared names. */
function hidePairs(text: string, { label, mask }: Redaction): string {
  let hidden = "";
  let from = 0;
  for (const { 0: pair, 1: name = "", 2: sign = "", index } of text.matchAll(pairStart)) {
    if (index < from) continue;
    const kind = label(name);
    // Undeclared names end like words before a colon: "failed assertion: x > 0", https://reset-password:8443.
    const isProse = kind === undeclaredLabel && sign.includes(":") && !/["']/.test(sign);
    if (kind === undefined || isProse) continue;
    const start = index + pair.length;
    const rest = text.slice(start);
    // JSON that is cut or malformed: what follows the value may still belong to it.
    const isJson = /["']/.test(sign) || /^[{[]/.test(rest);
    // The value of a header ends with its line.
    const [value = ""] = (isJson ? /^[^"'\\]*/ : sign.includes(":") ? /^[^\r\n]*/ : /^[^\s&#"<>]*/).exec(rest)!;
    const shown = value && mask(sign.includes(":") ? value : decodeFormValue(value), kind);
    if (isJson) return `${hidden}${text.slice(from, start)}${shown}${value === rest ? "" : "…"}`;
    hidden += text.slice(from, start) + shown;
    from = start + value.length;
  }
  return hidden + text.slice(from);
}

/** Whether a member is the object of the `claims` parameter with the claims of the ID token (OIDC Core §5.5). */
function isClaimsRequest(name: string, member: unknown): boolean {
  return typeof member === "object" && !Array.isArray(member) && name === "id_token";
}

/** Whether a member is a number in `code`, as in JSON-RPC errors: an authorization code is a string. */
function isNumericCode(name: string, member: unknown): member is number {
  return typeof member === "number" && normalizeName(name) === "code";
}

function showUnknownNumber(value: number, { known }: Redaction): unknown {
  const text = String(value);
  const shown = known(text);
  return shown === text ? value : shown;
}

/** Hides the members of JSON with declared names; `undefined` if the text is not JSON. */
function hideInJson(text: string, redaction: Redaction): string | undefined {
  const hide = (value: unknown, kind: string | undefined): unknown => {
    if (typeof value === "string") {
      return kind === undefined ? hideSecrets(value, redaction) : value && redaction.mask(value, kind);
    }
    if (typeof value === "number" && kind !== undefined) return redaction.mask(String(value), kind);
    if (Array.isArray(value)) return value.map((item) => hide(item, kind));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        hideSecrets(name, redaction),
        kind === undefined && isNumericCode(name, member)
          ? showUnknownNumber(member, redaction)
          : hide(member, kind ?? (isClaimsRequest(name, member) ? undefined : redaction.label(name))),
      ]),
    );
  };
  try {
    const parsed = JSON.parse(text);
    const hidden = JSON.stringify(hide(parsed, undefined));
    // Changed too if the parser dropped a repeated member.
    const isUnchanged = hidden === JSON.stringify(parsed) && hidden.replace(/\s/g, "") === text.replace(/\s/g, "");
    return isUnchanged ? text : hidden;
  } catch (error) {
    // JSON that is too deep for the stack is still JSON: its names may be escaped.
    return error instanceof SyntaxError ? undefined : redaction.mask(text, "value");
  }
}

/** Hides secrets, and what has the format of a code or token, in a text that is no value of a declared name. */
export function hideInFreeText(text: string, redaction: Redaction): string {
  return hideTokens(hideSecrets(text, redaction), redaction);
}

/** Hides what has the format of a code or token. */
export function hideTokens(text: string, { mask }: Redaction): string {
  return text.replace(opaqueToken, (word) => mask(word, "value"));
}

/** Maximum length of free text that is shown, in characters. */
export const maxFreeTextChars = 80;

/** Cuts free text, after its secrets were hidden. Text that was cut before stays. */
export function cutFreeText(text: string): string {
  if (text.length <= maxFreeTextChars || /^[^]{60,80}…\(\d+\)$/.test(text)) return text;
  // Does not cut within a mask.
  const start = text.slice(0, maxFreeTextChars).replace(/[^…\s]{0,4}…\(?\d{0,5}$/, "");
  return `${start.toWellFormed()}…(${text.length})`;
}

/** The result of {@link maskLength}. */
const lengthOnly = /^…\(\d+\)$/;

/** Replaces a secret by its length. */
export function maskLength(secret: string): string {
  return lengthOnly.test(secret) ? secret : `…(${secret.length})`;
}

/** Redacts the value of a setting: the values of common secret names, and user and password of a URI. */
export function redactSetting(value: string): string {
  const text = hideSecrets(value, { label: commonLabel, mask: maskLength, known: (text) => text });
  // A password that is not percent-encoded may contain any character, even spaces.
  const colon = text.indexOf(":");
  const at = text.lastIndexOf("@");
  if (colon < 0 || at < colon) return text;
  const start = colon + (text.startsWith("//", colon + 1) ? 3 : 1);
  return `${text.slice(0, start)}…${text.slice(at)}`;
}
