/** The Approver seam: who is here, and what they allow. */

import type { Approval, AuthorizationRequest } from "../oauth/authorization.ts";
import { OAuthError } from "../oauth/errors.ts";
import type { Server } from "../oauth/server.ts";

/**
 * Answers an authorization request with an {@link Approval}, or with a Response that means "not yet, show this first".
 * Throwing an {@link OAuthError} such as `access_denied` tells the client no.
 *
 * @example A user who never allows writing
 * ```ts
 * const cautious: Approver = (_server, request) => ({
 *   user: { sub: "alice" },
 *   scope: request.scope.filter((value) => value !== "write"),
 *   authTime: Date.now(),
 * });
 * ```
 */
export type Approver = (
  server: Server,
  request: AuthorizationRequest,
  http: Request,
) => Approval | Response | Promise<Approval | Response>;

/** `login: "auto"`: logs in the first user, or the one that `login_hint` names, and approves everything. */
export const autoApprover: Approver = (server, request) => {
  const [first] = server.users.all();
  const hinted = request.loginHint === undefined ? undefined : server.users.find(request.loginHint);
  const user = hinted ?? first;
  if (user === undefined) {
    throw new OAuthError("access_denied", "this server has no user who could log in", {
      rule: "AZ-21",
      expected: "at least one user",
      received: "none",
    });
  }
  if (request.loginHint !== undefined && hinted === undefined) {
    server.trace({
      type: "warning",
      at: server.now(),
      client: request.client.id,
      why: {
        rule: "AZ-21",
        reason: `login_hint names no user, so the first one was logged in`,
        expected: server.users.all().map((known) => known.sub).join(" or "),
        received: request.loginHint,
      },
    });
  }
  return { user, scope: request.scope, authTime: server.now() };
};
