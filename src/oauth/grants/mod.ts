/**
 * The grant types: one file each. This file lists them.
 *
 * The token endpoint handles a request in four steps:
 *
 * 1. `clientEndpoint` authenticates the client and creates the `TokenRequest`.
 * 2. `findGrantType` picks the grant type by `grant_type`.
 * 3. `authorize` of the grant type checks the code, the refresh token or the client, consumes it, and returns an
 *    `Authorization`.
 * 4. `issueTokens` (in `tokens/`) turns the authorization into the response.
 *
 * Revocation of grants is in `revoke_grant.ts`. Authorization requests and their codes are in `authorize/`.
 */

import { authorizationCode } from "./authorization_code.ts";
import { clientCredentials } from "./client_credentials.ts";
import type { ResolvedSettings } from "../config/settings.ts";
import type { GrantType } from "../server.ts";
import type { TokenExchangePolicy } from "../config/token_exchange.ts";
import { tokenExchange, tokenExchangeType } from "./token_exchange.ts";
import { jwtBearer, jwtBearerType } from "./jwt_bearer.ts";
import { refreshTokenGrant } from "./refresh_token.ts";

/** The grant types of every server, in the order of `grant_types_supported`. */
export const grantTypes: readonly GrantType[] = [authorizationCode, refreshTokenGrant, clientCredentials];

/** The settings that enable grant types. */
type GrantTypeSettings = Pick<ResolvedSettings, "trustedIssuers"> & TokenExchangePolicy;

/** The grant types of a server: those of every server, and those that its settings switch on. */
export function enabledGrantTypes(settings: GrantTypeSettings): readonly GrantType[] {
  const { trustedIssuers, resourceAuthorizationServers } = settings;
  const exchangesTokens = settings.tokenExchange !== undefined || resourceAuthorizationServers.length > 0;
  return [
    ...grantTypes,
    ...trustedIssuers.length > 0 ? [jwtBearer(trustedIssuers)] : [],
    ...exchangesTokens ? [tokenExchange(settings)] : [],
  ];
}

/** The settings that switch a grant type on, by its `type`. */
export const settingOfGrantType: Readonly<Record<string, string>> = {
  [jwtBearerType]: "trustedIssuers",
  [tokenExchangeType]: "tokenExchange or resourceAuthorizationServers",
};
