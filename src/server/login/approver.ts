/** Approvers of the whole server: an approval may state allowed claims and the level of authentication of a login. */

import type { Approval as CoreApproval } from "../../core/authorize/approval.ts";
import type { ApproverContext } from "../../core/authorize/approver.ts";
import type { HttpResponse } from "../../core/http/message.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";

/** The decision of a user, with the values that extensions keep of it, such as the granted part of other access. */
export interface Approval extends CoreApproval {
  /** The level of authentication that a new login reached (`acr`). Default: none. */
  readonly acr?: string;
  /** The methods of a new login (RFC 8176). Default: the methods of the level. */
  readonly amr?: readonly string[];
  /**
   * The claims that the user allows, of the claims requested by name. Default: all except the claims of denied scope
   * values.
   */
  readonly claims?: readonly string[];
}

/**
 * Decides an authorization request: returns an {@link Approval}, or a response such as a page or a redirect if the user
 * must act first. An approval with the user and the authentication time of the session continues the session. Any other
 * approval starts a new session, at the level that `acr` states.
 *
 * @throws {OAuthError} Such as `access_denied`. The server sends it to the client.
 *
 * @example A user who never allows writing
 * ```ts
 * const cautious: Approver = async (request, { users, now }) => ({
 *   user: (await users.find("alice"))!,
 *   scope: request.scope.filter((value) => value !== "write"),
 *   authTime: now(),
 * });
 * ```
 */
export type Approver = (
  request: AuthorizationRequest,
  at: ApproverContext,
) => Approval | HttpResponse | Response | Promise<Approval | HttpResponse | Response>;
