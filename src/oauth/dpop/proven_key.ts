/**
 * DPoP (RFC 9449): a client proves with each request that it has a key, and its tokens are bound to that key.
 *
 * This file decides whether a request needs its proof verified: most requests have none, and load nothing else.
 * `proof.ts` verifies a proof by itself; `request_proof.ts` its nonce (`nonce.ts`), and that it was not used before. The endpoints put the thumbprint of
 * the key into `TokenRequest.provenKey`; grant types compare it with their records, and the issuer of access tokens writes it.
 */

import { policyOf } from "../clients/policy.ts";
import type { Client } from "../clients/repository.ts";
import type { TokenRequest } from "../grants/token_request.ts";
import type { Server } from "../server.ts";

/**
 * The thumbprint of the key that a request proves; `undefined` if it has no proof.
 *
 * @throws {OAuthError} `invalid_dpop_proof`.
 */
export function provenKey(server: Server, request: TokenRequest): Promise<string> | undefined {
  return request.header("dpop") === null ? undefined : verify(server, request);
}

/** The same for a token request, which is rejected if the client or the server requires a proof (RFC 9449 §5.2). */
export function tokenKey(server: Server, request: TokenRequest): Promise<string> | undefined {
  return requiresProof(server, request.client) ? verify(server, request) : provenKey(server, request);
}

/** Whether the token requests of a client need a proof. */
export function requiresProof(server: Server, client: Client): boolean {
  return policyOf(server, client).requireSenderConstrainedTokens || client.metadata.dpop_bound_access_tokens === true;
}

/** The nonce for the next proofs; `undefined` if the server demands none. */
export function freshNonce(server: Server, kind: "client" | "resource"): Promise<string> | undefined {
  if (server.settings.dpop.nonce === "off") return undefined;
  return import("./nonce.ts").then(({ serverNonces }) => serverNonces(server, kind).current(server.now()));
}

async function verify(server: Server, request: TokenRequest): Promise<string> {
  const { verifyRequestProof } = await import("./request_proof.ts");
  return await verifyRequestProof(server, request);
}
