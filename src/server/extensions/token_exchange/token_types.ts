/** The types of tokens of an exchange (RFC 8693). */

import { idJagType } from "./settings.ts";

/** The types of tokens (RFC 8693 §3). */
export const tokenTypes = {
  accessToken: "urn:ietf:params:oauth:token-type:access_token",
  refreshToken: "urn:ietf:params:oauth:token-type:refresh_token",
  idToken: "urn:ietf:params:oauth:token-type:id_token",
  idJag: idJagType,
} as const;
