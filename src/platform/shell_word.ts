/** Words of commands for shells. */

import { shellQuote } from "../core/http/quote_value.ts";

/** Text as one word of a command: quoted, unless it has only characters that the shell does not interpret. */
export function shellWord(text: string): string {
  return /^[\w.:/,=@%+-]+$/.test(text) ? text : shellQuote(text);
}

/** Characters that a terminal may interpret when a command is pasted, or that change the order of text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Quotes text of a client for bash, so that a terminal into which a user pastes it receives only printable characters.
 * Text with other characters becomes an ANSI-C string: `$'…'`. The text must not contain U+0000, which no shell can
 * represent.
 */
export function bashQuote(text: string): string {
  if (text.search(unprintable) < 0) return shellQuote(text);
  const escaped = text.replace(/['\\]/g, "\\$&").replace(unprintable, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    // Control characters are escaped as bytes; all other characters by code point, which needs a UTF-8 locale.
    return code.length <= 2 && character < "\x80" ? `\\x${code.padStart(2, "0")}` : `\\U${code.padStart(8, "0")}`;
  });
  return `$'${escaped}'`;
}

/** The secret of a client as a word: a variable of the shell. If it is not set, the shell says so and runs nothing. */
export const clientSecretWord = '"${CLIENT_SECRET:?set it to the secret of the client}"';
