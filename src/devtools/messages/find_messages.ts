/** Which known messages a text has: a stack trace, a line of a log, the text of an error page. */

import type { LibraryMessage, Problem } from "./message.ts";
import { problems } from "./messages.ts";

/** A known message in a text. */
export interface FoundMessage {
  readonly problem: Problem;
  readonly message: LibraryMessage;
  /** The message as the text has it. */
  readonly found: string;
}

/** Maximum length of a text that is searched; the rest is ignored. */
export const maxTextLength = 100_000;
/** Maximum number of problems that a text is about: an error and its causes. */
const maxProblems = 3;

interface Match extends FoundMessage {
  readonly start: number;
  readonly end: number;
}

/**
 * The known messages of a text, one for each problem, in the order of the text; none if it has none. A message that
 * hides another one is left out if the text has the other.
 */
export function findMessages(text: string): readonly FoundMessage[] {
  const searched = plainText(text.slice(0, maxTextLength));
  const inSmallLetters = searched.toLowerCase();
  const matches = patterns().flatMap(({ problem, message, words, pattern }): Match[] => {
    const match = words.every((word) => inSmallLetters.includes(word)) ? pattern.exec(searched) : null;
    if (match === null) return [];
    return [{ problem, message, found: match[0], start: match.index, end: match.index + match[0].length }];
  });
  if (matches.length === 0) return findPart(searched);
  const longest = matches.filter((match) => !matches.some((other) => contains(other, match)));
  // Two libraries may have the same text but for case.
  const isExact = ({ found, message }: Match) => Number(found === message.text);
  const inOrder = longest.sort((one, other) => one.start - other.start || isExact(other) - isExact(one));
  const open = inOrder.filter(({ problem }) => !problem.hides);
  const firsts = (open.length > 0 ? open : inOrder).filter(({ problem }, index, all) =>
    all.findIndex((other) => other.problem === problem) === index
  );
  return firsts.slice(0, maxProblems).map(({ problem, message, found }) => ({ problem, message, found }));
}

/**
 * The message that a text is a part of: `unexpected aud`. It must be the beginning of the message, or three words of
 * it, and of no message of another problem.
 */
function findPart(text: string): readonly FoundMessage[] {
  const part = comparable(text);
  const wordCount = part.split(" ").length;
  if (wordCount < 2) return [];
  const whole = patterns().filter(({ message }) => {
    const at = ` ${comparable(message.text)} `.indexOf(` ${part} `);
    return at === 0 || at > 0 && wordCount > 2;
  });
  const [first] = whole;
  if (first === undefined || whole.some(({ problem }) => problem !== first.problem)) return [];
  return [{ problem: first.problem, message: first.message, found: first.message.text }];
}

/** The words of a text, without quotes, punctuation and case. */
function comparable(text: string): string {
  return text.toLowerCase().replaceAll(/["'`]/g, "").replaceAll(/[,.:;]?\s+/g, " ").trim();
}

/** Whether a match is longer than another one, and has its place. */
function contains(one: Match, other: Match): boolean {
  return one.start <= other.start && one.end >= other.end && one.end - one.start > other.end - other.start;
}

/** Undoes what logs and pages do to a text: escaped quotes of JSON, entities of HTML, typographic quotes. */
function plainText(text: string): string {
  return text.replaceAll('\\"', '"').replaceAll(/&quot;|&#34;|[\u201c\u201d]/g, '"')
    .replaceAll(/&#39;|&apos;|[\u2018\u2019]/g, "'");
}

/** A message of the table, as it is searched for. */
interface MessagePattern extends Pick<FoundMessage, "problem" | "message"> {
  readonly pattern: RegExp;
  /** The longest word of each part between two values, in small letters: without them, a long text is not searched. */
  readonly words: readonly string[];
}

let compiled: readonly MessagePattern[] | undefined;

function patterns(): readonly MessagePattern[] {
  return compiled ??= problems.flatMap((problem) =>
    problem.messages.map((message) => ({
      ...{ problem, message, pattern: compile(message.text) },
      words: message.text.toLowerCase().split("*").map(longestWord),
    }))
  );
}

function longestWord(text: string): string {
  return (text.match(/\w+/g) ?? []).reduce((longest, word) => word.length > longest.length ? word : longest, "");
}

/** One or two ordinary words, which many other sentences have too. */
const fewWords = /^[A-Za-z]+( [A-Za-z]+)?\.?$/;
const constant = /^[A-Z]+$/;

function compile(text: string): RegExp {
  const [first = "", ...others] = text.split("*").map(textPattern);
  const words = first + others.map(afterValue).join("");
  if (fewWords.test(text) && !constant.test(text)) {
    return new RegExp(`(?<=^|[:=("'\`[{>|][ \\t]*)${words}(?=[ \\t]*(?:$|[.,;:)"'\`\\]}<|(]))`, "im");
  }
  const before = /^\w/.test(text) ? "(?<!\\w)" : "";
  const after = /\w$/.test(text) ? "(?!\\w)" : "";
  return new RegExp(before + words + after, "i");
}

/**
 * A value, and the part of a message after it. Another part follows the first place of this one, and is not searched
 * for behind each further place: otherwise the time would be quadratic. A lookahead does not go back.
 */
function afterValue(part: string, index: number, parts: readonly string[]): string {
  if (part === "") return "[^\\n]{0,300}";
  const search = `[^\\n]{0,300}?${part}`;
  return index === parts.length - 1 ? search : `(?=(${search}))\\${index + 1}`;
}

/** The pattern of a text without values: a log breaks lines at spaces, a shell takes quotes away. */
export function textPattern(text: string): string {
  return text.split(" ").map(escapePattern).join("\\s{1,200}");
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replaceAll(/["'`]/g, "$&?");
}
