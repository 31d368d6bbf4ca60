/**
 * Levels of authentication (`acr`; OpenID Connect Core §2). An extension defines them; without it, no login reaches a
 * level.
 */

import { type Field, text } from "../field.ts";
import { OAuthError } from "../errors.ts";
import type { PassedRuleId, RejectionRuleId } from "../rules/mod.ts";
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
  readonly rule: PassedRuleId & RejectionRuleId;
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

/** Describes a value of `acr`. */
export const acrValueField: Field<string> = text(["urn:example:mfa"], {
  pattern: /^[\x21\x23-\x5B\x5D-\x7E]{1,255}$/,
  expected: "1 to 255 printable ASCII characters without spaces, quotes and backslashes",
});

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
  const level = levels?.all.find(({ value }) => value === acr);
  if (level === undefined) {
    throw new OAuthError("server_error", "the approver states an acr that this server does not have", {
      rule: "ST-12",
      expected: levels?.all.map(({ value }) => value).join(" or ") ?? "no acr, because this server has no levels",
      received: acr,
    });
  }
  return { acr, amr: amr ?? level.amr };
}

/**
 * The error if this login, or every login of this server, misses the demanded level (OpenID Connect Unmet
 * Authentication Requirements §2).
 */
export function unmetRequirements(
  rule: RejectionRuleId,
  expected: readonly string[],
  received: string | undefined,
): OAuthError {
  return new OAuthError("unmet_authentication_requirements", "the required level of authentication cannot be reached", {
    rule,
    expected: expected.join(" or ") || "no required acr, because this server has no levels",
    received: received ?? "a login without a level",
  });
}

/** The error of an essential claim `acr` that no login can have. */
export function unmetClaim({ values }: RequestedAcr, known: readonly string[]): OAuthError {
  return unmetRequirements("ST-08", known, values.join(" ") || "a value that is not one of the values");
}
