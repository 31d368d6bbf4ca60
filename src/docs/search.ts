/** What the search of the documentation finds, as one document: the script of the page searches it. */

import type { SearchEntry } from "../ui/docs/props.ts";
import { catalogues } from "./catalogue.ts";
import { rejectedExample } from "./examples.ts";
import { listTexts, readLibrary, type ReadText, rulesPath } from "./guides.ts";
import { describeRule, groupRules, parseRules } from "./rules.ts";
import { describeSetting, listSettings, settingNames } from "./settings.ts";

/** The entries for each reader: the pages do not change while a program runs. */
const entryLists = new WeakMap<ReadText, Promise<SearchEntry[]>>();

/** Every page and heading with the words on it, those of the reference first; listed once. */
export function searchEntries(readText: ReadText): Promise<SearchEntry[]> {
  const known = entryLists.get(readText);
  if (known !== undefined) return known;
  const listing = listEntries(readText);
  entryLists.set(readText, listing);
  listing.catch(() => entryLists.delete(readText));
  return listing;
}

async function listEntries(readText: ReadText): Promise<SearchEntry[]> {
  const entries: SearchEntry[] = [];
  for (const list of [ruleEntries, settingEntries, textEntries, catalogueEntries]) {
    await nextTurn();
    entries.push(...await list(readText));
  }
  return entries;
}

/** Lets the server handle the requests that have arrived. */
const nextTurn = () => new Promise((resolve) => setTimeout(resolve));

/** Each rule. All examples take about a second, so the server handles other requests between two of them. */
async function ruleEntries(readText: ReadText): Promise<SearchEntry[]> {
  const rows = parseRules(await readText(rulesPath));
  const names = await settingNames();
  const texts = new Map<string, string>(rows.map(({ id, text }) => [id, text]));
  const entries: SearchEntry[] = [];
  for (const { title: group, rules } of groupRules(rows)) {
    for (const { id, summary } of rules) {
      const { fix, settings } = describeRule(rows, id, names, "")!;
      const { error, reason, expected, received, to, sent = [] } = await rejectedExample(id) ?? {};
      const example = [error, reason, expected, received, to, ...sent];
      const words = listWords([texts.get(id), group, fix, ...settings, ...example].join(" "));
      entries.push({ title: id, detail: summary, path: `/rules/${id}`, words });
      if (to !== undefined) await nextTurn();
    }
  }
  return entries;
}

/** Each setting, and each member that can be searched by its own name, such as `clients.grant_types`. */
async function settingEntries(): Promise<SearchEntry[]> {
  const settings = await listSettings();
  const entries = settings.map(async ({ name, summary }): Promise<SearchEntry[]> => {
    const { flag, variable, values = [], members, description } = (await describeSetting(name))!;
    const path = `/settings/${name}`;
    return [
      { title: name, detail: summary, path, words: listWords([description, flag, variable, ...values].join(" ")) },
      ...members.map((member) => ({
        title: member.name,
        detail: member.description,
        path: `${path}#${member.name}`,
        words: listWords((member.values ?? []).join(" ")),
      })),
    ];
  });
  return (await Promise.all(entries)).flat();
}

/** Each guide, and each of its headings. */
async function textEntries(readText: ReadText): Promise<SearchEntry[]> {
  return listTexts(await readLibrary(readText)).map(({ text, ...entry }) => ({
    ...entry,
    words: listWords(text.replaceAll(/\]\([^)]*\)/g, "]")),
  }));
}

/** Each fault, attack and habit. */
async function catalogueEntries(): Promise<SearchEntry[]> {
  const lists = await Promise.all(Object.values(catalogues).map((list) => list()));
  return lists.flatMap(({ path, groups }) =>
    groups.flatMap(({ name, items }) =>
      items.map(({ id, title, facts }) => ({
        title: id,
        detail: title,
        path: `${path}/${name}#${id}`,
        words: listWords(facts.flat().join(" ")),
      }))
    )
  );
}

/** The words of a text, each once; `requireForConfidential` also as three words. */
function listWords(text: string): string {
  const parts = text.match(/[\p{L}\p{N}_]+(?:[.:/-][\p{L}\p{N}_]+)*/gu) ?? [];
  const words = parts.flatMap((part) => [part, ...part.split(/(?<=[a-z])(?=[A-Z])/).slice(1)]);
  return [...new Set(words.map((word) => word.toLowerCase()))].join(" ");
}
