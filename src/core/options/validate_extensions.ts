/** The mistakes of extensions that would have no effect, in their checks and steps, and in what `extend` returns. */

import { placeRules, usualPlace } from "../authorize/checks.ts";
import type { CoreExtension } from "../extension.ts";
import { isObject } from "../http/json_value.ts";
import { describeKind, printable, quoteValue } from "../http/quote_value.ts";
import { isPlace, type Place, placesOf, placeText } from "../place.ts";
import type { ConfigIssue } from "../rules/configuration_error.ts";
import type { Server } from "../server.ts";
import type { TokenSteps } from "../token/steps.ts";
import { placeNames } from "../token/table.ts";

/** A table of the core, to which extensions add rows. */
interface Table {
  /** The member of extensions with their rows. */
  readonly path: string;
  /** The names of the rows of the core. */
  readonly names: readonly string[];
  rows(extension: CoreExtension): readonly { readonly place?: Place; readonly name?: string }[];
}

const tableNames = Object.keys(placeNames) as (keyof TokenSteps<Server>)[];

const tables: readonly Table[] = [
  {
    path: "requestChecks",
    names: placeRules,
    rows: ({ requestChecks = [] }) => requestChecks.map(({ place = usualPlace }) => ({ place })),
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
 * @param taken Names that no extension can have. Default: none.
 */
export function findExtensionIssues(
  extensions: readonly CoreExtension[] = [],
  taken: readonly string[] = [],
): ConfigIssue[] {
  const names = [...taken, ...extensions.map(({ name }) => name)];
  // Each of two would read the values of the other.
  const repeated = extensions.flatMap(({ name }, i) =>
    names.indexOf(name) === taken.length + i ? [] : [{
      path: `extensions[${i}].name`,
      expected: "a name that no other extension and no part of the server has",
      received: quoteValue(name),
      hint: "Pass each extension once, and choose another name for your own.",
    }]
  );
  const unknown = extensions.flatMap(({ steps = {} }, i) =>
    Object.keys(steps).filter((table) => !Object.hasOwn(placeNames, table)).map((table) => ({
      path: `extensions[${i}].steps`,
      expected: `tables of steps: ${tableNames.join(", ")}`,
      received: quoteValue(table),
      hint: "deno task rules prints the steps of each table.",
    }))
  );
  return [...repeated, ...unknown, ...tables.flatMap((table) => findTableIssues(table, extensions))];
}

/** The issues of rows at no place, and of names and replaced rows that another extension has. */
function findTableIssues({ path, names, rows }: Table, extensions: readonly CoreExtension[]): ConfigIssue[] {
  const owners = new Map(names.map((name) => [`the name ${name}`, "the core"]));
  return extensions.flatMap((extension, i) =>
    rows(extension).flatMap(({ place, name }, j) => {
      const row = `extensions[${i}].${path}[${j}]`;
      if (place !== undefined && !isPlace(place, names)) {
        const received = printable(JSON.stringify(place) ?? describeKind(place));
        const hint = names.length === 0 ? "Leave place out." : `Write it like { after: ${quoteValue(names.at(-1))} }.`;
        return [{ path: `${row}.place`, expected: placesOf(names), received, hint }];
      }
      const text = placeText(place);
      const own = [...name === undefined ? [] : [`the name ${name}`], ...text.startsWith("instead ") ? [text] : []];
      const taken = own.find((claimed) => owners.has(claimed));
      if (taken === undefined) {
        for (const claimed of own) owners.set(claimed, `the extension ${extension.name}`);
        return [];
      }
      return [{
        path: row,
        expected: "a name of its own, and a place that no other extension replaces",
        received: `${printable(taken)}, which ${owners.get(taken)} has`,
        hint: "Choose another name or place, or pass one of the two extensions.",
      }];
    })
  );
}

/** The members of a server whose functions extensions replace one by one. */
const groups = ["clients", "users", "keys", "grants", "identifiers", "responses", "receipt"] as const;

/**
 * The issue of members that are lost in what `extend` of an extension returned.
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
    // Other members of a group may be those of a class, which a replacement does not need.
    ...groups.filter((group) => isObject(extended[group])).flatMap((group) => {
      const functions = Object.entries(before[group]).filter(([, value]) => typeof value === "function");
      return lostMembers(`${group}.`, functions, extended[group] as Members);
    }),
  ];
  const received = `one without ${lost.join(", ")} (extension ${name})`;
  return lost.length === 0 ? [] : [{ path, expected: "a server with all members that it had", received, hint }];
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
