/** Whether a login satisfies an authorization request (OpenID Connect Core §3.1.2.1). */

import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import type { Server } from "../server.ts";
import type { Session } from "../session/session.ts";
import type { LoginRequirements } from "./authorization_request.ts";
import type { PendingAuthorization } from "./destination.ts";

/** Whether a request allows a user: it demands no subject, or the subject of this user for the client. */
export async function allowsUser(
  server: Server,
  { request: { loginRequirements: { demandedSubs } }, client }: Pick<PendingAuthorization, "request" | "client">,
  sub: string,
): Promise<boolean> {
  if (demandedSubs === undefined) return true;
  const subject = await server.subjectFor(server, client, sub);
  return demandedSubs.every((demand) => demand.includes(subject));
}

/**
 * The session, if the request allows it to be used; `undefined` if the user must log in.
 *
 * @throws {OAuthError} `login_required` if the user must log in but `prompt=none` forbids it.
 */
export async function usableSession(
  server: Server,
  pending: PendingAuthorization,
  session: Session | undefined,
): Promise<Session | undefined> {
  const isAllowed = session === undefined || await allowsUser(server, pending, session.sub);
  return assertUsable(server, pending.request.loginRequirements, session, isAllowed);
}

function assertUsable(
  server: Server,
  { prompt, maxAgeSeconds, acr }: LoginRequirements,
  session: Session | undefined,
  isAllowed: boolean,
): Session | undefined {
  const reason = session === undefined
    ? "this browser has no session"
    : prompt.includes("login")
    ? "prompt=login asks for a new login"
    : maxAgeSeconds !== undefined && (maxAgeSeconds === 0 || server.now() - session.authTime > maxAgeSeconds * 1000)
    ? `the login is older than max_age=${maxAgeSeconds}`
    : acr?.includes(session.acr ?? "") === false
    ? `the login has not reached acr=${acr.join(" or ")}`
    : !isAllowed
    ? "the logged-in user is not the requested user"
    : undefined;
  if (reason === undefined) {
    server.passed?.("OI-05");
    if (acr !== undefined && server.levels !== undefined) server.passed?.(server.levels.rule, session?.acr);
    return session;
  }
  if (prompt.includes("none")) throw loginRequired(reason);
  return undefined;
}

/**
 * Rejects a login that an approver reports as new but that is too old for the request.
 *
 * @param startedAt When the request arrived, in milliseconds since the epoch. A later login is never too old.
 */
export function rejectOldLogin(
  { prompt, maxAgeSeconds }: LoginRequirements,
  startedAt: number,
  authTime: number,
  formerSession: Session | undefined,
): void {
  const isTooOld = maxAgeSeconds !== undefined && startedAt - authTime > maxAgeSeconds * 1000;
  const isNotNew = prompt.includes("login") && formerSession !== undefined && authTime < formerSession.authTime;
  if (!isTooOld && !isNotNew) return;
  throw new OAuthError("login_required", "the login is older than the request allows", {
    rule: "OI-05",
    expected: isTooOld ? `a login at most ${maxAgeSeconds} seconds old, by max_age` : "a new login, by prompt=login",
    received: `a login of ${new Date(authTime).toISOString()}`,
  });
}

/** The error if a request with `prompt=none` needs a login. */
export function loginRequired(reason: string): OAuthError {
  return new OAuthError("login_required", "login is required, but prompt=none forbids it", {
    rule: "OI-03",
    reason,
    expected: "a session of this browser that the request may use",
    received: reason,
  });
}

/** The error if another user logs in than the request allows. */
export function wrongUser({ demandedSubs: [first = [], ...others] = [] }: LoginRequirements): OAuthError {
  const subs = first.filter((sub) => others.every((demand) => demand.includes(sub)));
  return new OAuthError("access_denied", "the user is not the one that the request requires", {
    rule: "OI-08",
    expected: `subject ${subs.join(" or ") || "of an existing user"}`,
    received: "another user",
  });
}

/** Maximum number of users whose pairwise subjects are compared, besides the users in memory. */
const maxPairwiseCandidates = 1000;

/** The users, by `sub` on this server, whose subject for the client is in every list. */
export async function allowedSubjects(
  server: Server,
  client: Client,
  [first = [], ...others]: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const common = first.filter((sub) => others.every((demand) => demand.includes(sub)));
  const allowedSubs = new Set(common);
  const subs: string[] = [];
  if (client.subjectType === "public") {
    for (const sub of allowedSubs) if (await server.users.find(sub) !== undefined) subs.push(sub);
  } else {
    // Bounded: a store may have any number of users.
    const candidates = new Set([
      ...server.users.known().values(),
      ...await server.users.list({ limit: maxPairwiseCandidates }),
    ]);
    for (const { sub } of candidates) {
      if (allowedSubs.has(await server.subjectFor(server, client, sub))) subs.push(sub);
    }
  }
  return subs;
}
