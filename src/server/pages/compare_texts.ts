/** How a received text differs from the expected one: which parts to mark in both, and the differences in words. */

import { printable } from "../../core/http/quote_value.ts";

/** A part of two texts: the same in both, or different; one side may be empty. */
export interface ComparedPart {
  readonly expected: string;
  readonly received: string;
}

export interface TextDifference {
  /** Both texts from beginning to end. */
  readonly parts: readonly ComparedPart[];
  /** The differences in words, a sentence each. Absent if the expected text has several words, or the parts are long. */
  readonly words?: string;
}

/** Maximum length of a quoted part, in characters. */
const maxQuotedChars = 24;

/** Maximum length of the quoted text before a part, in characters. */
const maxContextChars = 8;

/** Minimum length of a common part between two differences, in characters. */
const minCommonChars = 3;

/** Maximum length of the values in which several differences are looked for, in characters. */
const maxDividedChars = 512;

/**
 * The differences of two texts. `undefined` if they are equal, if the expected text lists several values, or if less
 * than half of the longer text is common: then the whole text is another one.
 */
export function compareTexts(expected: string, received: string): TextDifference | undefined {
  if (expected === received || expected.includes(" or ")) return undefined;
  const [from, to] = [charactersOf(expected), charactersOf(received)];
  const longer = Math.max(from.length, to.length);
  // A description, such as "an asymmetric algorithm: alg ES256", is compared as a whole.
  const divided = divide(from, to, longer <= maxDividedChars && !/[,:]\s/.test(expected));
  const common = divided.reduce((sum, { expected, isCommon }) => isCommon ? sum + expected.length : sum, 0);
  if (common * 2 < longer && received !== "" && expected.toLowerCase() !== received.toLowerCase()) return undefined;
  const different = divided.filter(({ isCommon }) => !isCommon);
  const before = (index: number) => divided.slice(0, index).flatMap((part) => part.expected);
  const words = received !== "" && /\S\s+\S/.test(expected)
    ? []
    : divided.flatMap((part, i) =>
      part.isCommon
        ? []
        : describePart(before(i), part.expected, part.received, i === divided.length - 1, different.length === 1) ?? []
    );
  return {
    parts: divided.map((part) => ({ expected: part.expected.join(""), received: part.received.join("") })),
    words: words.length === 0 ? undefined : words.join(" "),
  };
}

interface DividedPart {
  readonly expected: readonly string[];
  readonly received: readonly string[];
  readonly isCommon: boolean;
}

/** Divides two texts at their common beginning and end and, between them, at the longest text that both have. */
function divide(from: readonly string[], to: readonly string[], several: boolean): DividedPart[] {
  const shorter = Math.min(from.length, to.length);
  let start = 0;
  while (start < shorter && from[start] === to[start]) start++;
  let end = 0;
  while (end < shorter - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const same = (part: readonly string[]) => ({ expected: part, received: part, isCommon: true });
  const [expected, received] = [from.slice(start, from.length - end), to.slice(start, to.length - end)];
  const { length, at: [a, b] }: CommonRun = several ? longestCommon(expected, received) : { length: 0, at: [0, 0] };
  const between = length < minCommonChars ? [{ expected, received, isCommon: false }] : [
    ...divide(expected.slice(0, a), received.slice(0, b), true),
    same(expected.slice(a, a + length)),
    ...divide(expected.slice(a + length), received.slice(b + length), true),
  ];
  return [same(from.slice(0, start)), ...between, same(from.slice(from.length - end))]
    .filter(({ expected, received }) => expected.length + received.length > 0);
}

/** A run of characters that two texts have, and where it begins in each. */
interface CommonRun {
  readonly length: number;
  readonly at: readonly [first: number, second: number];
}

/** The longest run of characters that both have. */
function longestCommon(first: readonly string[], second: readonly string[]): CommonRun {
  let longest: CommonRun = { length: 0, at: [0, 0] };
  let previous = new Uint16Array(second.length + 1);
  for (let i = 1; i <= first.length; i++) {
    const lengths = new Uint16Array(second.length + 1);
    for (let j = 1; j <= second.length; j++) {
      const length = first[i - 1] === second[j - 1] ? previous[j - 1]! + 1 : 0;
      lengths[j] = length;
      if (length > longest.length) longest = { length, at: [i - length, j - length] };
    }
    previous = lengths;
  }
  return longest;
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
  isOnly: boolean,
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
  return isOnly && missing.join("").toLowerCase() === extra.join("").toLowerCase()
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
