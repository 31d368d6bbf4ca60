/** Where text stops being JSON, in words that are the same on every runtime; loaded only when it is needed. */

import { parse, type ParseError, printParseErrorCode } from "jsonc-parser";
import { type ConfigIssue, quote } from "../oauth/config/config_issue.ts";

/** What each finding of the parser, by its name there, says about what should stand there, and how to mend it. */
const syntaxErrorTexts: Readonly<Record<string, readonly [expected: string, mend: string, found?: string]>> = {
  InvalidSymbol: ["JSON", "Write keys and text in double quotes; true, false and null in small letters."],
  InvalidNumberFormat: ["a number", "Write it in digits, like 3600."],
  PropertyNameExpected: ["a key in double quotes", "Put the key in double quotes."],
  ValueExpected: ["a value", "Write the value that is missing."],
  ColonExpected: ["a colon after the key", "Put a colon between the key and its value."],
  CommaExpected: ["a comma", "Put a comma between this and what stands before it."],
  CloseBraceExpected: ["a closing brace", "Close the object with }."],
  CloseBracketExpected: ["a closing bracket", "Close the array with ]."],
  EndOfFileExpected: ["the end of the file", "Remove what follows the configuration."],
  InvalidCommentToken: ["JSON without comments", "Remove the comment."],
  UnexpectedEndOfComment: ["JSON without comments", "Remove the comment."],
  UnexpectedEndOfString: [
    "a string that ends on its line",
    "Close the string with a double quote.",
    "one that does not",
  ],
  UnexpectedEndOfNumber: ["a whole number", "Write the digits that are missing.", "a part of one"],
  InvalidUnicode: ["four hexadecimal digits after \\u", "Write it like \\u00e9.", "others"],
  InvalidEscapeCharacter: ["a known escape", "Write a backslash in a string as \\\\.", "another one"],
  InvalidCharacter: ["a string without control characters", "Write a tab as \\t, a newline as \\n.", "one with them"],
};

/** The first place in `text` that is not JSON, as a fault of `file`. Shows nothing of the text but signs. */
export function findJsonSyntaxError(text: string, file: string): ConfigIssue {
  const error = findFirstError(text);
  const [defaultExpected, defaultHint] = ["JSON", "Check the file with a JSON editor."];
  if (error === undefined) {
    return { path: file, expected: defaultExpected, received: "something else", hint: defaultHint };
  }
  const before = text.slice(0, error.offset);
  const lines = before.split(/\r\n|\n|\r/);
  const path = `${file}: line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
  const character = describeCharacter(text.codePointAt(error.offset));
  const [expected, hint, received = character] = syntaxErrorTexts[printParseErrorCode(error.error)] ??
    [defaultExpected, defaultHint];
  const isTrailingComma = before.trimEnd().at(-1) === "," && (received === '"}"' || received === '"]"');
  return { path, expected, received, hint: isTrailingComma ? "Remove the comma before it." : hint };
}

// A letter or a digit could be the first of a secret whose quotes were forgotten.
function describeCharacter(codePoint: number | undefined): string {
  if (codePoint === undefined) return "the end of the file";
  const character = String.fromCodePoint(codePoint);
  if (character === '"') return "a string";
  if (/[\p{L}\p{N}]/u.test(character)) return /[0-9]/.test(character) ? "a number" : "text without quotes";
  return quote(character);
}

function findFirstError(text: string): ParseError | undefined {
  const errors: ParseError[] = [];
  try {
    parse(text, errors, { disallowComments: true });
  } catch (error) {
    // Too deeply nested for the parser's recursion: then no place is known.
    if (!(error instanceof RangeError)) throw error;
  }
  return errors[0];
}
