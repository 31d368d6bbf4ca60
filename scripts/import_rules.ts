/** Judges who imports whom in src/, and who touches the outside world, against a list of what each room may do. */

import { dirname, join } from "node:path/posix";
import { blank, type Import, packageOf, readImports } from "./read_source.ts";

/** How much of a place a room may import: types alone, types and a dynamic import, or whatever it likes. */
export type Leave = "types" | "dynamic" | "anything";

/** What the files of one room may import. */
export interface Room {
  /** File, or folder ending in a slash, below src/ → leave. The longest that fits counts; `""` fits everything. */
  readonly may: Readonly<Record<string, Leave>>;
  /** Names of npm packages. */
  readonly packages?: readonly string[];
}

/** Words, or `node:` modules, that only a few files or folders may say. */
export interface Reserved {
  readonly words?: RegExp;
  readonly modules?: RegExp;
  readonly where: readonly string[];
  /** Ends the sentence that refuses it everywhere else. */
  readonly why: string;
}

/** The whole list: room (folder without a slash, or file beside the rooms) → what it may do, and what is reserved. */
export interface House {
  readonly rooms: Readonly<Record<string, Room>>;
  readonly reserved: readonly Reserved[];
}

/** An import with both its ends. `to` is a path below src/ for our own files, otherwise undefined. */
interface Edge extends Import {
  readonly from: string;
  readonly to?: string;
}

/** The room of a file: the folder right below src/, or the file itself when it lies beside the rooms. */
function roomOf(path: string): string {
  return path.split("/")[0];
}

function edgesOf(sources: ReadonlyMap<string, string>): Edge[] {
  return [...sources].flatMap(([from, source]) =>
    readImports(from, source).map((found) => {
      const ours = found.specifier?.startsWith(".");
      return { ...found, from, to: ours ? join(dirname(from), found.specifier!) : undefined };
    })
  );
}

/** Every breach of the list, one sentence each. `sources` holds the text of each file under its path below src/. */
export function judge(sources: ReadonlyMap<string, string>, house: House): string[] {
  const edges = edgesOf(sources);
  return [
    ...unknownRooms(sources, house),
    ...edges.flatMap((edge) => judgeEdge(edge, house)),
    ...[...sources].flatMap(([path, source]) => judgeWords(path, source, house)),
    ...circles(edges),
  ];
}

function unknownRooms(sources: ReadonlyMap<string, string>, { rooms }: House): string[] {
  return [...new Set([...sources.keys()].map(roomOf))].filter((room) => !Object.hasOwn(rooms, room))
    .map((room) => `src/${room} is no room of this house: say in scripts/imports.ts what it may import.`);
}

function judgeEdge(edge: Edge, { rooms, reserved }: House): string[] {
  const { from, to, specifier, kind, line } = edge;
  const room = roomOf(from);
  const { may, packages = [] } = rooms[room] ?? { may: { "": "anything" } };
  const place = `src/${from}:${line}`;
  if (specifier === undefined) {
    return [`${place} imports a computed name: write the name out, so that it can be checked.`];
  }
  if (to !== undefined) {
    if (roomOf(to) === room) return [];
    const leave = may[longestPrefix(to, Object.keys(may)) ?? ""];
    if (leave === "anything" || kind === "type" && leave || kind === "dynamic" && leave === "dynamic") return [];
    const allowed = leave === undefined ? "nothing" : `only types${leave === "dynamic" ? " or `await import()`" : ""}`;
    return [`${place} imports src/${to}, but src/${room} may take ${allowed} from there.`];
  }
  if (specifier.startsWith("node:")) {
    return reserved
      .filter(({ modules, where }) => modules?.test(specifier) && longestPrefix(from, where) === undefined)
      .map(({ where, why }) => `${place} imports ${specifier}, which only ${list(where)} may: ${why}.`);
  }
  const name = packageOf(specifier);
  if (packages.includes(name)) return [];
  return [
    `${place} imports ${name}, but src/${room} may use ${packages.length ? `only ${list(packages)}` : "no package"}.`,
  ];
}

function judgeWords(path: string, source: string, { reserved }: House): string[] {
  const bare = blank(source);
  return reserved.flatMap(({ words, where, why }) => {
    if (!words || longestPrefix(path, where) !== undefined) return [];
    return [...bare.matchAll(new RegExp(words, "g"))].map(({ 0: word, index }) => {
      const line = bare.slice(0, index).split("\n").length;
      return `src/${path}:${line} says \`${word}\`, which only ${list(where)} may: ${why}.`;
    });
  });
}

/** Circles of files that load each other; types do not count, since nothing of them is left to load. */
function circles(edges: readonly Edge[]): string[] {
  const next = Map.groupBy(edges.filter(({ to, kind }) => to !== undefined && kind !== "type"), ({ from }) => from);
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (path: string, trail: readonly string[]): void => {
    const seen = trail.indexOf(path);
    if (seen >= 0) {
      const circle = [...trail.slice(seen), path].map((path) => `src/${path}`);
      found.push(
        `${circle.join(" → ")}: these files load each other in a circle; move what they share to a file below.`,
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
export function table(sources: ReadonlyMap<string, string>, { rooms }: House): string {
  const edges = edgesOf(sources);
  const present = Object.keys(rooms).filter((room) => [...sources.keys()].some((path) => roomOf(path) === room));
  const cell = (from: string, to: string): string => {
    if (from === to) return "–";
    const between = edges.filter((edge) => edge.to && roomOf(edge.from) === from && roomOf(edge.to) === to);
    const count = (kind: Import["kind"], mark: string): string[] => {
      const { length } = between.filter((edge) => edge.kind === kind);
      return length ? [`${length}${mark}`] : [];
    };
    return [...count("value", ""), ...count("type", "t"), ...count("dynamic", "d")].join("+") || "·";
  };
  const outside = (room: string): string => {
    const names = edges.filter((edge) => roomOf(edge.from) === room && edge.specifier && edge.to === undefined)
      .map(({ specifier }) => packageOf(specifier!));
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
function longestPrefix(path: string, places: readonly string[]): string | undefined {
  return places.filter((place) => path === place || place === "" || place.endsWith("/") && path.startsWith(place))
    .sort((one, other) => other.length - one.length)[0];
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join() : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}
