/** Names as every store can hold them. */

/** Text without NUL and lone surrogates: those are escaped, common names stay as they are. No two become the same. */
export function plain(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** The text that {@link plain} was given. */
export function unplain(text: string): string {
  return JSON.parse(`"${text}"`);
}
