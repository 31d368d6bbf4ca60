/** How messages show names and values of the configuration: quoted, shortened, and never a secret. */

import { printable, quote } from "./config_issue.ts";

/** The keys and indices that lead to a value. */
export type Path = readonly (string | number)[];

/** A name, quoted if it is not plain. */
export function showName(name: string): string {
  return /^[\x21-\x7e]{1,60}$/.test(name) ? name : quote(name);
}

/** The type of a value as a noun phrase. */
export function describeKind(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A path; `undefined` if it does not look like one: it may be a secret in place of the path of its file. */
export function showFile(path: string): string | undefined {
  const isPath = /^(?:[A-Za-z]:)?[^:@=?&#%\r\n]{1,400}$/.test(path) && /[/\\.]/.test(path);
  return isPath ? printable(path) : undefined;
}

/** The name of an environment variable, shown only if it looks like one: it may be the secret itself. */
export function showVariable(name: string): string {
  return /^[A-Za-z_]\w{0,59}$/.test(name) && /^[A-Z_]|_/.test(name) ? name : `a name of ${name.length} characters`;
}

const storeSchemes = /^(?:memory|sqlite|postgres|postgresql|redis|rediss|mysql|mongodb|https?|file)(?=:|$)/i;

/** A store URL as messages show it: at most its scheme, because any other part may belong to the password. */
function showStore(store: string): string {
  const scheme = storeSchemes.exec(store)?.[0];
  return scheme === undefined ? "a string (hidden)" : scheme === store ? quote(store) : `"${scheme}:…" (hidden)`;
}

/**
 * A value as messages show it: strings quoted, of arrays and objects only the type. Of a value whose name speaks of a
 * secret only the type is shown, and of a store URL only the scheme.
 */
export function showValue(value: unknown, path: Path): string {
  if (value === undefined) return "nothing";
  if (path.some((name) => /secret|password|jwks$|key$|AccessTokens$/i.test(String(name)))) {
    return `${describeKind(value)} (hidden)`;
  }
  if (typeof value === "string") {
    return /store$/i.test(String(path.at(-1))) ? showStore(value) : quote(value);
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describeKind(value);
}

/** A path as text: `clients[1].redirect_uris[0]`. */
export function showPath(path: Path): string {
  let shown = "";
  for (const step of path) {
    if (typeof step === "number") shown += `[${step}]`;
    else if (!/^[A-Za-z_$][\w$-]{0,59}$/.test(step)) shown += `[${quote(step)}]`;
    else shown += shown === "" ? step : `.${step}`;
  }
  return shown;
}
