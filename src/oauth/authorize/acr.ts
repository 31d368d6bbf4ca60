/**
 * Levels of authentication (`acr`; OpenID Connect Core §3.1.2.1, §5.5.1.1, RFC 9470): which level a request demands,
 * and which level a login reaches. Loaded only if the setting `acrValues` or a request needs it.
 */

import { type LoginMethod, unverifiedMethods } from "../config/acr_values.ts";
import { OAuthError } from "../errors.ts";
import type { Server } from "../server.ts";

/** The level of a login. */
export interface Authentication {
  /** The value of `acr`. */
  readonly acr?: string;
  /** The value of `amr`: the methods that were used (RFC 8176). */
  readonly amr?: readonly string[];
}

/** What a request says about `acr`. */
export interface AcrRequest {
  /** The values of `acr_values`, or those of the client's metadata. */
  readonly values?: readonly string[];
  /** The request for the claim `acr` of the ID token. */
  readonly claim?: {
    /** Empty if its `value` is not one of its `values`. */
    readonly values: readonly string[];
    readonly essential: boolean;
  };
  /**
   * Whether `openid` is in the scope: then unknown values are voluntary, unless the claim is essential (Core §5.5.1.1).
   */
  readonly isOpenId: boolean;
}

/**
 * The demanded values that a login can reach, in the order of preference; `undefined` if the request demands none, or
 * only voluntary values that this server does not have.
 *
 * @throws {OAuthError} `unmet_authentication_requirements` if no login can meet the demand.
 */
export function demandedAcr(server: Server, { values, claim, isOpenId }: AcrRequest): readonly string[] | undefined {
  const isEssential = claim?.essential === true;
  const requested = isEssential ? claim.values : values ?? claim?.values ?? [];
  const known = server.settings.acrValues.map(({ value }) => value);
  const demanded = [...new Set(requested)].filter((value) => known.includes(value));
  if (demanded.length > 0) return demanded;
  const isVoluntary = requested.length === 0 || isOpenId || values === undefined || known.length === 0;
  if (!isEssential && isVoluntary) return undefined;
  const received = requested.join(" ") || "a value that is not one of the values";
  throw unmetRequirements(isEssential ? "ST-08" : "ST-07", known, received);
}

/** The level that a login by this method reaches: the first demanded one, or else the first one; none without any. */
export function reachedLevel(
  { settings: { acrValues }, passed }: Server,
  method: LoginMethod,
  demanded: readonly string[] = [],
): Authentication {
  const levels = acrValues.filter(({ methods = unverifiedMethods }) => methods.includes(method));
  const demandedLevels = demanded.flatMap((acr) => levels.filter(({ value }) => value === acr));
  const level = demandedLevels[0] ?? levels[0];
  if (level === undefined) return {};
  passed?.("ST-12", `${level.value} by ${method}`);
  return { acr: level.value, amr: level.amr };
}

/**
 * The level that an approver states for a login.
 *
 * @throws {OAuthError} `server_error` if the setting `acrValues` has no such value.
 */
export function statedLevel(server: Server, { acr, amr }: Authentication): Authentication {
  if (acr === undefined) return { amr };
  const level = server.settings.acrValues.find(({ value }) => value === acr);
  if (level === undefined) {
    throw new OAuthError("server_error", "the approver states an acr that this server does not have", {
      rule: "ST-12",
      expected: server.settings.acrValues.map(({ value }) => value).join(" or ") ||
        "no acr, because acrValues is not set",
      received: acr,
    });
  }
  return { acr, amr: amr ?? level.amr };
}

/**
 * The error if no login of this server, or not this login, meets the demand (OpenID Connect Unmet Authentication
 * Requirements §2).
 */
export function unmetRequirements(
  rule: "ST-06" | "ST-07" | "ST-08",
  expected: readonly string[],
  received: string | undefined,
): OAuthError {
  return new OAuthError("unmet_authentication_requirements", "the required level of authentication cannot be reached", {
    rule,
    expected: expected.join(" or ") || "no required acr, because this server has no levels",
    received: received ?? "a login without a level",
  });
}
