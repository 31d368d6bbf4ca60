/** Which level of authentication a request demands, and which level a login reaches. */

import { metadataOf } from "../../config/client_metadata.ts";
import type { Approval } from "../../login/approver.ts";
import { type Authentication, type AuthenticationLevels, demandedLevels, loginLevel } from "../../token/levels.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { splitScope } from "../../../core/http/params.ts";
import type { LoginMethod } from "../../../core/policy/policy.ts";
import type { PendingAuthorization } from "../../../core/authorize/authorization_request.ts";
import type { CheckInput, Server, UnmetDemand } from "../../../core/server.ts";
import type { Session } from "../../../core/sessions/session.ts";
import { reject } from "./rules.ts";
import { type AcrValue, unverifiedMethods } from "./settings.ts";

/** The request for the claim `acr` of the ID token (OpenID Connect Core §5.5.1.1). */
export interface RequestedAcr {
  /** Empty if its `value` is not one of its `values`. */
  readonly values: readonly string[];
  /** Whether the login must reach one of the values. */
  readonly essential: boolean;
}

export function authenticationLevels(all: readonly AcrValue[]): AuthenticationLevels<HostedServer> {
  return {
    all,
    reached: (server, method, demanded) => reachedLevel(all, server, method, demanded),
  };
}

/**
 * The demanded values that a login can reach, in the order of preference; `undefined` if the request demands none, or
 * only voluntary values that this server does not have. With `openid`, unknown values are voluntary, unless the claim
 * is essential (OpenID Connect Core §5.5.1.1).
 */
export function readDemandedLevels(
  { all }: Pick<AuthenticationLevels<never>, "all">,
  { params, client }: CheckInput,
  claim: RequestedAcr | undefined,
  isOpenId: boolean,
): readonly string[] | undefined {
  const known = all.map(({ value }) => value);
  const parameter = params.get("acr_values");
  const values = parameter === undefined ? metadataOf(client).default_acr_values : splitScope(parameter);
  const isEssential = claim?.essential === true;
  const requested = isEssential ? claim.values : values ?? claim?.values ?? [];
  const demanded = [...new Set(requested)].filter((value) => known.includes(value));
  if (demanded.length > 0) return demanded;
  if (isEssential) throw reject("ST-08", { demanded: claim.values, known });
  if (requested.length === 0 || isOpenId || values === undefined) return undefined;
  throw reject("ST-07", { demanded: requested, known });
}

/** How a login misses the levels that a request demands; `undefined` if it does not. */
export function findMissedLevel(
  { passed }: Server,
  { request }: PendingAuthorization,
  login: Session,
): UnmetDemand | undefined {
  const demanded = demandedLevels.of(request.loginRequirements);
  if (demanded === undefined) return undefined;
  const reached = loginLevel.of(login)?.acr;
  if (demanded.includes(reached ?? "")) {
    passed("ST-06", reached);
    return undefined;
  }
  const reason = `the login has not reached acr=${demanded.join(" or ")}`;
  return { reason: { problem: "unmet demand", reason }, error: reject("ST-06", { demanded, reached }) };
}

/**
 * The level that an approver states for a login; `undefined` if it states none.
 *
 * @throws {OAuthError} `server_error` if the server has no such level.
 */
export function statedLevel(
  { levels }: Pick<HostedServer, "levels">,
  { acr, amr }: Approval,
): Authentication | undefined {
  if (acr === undefined) return amr && { amr };
  const { all = [] } = levels ?? {};
  const level = all.find(({ value }) => value === acr);
  if (level === undefined) throw reject("ST-12", { stated: String(acr), known: all.map(({ value }) => value) });
  return { acr, amr: amr ?? level.amr };
}

/**
 * The level that a login by this method reaches: the first demanded level, otherwise the first level; empty if it
 * reaches none.
 */
function reachedLevel(
  all: readonly AcrValue[],
  { passed }: HostedServer,
  method: LoginMethod,
  demanded: readonly string[] = [],
): Authentication {
  const levels = all.filter(({ methods = unverifiedMethods }) => methods.includes(method));
  const [level = levels[0]] = demanded.flatMap((acr) => levels.filter(({ value }) => value === acr));
  if (level === undefined) return {};
  passed("ST-12", `${level.value} by ${method}`);
  return { acr: level.value, amr: level.amr };
}
