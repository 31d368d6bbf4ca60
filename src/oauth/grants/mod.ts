/** The grants this server serves: one line per grant. */

import { authorizationCode } from "./authorization_code.ts";
import { clientCredentials } from "./client_credentials.ts";
import type { GrantType } from "./grant_type.ts";
import { refreshTokenGrant } from "./refresh_token.ts";

/** In the order in which metadata names them. */
export const grantTypes: readonly GrantType[] = [authorizationCode, refreshTokenGrant, clientCredentials];
