/** Quotes text for a POSIX shell. */

/** Encloses text in single quotes, inside which the shell interprets nothing. Single quotes stay outside of them. */
export function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Text as one word of a command: quoted, unless it has only characters that the shell does not interpret. */
export function shellWord(text: string): string {
  return /^[\w.:/,=@%+-]+$/.test(text) ? text : shellQuote(text);
}

/** Characters that a terminal may interpret when a command is pasted, or that change the order of text. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Quotes text that a client sent for bash, so that a terminal into which it is pasted receives printable characters
 * alone. Text with others becomes an ANSI-C string: `$'…'`. No shell can hold U+0000, so the text must have none.
 */
export function bashQuote(text: string): string {
  if (text.search(unprintable) < 0) return shellQuote(text);
  const escaped = text.replace(/['\\]/g, "\\$&").replace(unprintable, (character) => {
    const code = character.codePointAt(0)!.toString(16);
    // Control characters as bytes; everything else needs no more than the locale of the shell, which is UTF-8.
    return code.length <= 2 && character < "\x80" ? `\\x${code.padStart(2, "0")}` : `\\U${code.padStart(8, "0")}`;
  });
  return `$'${escaped}'`;
}
