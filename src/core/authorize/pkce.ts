/**
 * Proof Key for Code Exchange (RFC 7636, OAuth 2.1 §4.1.1): S256, unless a setting allows plain. Why a challenge or a
 * verifier is wrong: `server/explain/pkce.ts`.
 */

import type { CodeRecord } from "../store/store.ts";
import type { Client } from "../clients/clients.ts";
import type { Params } from "../http/params.ts";
import type { Policy } from "../policy/policy.ts";
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
    assertNeedsNoChallenge(policy, client, params, scope, passed);
    return undefined;
  }
  if (!s256Challenge.test(challenge)) throw reject("PK-07", { challenge });
  if (method === undefined && policy.pkce.requireMethod) throw reject("PK-05", { policy });
  passed("PK-07", challenge);
  return challenge;
}

/** Rejects a request without a code challenge, unless its client may leave it out. */
function assertNeedsNoChallenge(
  policy: Policy,
  client: PkceClient,
  params: Params,
  scope: readonly string[],
  passed: RulePassed,
): void {
  const { pkce } = policy;
  // A client that authenticates can prove in another way that the code is its own, unless PKCE is required of it.
  const isExempt = client.confidential && !client.metadata.require_pkce;
  const acceptsNonce = isExempt && pkce.acceptNonce;
  const hasNonce = scope.includes("openid") && params.get("nonce") !== undefined;
  if (isExempt && !pkce.requireForConfidential || acceptsNonce && hasNonce) return passed("PK-02");
  if (mayOmitChallenge(policy, client)) return;
  throw reject(client.confidential ? "PK-02" : "PK-01", { acceptsNonce, policy: isExempt ? policy : undefined });
}

/** Whether a public client may leave the code challenge out, because of `pkce.insecureAllowMissing`. */
function mayOmitChallenge({ pkce }: Policy, client: PkceClient): boolean {
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
  { codeChallenge }: Pick<CodeRecord, "codeChallenge">,
  verifier: string | undefined,
  passed: RulePassed,
): Promise<void> {
  if (codeChallenge === undefined) {
    if (verifier !== undefined) throw reject("PK-11");
    if (client.confidential || mayOmitChallenge(policy, client)) return;
    throw reject("PK-10", { hasChallenge: false });
  }
  if (verifier === undefined) throw reject("PK-10", { hasChallenge: true });
  if (!verifierSyntax.test(verifier)) throw reject("PK-08", { verifier });
  const computed = await digest(verifier);
  if (!constantTimeEqual(computed, codeChallenge)) {
    throw reject("PK-09", { clientId: client.id, challenge: codeChallenge, verifier, computed });
  }
  passed("PK-09", codeChallenge);
}
