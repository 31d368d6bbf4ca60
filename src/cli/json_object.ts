/** Parses the text of a file as a JSON object, or says why it is not one. */

import { isObject } from "../core/http/json_value.ts";
import { describeKind } from "../core/http/quote_value.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { findForeignFormat, findRealm, type Reader } from "./foreign_formats.ts";

/**
 * Reads the object.
 *
 * @param file The name of the text in issues.
 * @param hint How to fix a value that is no object.
 * @returns Without `value` if there are issues.
 */
export async function readObjectOfFile(
  text: string,
  file: string,
  reader: Reader,
  hint: string,
): Promise<{ readonly value?: Readonly<Record<string, unknown>>; readonly issues: readonly ConfigIssue[] }> {
  const expected = "a JSON object";
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    const foreign = findForeignFormat(reader, text);
    if (foreign) return { issues: [{ path: file, expected, ...foreign }] };
    return { issues: [(await loadErrorFinder()).findJsonSyntaxError(text, file)] };
  }
  const realm = findRealm(value);
  // Of a repeated key Keycloak reads the last value, as JSON.parse does.
  if (realm !== undefined) return { value: realm, issues: [] };
  if (repeatsKeys(text, value)) return { issues: (await loadErrorFinder()).findRepeatedKeys(text, file) };
  if (isObject(value)) return { value, issues: [] };
  const received = describeKind(value);
  return { issues: [{ path: file, expected, received, hint, ...findForeignFormat(reader, text, value) }] };
}

/** Loads the parser that finds errors, which a valid file does not need. */
const loadErrorFinder = () => import("../server/config/json_syntax_error.ts");

/** Whether an object has a key twice: the text then has more keys than its parsed value. */
function repeatsKeys(text: string, value: unknown): boolean {
  const strings = text.match(/"[^"\\]*(?:\\.[^"\\]*)*"(?:\s*:)?/g) ?? [];
  return strings.filter((token) => token.endsWith(":")).length !== countKeys(value);
}

function countKeys(value: unknown): number {
  let count = 0;
  const rest = [value];
  for (const next of rest) {
    if (typeof next !== "object" || next === null) continue;
    const inner = Object.values(next);
    if (!Array.isArray(next)) count += inner.length;
    for (const member of inner) rest.push(member);
  }
  return count;
}
