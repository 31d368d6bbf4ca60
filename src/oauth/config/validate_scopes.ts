/** Validates the scope values of a server that has its own. */

import { scopeToken } from "../authorize/scope_token.ts";
import { listed } from "./accept_any.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";
import type { ResolvedSettings } from "./resolve_settings.ts";
import { defaultScopes, type Settings } from "./settings.ts";

/** The issues of `scopes` and `defaultScope`. */
export function validateScopes(settings: Settings, resolved: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const scopes = listed(settings.scopes) ?? defaultScopes;
  if (scopes.length === 0) {
    issues.push({
      path: "scopes",
      expected: "at least one scope value",
      received: "an empty array",
      hint: "Remove the setting for the default, or add scope values.",
    });
  }
  for (const [i, token] of scopes.entries()) {
    if (scopes.indexOf(token) < i) {
      issues.push({
        path: `scopes[${i}]`,
        expected: "each value once",
        received: `${quote(token)} again`,
        hint: "Remove one of the two.",
      });
    }
    if (scopeToken.test(token)) continue;
    issues.push({
      path: `scopes[${i}]`,
      expected: "printable ASCII without spaces, quotes and backslashes",
      received: quote(token),
      hint: "Write each scope value as an item of its own.",
    });
  }
  for (const token of settings.defaultScope === undefined ? [] : resolved.defaultScope) {
    if (resolved.scopes.includes(token)) continue;
    issues.push({
      path: "defaultScope",
      expected: `values of scopes (${resolved.scopes.join(" ")})`,
      received: quote(token),
      hint: `Add ${quote(token)} to scopes, or remove it from defaultScope.`,
    });
  }
  return issues;
}
