/** Verifies the signature of a pasted token with the keys that fit it. It fetches no keys. */

import { errors } from "jose";
import { parseJsonObject } from "../../../platform/http/json_body.ts";
import { decodeBase64url, encodeBase64url } from "../../../core/keys/crypto.ts";
import { algorithmsInUse } from "../../../core/keys/jwks.ts";
import { jwtPolicies, JwtPolicyError } from "../../../platform/jwt/jwt_policies.ts";
import { remoteKeys } from "../../../server/fetching/remote_keys.ts";
import { verifyByKeys } from "../../../platform/jwt/verify_by_keys.ts";
import type { HostedServer } from "../../../server/hosted_server.ts";
import type { TokenCheck } from "../pages/tokens.tsx";
import type { DecodedToken, Members } from "./decode.ts";
import type { CheckedTokenKind } from "./read_input.ts";

/** Keys, and where they come from. */
export interface CandidateKeys {
  readonly keys: readonly Members[];
  /** Follows "a key of": `this server`. */
  readonly owner: string;
}

/** Maximum number of keys to try. */
const maxKeys = 32;

/** The keys in a text: a JWK Set, a list of keys, one key (RFC 7517) or a plain secret. `undefined`: none. */
export function readKeysOrSecret(text: string): readonly Members[] | undefined {
  // Other formats of keys, such as PEM, are no secrets.
  if (/^\s*(?:[{[]|--)/.test(text)) return readKeys(text);
  return [{ kty: "oct", k: encodeBase64url(new TextEncoder().encode(text.trim())) }];
}

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
  server: HostedServer,
  kind: CheckedTokenKind,
  { header = {}, claims = {} }: DecodedToken,
): Promise<CandidateKeys | undefined> {
  if (kind === "dpop") {
    const { jwk } = header;
    return typeof jwk === "object" && jwk !== null ? { keys: [jwk as Members], owner: "its header" } : undefined;
  }
  if (kind === "request" || kind === "client_assertion") {
    const id = claims.iss ?? claims.client_id;
    const client = typeof id === "string" ? server.clients.known().get(id) : undefined;
    const keys = client?.metadata.jwks?.keys;
    return keys === undefined ? undefined : { keys, owner: `the client ${client!.id}` };
  }
  return { keys: await server.keys.publishedKeys(algorithmsInUse(server)), owner: "this server" };
}

/** The verdict on a signature, with a heading. Without keys, `passed` is absent. */
export type SignatureCheck = TokenCheck & { readonly heading: string };

export async function verifySignature(
  server: HostedServer,
  kind: CheckedTokenKind,
  { jwt, header = {} }: DecodedToken,
  source: CandidateKeys | undefined,
): Promise<SignatureCheck> {
  const { alg, kid } = header;
  const nameOf = (key: Members) => `alg ${describe(key.alg)}, kid ${describe(key.kid)}`;
  const base = {
    title: `The signature was made with a key of ${source?.owner ?? "its issuer"}`,
    cites: ["RFC 7515 §5.2", "RFC 8725 §3.1"],
    received: nameOf(header),
  };
  if (typeof alg !== "string" || alg.toLowerCase() === "none" || jwt.endsWith(".")) {
    return {
      ...base,
      passed: false,
      expected: "a signature",
      received: `alg ${describe(alg)}`,
      heading: `alg ${describe(alg)}: not signed`,
      fix: "An attacker can write such a token. Reject it: let the client or API accept only the algorithms that it " +
        "expects, such as RS256. If you issue it, sign it, and set alg to the algorithm of your key.",
    };
  }
  if (header.crit !== undefined) {
    return {
      ...base,
      passed: false,
      expected: "no crit: this server understands no extension of JWS",
      received: `crit ${describe(header.crit)}`,
      heading: "Signature not verified: crit names an extension",
      fix: "Issue the token without crit. A verifier that does not understand what crit names must reject the token.",
    };
  }
  if (source === undefined) {
    const note = "This server does not know the keys that verify the token: paste them above.";
    return { ...base, note, heading: "Signature not verified: the keys are not known here" };
  }
  const isSymmetric = alg.startsWith("HS");
  // A key without a kid fits every kid.
  const keys = source.keys.filter(({ kty, use }) => (kty === "oct") === isSymmetric && use !== "enc")
    .map((key) => key.kid === undefined ? { ...key, kid } : key);
  if (isSymmetric && keys.length === 0) {
    // An API that takes any algorithm verifies it with the public key as the secret, which is known.
    if (kind === "access_token") {
      const own = source.keys.map(nameOf).join(" or ");
      return {
        ...base,
        passed: false,
        expected: `an asymmetric algorithm, as of ${source.owner}: ${own}`,
        heading: `${alg}: signed with a secret, not with a key of ${source.owner}`,
        fix: "Reject it: let the API accept only the algorithms of the keys that its issuer publishes.",
      };
    }
    const note = `${alg} uses the client secret: paste it above, in the field for keys.`;
    return { ...base, note, heading: `Signature not verified: ${alg} needs the client secret` };
  }
  try {
    const verify = async (key: Parameters<typeof verifyByKeys>[1]) =>
      await verifyByKeys(jwt, key, jwtPolicies.own_signature, { algorithms: [alg], now: server.now() });
    if (isSymmetric) await Promise.any(keys.map(({ k }) => verify(decodeBase64url(String(k)))));
    else await verify(remoteKeys(server.fetching.keys, { jwks: { keys } }));
    return verified();
  } catch (thrown) {
    const problems: unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown];
    if (problems.some(isClaimProblem)) return verified();
    const rejected = {
      ...base,
      passed: false,
      expected: `a key of ${source.owner}: ${keys.map(nameOf).join(" or ") || "none fits"}`,
      fix:
        "If another issuer signed the token, paste the keys of its jwks_uri above. Otherwise the token was changed, " +
        "forged, or signed with a key that is no longer in use.",
    };
    if (!problems.some((problem) => problem instanceof errors.JWSSignatureVerificationFailed)) {
      const hasKid = keys.some((key) => kid === undefined || key.kid === kid);
      const missing = hasKid ? `no key for ${alg}` : "no key with this kid";
      return { ...rejected, heading: `Signature not verified: ${missing}` };
    }
    return {
      ...rejected,
      received: `${base.received}, but this key does not verify the signature`,
      heading: `Signature does not verify with ${
        source.owner === "this server" ? "this server's key" : `a key of ${source.owner}`
      }`,
    };
  }

  function verified(): SignatureCheck {
    return { ...base, passed: true, expected: `a key of ${source!.owner}`, heading: "Signature valid" };
  }
}

/** Whether the signature is valid: claims and times are checked after it, the form before it. */
function isClaimProblem(problem: unknown): boolean {
  return problem instanceof errors.JWTClaimValidationFailed ||
    problem instanceof JwtPolicyError && problem.problem.part !== "form";
}

function describe(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "absent" : JSON.stringify(value);
}
