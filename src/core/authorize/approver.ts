/** Approvers decide authorization requests: which user is logged in, and which scope is approved. */

import type { HttpRequest, HttpResponse } from "../http/message.ts";
import { allowsUser } from "./login.ts";
import type { AuthorizationRequest, PendingAuthorization } from "./authorization_request.ts";
import type { Approval } from "./approval.ts";
import type { User } from "../clients/client.ts";
import type { Client, Users } from "../clients/clients.ts";
import { reject } from "../rules/reject.ts";
import type { Server } from "../server.ts";
import type { Session } from "../sessions/session.ts";
import type { CoreTrace } from "../trace.ts";
import type { Context } from "../http/context.ts";
import { rejectFramedLogin } from "../http/cross_site.ts";

/** @internal The values that an approver may read besides the authorization request. */
export interface ApproverContext {
  readonly pending: PendingAuthorization;
  /** The session, if `prompt`, `max_age` and the expected users allow its use. */
  readonly session?: Session;
  /** The session of the browser, even if the request does not allow its use. */
  readonly previousSession?: Session;
  /** The users of the server; an approval names one of them. */
  readonly users: Users;
  /** The server's clock: milliseconds since the epoch. */
  readonly now: () => number;
  readonly trace: CoreTrace;
  readonly httpRequest: HttpRequest;
  readonly context: Context;
}

/**
 * Decides an authorization request: returns an {@link Approval}, or a response such as a page or a redirect if the user
 * must act first. An approval with the user and the authentication time of the session continues the session. Any other
 * approval starts a new session.
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

/** Approves the whole request without a page, for the user of {@link logInAutomatically}. */
export async function approveAutomatically(request: AuthorizationRequest, at: ApproverContext): Promise<Approval> {
  // This comes first: a login that another site started must not even look up a user.
  rejectFramedLogin(at.context);
  return await logInAutomatically(request, at);
}

/**
 * Logs in the user whose `sub` is the `login_hint`, otherwise the user of the session, otherwise the first user. If the
 * request demands another user, it logs in that one.
 *
 * @throws {OAuthError} If `login_hint` is rejected, or there are no users.
 */
export async function logInAutomatically(
  request: AuthorizationRequest,
  { pending, session, previousSession, users, now, context }: ApproverContext,
): Promise<Approval> {
  const { scope, extensions, loginRequirements: { loginHint, demandedSubs } } = request;
  const { server } = context;
  const { client } = pending;
  const hintedUser = loginHint === undefined ? undefined : await users.find(loginHint);
  const currentUser = previousSession?.user;
  const preferredUser = hintedUser ?? currentUser ?? (await users.list({ limit: 1 }))[0];
  const user =
    demandedSubs === undefined || preferredUser && await allowsUser(server, { request, client }, preferredUser.sub)
      ? preferredUser
      : await findDemandedUser(server, client, demandedSubs) ?? preferredUser;
  if (user === undefined) throw reject("AZ-21", { denied: "no users" });
  const approval = { user, scope, extensions };
  if (session !== undefined && user.sub === currentUser?.sub) return { ...approval, authTime: session.authTime };
  return { ...approval, authTime: now() };
}

async function findDemandedUser(
  server: Server,
  client: Client,
  demandedSubs: readonly (readonly string[])[],
): Promise<User | undefined> {
  const [sub] = await server.identifiers.find(server, client, demandedSubs);
  return sub === undefined ? undefined : await server.users.find(sub);
}
