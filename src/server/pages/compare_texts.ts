/** How a received text differs from the expected one: which part to mark in both, and the difference in words. */

import { printable } from "../../core/http/quote_value.ts";

/** The one part that differs between two texts. */
export interface TextDifference {
  /** The common beginning. */
  readonly before: string;
  /** The differing part of the expected text; empty if the received text has extra characters. */
  readonly expected: string;
  /** The differing part of the received text; empty if characters are missing. */
  readonly received: string;
  /** The common end. */
  readonly after: string;
  /** The difference in words: one sentence. Absent if the expected text has several words, or the part is long. */
  readonly words?: string;
}

/** Maximum length of a quoted part, in characters. */
const maxQuotedChars = 24;

/** Maximum length of the quoted text before a part, in characters. */
const maxContextChars = 8;

/**
 * The difference of two texts. `undefined` if they are equal, if the expected text lists several values, or if less
 * than half of the longer text is common: then the whole text is another one.
 */
export function compareTexts(expected: string, received: string): TextDifference | undefined {
  if (expected === received || expected.includes(" or ")) return undefined;
  const [from, to] = [charactersOf(expected), charactersOf(received)];
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let end = 0;
  while (end < shorter - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const isSimilar = (start + end) * 2 >= Math.max(from.length, to.length);
  if (!isSimilar && received !== "" && expected.toLowerCase() !== received.toLowerCase()) return undefined;
  const before = from.slice(0, start);
  const missing = from.slice(start, from.length - end);
  const extra = to.slice(start, to.length - end);
  const hasWords = received === "" || !/\S\s+\S/.test(expected);
  return {
    before: before.join(""),
    expected: missing.join(""),
    received: extra.join(""),
    after: from.slice(from.length - end).join(""),
    words: hasWords ? describePart(before, missing, extra, end === 0) : undefined,
  };
}

/** Whole characters; an escape of {@link printable} is one. */
function charactersOf(text: string): string[] {
  return text.match(/\\u[\da-f]{4}|[^]/gu) ?? [];
}

function describePart(
  before: readonly string[],
  missing: readonly string[],
  extra: readonly string[],
  isAtEnd: boolean,
): string | undefined {
  if (extra.length === 0 && before.length === 0 && isAtEnd) return "The received value is empty.";
  const place = isAtEnd && (missing.length === 0 || extra.length === 0)
    ? " at the end"
    : before.length === 0
    ? isAtEnd ? "" : " at the beginning"
    : ` after ${quote([...before.length > maxContextChars ? ["…"] : [], ...before.slice(-maxContextChars)])}`;
  if (extra.length === 0) {
    return missing.length === 1
      ? `One ${describeCharacter(missing[0]!)} is missing${place}.`
      : `${missing.length} characters are missing${place}${quoteShort(missing)}.`;
  }
  if (missing.length === 0) {
    return extra.length === 1
      ? `There is one extra ${describeCharacter(extra[0]!)}${place}.`
      : `There are ${extra.length} extra characters${place}${quoteShort(extra)}.`;
  }
  if (Math.max(missing.length, extra.length) > maxQuotedChars) return undefined;
  const values = `xpected ${quote(missing)}, received ${quote(extra)}${place}.`;
  return missing.join("").toLowerCase() === extra.join("").toLowerCase()
    ? `Only upper and lower case differ: e${values}`
    : `E${values}`;
}

const characterNames: Readonly<Record<string, string>> = {
  "/": "slash",
  " ": "space",
  "\t": "tab",
  "\n": "line break",
  '"': "quotation mark",
};

function describeCharacter(character: string): string {
  const name = characterNames[character];
  if (name !== undefined) return name;
  const kind = /^\p{L}$/u.test(character) ? "letter" : /^\p{Nd}$/u.test(character) ? "digit" : "character";
  return `${kind} ${quote([character])}`;
}

function quoteShort(characters: readonly string[]): string {
  return characters.length > maxQuotedChars ? "" : `: ${quote(characters)}`;
}

function quote(characters: readonly string[]): string {
  return `"${printable(characters.join(""))}"`;
}
