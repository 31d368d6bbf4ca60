/** The files of the site, from the files of the repository. */

import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path/posix";
import MiniSearch from "minisearch";
import { parseRules } from "../../src/devtools/rules/rules_file.ts";
import { CommandError } from "../command.ts";
import { renderMarkdown } from "./markdown.ts";
import { type NavLink, renderSitePage } from "./page.tsx";
import { firstPage, plan, type PlannedPage } from "./plan.ts";
import type { Rejection } from "./rejections.ts";
import { questions } from "./questions.ts";
import { groupList, rulePage } from "./rule_pages.ts";
import { type IndexedSection, indexOptions } from "./search_pages.ts";
import { settingsPage } from "./settings.ts";
import { anchorsOf, headingsOf, joinParts, type Part, partsOf, plain, replaceLinks } from "./source.ts";

/** A page before its links are resolved. */
interface Draft {
  /** From the root of the site, without an ending. */
  readonly path: string;
  /** What a reader sees beside it in the search. */
  readonly kind: string;
  readonly text: string;
  /** The file whose links it has; a generated page has links of the site. */
  readonly source?: string;
}

/** What the build did. */
export interface Site {
  /** The files by their path. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  readonly pages: number;
}

const rulesSource = "tests/rules.md";

/** The file with the sources that the rule table in the code does not have. */
const ruleSources = "tests/rule_sources.json";

/** The page of all settings. */
const allSettings: NavLink = { path: "look-up/settings", label: "Settings" };

/** The page that lists the groups of rules. */
const allRules: NavLink = { path: "rules/index", label: "Rules" };

/** Folders of the repository whose linked files are on the site. */
const published = /^(?:static|tests\/languages)\//;

/** What the site is made of. */
export interface Material {
  /** Reads a file of the repository as text. */
  readonly read: (path: string) => string;
  /** The style sheet and the scripts. */
  readonly assets: readonly (readonly [path: string, body: string])[];
  /** By the ID of the rule. */
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** The URL of the files of the repository, for links to code. Default: such links are plain text. */
  readonly repository?: string;
}

/** Builds the site. @throws {CommandError} With every dead link. */
export function buildSite({ read, assets, rejections, repository }: Material): Site {
  const files = new Map<string, string | Uint8Array>(assets);
  const settings: Draft = {
    ...{ path: allSettings.path, kind: "Look up" },
    text: settingsPage(read("static/config.schema.json")),
  };
  const drafts = [...draftPages(read), settings, ...draftRules(read, rejections)];
  const anchors = findAnchors(drafts, read);
  const problems: string[] = [];
  const sections = plan.map(({ title, pages }) => ({
    title,
    links: [...pages.map(navLink), ...title === "Look up" ? [allSettings, allRules] : []],
  }));
  const order = sections.flatMap(({ links }) => links);
  const next = new Map(order.map(({ path }, i) => [path, order[i + 1]]));
  const paths = new Set(drafts.map(({ path }) => path));
  const search: IndexedSection[] = [];
  const asked = new Map(
    [...Map.groupBy(questions, ({ sections: [best] }) => best)].map(([section, all]) =>
      [section, all.map(({ asks }) => asks).join("\n")] as const
    ),
  );

  function navLink({ path, children }: PlannedPage): NavLink {
    const { text } = drafts.find((draft) => draft.path === path)!;
    return { path, label: plain(titleOf(text)).split(": ")[0]!, ...children && { children: children.map(navLink) } };
  }

  for (const { path, kind, text, source } of drafts) {
    const resolve = (target: string): string | undefined => {
      if (/^[a-z]+:/.test(target)) return target;
      const [file, anchor] = target.split("#");
      if (source === undefined) return target;
      const linked = file === "" ? source : join(dirname(source), file!);
      const found = anchors.get(anchor === undefined ? linked : `${linked}#${anchor}`);
      if (found !== undefined) {
        const [page, id] = found.split("#");
        return `${page === path ? "" : relativeUrl(path, `${page}.md`)}${id === undefined ? "" : `#${id}`}` || "#";
      }
      if (anchors.has(linked) || !existsSync(linked)) {
        problems.push(`${source}: ${target}`);
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
    const ruleUrl = (id: string) => {
      const rule = `rules/${id}`;
      return paths.has(rule) && rule !== path ? relativeUrl(path, `${rule}.html`) : undefined;
    };
    const toHtml = (target: string) => {
      const [, file, anchor = ""] = /^([^#:]+)\.md(#.*)?$/.exec(target) ?? [];
      return file !== undefined && paths.has(join(dirname(path), file)) ? `${file}.html${anchor}` : target;
    };
    const { html, headings, texts } = renderMarkdown(replaceLinks(markdown, toHtml), ruleUrl);
    const title = headings[0]!.text;
    files.set(
      `${path}.html`,
      renderSitePage({
        path,
        place: /^rules\//.test(path) ? allRules.path : path,
        title,
        html,
        headings,
        sections,
        next: path === firstPage.path ? order[0] : next.get(path),
      }),
    );
    for (const [i, { text: heading, id }] of headings.entries()) {
      const section = `${path}${i === 0 ? "" : `#${id}`}`;
      search.push({
        id: i === 0 ? `${path}.html` : `${path}.html#${id}`,
        ...{
          page: title,
          heading: i === 0 ? "" : heading,
          kind,
          path,
          text: texts[i]!,
          asked: asked.get(section) ?? "",
        },
      });
      asked.delete(section);
    }
  }
  const index = new MiniSearch(indexOptions);
  // The groups repeat the rules, which have pages of their own.
  index.addAll(search.filter(({ kind }) => kind !== "Group"));
  files.set("search.json", JSON.stringify(index));
  files.set("llms.txt", printList(drafts, read));
  files.set("icon.svg", readFileSync("static/icon.svg", "utf8"));
  problems.push(
    ...findDeadLinks(files),
    ...[...asked.keys()].map((section) => `scripts/docs/questions.ts: ${section}`),
  );
  if (problems.length > 0) {
    throw new CommandError(`${problems.length} links lead nowhere:\n${problems.map((one) => `  ${one}`).join("\n")}`);
  }
  return { files, pages: drafts.length };
}

/** What Latchkey is: the first paragraph of the README. */
const summary = (read: Material["read"]): string => read("README.md").split("\n\n")[1]!.replaceAll("\n", " ");

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)![1]!;

const relativeUrl = (from: string, to: string): string => relative(dirname(from), to);

/** The planned pages, in order. @throws {CommandError} If a section is missing or shown twice. */
function draftPages(read: Material["read"]): Draft[] {
  const planned = [
    { page: firstPage, kind: "Learn" },
    ...plan.flatMap(({ title, pages }) =>
      pages.flatMap((page) => [page, ...page.children ?? []]).map((page) => ({ page, kind: title }))
    ),
  ];
  const parts = new Map(planned.map(({ page: { source } }) => [source, partsOf(read(source))]));
  const shown = Map.groupBy(planned, ({ page }) => page.source);
  return planned.map(({ page: { path, source, sections }, kind }) => {
    const elsewhere = shown.get(source)!.flatMap(({ page }) => page.sections ?? []);
    const chosen = sections === undefined
      ? parts.get(source)!.filter(({ title }) => title === undefined || !elsewhere.includes(title))
      : sections.map((name) => findPart(parts.get(source)!, name, source));
    const text = joinParts(chosen);
    return {
      path,
      kind,
      source,
      text: path === firstPage.path ? text.replace("\n\n", `\n\n${summary(read)}\n\n`) : text,
    };
  });
}

function findPart(parts: readonly Part[], name: string, source: string): Part {
  const found = parts.find(({ title }) => title === name);
  if (found === undefined) {
    throw new CommandError(`${source} has no section "${name}": correct scripts/docs/plan.ts.`);
  }
  return found;
}

/** The pages of the rules: all groups, a group, a rule. */
function draftRules(read: Material["read"], rejections: Material["rejections"]): Draft[] {
  const [intro, ...groups] = partsOf(read(rulesSource));
  const sources: Readonly<Record<string, string>> = JSON.parse(read(ruleSources));
  const text = `${intro!.text.replace(/^<!--.*-->\n+/, "")}\n${groupList(groups)}`;
  return [
    { path: allRules.path, kind: "Look up", source: rulesSource, text },
    ...groups.flatMap((group): Draft[] => [
      { path: `rules/${group.title!.slice(0, 2)}`, kind: "Group", source: rulesSource, text: joinParts([group]) },
      ...parseRules(group.text).map((row) => ({
        path: `rules/${row.id}`,
        kind: "Rule",
        text: rulePage(row, { group: group.title!, source: sources[row.id], rejection: rejections.get(row.id) }),
      })),
    ]),
  ];
}

/** Where each file and each heading of the repository is on the site: `src/cli/README.md#claims` → `do/claims`. */
function findAnchors(drafts: readonly Draft[], read: Material["read"]): Map<string, string> {
  const found = new Map<string, string>();
  for (const { source, path, text } of drafts) {
    if (source === undefined) continue;
    const parts = partsOf(read(source));
    const headings = headingsOf(text).map(({ text }) => text);
    const isWhole = headings[0] === parts[0]!.title ||
      parts[0]!.anchors.length > 0 && titleOf(parts[0]!.text) === headings[0];
    if (isWhole || !found.has(source)) found.set(source, path);
    for (const [i, id] of anchorsOf(headings).entries()) {
      for (const part of parts) {
        const place = headingsOf(part.text).findIndex(({ text }) => text === headings[i]);
        if (place >= 0) found.set(`${source}#${part.anchors[place]}`, i === 0 ? path : `${path}#${id}`);
      }
    }
  }
  return found;
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

/** `llms.txt`: the pages as Markdown. Rules are listed by the page of all rules. */
function printList(drafts: readonly Draft[], read: Material["read"]): string {
  const lines = drafts.filter(({ kind }) => !["Group", "Rule"].includes(kind)).map(({ path, text }) =>
    `- [${plain(titleOf(text))}](${path}.md)`
  );
  return ["# Latchkey", "", `> ${summary(read)}`, "", "## Pages", "", ...lines, ""].join("\n");
}
