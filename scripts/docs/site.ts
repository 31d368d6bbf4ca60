/** The files of the site, from the files of the repository. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path/posix";
import { CommandError } from "../command.ts";
import { renderMarkdown, type Section } from "./markdown.ts";
import { renderSitePage } from "./page.tsx";
import { changes, codePages, firstPage, guides, type PlannedPage } from "./plan.ts";
import { referencePages } from "./reference/mod.ts";
import { troubleshootingPath } from "../troubleshooting_text.ts";
import { type IndexedSection, type SitePart, writeIndex } from "./search_pages.ts";
import { anchorsOf, headingsOf, plain, replaceLinks } from "./source.ts";

/** A page before its links are resolved. */
interface Draft {
  /** From the root of the site, without an ending. */
  readonly path: string;
  readonly text: string;
  readonly part: SitePart;
  /** The file whose links it has; the links of a generated page are from the root of the repository. */
  readonly source?: string;
}

/** What the build did. */
export interface Site {
  /** The files by their path. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly pages: number;
}

/** The file of the rules, which the page of the rules shows. */
const rulesSource = "tests/rules.md";
const rulesPath = "reference/rules";

/** Folders of the repository whose linked files are on the site. */
const published = /^(?:static|tests\/languages)\//;

/** How much of a section the search shows. */
const maxLine = 120;

/** What the site is made of. */
export interface Material {
  /** Reads a file of the repository as text. */
  readonly read: (path: string) => string;
  /** The style sheet and the scripts. */
  readonly assets: readonly (readonly [path: string, body: string])[];
  /** The URL of the files of the repository, for links to code. Default: such links are plain text. */
  readonly repository?: string;
}

/** Builds the site. @throws {CommandError} With every dead link. */
export function buildSite({ read, assets, repository }: Material): Site {
  const files = new Map<string, string | Uint8Array>(assets);
  const toDraft = (part: SitePart, { path, source }: PlannedPage): Draft => ({
    path,
    source,
    text: read(source),
    part,
  });
  const reference = referencePages(read).map(({ name, text }): Draft => {
    const path = `reference/${name}`;
    return { path, text, part: path === rulesPath ? "rules" : "reference" };
  });
  const code = codePages().map((page) => toDraft("code", page));
  const kinds = [
    ...guides().map(({ title, pages }) => ({
      title,
      drafts: [...pages.map((page) => toDraft("guides", page)), ...title === "Reference" ? reference : []],
    })),
    { title: "For contributors", drafts: code },
  ];
  /** The words of a section. A rule is found by its ID and its first sentence. */
  const toIndexed = ({ heading, names, aliases, line, text }: Section, draft: Draft) => ({
    ...{ heading, aliases, text: draft.path === rulesPath ? "" : text },
    names: reference.includes(draft) || draft.source === troubleshootingPath ? names.join("\n") : "",
    line: line.length <= maxLine ? line : `${line.slice(0, maxLine).replace(/\s\S*$/, "")} …`,
    part: draft.part,
  });
  const drafts = [toDraft("guides", firstPage), ...kinds.flatMap(({ drafts }) => drafts)];
  const paths = new Set(drafts.map(({ path }) => path));
  const places = placesOf(drafts, read);
  const rules = new Set(headingsOf(drafts.find(({ path }) => path === rulesPath)!.text).map(({ text }) => plain(text)));
  const problems: string[] = [];
  const links = kinds.map(({ title, drafts }) => ({
    title,
    links: drafts.map(({ path, text }) => ({ path, label: plain(titleOf(text)).split(": ")[0]! })),
  }));
  const order = links.flatMap((kind) => kind.links);
  const search: IndexedSection[] = [];

  for (const draft of drafts) {
    const { path, text, source } = draft;
    const resolve = (target: string): string | undefined => {
      if (/^[a-z]+:/.test(target)) return target;
      const [file, anchor] = target.split("#");
      const linked = file === "" ? source ?? path : join(dirname(source ?? "."), file!);
      const page = file === "" ? path : places.get(linked)?.path;
      const isKnown = anchor === undefined || places.get(linked)?.anchors.has(anchor);
      if (page !== undefined && isKnown) {
        return `${page === path ? "" : relativeUrl(path, `${page}.md`)}${anchor === undefined ? "" : `#${anchor}`}` ||
          "#";
      }
      if (page !== undefined || !existsSync(linked)) {
        problems.push(`${source ?? path}: ${target}`);
        return target;
      }
      if (published.test(linked) && statSync(linked).isFile()) {
        files.set(linked, readFileSync(linked));
        return relativeUrl(path, linked);
      }
      return repository && `${repository}/${linked}`;
    };
    const markdown = replaceLinks(text, resolve);
    files.set(`${path}.md`, markdown);
    const ruleUrl = (id: string) =>
      rules.has(id)
        ? `${path === rulesPath ? "" : relativeUrl(path, `${rulesPath}.html`)}#${id.toLowerCase()}`
        : undefined;
    const toHtml = (target: string) => {
      const [, file, anchor = ""] = /^([^#:]+)\.md(#.*)?$/.exec(target) ?? [];
      return file !== undefined && paths.has(join(dirname(path), file)) ? `${file}.html${anchor}` : target;
    };
    const { html, sections } = renderMarkdown(replaceLinks(markdown, toHtml), ruleUrl);
    const title = sections[0]!.heading;
    const place = order.findIndex((link) => link.path === path);
    files.set(
      `${path}.html`,
      renderSitePage({ path, title, html, headings: sections, kinds: links, next: order[place + 1] }),
    );
    if (path === changes.path) continue;
    search.push(...sections.map((section, i): IndexedSection => ({
      ...toIndexed(section, draft),
      ...{ id: i === 0 ? `${path}.html` : `${path}.html#${section.id}`, page: title },
    })));
  }
  files.set("search.json", writeIndex(search));
  files.set("llms.txt", printList(drafts.filter((draft) => !code.includes(draft)), read));
  files.set("icon.svg", readFileSync("static/icon.svg", "utf8"));
  problems.push(...findDeadLinks(files));
  if (problems.length > 0) {
    throw new CommandError(`${problems.length} links lead nowhere:\n${problems.map((one) => `  ${one}`).join("\n")}`);
  }
  return { files, pages: drafts.length };
}

/** What Latchkey is: the first paragraph of the README. */
const summary = (read: Material["read"]): string => read("README.md").split("\n\n")[1]!.replaceAll("\n", " ");

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)![1]!;

const relativeUrl = (from: string, to: string): string => relative(dirname(from), to);

/** A file of the repository on the site. */
interface Place {
  readonly path: string;
  readonly anchors: ReadonlySet<string>;
}

/** The page of each file of the repository, with its anchors. */
function placesOf(drafts: readonly Draft[], read: Material["read"]): ReadonlyMap<string, Place> {
  const anchors = (text: string) => new Set(anchorsOf(headingsOf(text).map(({ text }) => text)));
  const places = drafts.map(({ path, text, source }) => [source ?? path, { path, anchors: anchors(text) }] as const);
  return new Map([...places, [rulesSource, { path: rulesPath, anchors: anchors(read(rulesSource)) }]]);
}

/** Links and pictures of the pages that no file or anchor of the site fits. */
function findDeadLinks(files: ReadonlyMap<string, string | Uint8Array>): string[] {
  const ids = new Map<string, Set<string>>();
  for (const [path, body] of files) {
    if (!path.endsWith(".html")) continue;
    ids.set(path, new Set([...String(body).matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id!)));
  }
  return [...ids.keys()].flatMap((path) =>
    [...String(files.get(path)).matchAll(/\s(?:href|src)="(?![a-z]+:)([^"]*)"/g)].flatMap(([, link]) => {
      const [file, anchor] = link!.split("#");
      const target = file === "" ? path : join(dirname(path), file!);
      const isDead = !files.has(target) || anchor && !ids.get(target)?.has(decodeURIComponent(anchor));
      return isDead ? [`${path}: ${link}`] : [];
    })
  );
}

/** `llms.txt`: the pages as Markdown. */
function printList(drafts: readonly Draft[], read: Material["read"]): string {
  const lines = drafts.map(({ path, text }) => `- [${plain(titleOf(text))}](${path}.md)`);
  return ["# Latchkey", "", `> ${summary(read)}`, "", "## Pages", "", ...lines, ""].join("\n");
}
