/** Refresh tokens that stay valid although they were used (the setting `refresh.reuse`). */

import { policyOf } from "../../core/clients/clients.ts";
import type { GrantType } from "../../core/server.ts";
import type { RefreshTokenRecord } from "../../core/store/store.ts";
import type { AuthenticatedRequest } from "../../core/token/grants/authenticated_request.ts";
import { storeSuccessor } from "../../core/token/grants/refresh_token.ts";
import { asServerPolicy } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";

/**
 * Returns the grant type. That of refresh tokens leaves used ones valid if the policy of the client sets
 * `refresh.reuse`.
 */
export function withReuse<Type extends GrantType>(grantType: Type): Type {
  if (grantType.type !== "refresh_token") return grantType;
  return {
    ...grantType,
    async authorize(server: HostedServer, request: AuthenticatedRequest) {
      const { reuse } = asServerPolicy(policyOf(server, request.client)).refresh;
      if (reuse === undefined) return await grantType.authorize(server, request);
      const kept: { record?: RefreshTokenRecord } = {};
      const grants: HostedServer["grants"] = {
        ...server.grants,
        // The core does not call it for a token that was replaced before.
        async rotates(current, client, record) {
          kept.record = record;
          const rotates = await server.grants.rotates(current, client, record);
          if (rotates) server.observe(server, client.id, "RT-04", undefined);
          return false;
        },
      };
      const authorization = await grantType.authorize({ ...server, grants }, request);
      if (kept.record === undefined) return authorization;
      const stored = { grantId: authorization.grantId, value: kept.record };
      const token = reuse === "another" ? await storeSuccessor(server, request, stored) : undefined;
      return { ...authorization, refresh: { token } };
    },
  };
}
