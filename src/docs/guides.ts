/** The guides: READMEs as pages. A long one is split into a page for each section. */

import { findRule } from "../oauth/rules/mod.ts";
import type { Block, GuideGroup, GuideLink, GuidePage } from "../ui/docs/props.ts";
import { headingId, parseInline, parseMarkdown, plainText } from "./markdown.ts";

/** Reads a text of the project by its path from the root. */
export type ReadText = (path: string) => Promise<string>;

/** The path of the text that describes every rule. */
export const rulesPath = "tests/rules.md";

/** The READMEs for users, by group, in the order of reading. */
const guideGroups: readonly {
  readonly title: string;
  /** What a reader does with the guides, one sentence. */
  readonly about: string;
  readonly paths: readonly string[];
}[] = [
  {
    title: "Begin",
    about: "Start the server, configure it, and see what each login does.",
    paths: ["README.md", ...inSource("cli", "oauth", "ui", "inspector")],
  },
  {
    title: "Test",
    about: "Test an application against the server, and check how the application responds to attacks.",
    paths: inSource(
      "testing",
      "control",
      "testing/recipes",
      "testing/moving",
      "testing/oauth2_mock_server",
      "check",
    ),
  },
  {
    title: "Embed and operate",
    about: "Run the server inside a program or for a team, protect an API, and choose a store.",
    paths: ["src/README.md", ...inSource("client", "resource", "operating", "store")],
  },
  {
    title: "Extensions",
    about: "Parts of OAuth and OpenID Connect that a server can be without: what each one adds, and its settings.",
    paths: inSource(
      "extensions",
      ...[
        "par",
        "signed_requests",
        "signed_responses",
        "encrypted_responses",
        "dpop",
        "device",
        "ciba",
        "authorization_details",
        "step_up",
        "pairwise",
        "token_exchange",
        "assertion_grants",
        "registration",
        "client_documents",
        "client_logout",
      ].map((name) => `extensions/${name}`),
    ),
  },
];

function inSource(...folders: readonly string[]): string[] {
  return folders.map((folder) => `src/${folder}/README.md`);
}

/** The paths of all texts, which the executable file contains. */
export const documentationPaths: readonly string[] = [...guideGroups.flatMap(({ paths }) => paths), rulesPath];

/** Length from which a README is split, in characters. */
const maxWholeLength = 12_000;

/** A part of a README below a heading of level 2, or before the first one. */
interface GuideSection {
  /** The ID of its heading; empty before the first one. */
  readonly id: string;
  readonly title: string;
  readonly text: string;
  /** The headings inside by ID, its own included. */
  readonly headings: ReadonlyMap<string, GuideHeading>;
}

interface GuideHeading {
  readonly title: string;
  /** The lines from the heading to the next one. */
  readonly lines: readonly string[];
}

/** A README. */
export interface Guide {
  /** The name in URLs. */
  readonly name: string;
  /** The path from the root of the project. */
  readonly path: string;
  readonly group: string;
  readonly title: string;
  readonly sections: readonly GuideSection[];
  /** Whether each section is a page. */
  readonly isSplit: boolean;
}

/** All guides, by the path of their README. */
export type Library = ReadonlyMap<string, Guide>;

/** The library of each reader: the texts do not change while a program runs. */
const libraries = new WeakMap<ReadText, Promise<Library>>();

/** Reads all guides, once. After a failure the next call tries again. */
export function readLibrary(readText: ReadText): Promise<Library> {
  const known = libraries.get(readText);
  if (known !== undefined) return known;
  const reading = Promise.all(
    guideGroups.flatMap(({ title, paths }) =>
      paths.map(async (path) => [path, toGuide(path, title, await readText(path))] as const)
    ),
  ).then((entries) => new Map(entries));
  libraries.set(readText, reading);
  reading.catch(() => libraries.delete(readText));
  return reading;
}

function toGuide(path: string, group: string, text: string): Guide {
  const name = (/([^/]*)\/README\.md$/.exec(path)?.[1] ?? "latchkey").replaceAll("_", "-");
  const [, title = "", body = ""] = /^# (.*)\n([^]*)$/.exec(text) ?? [];
  const sections = splitSections(body);
  const length = text.replaceAll(/[ -]{2,}/g, " ").length;
  return {
    ...{ name: name === "src" ? "program" : name, path, group, sections },
    title: plainText(parseInline(title)),
    isSplit: length > maxWholeLength && sections.length > 1,
  };
}

/** Splits a text at its headings of level 2. Lines of code are no headings. */
function splitSections(text: string): GuideSection[] {
  const sections: { id: string; title: string; lines: string[]; headings: Map<string, GuideHeading> }[] = [
    { id: "", title: "", lines: [], headings: new Map() },
  ];
  let isCode = false;
  let headingLines: string[] = [];
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode;
    const [, marks, heading = ""] = (isCode ? null : /^(#{2,3}) (.*)$/.exec(line)) ?? [];
    const [id, title] = [headingId(heading), plainText(parseInline(heading))];
    if (marks === "##") sections.push({ id, title, lines: [], headings: new Map() });
    const section = sections.at(-1)!;
    if (marks !== undefined) section.headings.set(id, { title, lines: headingLines = [] });
    section.lines.push(line);
    headingLines.push(line);
  }
  return sections.map(({ lines, ...section }) => ({ ...section, text: lines.join("\n") }));
}

/** The link to a guide, or to one of its headings. Paths are below `/docs`. */
function linkTo(guide: Guide, id = ""): string {
  const page = `/guides/${guide.name}`;
  const section = guide.sections.find(({ headings }) => headings.has(id));
  if (section === undefined) return page;
  if (!guide.isSplit) return `${page}#${id}`;
  return section.id === "" ? `${page}#${id}` : `${page}/${section.id}${section.id === id ? "" : `#${id}`}`;
}

/** Every guide with its sections, by group. */
export function listGuides(library: Library): GuideGroup[] {
  return guideGroups.map(({ title, about, paths }) => ({
    ...{ title, about },
    guides: paths.map((path) => library.get(path)!).map((guide) => ({
      ...{ title: guide.title, path: linkTo(guide), sections: sectionLinks(guide) },
    })),
  }));
}

function sectionLinks(guide: Guide): GuideLink[] {
  return guide.sections.filter(({ id }) => id !== "").map(({ id, title }) => ({ title, path: linkTo(guide, id) }));
}

/** Every guide and every heading with its text, for the search. */
export function listTexts(library: Library): (GuideLink & { readonly detail: string; readonly text: string })[] {
  return [...library.values()].flatMap((guide) => [
    {
      title: guide.title,
      path: linkTo(guide),
      detail: guide.group,
      text: guide.sections.filter(({ id }) => id === "").map(({ text }) => text).join("\n"),
    },
    ...guide.sections.flatMap(({ headings }) =>
      [...headings].map(([id, { title, lines }]) => ({
        title,
        path: linkTo(guide, id),
        detail: guide.title,
        text: lines.join("\n"),
      }))
    ),
  ]);
}

/** The page of a guide, or of a section of one that is split; `undefined` if there is none. */
export function describeGuide(library: Library, name: string, base: string): GuidePage | undefined {
  const [guideName, sectionId = "", ...rest] = name.split("/");
  const guide = [...library.values()].find(({ name }) => name === guideName);
  const at = guide?.sections.findIndex(({ id }) => id === sectionId) ?? -1;
  if (guide === undefined || at < 0 || rest.length > 0 || sectionId !== "" && !guide.isSplit) return undefined;
  const section = guide.sections[at]!;
  const shown = guide.isSplit ? [section] : guide.sections;
  const text = shown.map(({ text }) => text).join("\n").replace(sectionId === "" ? "" : /^## .*\n/, "");
  const blocks = parseMarkdown(text, (target) => resolveLink(library, guide, target, base));
  const link = (at: number) => {
    const neighbour = guide.isSplit ? guide.sections[at] : undefined;
    return neighbour && { title: neighbour.title || guide.title, path: linkTo(guide, neighbour.id) };
  };
  return {
    title: section.title || guide.title,
    guide: sectionId === "" ? undefined : { title: guide.title, path: linkTo(guide) },
    // The heading of the page is that of the section, and those inside it follow.
    blocks: sectionId === "" ? blocks : blocks.map(raiseHeading),
    sections: sectionLinks(guide),
    path: linkTo(guide, sectionId),
    previous: link(at - 1),
    next: link(at + 1),
  };
}

function raiseHeading(block: Block): Block {
  return block.kind === "heading" ? { ...block, level: block.level - 1 } : block;
}

/** The address of a link of a README; `undefined` if it leads to a file without a page. */
function resolveLink(library: Library, guide: Guide, target: string, base: string): string | undefined {
  if (target.startsWith("https:")) return target;
  if (findRule(target) !== undefined) return `${base}/docs/rules/${target}`;
  const [file = "", id] = target.split("#");
  const path = file === "" ? guide.path : new URL(file, `file:///${guide.path}`).pathname.slice(1);
  if (path === rulesPath) return `${base}/docs/rules`;
  const other = library.get(path);
  return other && `${base}/docs${linkTo(other, id)}`;
}
