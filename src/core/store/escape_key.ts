/** Escapes ids, so that every database can store them. */

/** Escapes NUL, control characters and lone surrogates; common ids stay unchanged. Different texts stay different. */
export function escapeKey(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Reverses {@link escapeKey}. */
export function unescapeKey(text: string): string {
  return JSON.parse(`"${text}"`);
}

/**
 * The escaped ids that begin with a prefix, and follow `after` if it is given: from the first bound (included) to the
 * second (excluded). Escaped ids contain no control characters, so U+0001 sorts before every other continuation.
 */
export function idRange(prefix: string, after?: string): { readonly from: string; readonly to: string } {
  const start = escapeKey(prefix);
  return { from: after === undefined ? start : `${escapeKey(after)}\u0001`, to: `${start}\u{10FFFF}` };
}
