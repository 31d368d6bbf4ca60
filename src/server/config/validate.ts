/** Compares values with their descriptions, and shows them redacted. */

import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { type Field, findMismatches as compare, type Mismatch } from "../../core/policy/field.ts";
import { quote } from "./config_issue.ts";

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
