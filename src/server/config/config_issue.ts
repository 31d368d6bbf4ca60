/** How messages show settings and their values. */

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
