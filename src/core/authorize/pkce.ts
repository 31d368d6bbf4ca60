/**
 * Proof Key for Code Exchange (RFC 7636, OAuth 2.1 §4.1.1): S256, unless a setting allows plain. Why a challenge or a
 * verifier is wrong: `server/explain/pkce.ts`.
 */

import type { CodeRecord } from "../store/store.ts";
import type { Client } from "../clients/clients.ts";
import type { Params } from "../http/params.ts";
import type { Policy } from "../policy/policy.ts";
import type { ChallengeRequirement } from "../rules/authorize.ts";
import { reject } from "../rules/reject.ts";
import { constantTimeEqual, digest } from "../keys/secrets.ts";
import type { RulePassed } from "../trace.ts";

const s256Challenge = /^[A-Za-z0-9_-]{43}$/;
const verifierSyntax = /^[A-Za-z0-9._~-]{43,128}$/;

/** What PKCE depends on of a client. */
type PkceClient = Pick<Client, "id" | "confidential"> & {
  readonly metadata: Pick<Client["metadata"], "require_pkce">;
};

/**
 * Reads the code challenge of an authorization request; `undefined` if it has none and needs none.
 *
 * @param policy That of the client.
 * @param scope The requested scope.
 */
export async function readCodeChallenge(
  policy: Policy,
  client: PkceClient,
  params: Params,
  scope: readonly string[],
  passed: RulePassed,
): Promise<string | undefined> {
  const challenge = params.get("code_challenge");
  const method = params.get("code_challenge_method");
  if (method === "plain" && policy.pkce.insecureAllowPlain && verifierSyntax.test(challenge ?? "")) {
    return await digest(challenge!);
  }
  if (method !== undefined && method !== "S256") throw reject("PK-04", { method });
  if (challenge === undefined) {
    if (method !== undefined) throw reject("PK-06");
    const hasNonce = scope.includes("openid") && params.get("nonce") !== undefined;
    const requiredBy = findChallengeRequirement(policy, client, hasNonce);
    if (requiredBy === "public client") throw reject("PK-01");
    if (requiredBy !== undefined) throw reject("PK-02", { requiredBy, policy, acceptsNonce: policy.pkce.acceptNonce });
    if (client.confidential) passed("PK-02");
    return undefined;
  }
  if (!s256Challenge.test(challenge)) throw reject("PK-07", { challenge });
  if (method === undefined && policy.pkce.requireMethod) throw reject("PK-05", { policy });
  passed("PK-07", challenge);
  return challenge;
}

/**
 * What requires a code challenge of a client: that it is public, its own metadata, or the setting; `undefined` if it
 * may leave it out.
 *
 * @param hasNonce Whether the ID token will have a nonce, by which the client verifies that the code is its own.
 */
function findChallengeRequirement(
  policy: Policy,
  client: PkceClient,
  hasNonce: boolean,
): ChallengeRequirement | undefined {
  if (!client.confidential) return mayOmitChallenge(policy, client) ? undefined : "public client";
  if (client.metadata.require_pkce) return "require_pkce";
  const { requireForConfidential, acceptNonce } = policy.pkce;
  return requireForConfidential && !(acceptNonce && hasNonce) ? "requireForConfidential" : undefined;
}

/** Whether a public client may leave the code challenge out, because of `pkce.insecureAllowMissing`. */
export function mayOmitChallenge({ pkce }: Policy, client: PkceClient): boolean {
  return pkce.insecureAllowMissing && !client.confidential && !client.metadata.require_pkce;
}

/**
 * Verifies that the client that exchanges a code also requested it (RFC 7636 §4.6).
 *
 * @param policy That of the client.
 * @throws {OAuthError} `invalid_grant` if the verifier is missing, not expected, or does not match; `invalid_request`
 *   if it is malformed.
 */
export async function verifyCodeVerifier(
  policy: Policy,
  client: PkceClient,
  { codeChallenge, nonce }: Pick<CodeRecord, "codeChallenge" | "nonce">,
  verifier: string | undefined,
  passed: RulePassed,
): Promise<void> {
  if (codeChallenge === undefined) {
    if (verifier !== undefined) throw reject("PK-11");
    // The client or its policy may have changed since the authorization request.
    const requiredBy = findChallengeRequirement(policy, client, nonce !== undefined);
    if (requiredBy === undefined) return;
    throw reject("PK-10", { requiredBy });
  }
  if (verifier === undefined) throw reject("PK-10", {});
  if (!verifierSyntax.test(verifier)) throw reject("PK-08", { verifier });
  const computed = await digest(verifier);
  if (!constantTimeEqual(computed, codeChallenge)) {
    throw reject("PK-09", { clientId: client.id, challenge: codeChallenge, verifier, computed });
  }
  passed("PK-09", codeChallenge);
}
