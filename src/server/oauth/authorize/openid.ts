/** OpenID Connect parameters of authorization requests (Core §3.1.2.1), and their requirements for the login. */

import type { MaybePromise } from "../../../platform/maybe_promise.ts";
import { isObject } from "../../../platform/json_value.ts";
import type { RequestedClaims } from "../../../platform/store/store.ts";
import { jsonEqual, mayBeRequested } from "../claims.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import { type Params, promptValues, splitScope } from "../params.ts";
import type { PartRequest, Server } from "../server.ts";
import { type IdTokenHint, readIdTokenHint } from "../tokens/verification.ts";
import { type RequestedAcr, unmetClaim } from "./authentication_level.ts";
import type { AuthorizationRequest, LoginRequirements } from "./authorization_request.ts";

/** Maximum length of a `login_hint`, in characters; the rest is cut off. */
const maxLoginHintLength = 255;

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
  if (prompts.includes("none") && prompts.length > 1) {
    throw new OAuthError("invalid_request", "prompt combines none with another value", {
      rule: "OI-03",
      expected: "none alone, or other values without none",
      received: prompts.join(" "),
    });
  }
  if (params.get("id_token_hint") !== undefined && hintedLogin?.clientId !== client.id) {
    throw new OAuthError("invalid_request", "id_token_hint is not an ID token that this server issued to this client", {
      rule: "OI-07",
      expected: `an ID token of this issuer for ${client.id}, expired or not`,
      received: hintedLogin === undefined ? "a token that cannot be verified" : `a token for ${hintedLogin.clientId}`,
    });
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
  throw new OAuthError("invalid_request", "max_age is not a whole number of seconds", {
    rule: "OI-05",
    expected: "digits",
    received: /^[-+.\d]{1,20}$/.test(text) ? text : `${text.length} other characters`,
  });
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
  rejectManySubjects(subs.flat().length);
  const demandedSubs = [...requirements.demandedSubs ?? [], ...subs];
  if (server.levels === undefined && claim?.essential === true) throw unmetClaim(claim, []);
  return {
    ...requirements,
    demandedSubs: demandedSubs.length === 0 ? undefined : demandedSubs,
    claims: names,
    acr: server.levels?.demanded(from, claim, scope.includes("openid")),
  };
}

/** Maximum number of subjects that `claims` demands; the same subject may count twice. */
const maxDemandedSubs = 16;

function rejectManySubjects(count: number): void {
  if (count <= maxDemandedSubs) return;
  throw new OAuthError("invalid_request", `claims demands more than ${maxDemandedSubs} subjects`, {
    rule: "OI-08",
    expected: `at most ${maxDemandedSubs} values of sub`,
    received: String(count),
  });
}

function readClaims(
  server: Server,
  client: Client,
  text: string,
): { names: RequestedClaims; subs: readonly string[][]; acr?: RequestedAcr } {
  const malformed = (received: string) =>
    new OAuthError("invalid_request", "claims is not a valid claims request", {
      rule: "OI-08",
      expected: `an object whose userinfo and id_token members are objects, such as {"userinfo":{"name":null}}`,
      received,
    });
  let request: unknown;
  try {
    request = JSON.parse(text);
  } catch {
    throw malformed("invalid JSON");
  }
  if (!isObject(request)) throw malformed("JSON that is not an object");
  const names = { userinfo: [] as string[], id_token: [] as string[] };
  const values = { userinfo: {} as Record<string, unknown[]>, id_token: {} as Record<string, unknown[]> };
  const subs: string[][] = [];
  let acr: RequestedAcr | undefined;
  for (const target of ["userinfo", "id_token"] as const) {
    const requestedClaims = Object.hasOwn(request, target) ? request[target] : null;
    if (requestedClaims === null) continue;
    if (!isObject(requestedClaims)) throw malformed(`a ${target} that is not an object`);
    for (const [name, claimRequest] of Object.entries(requestedClaims)) {
      if (claimRequest !== null && !isObject(claimRequest)) {
        throw malformed("a claim whose request is neither null nor an object");
      }
      const demandedValues = readDemandedValues(claimRequest, malformed);
      if (name === "sub") subs.push(...assertStrings(name, demandedValues, malformed));
      if (name === "acr" && target === "id_token" && demandedValues.length > 0) {
        const acrValues = intersect(assertStrings(name, demandedValues, malformed));
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
function readDemandedValues(
  claimRequest: Record<string, unknown> | null,
  malformed: (received: string) => OAuthError,
): unknown[][] {
  if (claimRequest?.values !== undefined && !Array.isArray(claimRequest.values)) {
    throw malformed("values that are not a list");
  }
  const demands = [
    claimRequest?.value === undefined ? [] : [claimRequest.value],
    (claimRequest?.values ?? []) as unknown[],
  ];
  return demands.filter((demand) => demand.length > 0);
}

/** The values that a request for a claim of type string demands. */
function assertStrings(name: string, demands: unknown[][], malformed: (received: string) => OAuthError): string[][] {
  if (!demands.flat().every((value) => typeof value === "string")) {
    throw malformed(`a value of ${name} that is not a string`);
  }
  return demands as string[][];
}
