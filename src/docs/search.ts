/** What the search of the documentation finds, as one document: the script of the page searches it. */

import type { SearchEntry } from "../ui/docs/props.ts";
import { catalogues } from "./catalogue.ts";
import { rejectedExample } from "./examples.ts";
import { listTexts, readLibrary, type ReadText, rulesPath } from "./guides.ts";
import { describeRule, groupRules, parseRules, type RuleRow } from "./rules.ts";
import { describeSetting, listSettings, settingNames } from "./settings.ts";

/** Every page and heading with the words on it, those of the reference first. */
export async function searchEntries(readText: ReadText): Promise<SearchEntry[]> {
  const [rules, settings, library, ...lists] = await Promise.all([
    readText(rulesPath).then(parseRules).then(ruleEntries),
    settingEntries(),
    readLibrary(readText),
    ...Object.values(catalogues).map((list) => list()),
  ]);
  return [
    ...rules,
    ...settings,
    ...listTexts(library).map(({ text, ...entry }) => ({
      ...entry,
      words: listWords(text.replaceAll(/\]\([^)]*\)/g, "]")),
    })),
    ...lists.flatMap(({ path, groups }) =>
      groups.flatMap(({ name, items }) =>
        items.map(({ id, title, facts }) => ({
          title: id,
          detail: title,
          path: `${path}/${name}#${id}`,
          words: listWords(facts.flat().join(" ")),
        }))
      )
    ),
  ];
}

async function ruleEntries(rows: readonly RuleRow[]): Promise<SearchEntry[]> {
  const names = await settingNames();
  const texts = new Map<string, string>(rows.map(({ id, text }) => [id, text]));
  const entries = groupRules(rows).flatMap(({ title: group, rules }) =>
    rules.map(async ({ id, summary }): Promise<SearchEntry> => {
      const { fix, settings } = describeRule(rows, id, names, "")!;
      const { error, reason, expected, received, to, sent = [] } = await rejectedExample(id) ?? {};
      const example = [error, reason, expected, received, to, ...sent];
      const words = listWords([texts.get(id), group, fix, ...settings, ...example].join(" "));
      return { title: id, detail: summary, path: `/rules/${id}`, words };
    })
  );
  return await Promise.all(entries);
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

/** The words of a text, each once; `requireForConfidential` also as three words. */
function listWords(text: string): string {
  const parts = text.match(/[\p{L}\p{N}_]+(?:[.:/-][\p{L}\p{N}_]+)*/gu) ?? [];
  const words = parts.flatMap((part) => [part, ...part.split(/(?<=[a-z])(?=[A-Z])/).slice(1)]);
  return [...new Set(words.map((word) => word.toLowerCase()))].join(" ");
}
