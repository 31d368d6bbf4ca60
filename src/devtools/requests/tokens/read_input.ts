/** Finds the tokens in pasted text: a token, a header, a token response, a URL or a form. */

import { parseJsonObject } from "../../../platform/http/json_body.ts";

/** What a token is checked as. */
export type CheckedTokenKind =
  | "id_token"
  | "access_token"
  | "logout_token"
  | "request"
  | "response"
  | "dpop"
  | "client_assertion"
  | "other";

export interface PastedToken {
  /** The parameter, member or header that contained it. Absent: the token was pasted alone. */
  readonly source?: string;
  /** Its kind by its source. */
  readonly kind?: CheckedTokenKind;
  readonly token: string;
}

/** The tokens of a pasted text, and a remark about the text around them. */
export interface PastedText {
  readonly tokens: readonly PastedToken[];
  readonly note?: string;
}

/** Parameters and members that contain tokens. */
const kindBySource: ReadonlyMap<string, CheckedTokenKind | undefined> = new Map([
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

/** Maximum number of tokens from one text. */
const maxTokens = 6;

/** Reads pasted text. It never throws; text without a token has none. */
export function readPastedText(pasted: string): PastedText {
  const text = pasted.trim().replace(/^(["'])([^"']*)\1$/, "$2").trim();
  if (text === "") return { tokens: [], note: 'The field "Token" is empty: paste a token.' };
  const [, name, scheme, token] = /^(?:(authorization|dpop)\s*:\s*)?(?:(bearer|dpop)\s+)?(\S+)$/is.exec(text) ?? [];
  if (name?.toLowerCase() === "dpop") return { tokens: [{ source: "DPoP", kind: "dpop", token: token! }] };
  if ((name ?? scheme) !== undefined) {
    return { tokens: [{ source: "Authorization", kind: "access_token", token: token! }] };
  }
  const members = Object.entries(parseJsonObject(text) ?? {});
  const fields = members.length > 0 ? members : readParameters(text);
  const tokens = fields.flatMap(([source, value]) =>
    kindBySource.has(source) && typeof value === "string" && value !== ""
      ? [{ source, kind: kindBySource.get(source), token: value.trim() }]
      : []
  ).slice(0, maxTokens);
  if (tokens.length > 0) return { tokens };
  const isCallback = fields.some(([name]) => name === "code" || name === "error");
  if (isCallback || members.length > 0) {
    return {
      tokens: [],
      note: `Paste a token, or a text with one of ${[...kindBySource.keys()].join(", ")}: this text has none of them.`,
    };
  }
  const joined = text.replaceAll(/\s+/g, "");
  if (joined === text || !/^[\w.~+/=-]+$/.test(joined)) return { tokens: [{ token: text }] };
  return {
    tokens: [{ token: joined }],
    note: "Spaces and line breaks were removed from the token. A request must contain the token without them.",
  };
}

/** The parameters of a URL, a `Location` header, a request line, a fragment or a form. */
function readParameters(text: string): (readonly [name: string, value: string])[] {
  const url = text.replace(/^(?:location:|get)\s+/i, "").replace(/\s{1,20}HTTP\/[\d.]+$/, "");
  return url.split(/[?#]/).flatMap((part) => part.includes("=") ? [...new URLSearchParams(part)] : []);
}
