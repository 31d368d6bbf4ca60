/**
 * Redaction hides parts of a text: the values of declared names, registered secrets, issued codes and tokens, and JWTs.
 * It parses JSON, and decodes percent-encoded text once.
 *
 * 1. Endpoints, grant types and extensions declare secret parameters and members: {@link ParameterDescription}.
 * 2. `hosting/endpoint_table.ts` collects them for the `RegisteredSecrets` of a server, which also finds the secrets of
 *    clients.
 * 3. `issued_secrets.ts` remembers what this process issued. What another process issued is hidden as the value of a
 *    declared name, as a JWT, or as a value with a MAC, but not as a word elsewhere.
 * 4. `redact.ts` redacts events for logs, `recorder/redact.ts` requests and responses.
 */

import type { ParameterDescription } from "../../core/http/params.ts";
import { containsIssued } from "./issued_secrets.ts";

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

/** The name without case and separators: equal for `client_secret`, `clientSecret` and `client[secret]`. */
export function normalizeName(name: string): string {
  return name.replace(/[^A-Za-z\d]/g, "").toLowerCase();
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

/** The label of a common name; otherwise `undefined`. */
export function commonLabel(name: string): string | undefined {
  return findLabel(name, commonNames);
}

/**
 * The label of a name, or of a part of it: `user[password]`, `oauth.client_secret`, `client_secret[0]`. Before a dot
 * there may be the host of a URI with a port, such as `code.example.com:8443`, which is no name.
 */
export function findLabel(name: string, declared: DeclaredNames): string | undefined {
  const decoded = decodeFormValue(name);
  const parts = decoded.split(/[[\]]/).map((part) => part.slice(part.lastIndexOf(".") + 1));
  return [decoded, ...parts].map((part) => declared.get(normalizeName(part))).find((label) => label !== undefined);
}

/** How the texts of a record or log are redacted. */
export interface Redaction {
  /** The label of the values of a name; `undefined` if it is not declared as secret. */
  label(name: string): string | undefined;
  /** Replaces a secret. Returns the replacement of an earlier call unchanged. */
  mask(secret: string, label: string): string;
  /** Replaces the known secrets of a text, whatever their names. */
  known(text: string): string;
}

/** A JWT, signed or encrypted, complete or cut: base64url parts, the first of which begins like a JSON object. */
const jwt = /eyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g;

/** The MAC of a value, as of the cookie of a session: it authorizes its holder. */
const mac = /(?<=[\w-]{16}\.)[\w-]{43}(?![\w.-])/g;

/** The length of the shortest JWT that is found; issued secrets are longer. */
const minFoundChars = 11;

/** Hides known and issued secrets and JWTs, whatever is around them: no encoding of a text changes their characters. */
export function hideKnown(text: string, { known, mask }: Redaction): string {
  const hidden = known(text);
  // Most texts of events are short.
  if (hidden.length < minFoundChars) return hidden;
  return hidden.replace(jwt, (token) => mask(token, "token"))
    .replace(mac, (word) => mask(word, "value"))
    .replace(/[\w-]{43,}/g, (word) => containsIssued(word) ? mask(word, "value") : word);
}

/** User and password of a URI (RFC 3986 §3.2.1). */
const userInfo = /(?<=:\/\/)[^\s"'<>/?#@]+(?=@)/g;

/** Credentials after the scheme of an `Authorization` header, but not the next word of a sentence. */
const schemeCredentials = /(?<=\b(?:basic|bearer|dpop)(?:\s|\+|%20){1,20})(?![a-z]+(?![\w.~+/=-]))[\w.~+/=-]{8,}/gi;

const jsonShape = /^\s*[{[][^]*[}\]]\s*$/;

/** Hides the secrets of a text of any format: text, path, URI, query, header or JSON. */
export function hideInText(text: string, redaction: Redaction, isDecoded = false): string {
  const json = jsonShape.test(text) ? hideInJson(text, redaction) : undefined;
  if (json !== undefined) return json;
  const { mask } = redaction;
  const plain = text.replace(userInfo, (info) => info.replace(/[^:]+/g, (part) => mask(part, "password")))
    .replace(schemeCredentials, (word) => mask(word, "credentials"));
  const hidden = hidePairs(plain, redaction);
  return hideKnown(isDecoded ? hidden : hideEncoded(hidden, redaction), redaction);
}

/** Decodes the parts of a path or query that are percent-encoded and contain a secret; only once. */
function hideEncoded(text: string, redaction: Redaction): string {
  return text.replace(/[^\s&?#;"<>]+/g, (part) => {
    const decoded = part.includes("%") ? decodeFormValue(part) : part;
    const hidden = decoded === part ? decoded : hideInText(decoded, redaction, true);
    return hidden === decoded ? part : hidden;
  });
}

/**
 * A name, or its last 64 characters, and the sign before its value: in a query, a header, a dump, a part of a multipart
 * form, or JSON, whose quotes may be escaped.
 */
const pairStart = /([\w.~%+[\]-]{1,64})(\\*["']?\s{0,20}(?:=>?|:)\s{0,20}<?\\*["']?|"(?:\r?\n){2})/g;

/** Hides the values of declared names: in a query to the next name, in other formats to the end of the text. */
function hidePairs(text: string, { label, mask }: Redaction): string {
  let hidden = "";
  let from = 0;
  for (const { 0: pair, 1: name = "", 2: sign = "", index } of text.matchAll(pairStart)) {
    const isHost = sign === ":" && text.startsWith("//", index - 2);
    const kind = index < from || isHost ? undefined : label(name);
    if (kind === undefined) continue;
    const start = index + pair.length;
    const rest = text.slice(start);
    const value = sign === "=" && !/^[{[]/.test(rest) ? /^[^\s&#"<>]*/.exec(rest)![0] : rest;
    hidden += text.slice(from, start) + (value && mask(sign === "=" ? decodeFormValue(value) : value, kind));
    from = start + value.length;
  }
  return hidden + text.slice(from);
}

/** The label of a member of JSON. */
function memberLabel(name: string, member: unknown, { label }: Redaction): string | undefined {
  // In the `claims` parameter, the claims of the ID token (OIDC Core §5.5).
  if (name === "id_token" && typeof member === "object" && !Array.isArray(member)) return undefined;
  // An error of JSON-RPC: an authorization code is a string.
  if (typeof member === "number" && normalizeName(name) === "code") return undefined;
  return label(name);
}

/** Hides the members of JSON with declared names; `undefined` if the text is not JSON. */
function hideInJson(text: string, redaction: Redaction): string | undefined {
  const hide = (value: unknown, kind: string | undefined): unknown => {
    if (typeof value === "string" || typeof value === "number") {
      const shown = String(value);
      const hidden = kind === undefined ? hideInText(shown, redaction) : shown && redaction.mask(shown, kind);
      return hidden === shown ? value : hidden;
    }
    if (Array.isArray(value)) return value.map((item) => hide(item, kind));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        hideInText(name, redaction),
        hide(member, kind ?? memberLabel(name, member, redaction)),
      ]),
    );
  };
  try {
    const parsed = JSON.parse(text);
    const hidden = JSON.stringify(hide(parsed, undefined));
    // Changed too if the parser dropped a repeated member, or decoded an escape.
    const isUnchanged = hidden === JSON.stringify(parsed) && hidden.replace(/\s/g, "") === text.replace(/\s/g, "");
    return isUnchanged ? text : hidden;
  } catch (error) {
    // Nested too deeply for the stack.
    return error instanceof SyntaxError ? undefined : redaction.mask(text, "value");
  }
}

/** The last word of a text that was cut, which may be a part of a secret. Takes linear time. */
export const lastWord = /(?<!\S)\S*$/;

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
  const text = hideInText(value, { label: commonLabel, mask: maskLength, known: (text) => text });
  // A password that is not percent-encoded may contain any character, even spaces.
  const colon = text.indexOf(":");
  const at = text.lastIndexOf("@");
  if (colon < 0 || at < colon) return text;
  const start = colon + (text.startsWith("//", colon + 1) ? 3 : 1);
  return `${text.slice(0, start)}…${text.slice(at)}`;
}
