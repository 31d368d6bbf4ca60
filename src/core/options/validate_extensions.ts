/** The mistakes of extensions that would have no effect, in their checks and in what `extend` returns. */

import { placeRules, usualPlace } from "../authorize/checks.ts";
import type { CoreExtension } from "../extension.ts";
import { isObject } from "../http/json_value.ts";
import { describeKind, printable, quoteValue } from "../http/quote_value.ts";
import { isPlace, type Place, placesOf, placeText } from "../place.ts";
import { suggest } from "../policy/suggest.ts";
import type { ConfigIssue } from "../rules/configuration_error.ts";
import type { RequestCheck, Server } from "../server.ts";
import type { TokenSteps } from "../token/steps.ts";
import { placeNames } from "../token/table.ts";

/** The issues of the checks and steps of extensions. */
export function findRowIssues(extensions: readonly CoreExtension[] = []): ConfigIssue[] {
  const unknown = extensions.flatMap((extension, i) => findUnknownTables(`extensions[${i}].steps`, extension));
  const steps: readonly Table[] = tableNames.map((table) => ({
    path: `steps.${table}`,
    what: "step",
    names: placeNames[table],
    rows: ({ steps }) => steps?.[table] ?? [],
  }));
  return [
    ...unknown,
    ...extensions.flatMap((extension, i) => [
      ...(extension.requestChecks ?? []).flatMap((check, j) =>
        validateFunctions(`extensions[${i}].requestChecks[${j}]`, check)
      ),
      ...[checks, ...steps].flatMap((table) =>
        table.rows(extension).flatMap((row, j) =>
          validateRow(`extensions[${i}].${table.path}[${j}]`, extension.name, row, table, extensions.slice(0, i))
        )
      ),
    ]),
  ];
}

/** A row of an extension: its place, and its name if it has one. */
interface Row {
  readonly place?: Place;
  readonly name?: string;
}

/** A table of the core, to which extensions add. */
interface Table {
  /** The member of extensions with their rows. */
  readonly path: string;
  readonly what: string;
  /** The names of the rows of the core. */
  readonly names: readonly string[];
  rows(extension: CoreExtension): readonly Row[];
}

const checks: Table = {
  path: "requestChecks",
  what: "check",
  names: placeRules,
  rows: ({ requestChecks = [] }) => requestChecks.map(({ place = usualPlace }) => ({ place })),
};

const tableNames = Object.keys(placeNames) as (keyof TokenSteps<Server>)[];

/** The issues of steps that are in no table. */
function findUnknownTables(path: string, { steps = {} }: CoreExtension): ConfigIssue[] {
  return Object.keys(steps).filter((table) => !Object.hasOwn(placeNames, table)).map((table) => ({
    path,
    expected: `tables of steps: ${tableNames.join(", ")}`,
    received: quoteValue(table),
    hint: "deno task rules prints the steps of each table.",
  }));
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

function validateRow(
  path: string,
  extension: string,
  { place, name }: Row,
  { rows, names, what }: Table,
  before: readonly CoreExtension[],
): ConfigIssue[] {
  const received = printable(JSON.stringify(place) ?? describeKind(place));
  if (place !== undefined && !isPlace(place, names)) {
    const [example = ""] = names.slice(-1);
    const hint = example === "" ? "Leave place out." : `Write it like { after: ${quoteValue(example)} }.`;
    return [{ path: `${path}.place`, expected: placesOf(names), received, hint }];
  }
  const isTaken = (other: Row) =>
    name !== undefined && other.name === name ||
    placeText(place).startsWith("instead ") && placeText(other.place) === placeText(place);
  const own = name !== undefined && names.includes(name) ? "the core" : undefined;
  const other = before.find((earlier) => rows(earlier).some(isTaken));
  const owner = own ?? (other && `the extension ${other.name}`);
  if (owner === undefined) return [];
  if (own !== undefined || rows(other!).some((earlier) => name !== undefined && earlier.name === name)) {
    return [{
      path,
      expected: `a ${what} with a name of its own, because ${owner} has one with that name`,
      received: `${quoteValue(name)} of the extension ${extension}`,
      hint: "Choose another name.",
    }];
  }
  return [{
    path: `${path}.place`,
    expected: `another place, because a ${what} of ${owner} already replaces that ${what}`,
    received: `${received} of the extension ${extension}`,
    hint: `Pass one of the two extensions, or let the ${what} run before or after.`,
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
