/** What the search of the documentation finds, as one document: the script of the page searches it. */

import type { SearchEntry } from "../ui/docs/props.ts";
import { catalogues } from "./catalogue.ts";
import { listGuides, listHeadings, readLibrary, type ReadText, rulesPath } from "./guides.ts";
import { groupRules, parseRules } from "./rules.ts";
import { listSettings } from "./settings.ts";

/** Every page and heading, those of the reference first. */
export async function searchEntries(readText: ReadText): Promise<SearchEntry[]> {
  const [rules, settings, library, ...lists] = await Promise.all([
    readText(rulesPath),
    listSettings(),
    readLibrary(readText),
    ...Object.values(catalogues).map((list) => list()),
  ]);
  return [
    ...groupRules(parseRules(rules)).flatMap(({ rules }) => rules).map(({ id, summary }) => ({
      title: id,
      detail: summary,
      path: `/rules/${id}`,
    })),
    ...settings.map(({ name, summary }) => ({ title: name, detail: summary, path: `/settings/${name}` })),
    ...listGuides(library).flatMap(({ title: detail, guides }) =>
      guides.map(({ title, path }) => ({ title, detail, path }))
    ),
    ...listHeadings(library).map(({ title, guide, path }) => ({ title, detail: guide, path })),
    ...lists.flatMap(({ path, groups }) =>
      groups.flatMap(({ name, items }) =>
        items.map(({ id, title }) => ({ title: id, detail: title, path: `${path}/${name}#${id}` }))
      )
    ),
  ];
}
