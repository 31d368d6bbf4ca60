/** The mistakes of extensions that would have no effect, in their checks and in what `extend` returns. */

import { isPlace, placeOf, places } from "../authorize/checks.ts";
import type { CoreExtension } from "../extension.ts";
import { isObject } from "../http/json_value.ts";
import { describeKind, printable, quoteValue } from "../http/quote_value.ts";
import { suggest } from "../policy/suggest.ts";
import type { ConfigIssue } from "../rules/configuration_error.ts";
import type { RequestCheck, Server } from "../server.ts";

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

/** The members of a server whose functions extensions replace one by one. */
const groups = ["clients", "users", "keys", "grants", "identifiers", "responses", "receipt"] as const;

/**
 * The issues of what `extend` of an extension returned: members that it lost, and new ones that nothing reads because
 * the name of a known one is misspelt.
 *
 * @param index Of the extension in the options.
 * @param before The server that it received.
 */
export function findExtendIssues(
  { name }: CoreExtension,
  index: number,
  before: Server,
  returned: unknown,
): ConfigIssue[] {
  const path = `extensions[${index}].extend`;
  if (!isObject(returned)) {
    const received = `${describeKind(returned)} (extension ${name})`;
    return [{ path, expected: "a server", received, hint: "Return { ...server } with what it replaces." }];
  }
  const extended: Members = { ...before, ...returned };
  const ofGroups = groups.flatMap((group) => {
    const current = extended[group];
    if (!isObject(current)) return [];
    // Other members may be those of a class, which a replacement does not need.
    const functions = Object.entries(before[group]).filter(([, value]) => typeof value === "function");
    const hint = `Return { ...server, ${group}: { ...server.${group} } } with what it replaces.`;
    return [
      ...lostMembers(group, functions, current).map((issue) => ({ ...issue, hint })),
      ...misspeltMembers(group, before[group], current),
    ];
  });
  const hint = "Return { ...server } with what it replaces.";
  return [
    ...lostMembers("the server", Object.entries(before), extended).map((issue) => ({ ...issue, hint })),
    ...misspeltMembers("the server", before, extended),
    ...ofGroups,
  ].map((issue) => ({ ...issue, path, received: `${issue.received} (extension ${name})` }));
}

type Members = Readonly<Record<string, unknown>>;

/** The issue of members that are absent, or are no longer functions, objects or whatever they were. */
function lostMembers(
  owner: string,
  former: readonly (readonly [name: string, value: unknown])[],
  current: Members,
): Pick<ConfigIssue, "expected" | "received">[] {
  const lost = former.filter(([name, value]) =>
    value !== undefined && describeKind(value) !== describeKind(current[name])
  ).map(([name, value]) => current[name] === undefined ? name : `${name} as ${describeKind(value)}`);
  if (lost.length === 0) return [];
  return [{ expected: `all members that ${owner} had`, received: `${owner} without ${lost.join(", ")}` }];
}

/** The issues of new members whose names resemble those of former ones. */
function misspeltMembers(owner: string, former: object, current: Members): Omit<ConfigIssue, "path">[] {
  const added = Object.keys(current).filter((name) => !(name in former));
  return added.flatMap((name) => {
    const known = suggest(name, Object.keys(former));
    return known === undefined ? [] : [{
      expected: `members of ${owner}, or new ones with names of their own`,
      received: quoteValue(name),
      hint: `Did you mean ${known}? Otherwise choose a name that is less similar.`,
    }];
  });
}
