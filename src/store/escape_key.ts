/** Names as every store can hold them. */

/** Text without NUL and lone surrogates: those are escaped, common names stay as they are. No two become the same. */
export function escapeKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The text that {@link escapeKey} was given. */
export function unescapeKey(text: string): string {
  return JSON.parse(`"${text}"`);
}
