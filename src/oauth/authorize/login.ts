/** Whether a login satisfies an authorization request (OpenID Connect Core §3.1.2.1). */

import { OAuthError } from "../errors.ts";
import type { Server } from "../server.ts";
import type { Session } from "../session/session.ts";
import type { PendingAuthorization } from "./authorization_request.ts";
import type { LoginRequirements } from "./openid.ts";

/**
 * The session, if the request allows it to be used; `undefined` if the user must log in.
 *
 * @throws {OAuthError} `login_required` if the user must log in but `prompt=none` forbids it.
 */
export function usableSession(
  server: Server,
  { request, expectedSubs }: PendingAuthorization,
  session: Session | undefined,
): Session | undefined {
  const { prompt, maxAgeSeconds, acr } = request.loginRequirements;
  const reason = session === undefined
    ? "no user is logged in"
    : prompt.includes("login")
    ? "prompt=login asks for a new login"
    : maxAgeSeconds !== undefined && (maxAgeSeconds === 0 || server.now() - session.authTime > maxAgeSeconds * 1000)
    ? `the login is older than max_age=${maxAgeSeconds}`
    : acr?.includes(session.acr ?? "") === false
    ? `the login has not reached acr=${acr.join(" or ")}`
    : expectedSubs?.includes(session.sub) === false
    ? "the logged-in user is not the requested one"
    : undefined;
  if (reason === undefined) {
    server.passed?.("OI-05");
    if (acr !== undefined) server.passed?.("ST-06", session?.acr);
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
    expected: "a usable session",
    received: reason,
  });
}

/** The error if another user logs in than the request allows. */
export function wrongUser(subs: readonly string[]): OAuthError {
  return new OAuthError("access_denied", "the user is not the one that the request requires", {
    rule: "OI-08",
    expected: `subject ${subs.join(" or ") || "of an existing user"}`,
    received: "another user",
  });
}
