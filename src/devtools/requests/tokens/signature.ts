/** Verifies the signature of a pasted token with the keys that fit it. It fetches no keys. */

import { compactVerify, importJWK } from "jose";
import type { JWK } from "jose";
import { algorithmsInUse } from "../../../server/endpoints/jwks.ts";
import { parseJsonObject } from "../../../platform/http/message.ts";
import type { Server } from "../../../server/oauth/server.ts";
import type { Members, ParsedToken } from "./parse_token.ts";
import type { TokenKind } from "./read_input.ts";
import type { TokenRuleResult } from "./rule.ts";

/** Keys, and where they come from. */
export interface KeySource {
  readonly keys: readonly Members[];
  /** Follows "a key of": `this server`. */
  readonly owner: string;
}

/** Maximum number of keys to try. */
const maxKeys = 32;

/** The keys in a text: a JWK Set, a list of keys or one key (RFC 7517). `undefined` if it is none of them. */
export function readKeys(text: string): readonly Members[] | undefined {
  const trimmed = text.trim();
  const wrapped = parseJsonObject(trimmed.startsWith("[") ? `{"keys":${trimmed}}` : trimmed);
  const keys = wrapped?.keys ?? (wrapped?.kty === undefined ? undefined : [wrapped]);
  if (!Array.isArray(keys)) return undefined;
  const objects = keys.filter((key): key is Members => typeof key === "object" && key !== null);
  return objects.length === keys.length && keys.length > 0 ? objects.slice(0, maxKeys) : undefined;
}

/** The keys that a token of this kind must be signed with; `undefined` if they are not known here. */
export async function findKeys(
  server: Server,
  kind: TokenKind,
  { header = {}, claims = {} }: ParsedToken,
  given: KeySource | undefined,
): Promise<KeySource | undefined> {
  if (given !== undefined) return given;
  if (kind === "dpop") {
    const { jwk } = header;
    return typeof jwk === "object" && jwk !== null ? { keys: [jwk as Members], owner: "its header" } : undefined;
  }
  if (kind === "request" || kind === "client_assertion") {
    const id = claims.iss ?? claims.client_id;
    const client = typeof id === "string" ? server.clients.findCached(id) : undefined;
    const keys = client?.metadata.jwks?.keys;
    return keys === undefined ? undefined : { keys, owner: `the client ${client!.id}` };
  }
  return { keys: await server.keys.publishedKeys(algorithmsInUse(server)), owner: "this server" };
}

/** The verdict on a signature, and how to fix it if that differs from other invalid signatures. */
interface SignatureResult extends TokenRuleResult {
  /** The verdict as a heading. */
  readonly heading: string;
  readonly fix?: string;
}

/** Verifies the signature. Without keys the check is open. */
export async function verifySignature(
  { jwt, header = {} }: ParsedToken,
  source: KeySource | undefined,
): Promise<SignatureResult> {
  const { alg, kid } = header;
  const received = `alg ${describe(alg)}, kid ${describe(kid)}`;
  if (typeof alg !== "string" || alg.toLowerCase() === "none") {
    return {
      passed: false,
      expected: "a signature",
      received: `alg ${describe(alg)}`,
      heading: `alg ${describe(alg)}: not signed`,
      fix:
        "An attacker can write such a token. Reject it: let the client or API accept only the algorithms that it expects, such as RS256. If you issue it, sign it, and set alg to the algorithm of your key.",
    };
  }
  if (source === undefined) {
    const heading = "Signature not verified: the keys are not known here";
    return { received, heading, note: "This server does not know the keys that verify the token: paste them above." };
  }
  const isSymmetric = alg.startsWith("HS");
  const usable = source.keys.filter(({ kty, use }) => (kty === "oct") === isSymmetric && use !== "enc");
  if (isSymmetric && usable.length === 0) {
    const note = `${alg} uses the client secret. Paste the secret above as {"kty":"oct","k":"…"}, with k in base64url.`;
    return { received, note, heading: `Signature not verified: ${alg} needs the client secret` };
  }
  const named = usable.filter((key) => kid === undefined || key.kid === undefined || key.kid === kid);
  const fitting = named.filter((key) => key.alg === undefined || key.alg === alg);
  const expected = `a key of ${source.owner}: ${
    usable.map((key) => `alg ${describe(key.alg)}, kid ${describe(key.kid)}`).join(" or ") || "none fits"
  }`;
  if (fitting.length === 0) {
    const missing = named.length === 0 ? "no key with this kid" : `no key for ${alg}`;
    return { passed: false, expected, received, heading: `Signature not verified: ${missing}` };
  }
  for (const key of fitting) {
    try {
      await compactVerify(jwt, await importJWK(key as JWK, alg));
      return { passed: true, expected: `a key of ${source.owner}`, received, heading: "Signature valid" };
    } catch {
      // The next key may fit.
    }
  }
  return {
    passed: false,
    expected,
    received: `${received}, but this key does not verify the signature`,
    heading: `Signature does not verify with ${
      source.owner === "this server" ? "this server's key" : `a key of ${source.owner}`
    }`,
  };
}

function describe(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "absent" : JSON.stringify(value);
}
