/** The mistakes of extensions that would otherwise have no effect: in their checks. */

import { isPlace, placeOf, places } from "../authorize/checks.ts";
import type { CoreExtension } from "../extension.ts";
import { describeKind, printable } from "../http/quote_value.ts";
import type { ConfigIssue } from "../rules/configuration_error.ts";
import type { RequestCheck } from "../server.ts";

/** The issues of the checks of extensions. */
export function findCheckIssues(extensions: readonly CoreExtension[] = []): ConfigIssue[] {
  return extensions.flatMap(({ name, requestChecks = [] }, i) =>
    requestChecks.flatMap((check, j) => {
      const path = `extensions[${i}].requestChecks[${j}]`;
      return [...validateFunctions(path, check), ...validatePlace(path, name, check, extensions.slice(0, i))];
    })
  );
}

/** A check without functions may declare parameters, so that they are known. Anything else of it has no effect. */
function validateFunctions(path: string, check: RequestCheck): ConfigIssue[] {
  const { read, warn } = check;
  if (read !== undefined || warn !== undefined) return [];
  const names = Object.keys(check).filter((name) => check[name as keyof RequestCheck] !== undefined);
  if (names.join() === "parameters") return [];
  return [{
    path,
    expected: "a check with read or warn, or with parameters alone",
    received: names.length === 0 ? "an empty object" : `only ${printable(names.join(", "))}`,
    hint: "Add read, which examines each request.",
  }];
}

function validatePlace(
  path: string,
  name: string,
  check: RequestCheck,
  before: readonly CoreExtension[],
): ConfigIssue[] {
  const place = placeOf(check);
  const issue = {
    path: `${path}.place`,
    received: printable(JSON.stringify(check.place) ?? describeKind(check.place)),
  };
  if (!isPlace(place)) return [{ ...issue, expected: places, hint: 'Write it like { after: "AZ-17" }.' }];
  const other = place.startsWith("instead ")
    ? before.find(({ requestChecks = [] }) => requestChecks.some((earlier) => placeOf(earlier) === place))
    : undefined;
  return other === undefined ? [] : [{
    ...issue,
    expected: `another place, because a check of the extension ${other.name} already replaces that check`,
    received: `${issue.received} of the extension ${name}`,
    hint: "Pass one of the two extensions, or let the check run before or after.",
  }];
}
