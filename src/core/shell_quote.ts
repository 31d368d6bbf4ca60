/** Quotes text for a POSIX shell. */

/**
 * Encloses text in single quotes, inside which the shell interprets nothing. Single quotes in the text are placed
 * outside the quoted parts.
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
