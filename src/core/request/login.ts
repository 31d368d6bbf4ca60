/**
 * The requirements of an authorization request for the login: how they are read, and whether a session or a new login
 * meets them (OpenID Connect Core §3.1.2.1).
 */

import type { Client } from "../clients/repository.ts";
import { reject } from "../reject.ts";
import type { UnusableSession } from "../rules/openid.ts";
import type { PartRequest, Server } from "../server.ts";
import type { Session } from "../session/session.ts";
import type {
  Authentication,
  AuthenticationLevels,
  AuthorizationRequest,
  LoginRequirements,
  RequestedAcr,
} from "./authorization_request.ts";
import type { PendingAuthorization } from "./destination.ts";
import { chain, type MaybePromise } from "../maybe_promise.ts";
import { isObject } from "../json_value.ts";
import type { RequestedClaims } from "../store/store.ts";
import { jsonEqual, mayBeRequested } from "../claims.ts";
import { type Params, promptValues, splitScope } from "../params.ts";
import { type IdTokenHint, readIdTokenHint } from "../keys/verification.ts";

/** Maximum length of a `login_hint`, in characters; the rest is cut off. */
const maxLoginHintLength = 255;

/** Maximum number of subjects that `claims` demands; the same subject may count twice. */
const maxDemandedSubs = 16;

/**
 * Reads what a request requires of the login. Where the client polls, the user always decides on a page, so `prompt` is
 * ignored.
 */
export function readLoginRequirements(
  from: PartRequest,
  parts: Partial<AuthorizationRequest>,
): MaybePromise<LoginRequirements> {
  const idTokenHint = from.params.get("id_token_hint");
  return idTokenHint === undefined
    ? readWithHint(from, parts, undefined)
    : readIdTokenHint(from.server, idTokenHint).then((hintedLogin) => readWithHint(from, parts, hintedLogin));
}

/**
 * The session, if the request allows it to be used; `undefined` if the user must log in.
 *
 * @throws {OAuthError} `login_required` if the user must log in but `prompt=none` forbids it.
 */
export function usableSession(
  server: Server,
  pending: PendingAuthorization,
  session: Session | undefined,
): MaybePromise<Session | undefined> {
  const { prompt, acr } = pending.request.loginRequirements;
  return chain(findProblem(server, pending, session), (problem) => {
    if (problem === undefined) {
      server.passed?.("OI-05");
      if (acr !== undefined && server.levels !== undefined) server.passed?.(server.levels.rule, session?.acr);
      return session;
    }
    if (prompt.includes("none")) throw reject("OI-03", problem);
    return undefined;
  });
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

/**
 * The level that an approver states for a login.
 *
 * @throws {OAuthError} `server_error` if the server has no such level.
 */
export function statedLevel(
  { levels }: { readonly levels?: Pick<AuthenticationLevels<never, never>, "all"> },
  { acr, amr }: Authentication,
): Authentication {
  if (acr === undefined) return { amr };
  const { all = [] } = levels ?? {};
  const level = all.find(({ value }) => value === acr);
  if (level === undefined) throw reject("ST-12", { stated: acr, known: all.map(({ value }) => value) });
  return { acr, amr: amr ?? level.amr };
}

/** Whether a request allows a user: it demands no subject, or the subject of this user for the client. */
export function allowsUser(
  server: Server,
  { request: { loginRequirements: { demandedSubs } }, client }: Pick<PendingAuthorization, "request" | "client">,
  sub: string,
): MaybePromise<boolean> {
  if (demandedSubs === undefined) return true;
  return chain(
    server.subjectFor(server, client, sub),
    (subject) => demandedSubs.every((demand) => demand.includes(subject)),
  );
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

function readWithHint(
  from: PartRequest,
  parts: Partial<AuthorizationRequest>,
  hintedLogin: IdTokenHint | undefined,
): LoginRequirements {
  const { server, client, params, at } = from;
  const requirements = readOpenIdParameters(params, client, hintedLogin);
  const complete = params.get("claims") === undefined && server.levels === undefined
    ? requirements
    : addRequestedClaims(from, parts.scope ?? [], requirements);
  return at === "poll" ? { ...complete, prompt: [] } : complete;
}

/** Why the user must log in; `undefined` if the session suffices. */
function findProblem(
  server: Server,
  pending: PendingAuthorization,
  session: Session | undefined,
): MaybePromise<UnusableSession | undefined> {
  if (session === undefined) return { problem: "no session" };
  const { prompt, maxAgeSeconds, acr } = pending.request.loginRequirements;
  if (prompt.includes("login")) return { problem: "prompt=login" };
  const age = server.now() - session.authTime;
  if (maxAgeSeconds !== undefined && (maxAgeSeconds === 0 || age > maxAgeSeconds * 1000)) {
    return { problem: "too old", maxAgeSeconds };
  }
  if (acr?.includes(session.acr ?? "") === false) return { problem: "wrong level", acr };
  return chain(
    allowsUser(server, pending, session.sub),
    (isAllowed) => isAllowed ? undefined : { problem: "other user" },
  );
}

/**
 * Reads all parameters except `claims`; `display`, `ui_locales` and `claims_locales` are ignored.
 *
 * @param hintedLogin The login of a valid `id_token_hint`.
 */
function readOpenIdParameters(
  params: Params,
  client: Client,
  hintedLogin: IdTokenHint | undefined,
): LoginRequirements {
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

/** Adds the requirements of `claims` and of the requested levels to the requirements of the other parameters. */
function addRequestedClaims(
  from: PartRequest,
  scope: readonly string[],
  requirements: LoginRequirements,
): LoginRequirements {
  const { server, params, client } = from;
  const text = params.get("claims");
  const { names, subs = [], acr: claim } = text === undefined ? {} : readClaims(server, client, text);
  const count = subs.flat().length;
  if (count > maxDemandedSubs) throw reject("OI-08", { count, limit: maxDemandedSubs });
  const demandedSubs = [...requirements.demandedSubs ?? [], ...subs];
  if (server.levels === undefined && claim?.essential === true) {
    throw reject("ST-08", { demanded: claim.values, known: [] });
  }
  return {
    ...requirements,
    demandedSubs: demandedSubs.length === 0 ? undefined : demandedSubs,
    claims: names,
    acr: server.levels?.demanded(from, claim, scope.includes("openid")),
  };
}

function readClaims(
  server: Server,
  client: Client,
  text: string,
): { names: RequestedClaims; subs: readonly string[][]; acr?: RequestedAcr } {
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    throw reject("OI-08", { malformed: "invalid JSON" });
  }
  if (!isObject(request)) throw reject("OI-08", { malformed: "JSON that is not an object" });
  const names = { userinfo: [] as string[], id_token: [] as string[] };
  const values = { userinfo: {} as Record<string, unknown[]>, id_token: {} as Record<string, unknown[]> };
  const subs: string[][] = [];
  let acr: RequestedAcr | undefined;
  for (const target of ["userinfo", "id_token"] as const) {
    const requestedClaims = Object.hasOwn(request, target) ? request[target] : null;
    if (requestedClaims === null) continue;
    if (!isObject(requestedClaims)) throw reject("OI-08", { malformed: `a ${target} that is not an object` });
    for (const [name, claimRequest] of Object.entries(requestedClaims)) {
      if (claimRequest !== null && !isObject(claimRequest)) {
        throw reject("OI-08", { malformed: "a claim whose request is neither null nor an object" });
      }
      const demandedValues = readDemandedValues(claimRequest);
      if (name === "sub") subs.push(...assertStrings(name, demandedValues));
      if (name === "acr" && target === "id_token" && demandedValues.length > 0) {
        const acrValues = intersect(assertStrings(name, demandedValues));
        acr = { values: acrValues, essential: claimRequest?.essential === true };
      }
      // A client may request only claims of scope values that it may request.
      if (!mayBeRequested(server.claims, name, client.scope)) continue;
      names[target].push(name);
      if (demandedValues.length > 0) values[target][name] = intersect(demandedValues);
    }
  }
  const hasValues = Object.keys(values.userinfo).length + Object.keys(values.id_token).length > 0;
  return { names: { ...names, ...hasValues && { values } }, subs, acr };
}

/** The values that all demands allow; there is at least one demand. */
function intersect<T>([first = [], ...others]: readonly T[][]): T[] {
  return first.filter((value) => others.every((other) => other.some((otherValue) => jsonEqual(otherValue, value))));
}

/** The values that a request for a claim demands: `value`, one of `values`, or both (Core §5.5.1). */
function readDemandedValues(claimRequest: Record<string, unknown> | null): unknown[][] {
  if (claimRequest?.values !== undefined && !Array.isArray(claimRequest.values)) {
    throw reject("OI-08", { malformed: "values that are not a list" });
  }
  const demands = [
    claimRequest?.value === undefined ? [] : [claimRequest.value],
    (claimRequest?.values ?? []) as unknown[],
  ];
  return demands.filter((demand) => demand.length > 0);
}

/** The values that a request for a claim of type string demands. */
function assertStrings(name: string, demands: unknown[][]): string[][] {
  if (!demands.flat().every((value) => typeof value === "string")) {
    throw reject("OI-08", { malformed: `a value of ${name} that is not a string` });
  }
  return demands as string[][];
}
