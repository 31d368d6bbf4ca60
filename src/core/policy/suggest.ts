/** Finds the known name that an unknown one probably stands for. */

/** Maximum length of a name that is compared with the known names. */
const maxInputChars = 64;

/**
 * The known name nearest to the given one, or `undefined` if none is near: the only one that ends with its words, such
 * as `client_secret` for `secret`, or else the most similar one. Case, hyphens and underscores do not count; at most
 * three letters, and fewer than half of them, may differ. Two letters in the wrong order count as one. Of two that are
 * equally similar it is the longer one: a letter is more often forgotten than added.
 */
export function suggest(name: string, knownNames: readonly string[]): string | undefined {
  if (normalizeName(name).length > maxInputChars) return undefined;
  const [longer, ...others] = knownNames.filter((known) => known.endsWith(`_${name}`));
  const isOnly = longer !== undefined && others.length === 0;
  return isOnly && !knownNames.includes(name)
    ? longer
    : findNearest(name, knownNames.toSorted((one, other) => other.length - one.length), 3, editDistance);
}

/** Maximum number of names in a message. */
const maxListedNames = 10;

/** Lists the names of users or clients in a message: of many the first ones. */
export function listNames(names: Iterable<string>, separator = " or "): string {
  const all = [...names];
  const more = all.length - maxListedNames;
  return more > 0 ? `${all.slice(0, maxListedNames).join(", ")} and ${more} more` : all.join(separator);
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
  let smallest = Math.min(maxDistance, Math.ceil(normalized.length / 2) - 1) + 1;
  for (const text of texts) {
    const candidate = normalizeName(text);
    // No distance is smaller than the difference of the lengths.
    if (Math.abs(candidate.length - normalized.length) >= smallest) continue;
    const distance = distanceOf(normalized, candidate);
    if (distance < smallest) [nearest, smallest] = [text, distance];
  }
  return nearest;
}

/** A name as it is compared: case, hyphens and underscores do not count. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}

/** The optimal string alignment distance: how many letters must be inserted, deleted, replaced or exchanged. */
export function editDistance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const isExchanged = from[i] === to[j - 1] && from[i - 1] === to[j];
      const withOther = row[j]! + (from[i] === to[j] ? 0 : 1);
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, withOther, isExchanged ? before[j - 1]! + 1 : Infinity));
    }
    [before, row] = [row, next];
  }
  return row[to.length]!;
}
