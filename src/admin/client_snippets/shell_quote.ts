/** Text in a command for a POSIX shell. */

/** Quotes for a POSIX shell: nothing inside single quotes is special, and no single quote stays inside. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
