/** The Approver seam: who is here, and what they allow. */

import type { RequestLike } from "../http/message.ts";
import type { Approval, AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import type { UserRepository } from "../oauth/clients/repository.ts";
import { OAuthError } from "../oauth/errors.ts";
import type { Session } from "../oauth/session/session.ts";
import type { Trace } from "../oauth/trace.ts";

/** What an approver may look at. */
export interface ApproverContext {
  /** Who is logged in already; absent when nobody is, or when the request demands a new login. */
  readonly session?: Session;
  /** Who was logged in before the request, whatever it demands. */
  readonly previousSession?: Session;
  /** The users of the server; an approval names one of them. */
  readonly users: UserRepository;
  /** The server's clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Tells the operator. */
  readonly trace: Trace;
  /** The request as it came, for its cookies. */
  readonly httpRequest: RequestLike;
}

/**
 * Answers an authorization request with an {@link Approval}, or with a Response that means "not yet, show this first".
 * An approval with the session's user and authentication time goes on with the session; any other one begins a new one.
 * Throwing an {@link OAuthError} such as `access_denied` tells the client no.
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
) => Approval | Response | Promise<Approval | Response>;

/**
 * `login: "auto"`: goes on with the session, or logs in the user that the request names, or the first one; and approves
 * everything.
 */
export const autoApprover = async (
  request: AuthorizationRequest,
  { session, previousSession, users, now, trace }: ApproverContext,
): Promise<Approval> => {
  const { loginRequirements, client, scope } = request;
  const { loginHint, expectedSubs } = loginRequirements;
  const hintedUser = loginHint === undefined ? undefined : await users.find(loginHint);
  const currentUser = previousSession === undefined ? undefined : await users.find(previousSession.sub);
  const expectedUsers = expectedSubs && await Promise.all(expectedSubs.map((sub) => users.find(sub)));
  const preferredUser = hintedUser ?? currentUser ?? await users.first();
  const user = expectedUsers === undefined || expectedUsers.includes(preferredUser)
    ? preferredUser
    : expectedUsers[0] ?? preferredUser;
  if (user === undefined) {
    throw new OAuthError("access_denied", "this server has no users", {
      rule: "AZ-21",
      expected: "at least one user",
      received: "none",
    });
  }
  if (loginHint !== undefined && hintedUser === undefined) {
    trace({
      type: "warning",
      at: now(),
      client: client.id,
      explanation: {
        rule: "OI-06",
        reason: "login_hint names no user and was ignored",
        expected: users.allCached().map((candidate) => candidate.sub).join(" or "),
        received: loginHint,
      },
    });
  }
  if (session !== undefined && user === currentUser) return { user, scope, authTime: session.authTime };
  return { user, scope, authTime: now() };
};
