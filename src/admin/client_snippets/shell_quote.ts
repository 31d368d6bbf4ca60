/** Quotes text for a POSIX shell. */

/** Encloses text in single quotes, inside which the shell interprets nothing. Single quotes stay outside of them. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
