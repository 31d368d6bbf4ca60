/**
 * Text of a request on pages: control characters and bidirectional marks become escapes, so that they do not change the
 * text around them.
 */

import { printable } from "../../core/http/quote_value.ts";

/** The text with escapes instead of control characters. Line breaks and tabs stay. */
export function visibleText(text: string): string {
  return text.replace(/(?:(?!\r\n)[^\n\t])+/g, printable);
}

/** The props of a page, with {@link visibleText} instead of every text. */
export function withVisibleTexts<Value>(value: Value): Value {
  if (typeof value === "string") return visibleText(value) as Value;
  if (Array.isArray(value)) return value.map(withVisibleTexts) as Value;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withVisibleTexts(member)])) as Value;
}
