/** The token exchange grant type (RFC 8693): a token is exchanged for one with less access, or for an ID-JAG. */

import type { TokenExchangePolicy } from "../config/token_exchange.ts";
import { parameters } from "../parameter.ts";
import type { GrantType } from "../server.ts";
import { tokenTypes } from "./token_types.ts";

/** The grant type by this policy. Its code is loaded with the first exchange. */
export function tokenExchange(policy: TokenExchangePolicy): Omit<GrantType, "type"> {
  return {
    parameters: parameters(
      ...["scope", "authorization_details", "subject_token_type", "actor_token_type", "requested_token_type"],
      { name: "subject_token", secret: "subject_token", linksFlow: true },
      { name: "actor_token", secret: "actor_token" },
      ...["resource", "audience"].map((name) => ({ name, repeatable: true })),
    ),
    ...policy.resourceAuthorizationServers.length > 0 && {
      metadata: { identity_chaining_requested_token_types_supported: [tokenTypes.idJag] },
    },
    async authorize(server, request) {
      const { exchangeToken } = await import("./exchange_token.ts");
      return await exchangeToken(server, request, policy);
    },
  };
}
