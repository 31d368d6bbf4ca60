/** Finds the known name that a misspelt one probably stands for. */

/** Longer names are not misspelt ones. */
const maxInputChars = 64;

/**
 * The known name nearest to the given one, or `undefined` if none is near. Case, hyphens and underscores do not count;
 * at most three letters, and fewer than half of them, may differ.
 */
export function suggest(name: string, knownNames: readonly string[]): string | undefined {
  const input = normalizeName(name);
  if (input === "" || input.length > maxInputChars) return undefined;
  let nearest: string | undefined;
  let smallest = Math.min(3, Math.floor(input.length / 2)) + 1;
  for (const known of knownNames) {
    const distance = editDistance(input, normalizeName(known));
    if (distance < smallest) [nearest, smallest] = [known, distance];
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
