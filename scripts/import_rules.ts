/** Checks the imports of src/ against the list of what each folder may import. */

import { dirname } from "node:path";
import type { ImportEdge } from "./import_graph.ts";

/** What a folder may import from a place: types only; types and `import()`; anything. */
export type ImportPermission = "types" | "dynamic" | "anything";

/** What the files of one folder may import. */
export interface FolderRule {
  /** File, or folder ending in a slash, below src/ → permission. The longest match counts; `""` matches everything. */
  readonly allowed: Readonly<Record<string, ImportPermission>>;
  /** Names of npm packages. */
  readonly packages?: readonly string[];
}

/** All rules. */
export interface ImportRules {
  /** Folder without a slash, or file directly below src/ → what it may import. The longest folder of a file counts. */
  readonly folders: Readonly<Record<string, FolderRule>>;
  /** Folders from which components (`.tsx`) may import values of other files; elsewhere only components and types. */
  readonly texts: readonly string[];
  /** File below src/ → the files that may import its values. Every file may import its types. */
  readonly importers: Readonly<Record<string, readonly string[]>>;
  /** Files and folders that may import `node:` modules. */
  readonly builtins: readonly string[];
}

/** The longest folder with rules that contains the file, or the file itself if it is directly below src/. */
function getFolder(path: string, folders: ImportRules["folders"]): string {
  const names = Object.keys(folders).filter((name) => path === name || path.startsWith(`${name}/`));
  return names.sort((one, other) => other.length - one.length)[0] ?? getProduct(path);
}

/** The folder directly below src/, or the file itself if it is there. */
function getProduct(path: string): string {
  return path.split("/")[0];
}

/** One sentence for each import that the rules do not allow. `files` are paths below src/. */
export function checkImports(files: readonly string[], edges: readonly ImportEdge[], rules: ImportRules): string[] {
  const found = [...new Set(files.map((path) => getFolder(path, rules.folders)))];
  const unknown = found.filter((folder) => !Object.hasOwn(rules.folders, folder));
  return [
    ...unknown.map((folder) => `src/${folder} has no entry in scripts/imports.ts: add what it may import.`),
    ...edges.flatMap((edge) => checkEdge(edge, rules)),
  ];
}

function checkEdge(
  { from, to, specifier, kind, line }: ImportEdge,
  { folders, texts, importers, builtins }: ImportRules,
): string[] {
  const folder = getFolder(from, folders);
  const { allowed, packages = [] } = folders[folder] ?? { allowed: { "": "anything" } };
  const location = `src/${from}:${line}`;
  if (to !== undefined) {
    if (kind !== "type" && importers[to]?.includes(from) === false) {
      return [`${location} imports src/${to}; only ${formatList(importers[to]!)} may, except its types.`];
    }
    if (
      from.endsWith(".tsx") && kind !== "type" && !to.endsWith(".tsx") && findLongestPrefix(to, texts) === undefined
    ) {
      return [
        `${location} imports src/${to}; a component may import values only from ${formatList([".tsx", ...texts])}.`,
      ];
    }
    if (getFolder(to, folders) === folder) return [];
    const permission = allowed[findLongestPrefix(to, Object.keys(allowed)) ?? ""];
    if (permission === "anything" || kind === "type" && permission || kind === "dynamic" && permission === "dynamic") {
      return [];
    }
    const allowedText = permission === undefined
      ? "nothing"
      : `only types${permission === "dynamic" ? " or `await import()`" : ""}`;
    return [`${location} imports src/${to}, but src/${folder} may import ${allowedText} from there.`];
  }
  if (specifier.startsWith("node:")) {
    if (findLongestPrefix(from, builtins) !== undefined) return [];
    return [`${location} imports ${specifier}; only ${formatList(builtins)} may, because the rest runs everywhere.`];
  }
  const name = getPackageName(specifier);
  if (packages.includes(name)) return [];
  return [
    `${location} imports ${name}, but src/${folder} may import ${
      packages.length ? `only ${formatList(packages)}` : "no package"
    }.`,
  ];
}

/**
 * Groups of files that import each other in a circle, types included: the strongly connected components with more than
 * one file (Tarjan 1972), largest first.
 */
export function findCircles(edges: readonly ImportEdge[]): string[][] {
  const next = Map.groupBy(edges.filter(({ to }) => to !== undefined), ({ from }) => from);
  const order = new Map<string, number>();
  const stack: string[] = [];
  const circles: string[][] = [];
  /** Returns the lowest position on the stack that the file reaches. */
  const visit = (path: string): number => {
    const own = order.size;
    let lowest = own;
    order.set(path, own);
    stack.push(path);
    for (const { to } of next.get(path) ?? []) {
      if (!order.has(to!)) lowest = Math.min(lowest, visit(to!));
      else if (stack.includes(to!)) lowest = Math.min(lowest, order.get(to!)!);
    }
    if (lowest === own) {
      const group = stack.splice(stack.indexOf(path));
      if (group.length > 1) circles.push(group.sort());
    }
    return lowest;
  };
  for (const path of next.keys()) if (!order.has(path)) visit(path);
  return circles.sort((one, other) => other.length - one.length);
}

/**
 * The imports of values between the folders below a folder; a file directly in it counts as a folder. Types may refer
 * to each other: everything receives the one type `Server`.
 */
export function folderEdges(edges: readonly ImportEdge[], folder: string): ImportEdge[] {
  const folderOf = (path: string) => `${dirname(path)}/` === folder ? path : dirname(path);
  return edges.filter(({ from, to, kind }) => kind !== "type" && from.startsWith(folder) && to?.startsWith(folder))
    .map((edge) => ({ ...edge, from: folderOf(edge.from), to: folderOf(edge.to!) }))
    .filter(({ from, to }) => from !== to);
}

/** Groups of folders below these folders that import values of each other in a circle. */
export function findFolderCircles(edges: readonly ImportEdge[], folders: readonly string[]): string[][] {
  return findCircles(folders.flatMap((folder) => folderEdges(edges, folder)));
}

/** The imports between products: a row for each importing folder directly below src/, a column for each
 * imported one. */
export function formatImportTable(
  files: readonly string[],
  edges: readonly ImportEdge[],
  { folders }: ImportRules,
): string {
  const products = [...new Set(Object.keys(folders).map(getProduct))];
  const present = products.filter((product) => files.some((path) => getProduct(path) === product));
  const cell = (from: string, to: string): string => {
    if (from === to) return "–";
    const between = edges.filter((edge) => edge.to && getProduct(edge.from) === from && getProduct(edge.to) === to);
    const count = (kind: ImportEdge["kind"], mark: string): string[] => {
      const { length } = between.filter((edge) => edge.kind === kind);
      return length ? [`${length}${mark}`] : [];
    };
    return [...count("value", ""), ...count("type", "t"), ...count("dynamic", "d")].join("+") || "·";
  };
  const packages = (folder: string): string => {
    const names = edges.filter(({ from, to }) => getProduct(from) === folder && to === undefined)
      .map(({ specifier }) => getPackageName(specifier));
    return [...new Set(names)].sort().join(" ");
  };
  const imported = present.filter((to) => present.some((from) => from !== to && cell(from, to) !== "·"));
  const rows = [
    ["", ...imported, "packages"],
    ...present.map((from) => [from, ...imported.map((to) => cell(from, to)), packages(from)]),
  ];
  const last = imported.length + 1;
  const widths = rows[0].map((_, at) => Math.max(...rows.map((row) => row[at].length)));
  const pad = (text: string, at: number): string =>
    at > 0 && at < last ? text.padStart(widths[at]) : text.padEnd(widths[at]);
  return rows.map((row) => row.map(pad).join("  ").trimEnd()).join("\n");
}

/** The longest of these files and folders that is the path or contains it. */
function findLongestPrefix(path: string, places: readonly string[]): string | undefined {
  return places.filter((place) => path === place || place === "" || place.endsWith("/") && path.startsWith(place))
    .sort((one, other) => other.length - one.length)[0];
}

function formatList(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

/** `preact` of `preact/jsx-runtime`; a `node:` module as it is. */
export function getPackageName(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}
