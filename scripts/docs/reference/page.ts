/** What the generated pages have in common. */

/** A page that is generated from the code. */
export interface ReferencePage {
  /** The last part of its path. */
  readonly name: string;
  /** Markdown with a heading of level 1. */
  readonly text: string;
}

/** Escapes the marks of Markdown and HTML in a text without code. */
export const escape = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(/[*_[\]`]/g, "\\$&");

/** Escapes HTML in a text with code in backticks. */
export const escapeHtml = (text: string): string =>
  text.split(/(`[^`]*`)/).map((part) => part.startsWith("`") ? part : part.replaceAll("<", "&lt;")).join("");

/** Paragraphs as one text. */
export const paragraphs = (...texts: readonly string[]): string => `${texts.filter(Boolean).join("\n\n")}\n`;
