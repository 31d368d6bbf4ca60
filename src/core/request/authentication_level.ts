/**
 * Levels of authentication (`acr`; OpenID Connect Core §2). An extension defines them; without it, no login reaches a
 * level.
 */

import type { OAuthError } from "../errors.ts";
import { reject } from "../reject.ts";
import type { RuleId } from "../rules/mod.ts";
import type { LoginMethod } from "../policy.ts";

/** The level of a login. */
export interface Authentication {
  /** The value of `acr`. */
  readonly acr?: string;
  /** The value of `amr`: the methods that were used (RFC 8176). */
  readonly amr?: readonly string[];
}

/** The request for the claim `acr` of the ID token (OpenID Connect Core §5.5.1.1). */
export interface RequestedAcr {
  /** Empty if its `value` is not one of its `values`. */
  readonly values: readonly string[];
  /** Whether the login must reach one of the values. */
  readonly essential: boolean;
}

/** @internal The levels of a server. */
export interface AuthenticationLevels<PartRequest, Server> {
  /** The rule of the check that a login reaches a demanded level. */
  readonly rule: RuleId;
  /** The error of a login that misses the demanded level. */
  missed(demanded: readonly string[], reached: string | undefined): OAuthError;
  /** Each level: its value of `acr`, and the `amr` of a login that reaches it. */
  readonly all: readonly { readonly value: string; readonly amr?: readonly string[] }[];
  /**
   * The demanded values that a login can reach, in the order of preference; `undefined` if the request demands none.
   *
   * @param claim The request for the claim `acr`.
   * @param isOpenId Whether `openid` is in the scope.
   * @throws {OAuthError} `unmet_authentication_requirements` if no login can meet the demand.
   */
  demanded(from: PartRequest, claim: RequestedAcr | undefined, isOpenId: boolean): readonly string[] | undefined;
  /** The level that a login by this method reaches. */
  reached(server: Server, method: LoginMethod, demanded?: readonly string[]): Authentication;
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
