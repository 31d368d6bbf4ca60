/** Finds syntax errors and repeated keys in JSON, alike on every runtime. */

import { type JSONVisitor, parse, type ParseError, printParseErrorCode, visit } from "jsonc-parser";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { quote } from "./config_issue.ts";

/** The messages for the error codes of the parser. */
const syntaxErrorTexts: Readonly<Record<string, readonly [expected: string, hint: string, received?: string]>> = {
  InvalidSymbol: ["JSON", "Write keys and text in double quotes; true, false and null in small letters."],
  InvalidNumberFormat: ["a number", "Write it in digits, like 3600."],
  PropertyNameExpected: ["a key in double quotes", "Put the key in double quotes."],
  ValueExpected: ["a value", "Write the value that is missing."],
  ColonExpected: ["a colon after the key", "Put a colon between the key and its value."],
  CommaExpected: ["a comma", "Put a comma between this value and the value before it."],
  CloseBraceExpected: ["a closing brace", "Close the object with }."],
  CloseBracketExpected: ["a closing bracket", "Close the array with ]."],
  EndOfFileExpected: ["the end of the text", "Remove the text after the value."],
  InvalidCommentToken: ["JSON without comments", "Remove the comment."],
  UnexpectedEndOfComment: ["JSON without comments", "Remove the comment."],
  UnexpectedEndOfString: [
    "a string that ends on its line",
    "Close the string with a double quote.",
    "a string that does not end",
  ],
  UnexpectedEndOfNumber: ["a whole number", "Write the digits that are missing.", "an incomplete number"],
  InvalidUnicode: ["four hexadecimal digits after \\u", "Write it like \\u00e9.", "other characters"],
  InvalidEscapeCharacter: ["a known escape", "Write a backslash in a string as \\\\.", "an unknown escape"],
  InvalidCharacter: [
    "a string without control characters",
    "Write a tab as \\t, a newline as \\n.",
    "a control character",
  ],
};

/** The issue of the first character that is not JSON, at its place in a file. */
export function findJsonSyntaxError(text: string, file: string): ConfigIssue {
  const { place, ...issue } = findSyntaxError(text);
  return { path: place === undefined ? file : `${file}: ${place}`, ...issue };
}

/** An issue for each key that an object repeats: `JSON.parse` keeps the last value. Call it only if a key repeats. */
export function findRepeatedKeys(text: string, file: string): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const objects: Map<string, string>[] = [];
  const visitor: JSONVisitor = {
    onObjectBegin: () => void objects.push(new Map()),
    onObjectEnd: () => void objects.pop(),
    onObjectProperty(name, _offset, _length, line, column) {
      const place = `line ${line + 1}, column ${column + 1}`;
      const earlier = objects.at(-1)?.get(name);
      objects.at(-1)?.set(name, place);
      if (earlier === undefined) return;
      const received = `${quote(name)} again, as at ${earlier}`;
      issues.push({ path: `${file}: ${place}`, expected: "each key once", received, hint: "Remove one of the two." });
    },
  };
  try {
    visit(text, visitor);
  } catch (error) {
    // The text is nested too deeply for the recursive parser.
    if (!(error instanceof RangeError)) throw error;
  }
  if (issues.length > 0) return issues;
  return [{
    path: file,
    expected: "each key once",
    received: "a repeated key, in a text that is nested too deeply to say where",
    hint: "Find the object that has a key twice, and remove one of the two.",
  }];
}

/** The same as {@link findJsonSyntaxError} for a field of a form: the message has the place in its text. */
export function describeJsonSyntaxError(text: string): Omit<ConfigIssue, "path"> {
  const { place, expected, ...issue } = findSyntaxError(text);
  return { expected: place === undefined ? expected : `${expected} at ${place}`, ...issue };
}

/** The message contains no letter and no digit of the text. */
function findSyntaxError(text: string): Omit<ConfigIssue, "path"> & { readonly place?: string } {
  const error = findFirstError(text);
  const [defaultExpected, defaultHint] = ["JSON", "Check it with a JSON editor."];
  if (error === undefined) {
    return { expected: defaultExpected, received: "text that is not JSON", hint: defaultHint };
  }
  const before = text.slice(0, error.offset);
  const lines = before.split(/\r\n|\n|\r/);
  const place = `line ${lines.length}, column ${(lines.at(-1) ?? "").length + 1}`;
  const character = describeCharacter(text.codePointAt(error.offset));
  const [expected, hint, received = character] = syntaxErrorTexts[printParseErrorCode(error.error)] ??
    [defaultExpected, defaultHint];
  const isTrailingComma = before.trimEnd().at(-1) === "," && (received === '"}"' || received === '"]"');
  return { place, expected, received, hint: isTrailingComma ? "Remove the comma before it." : hint };
}

// A letter or a digit may be the first character of a secret without quotes.
function describeCharacter(codePoint: number | undefined): string {
  if (codePoint === undefined) return "the end of the text";
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
    // The text is nested too deeply for the recursive parser, so the position is unknown.
    if (!(error instanceof RangeError)) throw error;
  }
  return errors[0];
}
