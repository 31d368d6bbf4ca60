/**
 * Redaction shows what is declared as public, and of everything else the name and the length.
 *
 * 1. Endpoints, grant types and extensions declare each parameter and member, secret or public:
 *    {@link ParameterDescription}. `hosting/endpoint_table.ts` collects them for the `RegisteredSecrets` of a server.
 * 2. What this process issued (`issued_secrets.ts`), the secrets of clients, and JWTs are hidden in public values and in
 *    sentences too: a client may send them in the wrong parameter. What another process issued is hidden as the value
 *    of a declared name, or as a JWT.
 * 3. `redact.ts` redacts events for logs, `recorder/redact.ts` requests and responses.
 *
 * Nothing is decoded, and free text is not searched for names.
 */

import type { ParameterDescription } from "../../core/http/params.ts";
import { containsIssued } from "./issued_secrets.ts";

/** Declared names, normalized, with their labels; `undefined` for names that are not secret. */
export type DeclaredNames = Map<string, string | undefined>;

/** Adds declarations. A name that is secret at one endpoint is secret everywhere. */
export function declareNames(declared: DeclaredNames, parameters: readonly ParameterDescription[]): void {
  for (const { name, secret } of parameters) {
    const key = normalizeSecretName(name);
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

/** The name without case and separators: equal for `client_secret`, `clientSecret` and `Client-Secret`. */
export function normalizeSecretName(name: string): string {
  return name.replace(/[^A-Za-z\d]/g, "").toLowerCase();
}

/** The label of a common name; otherwise `undefined`. */
export function commonLabel(name: string): string | undefined {
  return commonNames.get(normalizeSecretName(name));
}

/** How the texts of a record or log are redacted. */
export interface Redaction {
  /** The label of the values of a name; `undefined` if it is not declared as secret. */
  label(name: string): string | undefined;
  /** Replaces a secret. Returns the replacement of an earlier call unchanged. */
  mask(secret: string, label: string): string;
  /** Replaces the registered secrets of a text. */
  known(text: string): string;
}

/** A JWT, signed or encrypted, complete or cut: base64url parts, the first of which begins like a JSON object. */
const jwt = /eyJ[\w-]{8,}(?:\.[\w-]*){0,4}/g;

/** The length of the shortest JWT that is found; issued secrets are longer. */
const minFoundChars = 11;

/** Hides registered and issued secrets and JWTs. */
export function hideKnown(text: string, { known, mask }: Redaction): string {
  const hidden = known(text);
  // Most texts of events are short.
  if (hidden.length < minFoundChars) return hidden;
  return hidden.replace(jwt, (token) => mask(token, "token"))
    .replace(/[\w-]{43,}/g, (word) => containsIssued(word) ? mask(word, "value") : word);
}

/** User and password of a URI (RFC 3986 §3.2.1). */
const userInfo = /(?<=:\/\/)[^\s"'<>/?#@]+(?=@)/g;

/** A name with its value, in a form, the query of a URI or a header. */
const pair = /(^|[?&#;/\s])([\w.~-]{1,64})=([^\s&#"<>]+)/g;

/** Hides the values of declared names in JSON and in URIs, and what {@link hideKnown} finds. */
export function hideInText(text: string, redaction: Redaction): string {
  const { label, mask } = redaction;
  const shown = hideMembers(text, redaction)
    .replace(userInfo, (info) => info.replace(/[^:]+/g, (part) => mask(part, "password")))
    .replace(pair, (found, sign: string, name: string, value: string) => {
      const kind = label(name);
      return kind === undefined ? found : `${sign}${name}=${mask(value, kind)}`;
    });
  return hideKnown(shown, redaction);
}

/** Whether a text looks like JSON. */
export const jsonShape = /^\s*(?:\{\s*["}]|\[\s*[{["\]])/;

/** Hides the members of JSON with declared names. Text that looks like JSON and is none is hidden as a whole. */
function hideMembers(text: string, { label, mask }: Redaction): string {
  if (!jsonShape.test(text)) return text;
  const hide = (name: string, value: unknown) => {
    // `id_token` of the claims parameter is an object (OpenID Connect Core §5.5), `code` of JSON-RPC a number.
    const isSecret = value !== null && value !== "" && typeof value !== "boolean" &&
      !(name === "id_token" && typeof value === "object") && !(name === "code" && typeof value === "number");
    const kind = isSecret ? label(name) : undefined;
    return kind === undefined ? value : mask(typeof value === "string" ? value : JSON.stringify(value), kind);
  };
  try {
    return JSON.stringify(JSON.parse(text, hide));
  } catch {
    return mask(text, "value");
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
