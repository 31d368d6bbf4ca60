/** Which claims a request names, and where they are returned. Loaded with the first request that has `claims`. */

import {
  type ClaimRules,
  isReleasedByScope,
  isReservedClaim,
  pickClaims,
  scopesForClaim,
  type UserClaims,
} from "../../../core/clients/claims.ts";
import type { User } from "../../../core/clients/client.ts";
import type { Client } from "../../../core/clients/clients.ts";
import type { Approval } from "../../login/approver.ts";
import { isDeeperThan, isObject } from "../../../core/http/json_value.ts";
import type { AuthorizationRequest } from "../../../core/authorize/authorization_request.ts";
import type { CheckInput, Server } from "../../../core/server.ts";
import { maxClaimDepth } from "../../../core/token/tokens/read_access_token.ts";
import { demandedLevels } from "../../token/levels.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { namedClaims, type RequestedClaims } from "../../token/requested_claims.ts";
import { readDemandedLevels, type RequestedAcr } from "../step_up/levels.ts";
import { reject } from "./rules.ts";
import { reject as rejectLevel } from "../step_up/rules.ts";

/** Maximum number of subjects that `claims` demands; the same subject may count twice. */
const maxDemandedSubs = 16;

/**
 * Maximum levels of arrays and objects in a requested value. In an access token, it is two levels inside of a claim:
 * in an object by name, and in a list.
 */
const maxValueDepth = maxClaimDepth - 2;

/** The requested values by claim name; a claim must have one of its values. */
type ClaimValues = Readonly<Record<string, readonly unknown[]>>;

/** Adds the requested claims to a request, and what they, and the requested levels, demand of the login. */
export function addRequestedClaims(
  from: CheckInput,
  request: Partial<AuthorizationRequest>,
): Partial<AuthorizationRequest> {
  const { loginRequirements, scope = [] } = request;
  const { names, subs, acr } = readClaims(from);
  const count = subs.flat().length;
  if (count > maxDemandedSubs) throw reject("OI-08", { count, limit: maxDemandedSubs });
  const { levels } = from.server as HostedServer;
  if (levels === undefined && acr?.essential === true) throw rejectLevel("ST-08", { demanded: acr.values, known: [] });
  const demandedSubs = [...loginRequirements!.demandedSubs ?? [], ...subs];
  const requirements = {
    ...loginRequirements!,
    demandedSubs: demandedSubs.length === 0 ? undefined : demandedSubs,
  };
  const demanded = levels && readDemandedLevels(levels, from, acr, scope.includes("openid"));
  return namedClaims.put({ ...request, loginRequirements: demandedLevels.put(requirements, demanded) }, names);
}

function readClaims(
  { server, client, params }: CheckInput,
): { names: RequestedClaims; subs: readonly string[][]; acr?: RequestedAcr } {
  let request: unknown;
  try {
    request = JSON.parse(params.get("claims")!);
  } catch {
    throw reject("OI-08", { malformed: "invalid JSON" });
  }
  if (!isObject(request)) throw reject("OI-08", { malformed: "JSON that is not an object" });
  const names = { userinfo: [] as string[], id_token: [] as string[] };
  const values = { userinfo: {} as Record<string, unknown[]>, id_token: {} as Record<string, unknown[]> };
  const subs: string[][] = [];
  let acr: RequestedAcr | undefined;
  for (const target of ["userinfo", "id_token"] as const) {
    const requests = Object.hasOwn(request, target) ? request[target] : null;
    if (requests === null) continue;
    if (!isObject(requests)) throw reject("OI-08", { malformed: `a ${target} that is not an object` });
    for (const [name, claimRequest] of Object.entries(requests)) {
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
  if (isDeeperThan(maxValueDepth + 2, demands)) {
    throw reject("OI-08", { malformed: `a value with more than ${maxValueDepth} levels` });
  }
  return demands.filter((demand) => demand.length > 0);
}

/** The values that a request for a claim of type string demands. */
function assertStrings(name: string, demands: unknown[][]): string[][] {
  if (!demands.flat().every((value) => typeof value === "string")) {
    throw reject("OI-08", { malformed: `a value of ${name} that is not a string` });
  }
  return demands as string[][];
}

/** Whether a client that may ask for `scope` may ask for the claim by name (OpenID Connect Core §5.5). */
function mayBeRequested(rules: ClaimRules, name: string, scope: readonly string[]): boolean {
  if (isReservedClaim(name)) return false;
  const scopes = scopesForClaim(rules, name);
  return scopes.length === 0 ? rules.unmapped === "openid" : scopes.some((value) => scope.includes(value));
}

/** The requested claims, without claims of a denied scope value and claims that the user denied by name. */
export function approveClaims(
  { claims: rules }: Server,
  requested: RequestedClaims,
  scope: readonly string[],
  approval: Pick<Approval, "scope" | "claims">,
): RequestedClaims {
  const deniedScope = scope.filter((token) => !approval.scope.includes(token));
  const isAllowed = (name: string) =>
    !isReleasedByScope(rules, name, deniedScope) || isReleasedByScope(rules, name, approval.scope);
  return filterClaims(requested, (name) => approval.claims?.includes(name) ?? isAllowed(name));
}

/** The claims of a grant that the client may still request. */
export function narrowClaims({ claims }: Server, granted: RequestedClaims, client: Client): RequestedClaims {
  return filterClaims(granted, (name) => mayBeRequested(claims, name, client.scope));
}

/** The same request without the claims that `allows` rejects. */
function filterClaims(requested: RequestedClaims, allows: (name: string) => boolean): RequestedClaims {
  const { userinfo, id_token, values } = requested;
  return { userinfo: userinfo.filter(allows), id_token: id_token.filter(allows), ...values && { values } };
}

/** The claims of an access token that say what userinfo returns: names, and values by name. */
export function claimsInAccessToken({ userinfo, values }: RequestedClaims): UserClaims {
  return {
    ...userinfo.length > 0 && { userinfo_claims: userinfo },
    ...Object.keys(values?.userinfo ?? {}).length > 0 && { userinfo_values: values!.userinfo },
  };
}

/** The claims about a user in an ID token, from the claims that the scope releases. */
export function claimsInIdToken({ id_token, values }: RequestedClaims, user: User, claims: UserClaims): UserClaims {
  return withRequestedClaims(user, claims, id_token, values?.id_token);
}

/** The same in a userinfo response, for an access token with {@link claimsInAccessToken}. */
export function claimsInUserinfo(
  server: Server,
  token: UserClaims,
  client: Client,
  user: User,
  claims: UserClaims,
): UserClaims {
  // `isReadable` has verified the types.
  const { userinfo_claims = [], userinfo_values } = token as {
    readonly userinfo_claims?: readonly string[];
    readonly userinfo_values?: ClaimValues;
  };
  const names = userinfo_claims.filter((name) => mayBeRequested(server.claims, name, client.scope));
  return withRequestedClaims(user, claims, names, userinfo_values);
}

/** Adds claims requested by name, and removes claims whose value differs from the requested one (§5.5.1). */
function withRequestedClaims(
  user: User,
  claims: UserClaims,
  names: readonly string[],
  values: ClaimValues = {},
): UserClaims {
  const all = { ...claims, ...pickClaims(user, names) };
  for (const [name, allowedValues] of Object.entries(values)) {
    if (!allowedValues.some((value) => jsonEqual(value, all[name]))) delete all[name];
  }
  return all;
}

/** Whether two values are the same in JSON; the order of an object's members does not count. */
export function jsonEqual(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length &&
    names.every((name) =>
      Object.hasOwn(b, name) &&
      jsonEqual((a as Record<string, unknown>)[name], (b as Record<string, unknown>)[name])
    );
}
