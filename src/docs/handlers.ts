/** GET /docs and below: finds the page of a path. Loaded at the first visit. */

import type { Context } from "../app/context.ts";
import { html, HttpError, type HttpResponse, json } from "../http/message.ts";
import { assetResponse } from "../home/static_files.ts";
import { suggest } from "../oauth/config/config_issue.ts";
import type { DocsPages } from "../ui/docs/mod.ts";
import type { Catalogue } from "../ui/docs/props.ts";
import { catalogues } from "./catalogue.ts";
import { rejectedExample } from "./examples.ts";
import { describeGuide, type Library, listGuides, readLibrary, type ReadText, rulesPath } from "./guides.ts";
import { describeRule, groupRules, parseRules } from "./rules.ts";
import { searchEntries } from "./search.ts";
import { describeSetting, listSettings, settingNames } from "./settings.ts";

/** What the functions below receive. */
interface PageRequest {
  readonly context: Context;
  readonly docsPages: DocsPages;
  readonly readText: ReadText;
  /** The path below the folder, without a leading slash. */
  readonly name: string;
}

/** The pages, by the first segment of their path. */
const folders: Readonly<Record<string, (request: PageRequest) => Promise<string>>> = {
  "": showStart,
  guides: showGuide,
  rules: showRules,
  settings: showSettings,
  ...Object.fromEntries(
    Object.entries(catalogues).map(([folder, list]) => [
      folder,
      async (request: PageRequest) => showCatalogue(request, await list()),
    ]),
  ),
};

/** Shows the page of the path. @throws {HttpError} 404 if there is none. */
export async function showPage(context: Context, readText: ReadText): Promise<HttpResponse> {
  const { docsPages } = await import("../ui/docs/mod.ts");
  const [folder = "", ...rest] = context.target.path.slice(`${context.site.base}/docs/`.length).split("/");
  if (rest.length === 0 && Object.hasOwn(docsPages.assets, folder)) {
    return assetResponse(context.request, docsPages.assets[folder]!);
  }
  if (folder === "search.json" && rest.length === 0) return json(200, await searchEntries(readText));
  if (!Object.hasOwn(folders, folder)) throw notFound(context, folder, Object.keys(folders));
  return html(200, await folders[folder]!({ context, docsPages, readText, name: rest.join("/") }));
}

/** /docs */
async function showStart({ context, docsPages, readText }: PageRequest): Promise<string> {
  const [library, rules, settings, ...lists] = await Promise.all([
    readLibrary(readText),
    readText(rulesPath),
    listSettings(),
    ...[catalogues.faults, catalogues.attacks, catalogues.habits].map((list) => list()),
  ]);
  const [faults, attacks, habits] = lists.map(({ groups }) => groups.flatMap(({ items }) => items).length);
  return docsPages.start({
    ...context.site,
    groups: listGuides(library),
    counts: {
      ...{ rules: parseRules(rules).length, settings: settings.length },
      ...{ faults: faults!, attacks: attacks!, habits: habits! },
    },
  });
}

/** /docs/guides/testing and /docs/guides/testing/the-log */
async function showGuide({ context, docsPages, readText, name }: PageRequest): Promise<string> {
  const library = await readLibrary(readText);
  const page = describeGuide(library, name, context.site.base);
  if (page === undefined) throw notFound(context, name, listPages(library), "/guides");
  return docsPages.guide({ ...context.site, page });
}

function listPages(library: Library): string[] {
  const links = listGuides(library).flatMap(({ guides }) => guides).flatMap((guide) => [guide, ...guide.sections]);
  return links.map(({ path }) => path.slice("/guides/".length)).filter((path) => !path.includes("#"));
}

/** /docs/rules, /docs/rules/PK and /docs/rules/PK-09 */
async function showRules({ context, docsPages, readText, name }: PageRequest): Promise<string> {
  const { site } = context;
  const rows = parseRules(await readText(rulesPath));
  const groups = groupRules(rows);
  if (name === "") return docsPages.rules({ ...site, groups });
  const group = groups.find(({ prefix }) => prefix === name);
  if (group !== undefined) return docsPages.ruleGroup({ ...site, group });
  const rule = describeRule(rows, name, await settingNames(), site.base);
  if (rule === undefined) {
    throw notFound(context, name, [...rows.map(({ id }) => id), ...groups.map(({ prefix }) => prefix)], "/rules");
  }
  return docsPages.rule({ ...site, rule, example: await rejectedExample(name) });
}

/** /docs/settings and /docs/settings/pkce */
async function showSettings({ context, docsPages, name }: PageRequest): Promise<string> {
  const settings = await listSettings();
  if (name === "") return docsPages.settings({ ...context.site, settings });
  const setting = await describeSetting(name);
  if (setting === undefined) throw notFound(context, name, settings.map(({ name }) => name), "/settings");
  return docsPages.setting({ ...context.site, setting });
}

/** /docs/faults and /docs/faults/idToken, and those of attacks and habits */
function showCatalogue({ context, docsPages, name }: PageRequest, catalogue: Catalogue): string {
  const names = catalogue.groups.map(({ name }) => name);
  if (name === "") return docsPages.catalogue({ ...context.site, catalogue });
  if (!names.includes(name)) throw notFound(context, name, names, catalogue.path);
  return docsPages.catalogue({ ...context.site, catalogue, group: name });
}

/** The error for a page that does not exist, with the most similar one. */
function notFound({ server, target }: Context, name: string, names: readonly string[], folder = ""): HttpError {
  const nearest = suggest(name, names);
  const docs = `${server.issuer.replace(/\/$/, "")}/docs`;
  const list = docs + folder;
  return new HttpError(404, "HT-01", "The documentation has no such page", {
    ...nearest !== undefined && { expected: `${list}/${nearest}` },
    received: target.path,
    fix: nearest === undefined
      ? `Choose a page of the list at ${folder === "/guides" ? docs : list}.`
      : `Did you mean ${list}/${nearest}?`,
  });
}
