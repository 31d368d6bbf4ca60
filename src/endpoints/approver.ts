/** The Approver seam: who is here, and what they allow. */

import type { Approval, AuthorizationRequest } from "../oauth/authorization.ts";
import type { Users } from "../oauth/clients.ts";
import { OAuthError } from "../oauth/errors.ts";
import type { Trace } from "../oauth/trace.ts";

/** What an approver may look at. */
export interface ApproverContext {
  /** The users of the server; an approval names one of them. */
  readonly users: Users;
  /** The server's clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Tells the operator. */
  readonly trace: Trace;
  /** The request as it came, for its cookies. */
  readonly http: Request;
}

/**
 * Answers an authorization request with an {@link Approval}, or with a Response that means "not yet, show this first".
 * Throwing an {@link OAuthError} such as `access_denied` tells the client no.
 *
 * @example A user who never allows writing
 * ```ts
 * const cautious: Approver = (request, { users, now }) => ({
 *   user: users.find("alice")!,
 *   scope: request.scope.filter((value) => value !== "write"),
 *   authTime: now(),
 * });
 * ```
 */
export type Approver = (
  request: AuthorizationRequest,
  at: ApproverContext,
) => Approval | Response | Promise<Approval | Response>;

/** `login: "auto"`: logs in the first user, or the one that `login_hint` names, and approves everything. */
export const autoApprover: Approver = (request, { users, now, trace }): Approval => {
  const [first] = users.all();
  const hinted = request.loginHint === undefined ? undefined : users.find(request.loginHint);
  const user = hinted ?? first;
  if (user === undefined) {
    throw new OAuthError("access_denied", "this server has no user who could log in", {
      rule: "AZ-21",
      expected: "at least one user",
      received: "none",
    });
  }
  if (request.loginHint !== undefined && hinted === undefined) {
    trace({
      type: "warning",
      at: now(),
      client: request.client.id,
      why: {
        rule: "AZ-21",
        reason: `login_hint names no user, so the first one was logged in`,
        expected: users.all().map((known) => known.sub).join(" or "),
        received: request.loginHint,
      },
    });
  }
  return { user, scope: request.scope, authTime: now() };
};
