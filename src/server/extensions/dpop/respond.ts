/** Responds to requests with proofs: verifies the proof, and adds the nonce for the next one. Loaded with the first. */

import type { AuthenticatedRequest } from "../../../core/token/grants/authenticated_request.ts";
import type { HttpResponse } from "../../../core/http/message.ts";
import type { Server } from "../../../core/server.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { proofKey } from "../bound_tokens/mod.ts";
import { verifyRequestProof } from "./request_proof.ts";
import { nonceHeader } from "./scheme.ts";
import { dpopSettings } from "./settings.ts";
import { serverNonces } from "./nonce.ts";

export { verifyRequestProof } from "./request_proof.ts";

/**
 * Responds to a request to an endpoint for clients, with the key of its proof.
 *
 * @throws {OAuthError} If the proof is invalid or missing.
 */
export async function respondWithKey(
  server: HostedServer,
  request: AuthenticatedRequest,
  respond: (server: HostedServer, request: AuthenticatedRequest) => Promise<HttpResponse>,
): Promise<HttpResponse> {
  const thumbprint = await verifyRequestProof(server, request);
  const response = await respond(server, proofKey.put(request, thumbprint));
  const headers = await nextProofHeaders(server, "client");
  return headers === undefined ? response : { ...response, headers: { ...response.headers, ...headers } };
}

/** Headers for the next proofs to endpoints for clients, or to resources; `undefined` if they need none. */
export async function nextProofHeaders(
  server: Server,
  kind: "client" | "resource",
): Promise<Readonly<Record<string, string>> | undefined> {
  if (dpopSettings.of(server.policy).dpop.nonce === "off") return undefined;
  return nonceHeader(await serverNonces(server, kind).current(server.now()));
}
