/** Finds the tokens in pasted text: a token, a header, a token response, a URL or a form. */

import { parseJsonObject } from "../../../platform/http/message.ts";

/** What a token is checked as. */
export type TokenKind =
  | "id_token"
  | "access_token"
  | "logout_token"
  | "request"
  | "response"
  | "dpop"
  | "client_assertion"
  | "other";

/** A token in pasted text. */
export interface PastedToken {
  /** The parameter, member or header that contained it. Absent: the token was pasted alone. */
  readonly source?: string;
  /** Its kind by its source. */
  readonly kind?: TokenKind;
  readonly token: string;
}

/** A parameter of an authorization response. */
export type ResponseParameter = readonly [name: string, value: string];

/** The tokens of a pasted text, and remarks about the text around them. */
export interface PastedText {
  readonly tokens: readonly PastedToken[];
  readonly notes: readonly string[];
  /** The parameters of a callback URL, or of a posted authorization response. */
  readonly callback?: readonly ResponseParameter[];
}

/** Parameters and members that contain tokens. */
const kindBySource: ReadonlyMap<string, TokenKind | undefined> = new Map([
  ["id_token", "id_token"],
  ["access_token", "access_token"],
  ["refresh_token", undefined],
  ["logout_token", "logout_token"],
  ["id_token_hint", "id_token"],
  ["request", "request"],
  ["response", "response"],
  ["client_assertion", "client_assertion"],
  ["assertion", undefined],
  ["subject_token", undefined],
  ["actor_token", undefined],
  ["token", undefined],
  ["software_statement", undefined],
]);

/** Maximum number of parameters of a callback URL to show. */
const maxParameters = 16;

/** Maximum number of tokens from one text. */
const maxTokens = 6;

/** Reads pasted text. It never throws; text without a token has none. */
export function readPastedText(pasted: string): PastedText {
  const text = pasted.trim().replace(/^(["'])([^"']*)\1$/, "$2").trim();
  if (text === "") return { tokens: [], notes: [] };
  const header = /^(?:(authorization|dpop)\s*:\s*)?(?:(bearer|dpop)\s+)?(\S+)$/is.exec(text);
  if (header !== null && (header[1] ?? header[2]) !== undefined) return readHeader(header);
  if (text.startsWith("{")) return readJson(text);
  const parameters = readParameters(text);
  const callback = isAuthorizationResponse(parameters) ? parameters.slice(0, maxParameters) : undefined;
  const fields = toTokens(parameters);
  if (fields.length > 0 || callback !== undefined) return { tokens: fields, notes: [], callback };
  const joined = text.replaceAll(/\s+/g, "");
  if (joined === text || !/^[\w.~+/=-]+$/.test(joined)) return { tokens: [{ token: text }], notes: [] };
  return {
    tokens: [{ token: joined }],
    notes: ["Spaces and line breaks were removed from the token. A request must contain the token without them."],
  };
}

function readHeader([, name, scheme, token]: RegExpExecArray): PastedText {
  if (name?.toLowerCase() === "dpop") return { tokens: [{ source: "DPoP", kind: "dpop", token: token! }], notes: [] };
  const notes = scheme === undefined ? [] : [`${scheme} is the scheme of the header, not part of the token.`];
  return { tokens: [{ source: "Authorization", kind: "access_token", token: token! }], notes };
}

function readJson(text: string): PastedText {
  const members = parseJsonObject(text);
  if (members === undefined) return { tokens: [{ token: text }], notes: [] };
  const { payload, protected: head, signature } = members;
  if (typeof payload === "string" && typeof head === "string" && typeof signature === "string") {
    return {
      tokens: [{ token: `${head}.${payload}.${signature}` }],
      notes: [
        "This is the JSON serialization of a JWS (RFC 7515 §7.2). OAuth tokens use the compact serialization, shown below.",
      ],
    };
  }
  const tokens = toTokens(Object.entries(members));
  if (tokens.length > 0) return { tokens, notes: [] };
  const note = "keys" in members || "kty" in members
    ? 'This is a key or a JWK Set. Paste it into the field "Keys of the issuer", and a token into the field "Token".'
    : "iss" in members || "sub" in members || "exp" in members
    ? "These are decoded claims without a signature. Paste the token that contains them."
    : `Paste a token or a token response: this JSON object has none of the members ${
      [...kindBySource.keys()].join(", ")
    }.`;
  return { tokens: [], notes: [note] };
}

/** The parameters of a URL, a `Location` header, a request line, a fragment or a form. */
function readParameters(text: string): ResponseParameter[] {
  const url = text.replace(/^(?:location:|get)\s+/i, "").replace(/\s{1,20}HTTP\/[\d.]+$/, "");
  return url.split(/[?#]/).flatMap((part) => part.includes("=") ? [...new URLSearchParams(part)] : []);
}

/** Whether parameters are those of a response, and not of a request that contains a token or a code. */
function isAuthorizationResponse(parameters: readonly ResponseParameter[]): boolean {
  const names = new Set(parameters.map(([name]) => name));
  const isRequest = ["client_id", "grant_type", "response_type", "token", "id_token_hint"].some((name) =>
    names.has(name)
  );
  return !isRequest && ["code", "error", "id_token", "access_token", "response"].some((name) => names.has(name));
}

function toTokens(members: readonly (readonly [name: string, value: unknown])[]): PastedToken[] {
  return members.flatMap(([source, value]) =>
    kindBySource.has(source) && typeof value === "string" && value !== ""
      ? [{ source, kind: kindBySource.get(source), token: value.trim() }]
      : []
  ).slice(0, maxTokens);
}
