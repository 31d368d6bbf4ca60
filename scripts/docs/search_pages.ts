/** The search, for the browser and for the script that writes its index. */

import type { default as MiniSearch, Options, SearchResult } from "minisearch";

/** A section of a page, as it is found. */
export interface Section {
  /** The URL from the root of the site, with the anchor. */
  readonly id: string;
  /** The heading of the page. */
  readonly page: string;
  /** The heading of the section; empty at the beginning of a page. */
  readonly heading: string;
  /** What the page is for: one of the four sections of the site, or `Rule`. */
  readonly kind: string;
}

/** A section with its words. */
export interface IndexedSection extends Section {
  readonly text: string;
  /** The path of the page: often a shorter name, such as `mcp`. */
  readonly path: string;
  /** The questions of users that it replies to. */
  readonly asked: string;
}

/** Words that say nothing about a page. */
const stopWords = new Set(
  "a an and are as at be by can do does for from get how i in is it my not of on or that the this to what when with you your"
    .split(" "),
);

/** The words of a text. `Next.js` and `invalid_grant` are found by their parts too, and `nextjs` is `Next.js`. */
function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*/gu) ?? []).flatMap((word) => {
    const parts = word.split(/[._-]/);
    return parts.length === 1 || isRuleId(word) ? [word] : [parts.join(""), ...parts];
  });
}

const isRuleId = (word: string) => /^[A-Za-z]{2}-\d{2}$/.test(word);

/** Options of the index; the same when it is written and when it is read. */
export const indexOptions: Options<IndexedSection> = {
  fields: ["asked", "page", "heading", "path", "text"],
  storeFields: ["id", "page", "heading", "kind"],
  tokenize: wordsOf,
  processTerm(term) {
    const word = term.toLowerCase();
    return stopWords.has(word) ? null : word.replace(/(?<=\w{3}[^s])s$/, "");
  },
};

/** How many pages are shown. */
const maxPages = 8;

/** Pages to learn and to do something come before those to look up. */
const weights: Readonly<Record<string, number>> = { Learn: 1.3, Do: 1.2, "Look up": 1, Understand: 0.5, Rule: 0.4 };

/** The best section of each of the best pages. Rules come last, unless the query has the ID of one. */
export function findPages(index: MiniSearch<IndexedSection>, query: string): Section[] {
  const found = index.search(query, {
    boost: { asked: 8, page: 4, heading: 3, path: 3 },
    bm25: { k: 1.2, b: 0.4, d: 0.5 },
    prefix: (term) => term.length > 2,
    fuzzy: (term) => term.length > 5 ? 0.2 : false,
    weights: { prefix: 0.4, fuzzy: 0.2 },
    boostDocument: (_, __, stored) => weights[String(stored?.kind)] ?? 1,
  });
  const hasRule = wordsOf(query).some(isRuleId);
  // A section with every word of the query comes before one that repeats a single word.
  const rank = ({ score, queryTerms }: SearchResult) => score * queryTerms.length ** 2;
  const isLast = ({ kind }: SearchResult) => Number(kind === "Rule" && !hasRule);
  const pages = new Map<string, Section>();
  for (const { id, page, heading, kind } of found.sort((a, b) => isLast(a) - isLast(b) || rank(b) - rank(a))) {
    const url = String(id).split("#")[0]!;
    if (!pages.has(url)) pages.set(url, { id, page, heading, kind });
    if (pages.size === maxPages) break;
  }
  return [...pages.values()];
}
