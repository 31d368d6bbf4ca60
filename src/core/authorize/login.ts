/**
 * The requirements of an authorization request for the login: how they are read, and whether a session or a new login
 * meets them (OpenID Connect Core §3.1.2.1).
 */

import { reject } from "../rules/reject.ts";
import type { UnusableSession } from "../rules/openid.ts";
import type { CheckInput, Server, UnmetDemand } from "../server.ts";
import type { Session } from "../sessions/session.ts";
import type { LoginRequirements, PendingAuthorization } from "./authorization_request.ts";
import { promptValues, splitScope } from "../http/params.ts";
import { type IdTokenHint, readIdTokenHint } from "../keys/verification.ts";

/** Maximum length of a `login_hint`, in characters; the rest is cut off. */
const maxLoginHintLength = 255;

export async function readLoginRequirements(from: CheckInput): Promise<LoginRequirements> {
  const idTokenHint = from.params.get("id_token_hint");
  return readWithHint(from, idTokenHint === undefined ? undefined : await readIdTokenHint(from.server, idTokenHint));
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
  const problem = await findProblem(server, pending, session);
  if (problem === undefined) {
    server.passed("OI-05");
    return session;
  }
  if (pending.request.loginRequirements.prompt.includes("none")) throw reject("OI-03", problem);
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
  previousSession: Session | undefined,
): void {
  const isTooOld = maxAgeSeconds !== undefined && startedAt - authTime > maxAgeSeconds * 1000;
  const isNotNew = prompt.includes("login") && previousSession !== undefined && authTime < previousSession.authTime;
  if (isTooOld || isNotNew) throw reject("OI-05", { authTime, maxAgeSeconds: isTooOld ? maxAgeSeconds : undefined });
}

/** Why a login does not meet the demands of a request: it is of another user. `undefined`: it does. */
export async function findUnmetDemand(
  server: Server,
  pending: PendingAuthorization,
  { sub }: Session,
): Promise<UnmetDemand | undefined> {
  if (await allowsUser(server, pending, sub)) return undefined;
  const { demandedSubs = [] } = pending.request.loginRequirements;
  return { reason: { problem: "other user" }, error: reject("OI-08", { demandedSubs }) };
}

/** Whether a request allows a user: it demands no subject, or the subject of this user for the client. */
export async function allowsUser(
  server: Server,
  { request: { loginRequirements: { demandedSubs } }, client }: Pick<PendingAuthorization, "request" | "client">,
  sub: string,
): Promise<boolean> {
  if (demandedSubs === undefined) return true;
  const issued = await server.identifiers.issued(server, client, { sub });
  return demandedSubs.every((demand) => demand.includes(issued.sub));
}

/** Why the user must log in; `undefined` if the session suffices. */
async function findProblem(
  server: Server,
  pending: PendingAuthorization,
  session: Session | undefined,
): Promise<UnusableSession | undefined> {
  if (session === undefined) return { problem: "no session" };
  const { prompt, maxAgeSeconds } = pending.request.loginRequirements;
  if (prompt.includes("login")) return { problem: "prompt=login" };
  const age = server.now() - session.authTime;
  if (maxAgeSeconds !== undefined && (maxAgeSeconds === 0 || age > maxAgeSeconds * 1000)) {
    return { problem: "too old", maxAgeSeconds };
  }
  return (await server.findUnmetDemand(server, pending, session))?.reason;
}

/**
 * Reads the parameters; `display`, `ui_locales` and `claims_locales` are ignored.
 *
 * @param hintedLogin The login of a valid `id_token_hint`.
 */
function readWithHint({ params, client }: CheckInput, hintedLogin: IdTokenHint | undefined): LoginRequirements {
  const prompts = splitScope(params.get("prompt") ?? "");
  if (prompts.includes("none") && prompts.length > 1) throw reject("OI-03", { prompts });
  if (params.get("id_token_hint") !== undefined && hintedLogin?.clientId !== client.id) {
    throw reject("OI-07", { clientId: client.id, hintedClient: hintedLogin?.clientId });
  }
  return {
    prompt: prompts.filter((value) => promptValues.some((supported) => supported === value)),
    maxAgeSeconds: readMaxAge(params.get("max_age")) ?? client.metadata.default_max_age,
    loginHint: params.get("login_hint")?.slice(0, maxLoginHintLength),
    demandedSubs: hintedLogin === undefined ? undefined : [[hintedLogin.sub]],
  };
}

function readMaxAge(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d+$/.test(text)) return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  throw reject("OI-05", { maxAge: text });
}
