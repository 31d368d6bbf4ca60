/** Texts of clients that a user reads before a decision: the name of a client, and the message of a request. */

/**
 * Characters that are not shown (Unicode, `Default_Ignorable_Code_Point`), and the blank of Braille. Joiners, marks of
 * direction and variation selectors are parts of words and emoji.
 */
const invisible = /(?![\u200C-\u200F]|\p{Variation_Selector})\p{Default_Ignorable_Code_Point}|\u2800/u;

/** A character that is shown. */
const visible = /(?!\p{Default_Ignorable_Code_Point}|\u2800)[\p{L}\p{N}\p{P}\p{S}]/u;

/** Whether the text has a visible character, and no character that is invisible by itself. */
export function isReadable(text: string): boolean {
  return visible.test(text) && !invisible.test(text);
}
