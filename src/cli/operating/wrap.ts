/** Breaks lines for the width of a terminal. */

/** Minimum width of wrapped text, in characters: a narrower terminal wraps by itself. */
const minTextWidth = 20;

/** Breaks a line at spaces; the others begin with `hanging`. A longer word, such as a URL, stays whole. */
export function wrap(line: string, hanging: string, width = Infinity): string[] {
  if (line.length <= width || width - hanging.length < minTextWidth) return [line];
  const end = line.lastIndexOf(" ", width);
  const start = end > hanging.length ? end : line.indexOf(" ", width);
  if (start < 0) return [line];
  return [line.slice(0, start), ...wrap(hanging + line.slice(start + 1), hanging, width)];
}
