/** The seam of approvers: who is logged in, and what they allow. */

import type { RequestLike, ResponseLike } from "../http/message.ts";
import type { AuthorizationRequest, PendingAuthorization } from "../oauth/authorize/authorization_request.ts";
import type { Approval } from "../oauth/authorize/code.ts";
import type { UserRepository } from "../oauth/clients/repository.ts";
import { OAuthError } from "../oauth/errors.ts";
import type { Session } from "../oauth/session/session.ts";
import type { Trace } from "../oauth/trace.ts";
import type { Context } from "./context.ts";

/** The situation of an authorization request. */
export interface ApproverContext {
  /** The request with its client, its destination, and the users that it allows. */
  readonly pending: PendingAuthorization;
  /** The session, if the request allows it to be used: `prompt`, `max_age` and expected users are decided already. */
  readonly session?: Session;
  /** The session before the request, whether it may be used or not. */
  readonly previousSession?: Session;
  /** The users of the server; an approval names one of them. */
  readonly users: UserRepository;
  /** The server's clock: milliseconds since the epoch. */
  readonly now: () => number;
  /** Traces an event. */
  readonly trace: Trace;
  /** The HTTP request, for its cookies. */
  readonly httpRequest: RequestLike;
  /** The context of the HTTP request. */
  readonly context: Context;
}

/**
 * Decides an authorization request: by an {@link Approval}, or by a response such as a page or a redirect, if the user
 * must act first. An approval with the user and authentication time of the session continues the session; any other one
 * starts a new session.
 *
 * @throws {OAuthError} Such as `access_denied`, sent to the client.
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
) => Approval | ResponseLike | Promise<Approval | ResponseLike>;

/**
 * The approver of `login: "auto"`: continues the session, or logs in the user that the request names, or the first one.
 * It approves everything.
 */
export async function autoApprover(
  { clientId, scope, loginRequirements: { loginHint } }: AuthorizationRequest,
  { pending: { expectedSubs }, session, previousSession, users, now, trace }: ApproverContext,
): Promise<Approval> {
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
      client: clientId,
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
}
