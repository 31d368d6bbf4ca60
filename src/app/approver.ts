/** The Approver seam: who is here, and what they allow. */

import type { Incoming } from "../http/message.ts";
import type { Approval, AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import type { Users } from "../oauth/clients/repository.ts";
import { OAuthError } from "../oauth/errors.ts";
import type { Session } from "../oauth/session/session.ts";
import type { Trace } from "../oauth/trace.ts";

/** What an approver may look at. */
export interface ApproverContext {
  /** Who is logged in already; absent when nobody is, or when the request demands a new login. */
  readonly session?: Session;
  /** Who was logged in before the request, whatever it demands. */
  readonly former?: Session;
  /** The users of the server; an approval names one of them. */
  readonly users: Users;
  /** The server's clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Tells the operator. */
  readonly trace: Trace;
  /** The request as it came, for its cookies. */
  readonly http: Incoming;
}

/**
 * Answers an authorization request with an {@link Approval}, or with a Response that means "not yet, show this first".
 * An approval with the session's user and authentication time goes on with the session; any other one begins a new one.
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

/**
 * `login: "auto"`: goes on with the session, or logs in the user that the request names, or the first one; and approves
 * everything.
 */
export const autoApprover: Approver = (request, { session, former, users, now, trace }): Approval => {
  const { wishes, client, scope } = request;
  const { loginHint, expectedSubs } = wishes;
  const hinted = loginHint === undefined ? undefined : users.find(loginHint);
  const current = former === undefined ? undefined : users.find(former.sub);
  const expected = expectedSubs?.map((sub) => users.find(sub));
  const wanted = hinted ?? current ?? users.all()[0];
  const user = expected === undefined || expected.includes(wanted) ? wanted : expected[0] ?? wanted;
  if (user === undefined) {
    throw new OAuthError("access_denied", "this server has no user who could log in", {
      rule: "AZ-21",
      expected: "at least one user",
      received: "none",
    });
  }
  if (loginHint !== undefined && hinted === undefined) {
    trace({
      type: "warning",
      at: now(),
      client: client.id,
      why: {
        rule: "OI-06",
        reason: "login_hint names no user, so it was not followed",
        expected: users.all().map((known) => known.sub).join(" or "),
        received: loginHint,
      },
    });
  }
  if (session !== undefined && user === current) return { user, scope, authTime: session.authTime };
  return { user, scope, authTime: now() };
};
