/** The search, for the browser and for the script that writes its index. */

import MiniSearch, { type Options, type SearchOptions } from "minisearch";

/** A section of a page, as it is found. */
export interface FoundSection {
  /** The URL from the root of the site, with the anchor. */
  readonly id: string;
  /** The heading of the page. */
  readonly page: string;
  /** The heading of the section. */
  readonly heading: string;
  /** The beginning of its text. */
  readonly line: string;
  /** 0 for what users read, 1 for the pages about the code, 2 for the rules. */
  readonly part: number;
}

/** A section with its words. */
export interface IndexedSection extends FoundSection {
  /** Names of settings, flags, commands and rules in the heading, one a line. */
  readonly names: string;
  readonly text: string;
}

/** Words that say nothing about a page. */
const stopWords = new Set(
  "a an and are as at be by can do does for from get how i in into is it its me my not of on or should that the their them then there this to use using we what when where which why with work you your"
    .split(" "),
);

/** The words of a text. `invalid_grant` and `issuerHosts` are found by their parts too, and `nextjs` is `Next.js`. */
function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*/gu) ?? []).flatMap((word) => {
    const parts = word.split(/[._-]|(?<=[a-z])(?=[A-Z])/);
    return parts.length === 1 ? [word] : [parts.join(""), ...parts];
  });
}

const lowerCase = (term: string) => term.toLowerCase();

const indexOptions: Options<IndexedSection> = {
  fields: ["names", "page", "heading", "line", "text"],
  storeFields: ["id", "page", "heading", "line", "part"],
  tokenize: (text, field) => field === "names" ? text.split("\n") : wordsOf(text),
  processTerm(term, field) {
    const word = lowerCase(term);
    if (field === "names") return word;
    return stopWords.has(word) ? null : word.replace(/(?<=\w{3}[^s])s$/, "");
  },
};

/** Writes the index of these sections. */
export function writeIndex(sections: readonly IndexedSection[]): string {
  const index = new MiniSearch(indexOptions);
  index.addAll(sections);
  return JSON.stringify(index);
}

/** Reads what `writeIndex` wrote. */
export const readIndex = (text: string): MiniSearch<IndexedSection> => MiniSearch.loadJSON(text, indexOptions);

const isSimilar: SearchOptions = {
  boost: { page: 2, heading: 4, line: 2 },
  prefix: (term) => term.length > 2,
  fuzzy: (term) => term.length > 5 ? 0.2 : false,
};

const sectionFields = ["page", "heading", "line", "text"];

/** What an earlier step finds comes first; `parts` are the parts of the site that it searches. */
const steps: readonly (SearchOptions & { readonly parts: readonly number[] })[] = [
  // The query is a name. With these numbers, the order is that of the pages.
  {
    ...{ fields: ["names"], tokenize: (query) => [query.trim()], processTerm: lowerCase },
    ...{ bm25: { k: 0, b: 0, d: 0 }, parts: [0, 1, 2] },
  },
  // One heading has every word.
  { fields: ["heading"], combineWith: "AND", parts: [0, 1, 2] },
  // Title, heading and beginning of a section have every word.
  { fields: ["page", "heading", "line"], combineWith: "AND", ...isSimilar, parts: [0] },
  // A section has some of the words: the more, the better.
  { fields: sectionFields, ...isSimilar, parts: [0] },
  { fields: sectionFields, ...isSimilar, parts: [1, 2] },
];

/** How many pages are shown. */
const maxPages = 8;

/** The best section of each of the best pages. */
export function findPages(index: MiniSearch<IndexedSection>, query: string): FoundSection[] {
  const pages = new Map<string, FoundSection>();
  for (const { parts, ...step } of steps) {
    for (const part of parts) {
      const found = index.search(query, { ...step, filter: (section) => section.part === part });
      for (const section of found as unknown as FoundSection[]) {
        const url = section.id.split("#")[0]!;
        if (pages.size < maxPages && !pages.has(url)) pages.set(url, section);
      }
    }
  }
  return [...pages.values()];
}
