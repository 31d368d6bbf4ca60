/** How messages show settings and their values. */

import { type ConfigIssue, ConfigurationError } from "../../core/configuration_error.ts";
import { describeKind, printable, quoteValue } from "../../core/quote_value.ts";
import { redactSetting } from "../redaction/hide_secrets.ts";

/** A value on one line, as messages show it: strings quoted, redacted and shortened; of objects only the type. */
export function quote(value: unknown): string {
  return quoteValue(typeof value === "string" ? redactSetting(value) : value);
}

/** Throws a {@link ConfigurationError} if there are issues. */
export function assertNoIssues(issues: Iterable<ConfigIssue>): void {
  const all = [...issues];
  if (all.length > 0) throw new ConfigurationError(all);
}

/** The keys and indices that lead to a value. */
export type Path = readonly (string | number)[];

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

const storeSchemes = /^(?:memory|sqlite|postgres|postgresql|redis|rediss|mysql|mongodb|https?|file)(?=:|$)/i;

/** A store URL as messages show it: at most its scheme, because any other part may belong to the password. */
function showStore(store: string): string {
  const scheme = storeSchemes.exec(store)?.[0];
  return scheme === undefined ? "a string (hidden)" : scheme === store ? quote(store) : `"${scheme}:…" (hidden)`;
}

/** The part of a field that {@link showValue} reads. */
interface ExpectedValue {
  readonly type: string;
  /** The only valid strings. */
  readonly choices?: readonly string[];
  /** The elements of an array. */
  readonly items?: ExpectedValue;
}

/** Texts that are too short for a secret: short numbers and words. */
const plainText = /^(?:-?\d[\da-z.]{0,6}|[a-z ._-]{0,12})$/;

/** Whether a value is a string or a long number where another type, or one of a few words, is expected. */
function isMisplaced(value: string | number, { type, choices, items }: ExpectedValue): boolean {
  // A string where an array of strings is expected is shown: it lacks only the brackets.
  if (type === "array" && items !== undefined) return isMisplaced(value, items);
  if (plainText.test(String(value)) || typeof value === "number" && type === "integer") return false;
  return type !== "string" || choices !== undefined && suggest(String(value), choices) === undefined;
}

/**
 * A value as messages show it: strings quoted, of arrays and objects only the type. A value that may be a secret is
 * shown as its type only: if its name says so, or if it is out of place, such as the secret of the control instead of
 * `true`. A store URL is shown as its scheme only.
 */
export function showValue(value: unknown, path: Path, expected: ExpectedValue): string {
  if (value === undefined) return "nothing";
  if (path.some((name) => /secret|password|jwks$|key$|AccessTokens$/i.test(String(name)))) {
    return `${describeKind(value)} (hidden)`;
  }
  if ((typeof value === "string" || typeof value === "number") && isMisplaced(value, expected)) {
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

/** Maximum length of a name that is compared with the known names. */
const maxInputChars = 64;

/**
 * The known name nearest to the given one, or `undefined` if none is near: the only one that ends with its words, such
 * as `client_secret` for `secret`, or else the most similar one. Case, hyphens and underscores do not count; at most
 * three letters, and fewer than half of them, may differ.
 */
export function suggest(name: string, knownNames: readonly string[]): string | undefined {
  if (normalizeName(name).length > maxInputChars) return undefined;
  const [longer, ...others] = knownNames.filter((known) => known.endsWith(`_${name}`));
  const isOnly = longer !== undefined && others.length === 0;
  return isOnly && !knownNames.includes(name) ? longer : findNearest(name, knownNames, 3, editDistance);
}

/**
 * The text with the smallest distance, or `undefined` if each is too far away. Case, hyphens and underscores do not
 * count.
 *
 * @param maxDistance The largest distance; also less than half of the length of the input.
 */
export function findNearest(
  input: string,
  texts: readonly string[],
  maxDistance: number,
  distanceOf: (from: string, to: string) => number,
): string | undefined {
  const normalized = normalizeName(input);
  let nearest: string | undefined;
  let smallest = Math.min(maxDistance, Math.floor(normalized.length / 2)) + 1;
  for (const text of texts) {
    const distance = distanceOf(normalized, normalizeName(text));
    if (distance < smallest) [nearest, smallest] = [text, distance];
  }
  return nearest;
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** The Levenshtein distance: how many letters must be inserted, deleted or replaced. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, row[j]! + (from[i] === to[j] ? 0 : 1)));
    }
    row = next;
  }
  return row[to.length]!;
}
