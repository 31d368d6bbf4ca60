/** All issues of the setting `authorizationDetails`. */

import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import { findSchemaMistake } from "./json_schema.ts";
import type { AuthorizationDetailsType } from "./settings.ts";

/** All issues of types that match their description. */
export function validateAuthorizationDetails(types: Readonly<Record<string, AuthorizationDetailsType>>): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [type, { schema }] of Object.entries(types)) {
    if (type === "") {
      issues.push({
        path: "authorizationDetails",
        expected: "types with a name",
        received: quote(type),
        hint: "Write the value of the member type, such as payment.",
      });
    }
    const mistake = findSchemaMistake(schema);
    if (mistake === undefined) continue;
    issues.push({
      path: `authorizationDetails.${type}.schema${mistake.path}`,
      expected: mistake.expected,
      received: quote(mistake.received),
      hint: "Write JSON Schema 2020-12 without $id; $ref refers to an entry of $defs.",
    });
  }
  return issues;
}
