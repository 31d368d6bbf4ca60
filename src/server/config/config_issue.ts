/** Compares values with their descriptions, and shows them redacted in messages. */

import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { type Field, findMismatches as compare, type Mismatch } from "../../core/policy/field.ts";
import { printable, quoteValue } from "../../core/http/quote_value.ts";
import { redactSetting } from "../redaction/hide_secrets.ts";

/** A value on one line, as messages show it: strings quoted, redacted and shortened; of objects only the type. */
export function quote(value: unknown): string {
  return quoteValue(typeof value === "string" ? redactSetting(value) : value);
}

/** A name, quoted if it is not plain. */
export function showName(name: string): string {
  return /^[\x21-\x7e]{1,60}$/.test(name) ? name : quote(name);
}

/**
 * The path of a secret's file; `undefined` if the text does not look like a path, because it may be the secret itself.
 */
export function showFile(path: string): string | undefined {
  const isPath = /^(?:[A-Za-z]:)?[^:@=?&#%\r\n]{1,400}$/.test(path) && /[/\\.]/.test(path);
  return isPath ? printable(path) : undefined;
}

/** The name of an environment variable, shown only if it looks like one: it may be the secret itself. */
export function showVariable(name: string): string {
  return /^[A-Za-z_]\w{0,59}$/.test(name) && /^[A-Z_]|_/.test(name) ? name : `a name of ${name.length} characters`;
}

/** All issues of a value, in the order of the fields; unknown names come first. */
export function validate(field: Field, value: unknown): ConfigIssue[] {
  return findMismatches(field, value).map(({ issue }) => issue);
}

/**
 * All mismatches of a value.
 *
 * @param allowReferences Whether a reference may stand for a value, as in a file.
 */
export function findMismatches(field: Field, value: unknown, allowReferences = false): Mismatch[] {
  return compare(field, value, { quote, reference: allowReferences ? reference : undefined });
}

/** What may stand for a secret in a file. */
const reference = {
  expected: `{ "env": NAME } or { "file": PATH }`,
  isOne: isReference,
};

/** Whether a value is `{ "env": NAME }` or `{ "file": PATH }`. */
function isReference(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const [[name, source] = [], ...more] = Object.entries(value);
  return (name === "env" || name === "file") && typeof source === "string" && more.length === 0;
}
