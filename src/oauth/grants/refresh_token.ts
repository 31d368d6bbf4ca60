/** The refresh_token grant type (OAuth 2.1 §4.3). */

import { parameters } from "../parameter.ts";
import type { GrantType } from "../server.ts";

/** Its code is loaded with the first refresh token. */
export const refreshTokenGrant: GrantType = {
  type: "refresh_token",
  standing: { from: "unknown" },
  parameters: parameters(
    { name: "refresh_token", secret: "refresh_token", linksFlow: true },
    "scope",
    "authorization_details",
    { name: "resource", repeatable: true },
  ),
  async authorize(server, request) {
    const { exchangeRefreshToken } = await import("./exchange_refresh_token.ts");
    return await exchangeRefreshToken(server, request);
  },
};
