/** The mistakes of extensions that would have no effect, in their checks and steps, and in what `extend` returns. */

import { placeRules, usualPlace } from "../authorize/checks.ts";
import type { CoreExtension } from "../extension.ts";
import { isObject } from "../http/json_value.ts";
import { describeKind, printable, quoteValue } from "../http/quote_value.ts";
import { isPlace, type Place, placesOf, replacedName } from "../place.ts";
import { suggest } from "../policy/suggest.ts";
import type { ConfigIssue } from "../rules/configuration_error.ts";
import type { Server } from "../server.ts";
import type { Step, TokenSteps } from "../token/steps.ts";
import { placeNames } from "../token/table.ts";

/** A table of the core, to which extensions add rows. */
interface Table {
  /** The member of extensions with their rows. */
  readonly path: string;
  /** The names of the rows of the core. */
  readonly names: readonly string[];
  rows(extension: CoreExtension): readonly Row[];
}

/** A row of an extension; its name is empty if it has none. */
interface Row {
  readonly place?: Place;
  readonly name: string;
}

const tableNames = Object.keys(placeNames) as (keyof TokenSteps<Server>)[];

const tables: readonly Table[] = [
  {
    path: "requestChecks",
    names: placeRules,
    rows: ({ requestChecks = [] }) => requestChecks.map(({ place = usualPlace }) => ({ name: "", place })),
  },
  ...tableNames.map((table): Table => ({
    path: `steps.${table}`,
    names: placeNames[table],
    rows: ({ steps }) => steps?.[table] ?? [],
  })),
];

/**
 * The issues of the names, the checks and the steps of extensions.
 *
 * @param builtIn Extensions that the server always has, with which they must not conflict. Default: none.
 */
export function findExtensionIssues(
  extensions: readonly CoreExtension[] = [],
  builtIn: readonly CoreExtension[] = [],
): ConfigIssue[] {
  const names = [...builtIn, ...extensions].map(({ name }) => name);
  // Each of two would read the values of the other.
  const repeated = extensions.flatMap(({ name }, i) =>
    names.indexOf(name) === builtIn.length + i ? [] : [{
      path: `extensions[${i}].name`,
      expected: "a name that no other extension of the server has",
      received: quoteValue(name),
      hint: "Pass each extension once, and choose another name for your own.",
    }]
  );
  const unknown = extensions.flatMap(({ steps = {} }, i) =>
    Object.keys(steps).filter((table) => !Object.hasOwn(placeNames, table)).map((table) => ({
      path: `extensions[${i}].steps`,
      expected: `tables of steps: ${tableNames.join(", ")}`,
      received: quoteValue(table),
      hint: `${didYouMean(table, tableNames)}static/docs/extensions.md#how-a-token-is-made explains them.`,
    }))
  );
  return [...repeated, ...unknown, ...tables.flatMap((table) => findTableIssues(table, extensions, builtIn))];
}

/** The issues of rows at no place, and of names and replaced rows that another extension has. */
function findTableIssues(
  { path, names, rows }: Table,
  extensions: readonly CoreExtension[],
  builtIn: readonly CoreExtension[],
): ConfigIssue[] {
  const owners = new Map(names.map((name) => [`the name ${name}`, "the core"]));
  for (const own of builtIn) {
    for (const row of rows(own)) owners.set(claimOf(row), `the built-in extension ${own.name}`);
  }
  return extensions.flatMap((extension, i) =>
    rows(extension).flatMap((row, j) => {
      const { place } = row;
      const at = `extensions[${i}].${path}[${j}]`;
      if (place !== undefined && !isPlace(place, names)) {
        const received = printable(JSON.stringify(place) ?? describeKind(place));
        const example = names.length === 0
          ? "Leave place out."
          : `Write it like { after: ${quoteValue(names.at(-1))} }.`;
        const [name] = Object.values(Object(place));
        const hint = didYouMean(String(name), names) + example;
        return [{ path: `${at}.place`, expected: placesOf(names), received, hint }];
      }
      const claim = claimOf(row);
      const owner = claim === "" ? undefined : owners.get(claim);
      if (owner === undefined) {
        owners.set(claim, `the extension ${extension.name}`);
        return [];
      }
      const isOptional = extensions.some(({ name }) => owner === `the extension ${name}`);
      return [{
        path: at,
        expected: "a name of its own, and a place that no other extension replaces",
        received: `${printable(claim)}, which ${owner} ${replacedName(place) === undefined ? "has" : "replaces"}`,
        hint: `Choose another name or place${isOptional ? ", or pass one of the two extensions" : ""}.`,
      }];
    })
  );
}

/** The question for a misspelt name, with a space after it; empty if no known name is similar. */
function didYouMean(name: string, known: readonly string[]): string {
  const meant = suggest(name, known);
  return meant === undefined ? "" : `Did you mean ${meant}? `;
}

/** What only one row of a table may have: its name, or the row that it replaces, whose name it then has. */
function claimOf({ name, place }: Row): string {
  const replaced = replacedName(place);
  return replaced === undefined ? name && `the name ${name}` : `{ instead: ${quoteValue(replaced)} }`;
}

/** The issues of grant types that a server would have twice: the first one would run. */
export function findRepeatedGrantTypes({ grantTypes }: Server): ConfigIssue[] {
  const types = grantTypes.map(({ type }) => type);
  return types.filter((type, i) => types.indexOf(type) < i).map((type) => ({
    path: "grantTypes",
    expected: "grant types that the server does not have, also by its extensions",
    received: quoteValue(type),
    hint: "Remove it, or give it another type.",
  }));
}

/** The members of a server whose functions extensions replace one by one. */
const groups = ["clients", "users", "keys", "grants", "identifiers", "responses", "presentedTokens"] as const;

/** The groups of which the server calls each function, and no other. */
const calledGroups = ["grants", "identifiers", "responses"] as const;

/**
 * The issues of members that are lost in what `extend` of an extension returned, and of functions that nothing calls.
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
  const hint = "Return { ...server } with what it replaces, such as grants: { ...server.grants, create }.";
  if (!isObject(returned)) {
    return [{ path, expected: "a server", received: `${describeKind(returned)} (extension ${name})`, hint }];
  }
  const extended: Members = { ...before, ...returned };
  const lost = [
    ...lostMembers("", Object.entries(before), extended),
    ...lostMembers("steps.", Object.entries(before.steps), Object(extended.steps)),
    // Other members of a group may be those of a class, which a replacement does not need.
    ...groups.filter((group) => isObject(extended[group])).flatMap((group) => {
      const functions = Object.entries(before[group]).filter(([, value]) => typeof value === "function");
      return lostMembers(`${group}.`, functions, extended[group] as Members);
    }),
  ];
  for (const [table, rows] of Object.entries<readonly Partial<Step<unknown>>[]>(Object(extended.steps))) {
    const i = Array.isArray(rows) ? rows.findIndex((row) => typeof row?.run !== "function") : -1;
    if (i >= 0) lost.push(`steps.${table}[${i}].run`);
  }
  if (lost.length > 0) {
    const received = `one without ${lost.join(", ")} (extension ${name})`;
    return [{ path, expected: "a server with all members that it had", received, hint }];
  }
  return calledGroups.flatMap((group) =>
    Object.keys(extended[group] as Members).filter((key) => !(key in before[group])).map((key) => ({
      path,
      expected: "functions that the server has",
      received: `${group}.${printable(key)} (extension ${name})`,
      hint: `Did you mean ${suggest(key, Object.keys(before[group])) ?? "a step"}? Nothing calls it; steps add claims.`,
    }))
  );
}

type Members = Readonly<Record<string, unknown>>;

/** The names of members that are absent, or are no longer functions, objects or whatever they were. */
function lostMembers(
  path: string,
  former: readonly (readonly [name: string, value: unknown])[],
  current: Members,
): string[] {
  return former.filter(([name, value]) => value !== undefined && describeKind(value) !== describeKind(current[name]))
    .map(([name]) => path + name);
}
