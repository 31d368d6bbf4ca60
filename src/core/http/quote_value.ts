/** How messages and commands show values that others chose. */

// Control characters, bidirectional marks and line separators would control a terminal; the other space characters look
// like a space, and others are not shown at all. A variation selector is a part of an emoji.
const unprintablePattern =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}|(?!\p{Variation_Selector})\p{Default_Ignorable_Code_Point}/gu;

/** The text with escapes for all characters that act on a terminal. */
export function printable(text: string): string {
  return text.replace(unprintablePattern, (mark) => mark.split("").map(escapeUnit).join(""));
}

/** Like {@link printable}, but keeps line breaks. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const maxQuotedChars = 100;

/** A value on one line: strings quoted and shortened; of objects only the type. */
export function quoteValue(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  if (typeof value !== "string") return typeof value === "number" ? String(value) : JSON.stringify(value) ?? "nothing";
  const shown = value.length > maxQuotedChars
    ? `${value.slice(0, maxQuotedChars).replace(/[\ud800-\udbff]$/, "")}…`
    : value;
  return printable(JSON.stringify(shown));
}

/**
 * Encloses text in single quotes, inside which the shell interprets nothing. Single quotes in the text are placed
 * outside the quoted parts.
 */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** The type of a value as a noun phrase. */
export function describeKind(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (value instanceof Error) return "an Error";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
