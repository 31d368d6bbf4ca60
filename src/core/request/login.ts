/** Whether a login satisfies an authorization request (OpenID Connect Core §3.1.2.1). */

import type { Client } from "../clients/repository.ts";
import { reject } from "../reject.ts";
import type { UnusableSession } from "../rules/openid.ts";
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
  const { prompt, acr } = pending.request.loginRequirements;
  const problem = await findProblem(server, pending, session);
  if (problem === undefined) {
    server.passed?.("OI-05");
    if (acr !== undefined && server.levels !== undefined) server.passed?.(server.levels.rule, session?.acr);
    return session;
  }
  if (prompt.includes("none")) throw reject("OI-03", problem);
  return undefined;
}

/** Why the user must log in; `undefined` if the session suffices. */
async function findProblem(
  server: Server,
  pending: PendingAuthorization,
  session: Session | undefined,
): Promise<UnusableSession | undefined> {
  if (session === undefined) return { problem: "no session" };
  const { prompt, maxAgeSeconds, acr } = pending.request.loginRequirements;
  const isAllowed = await allowsUser(server, pending, session.sub);
  if (prompt.includes("login")) return { problem: "prompt=login" };
  const age = server.now() - session.authTime;
  if (maxAgeSeconds !== undefined && (maxAgeSeconds === 0 || age > maxAgeSeconds * 1000)) {
    return { problem: "too old", maxAgeSeconds };
  }
  if (acr?.includes(session.acr ?? "") === false) return { problem: "wrong level", acr };
  return isAllowed ? undefined : { problem: "other user" };
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
  if (isTooOld || isNotNew) throw reject("OI-05", { authTime, maxAgeSeconds: isTooOld ? maxAgeSeconds : undefined });
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
