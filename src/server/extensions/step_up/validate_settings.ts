/** All issues of the setting `acrValues`. */

import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import type { ServerPolicy } from "../../config/server_policy.ts";
import { type AcrValue, unverifiedMethods } from "./settings.ts";

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
      expected: "methods that verify the user, because the issuer is a real host",
      received: quote(unverified),
      hint: 'Use "password", or "approver" with an approver of your own.',
    });
  }
  return issues;
}
