/** Splits a command line into flags with their values and other words. */

/** A flag with its value, or another word. */
export interface CommandWord {
  /** The flag with its dashes; absent for a word that is none. */
  readonly flag?: string;
  /** The text after `=`, or the next word; for a word that is no flag, the word. */
  readonly value?: string;
  /** The one word or the two words of the command line. */
  readonly written: readonly string[];
  /** The position of the first of them. */
  readonly at: number;
}

/**
 * Splits the words of a command line. After `--`, which is left out, no word is a flag. A single dash is no flag.
 *
 * @param takesValue Whether the next word, which may begin with a dash, is the value of the flag. Default: if it does
 *   not begin with two dashes, so that the name of a flag never becomes the value of another.
 */
export function splitWords(
  args: readonly string[],
  takesValue: (flag: string, next: string) => boolean = (_, next) => !next.startsWith("--"),
): CommandWord[] {
  const terminator = args.indexOf("--");
  const end = terminator < 0 ? args.length : terminator;
  const words: CommandWord[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at]!;
    if (at === end) continue;
    if (at > end || !/^-./.test(word)) {
      words.push({ value: word, written: [word], at });
      continue;
    }
    const equals = word.startsWith("--") ? word.indexOf("=", "--x".length) : -1;
    const flag = equals < 0 ? word : word.slice(0, equals);
    const next = args[at + 1];
    if (equals >= 0) words.push({ flag, value: word.slice(equals + 1), written: [word], at });
    else if (next === undefined || !takesValue(flag, next)) words.push({ flag, written: [word], at });
    else {
      words.push({ flag, value: next, written: [word, next], at });
      at++;
    }
  }
  return words;
}
