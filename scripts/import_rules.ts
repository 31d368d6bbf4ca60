/** Judges who imports whom in src/, and who touches the outside world, against a list of what each room may do. */

import { dirname, join } from "node:path/posix";
import { blankLiterals, getPackageName, type Import, readImports } from "./read_source.ts";

/** How much of a place a room may import: types alone, types and a dynamic import, or whatever it likes. */
export type ImportPermission = "types" | "dynamic" | "anything";

/** What the files of one room may import. */
export interface FolderRule {
  /** File, or folder ending in a slash, below src/ → leave. The longest that fits counts; `""` fits everything. */
  readonly allowed: Readonly<Record<string, ImportPermission>>;
  /** Names of npm packages. */
  readonly packages?: readonly string[];
}

/** Words, or `node:` modules, that only a few files or folders may say. */
export interface ReservedName {
  readonly identifiers?: RegExp;
  readonly modules?: RegExp;
  readonly allowedIn: readonly string[];
  /** Ends the sentence that refuses it everywhere else. */
  readonly reason: string;
}

/** The whole list: room (folder without a slash, or file beside the rooms) → what it may do, and what is reserved. */
export interface ImportRules {
  readonly folders: Readonly<Record<string, FolderRule>>;
  readonly reserved: readonly ReservedName[];
}

/** An import with both its ends. `to` is a path below src/ for our own files, otherwise undefined. */
interface ImportEdge extends Import {
  readonly from: string;
  readonly to?: string;
}

/** The room of a file: the folder right below src/, or the file itself when it lies beside the rooms. */
function getFolder(path: string): string {
  return path.split("/")[0];
}

function getImportEdges(sources: ReadonlyMap<string, string>): ImportEdge[] {
  return [...sources].flatMap(([from, source]) =>
    readImports(from, source).map((found) => {
      const isRelative = found.specifier?.startsWith(".");
      return { ...found, from, to: isRelative ? join(dirname(from), found.specifier!) : undefined };
    })
  );
}

/** Every breach of the list, one sentence each. `sources` holds the text of each file under its path below src/. */
export function checkImports(sources: ReadonlyMap<string, string>, rules: ImportRules): string[] {
  const edges = getImportEdges(sources);
  return [
    ...unknownFolders(sources, rules),
    ...edges.flatMap((edge) => checkEdge(edge, rules)),
    ...[...sources].flatMap(([path, source]) => checkReservedNames(path, source, rules)),
    ...findCycles(edges),
  ];
}

function unknownFolders(sources: ReadonlyMap<string, string>, { folders }: ImportRules): string[] {
  return [...new Set([...sources.keys()].map(getFolder))].filter((folder) => !Object.hasOwn(folders, folder))
    .map((folder) => `src/${folder} is no room of this house: say in scripts/imports.ts what it may import.`);
}

function checkEdge(edge: ImportEdge, { folders, reserved }: ImportRules): string[] {
  const { from, to, specifier, kind, line } = edge;
  const folder = getFolder(from);
  const { allowed, packages = [] } = folders[folder] ?? { allowed: { "": "anything" } };
  const location = `src/${from}:${line}`;
  if (specifier === undefined) {
    return [`${location} imports a computed name: write the name out, so that it can be checked.`];
  }
  if (to !== undefined) {
    if (getFolder(to) === folder) return [];
    const permission = allowed[findLongestPrefix(to, Object.keys(allowed)) ?? ""];
    if (permission === "anything" || kind === "type" && permission || kind === "dynamic" && permission === "dynamic") {
      return [];
    }
    const allowedText = permission === undefined
      ? "nothing"
      : `only types${permission === "dynamic" ? " or `await import()`" : ""}`;
    return [`${location} imports src/${to}, but src/${folder} may take ${allowedText} from there.`];
  }
  if (specifier.startsWith("node:")) {
    return reserved
      .filter(({ modules, allowedIn }) => modules?.test(specifier) && findLongestPrefix(from, allowedIn) === undefined)
      .map(({ allowedIn, reason }) =>
        `${location} imports ${specifier}, which only ${formatList(allowedIn)} may: ${reason}.`
      );
  }
  const name = getPackageName(specifier);
  if (packages.includes(name)) return [];
  return [
    `${location} imports ${name}, but src/${folder} may use ${
      packages.length ? `only ${formatList(packages)}` : "no package"
    }.`,
  ];
}

function checkReservedNames(path: string, source: string, { reserved }: ImportRules): string[] {
  const bare = blankLiterals(source);
  return reserved.flatMap(({ identifiers, allowedIn, reason }) => {
    if (!identifiers || findLongestPrefix(path, allowedIn) !== undefined) return [];
    return [...bare.matchAll(new RegExp(identifiers, "g"))].map(({ 0: word, index }) => {
      const line = bare.slice(0, index).split("\n").length;
      return `src/${path}:${line} says \`${word}\`, which only ${formatList(allowedIn)} may: ${reason}.`;
    });
  });
}

/** Circles of files that load each other; types do not count, since nothing of them is left to load. */
function findCycles(edges: readonly ImportEdge[]): string[] {
  const next = Map.groupBy(edges.filter(({ to, kind }) => to !== undefined && kind !== "type"), ({ from }) => from);
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0) {
      const cycle = [...trail.slice(seen), path].map((path) => `src/${path}`);
      found.push(
        `${cycle.join(" → ")}: these files load each other in a circle; move what they share to a file below.`,
      );
    }
    if (seen >= 0 || done.has(path)) return;
    for (const { to } of next.get(path) ?? []) walk(to!, [...trail, path]);
    done.add(path);
  };
  for (const path of next.keys()) walk(path, []);
  return found;
}

/** Who imports whom, room by room: a row for the room that imports, a column for the room that is imported. */
export function formatImportTable(sources: ReadonlyMap<string, string>, { folders }: ImportRules): string {
  const edges = getImportEdges(sources);
  const present = Object.keys(folders).filter((folder) =>
    [...sources.keys()].some((path) => getFolder(path) === folder)
  );
  const cell = (from: string, to: string): string => {
    if (from === to) return "–";
    const between = edges.filter((edge) => edge.to && getFolder(edge.from) === from && getFolder(edge.to) === to);
    const count = (kind: Import["kind"], mark: string): string[] => {
      const { length } = between.filter((edge) => edge.kind === kind);
      return length ? [`${length}${mark}`] : [];
    };
    return [...count("value", ""), ...count("type", "t"), ...count("dynamic", "d")].join("+") || "·";
  };
  const outside = (folder: string): string => {
    const names = edges.filter((edge) => getFolder(edge.from) === folder && edge.specifier && edge.to === undefined)
      .map(({ specifier }) => getPackageName(specifier!));
    return [...new Set(names)].sort().join(" ");
  };
  const imported = present.filter((to) => present.some((from) => from !== to && cell(from, to) !== "·"));
  const rows = [
    ["", ...imported, "from outside"],
    ...present.map((from) => [from, ...imported.map((to) => cell(from, to)), outside(from)]),
  ];
  const last = imported.length + 1;
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  const pad = (text: string, at: number): string =>
    at > 0 && at < last ? text.padStart(widths[at]) : text.padEnd(widths[at]);
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** The longest of these files and folders that this path is or lies in. */
function findLongestPrefix(path: string, places: readonly string[]): string | undefined {
  return places.filter((place) => path === place || place === "" || place.endsWith("/") && path.startsWith(place))
    .sort((one, other) => other.length - one.length)[0];
}

function formatList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
