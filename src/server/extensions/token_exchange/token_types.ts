/** The types of tokens of an exchange, and the error of one that is not acceptable (RFC 8693). */

import { OAuthError } from "../../oauth/errors.ts";
import type { RejectionRuleId } from "../../oauth/rules/mod.ts";
import { idJagType } from "./settings.ts";

/** The types of tokens (RFC 8693 §3). */
export const tokenTypes = {
  accessToken: "urn:ietf:params:oauth:token-type:access_token",
  refreshToken: "urn:ietf:params:oauth:token-type:refresh_token",
  idToken: "urn:ietf:params:oauth:token-type:id_token",
  idJag: idJagType,
} as const;

/** The error of a request or token that is not acceptable (§2.2.2). */
export function invalidRequest(rule: RejectionRuleId, reason: string, expected: string, received: string): OAuthError {
  return new OAuthError("invalid_request", reason, { rule, expected, received });
}
