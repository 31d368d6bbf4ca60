/** Parses the text of a file as a JSON object, or says why it is not one. */

import { isObject } from "../core/http/json_value.ts";
import { describeKind } from "../core/http/quote_value.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { findJsonSyntaxError, findRepeatedKeys } from "../server/config/json_syntax_error.ts";
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
    return { issues: [foreign ? { path: file, expected, ...foreign } : await findJsonSyntaxError(text, file)] };
  }
  const realm = findRealm(value);
  // Of a repeated key Keycloak reads the last value, as JSON.parse does.
  if (realm !== undefined) return { value: realm, issues: [] };
  const issues = await findRepeatedKeys(text, value, file);
  if (issues.length > 0) return { issues };
  if (isObject(value)) return { value, issues };
  const received = describeKind(value);
  return { issues: [{ path: file, expected, received, hint, ...findForeignFormat(reader, text, value) }] };
}
