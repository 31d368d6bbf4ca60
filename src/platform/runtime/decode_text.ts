/** The text of a file, in the encodings in which editors and shells save text. */

const byteOrderMarks: readonly (readonly [encoding: string, mark: readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * Decodes UTF-8, and UTF-16 as PowerShell and editors on Windows write it, with or without a byte order mark.
 *
 * @throws {Error} With the code `NOT_TEXT`, if the bytes are neither.
 */
export function decodeText(bytes: Uint8Array): string {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte))?.[0];
  // The first character of every format that is read is ASCII.
  const guessed = bytes[0] !== 0 && bytes[1] === 0
    ? "utf-16le"
    : bytes[0] === 0 && bytes[1] !== 0
    ? "utf-16be"
    : "utf-8";
  try {
    return new TextDecoder(marked ?? guessed, { fatal: true }).decode(bytes);
  } catch {
    throw Object.assign(new Error("neither UTF-8 nor UTF-16"), { code: "NOT_TEXT" });
  }
}
