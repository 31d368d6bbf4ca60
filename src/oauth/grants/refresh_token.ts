/** The refresh_token grant type (OAuth 2.1 §4.3). */

import { parameters } from "../parameter.ts";
import type { GrantType } from "../server.ts";

/** Its code is loaded with the first refresh token. */
export const refreshTokenGrant: GrantType = {
  type: "refresh_token",
  parameters: parameters(
    { name: "refresh_token", secret: "refresh_token", linksFlow: true },
    "scope",
    "authorization_details",
    { name: "resource", repeatable: true },
  ),
  async authorize(server, request) {
    const { redeemRefreshToken } = await import("./redeem_refresh_token.ts");
    return await redeemRefreshToken(server, request);
  },
};
