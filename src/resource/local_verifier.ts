/** Verifies the access tokens and DPoP proofs for resources of the server in this process, without requests. */

import { hostedClient } from "../server/clients/clients.ts";
import { paramsFromFields } from "../core/http/params.ts";
import type { Server } from "../core/server.ts";
import { canProve, dpopSettings } from "../server/extensions/dpop/settings.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { introspect } from "../core/token/introspect.ts";
import type { ProofVerifier } from "./dpop_proofs.ts";
import { reject } from "../server/rules/mod.ts";
import { ownJwtVerifier } from "./jwks_verifier.ts";
import type { TokenVerifier } from "./protected_resource.ts";
import { asServerPolicy } from "../server/config/server_policy.ts";
import { verifyRequestProof } from "../server/extensions/dpop/request_proof.ts";

/** A verifier with the published keys, or with introspection as the resource. */
export function localVerifier(server: Server, resource: string, by: "jwks" | "introspection" = "jwks"): TokenVerifier {
  const { issuer, now } = server;
  if (by === "jwks") return ownJwtVerifier(server);
  return {
    issuer,
    now,
    async verify(token) {
      const metadata = { client_id: resource, client_secret: resource, serves: [resource] };
      const client = hostedClient(metadata, asServerPolicy(server.policy));
      const response = await introspect(server, { client, params: paramsFromFields([["token", token]]) });
      if (!response.active || response.token_type === "refresh_token") throw reject("PR-08", { isInactive: true });
      return response;
    },
  };
}

/** Verifies proofs as the server does, with its record of used proofs; `undefined` if the server accepts no proofs. */
export function localProofs(server: HostedServer): ProofVerifier | undefined {
  if (!canProve(server)) return undefined;
  const { dpop: { algorithms }, requireSenderConstrainedTokens: required } = dpopSettings.of(server.policy);
  return {
    algorithms,
    required,
    async verify(request, accessToken, _now, boundKey, clientId) {
      return await verifyRequestProof(server, request, { accessToken, boundKey, clientId });
    },
  };
}
