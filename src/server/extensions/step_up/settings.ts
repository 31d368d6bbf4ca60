/** The setting `acrValues`: the levels of authentication (OpenID Connect Core §2, `acr`; RFC 9470). */

import { describeSettings } from "../../config/extension_settings.ts";
import { choice, type Field, type FieldsOf, list, object, text, texts } from "../../../core/policy/field.ts";
import { quote } from "../../config/config_issue.ts";
import type { LoginMethod } from "../../../core/policy/policy.ts";
import { open } from "../../config/client_fields.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import type { ServerPolicy } from "../../config/server_policy.ts";

/** @internal */
export interface StepUpSettings {
  /**
   * The levels of authentication that clients can request with `acr_values` (RFC 9470). Each must be reachable by a
   * login of this server. Default: none; `acr_values` is ignored, and tokens have no `acr`.
   */
  readonly acrValues?: readonly AcrValue[];
}

/**
 * A level of authentication: a value of `acr`, and the logins that reach it. A login reaches the requested level if
 * that level lists its method; otherwise it reaches the first level that lists its method.
 *
 * @example
 * ```ts
 * const levels: AcrValue[] = [
 *   { value: "urn:example:password", methods: ["auto", "password"], amr: ["pwd"] },
 *   { value: "urn:example:mfa", methods: ["auto"], amr: ["pwd", "otp", "mfa"] },
 * ];
 * ```
 */
export interface AcrValue {
  /** The value of `acr` in tokens, and of `acr_values` in requests: printable ASCII without spaces. */
  readonly value: string;
  /**
   * The methods of login that reach the level. Default: `auto open`, which verify nothing; a real host needs other
   * methods.
   */
  readonly methods?: readonly LoginMethod[];
  /** The `amr` of such a login (RFC 8176), unless an approver states another one. Default: none. */
  readonly amr?: readonly string[];
}

/** The methods of login that verify nothing, for test hosts; the default of {@link AcrValue.methods}. */
export const unverifiedMethods: readonly LoginMethod[] = ["auto", "open"];

const example: AcrValue = { value: "urn:example:mfa", methods: ["auto"], amr: ["pwd", "otp", "mfa"] };

export const acrValueField: Field<string> = text(["urn:example:mfa"], {
  pattern: /^[\x21\x23-\x5B\x5D-\x7E]{1,255}$/,
  expected: "1 to 255 printable ASCII characters without spaces, quotes and backslashes",
});

/** Describes the list of levels. */
const acrValuesField = list(
  object<AcrValue>(
    "AcrValue",
    {
      value: acrValueField,
      methods: list<LoginMethod>(choice(["auto", "open", "password", "approver"]), [["auto"]], {
        default: unverifiedMethods,
      }),
      amr: texts(["pwd", "otp", "mfa"]),
    },
    example,
    { required: ["value"] },
  ),
  [[example]],
  { expected: "an array of levels", default: [] },
);

export const stepUpFields: FieldsOf<StepUpSettings> = { acrValues: acrValuesField };

/** The setting that is in effect. */
export type StepUpPolicy = Required<StepUpSettings>;

/** Describes the setting, and reads it from a policy. */
export const stepUpSettings = describeSettings<StepUpPolicy>({
  fields: stepUpFields,
});

export interface StepUpClientMembers {
  /** The `acr_values` of authorization requests that have none: levels of authentication, the preferred one first. */
  readonly default_acr_values?: readonly string[];
}

export const stepUpClientFields: FieldsOf<StepUpClientMembers> = {
  default_acr_values: open(list(acrValueField, [["urn:example:mfa"]])),
};

/** All issues of settings that match their description: each level must be reachable by a login of this server. */
export function validateLevels(
  acrValues: readonly AcrValue[],
  { allows, loginMethods: available }: ServerPolicy,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, { value, methods = unverifiedMethods }] of acrValues.entries()) {
    const path = `acrValues[${i}]`;
    if (acrValues.findIndex((level) => level.value === value) < i) {
      issues.push({
        path: `${path}.value`,
        expected: "each value once",
        received: `${quote(value)} again`,
        hint: "Remove one of the two, and list all methods in the other.",
      });
    }
    if (!methods.some((method) => available.includes(method))) {
      issues.push({
        path: `${path}.methods`,
        expected: `${available.map(quote).join(" or ")}: a login of this server that reaches the level`,
        received: methods.length === 0 ? "none" : methods.map(quote).join(", "),
        hint: "Add a method, change login, or remove the level: metadata lists only levels that a login can reach.",
      });
    }
    const unverified = methods.find((method) => unverifiedMethods.includes(method));
    if (unverified === undefined || allows.openLogin) continue;
    issues.push({
      path: `${path}.methods`,
      expected: "methods that verify the user, because the issuer is not a test host",
      received: quote(unverified),
      hint: 'Use "password", or "approver" with an approver of your own.',
    });
  }
  return issues;
}
