/** How names and values that somebody wrote are shown back to them: quoted, shortened, and never a secret. */

import { redactSecrets } from "../oauth/secret_names.ts";

const maxQuotedChars = 60;

// Control characters, marks that turn the direction of text, line separators: a terminal would obey them. And blanks
// that only look like one.
const unprintablePattern = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** Text as it is, but with everything that a terminal would obey written as an escape. */
export function printable(text: string): string {
  return text.replace(unprintablePattern, (mark) => mark.split("").map(escapeUnit).join(""));
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** Quotes text so that it is one line, harmless in a terminal and at most about 60 characters long. */
export function quote(text: string): string {
  const shown = text.length > maxQuotedChars
    ? `${text.slice(0, maxQuotedChars).replace(/[\ud800-\udbff]$/, "")}…`
    : text;
  return printable(JSON.stringify(shown));
}

/** A name as it is where it is plain, otherwise quoted. */
export function showName(name: string): string {
  return /^[\x21-\x7e]{1,60}$/.test(name) ? name : quote(name);
}

/** What kind of JSON value it is, as a noun phrase. */
export function describeKind(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** A path; `undefined` if it does not look like one: it may be a secret that was written in place of its path. */
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
 * A JSON value as a fault shows it: text quoted, an array or object only by its kind. Under a name that speaks of a
 * secret only its type is shown, and of a store URL only its scheme.
 *
 * @param names the keys that lead to the value
 */
export function showValue(value: unknown, names: readonly (string | number)[]): string {
  if (value === undefined) return "nothing";
  if (names.some((name) => /secret|password|jwks$|key$/i.test(String(name)))) return `${describeKind(value)} (hidden)`;
  if (typeof value === "string") {
    return /store$/i.test(String(names.at(-1))) ? showStore(value) : quote(redactSecrets(value));
  }
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describeKind(value);
}

/** A path of keys and indices as people write it: `clients[1].redirect_uris[0]`. */
export function showPath(path: readonly (string | number)[]): string {
  let shown = "";
  for (const step of path) {
    if (typeof step === "number") shown += `[${step}]`;
    else if (!/^[A-Za-z_$][\w$-]{0,59}$/.test(step)) shown += `[${quote(step)}]`;
    else shown += shown === "" ? step : `.${step}`;
  }
  return shown;
}
