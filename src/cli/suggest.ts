/** Which known name somebody probably meant; the library that measures it is loaded only when it is needed. */

/** Names longer than this are no slips of the finger. */
const maxInputChars = 64;

/**
 * The known name nearest to what was written, or `undefined` when none is near. Case, hyphens and underscores do not
 * count, and fewer than half of the letters may differ, at most three.
 */
export async function suggest(written: string, known: readonly string[]): Promise<string | undefined> {
  const input = normalizeName(written);
  if (input === "" || input.length > maxInputChars) return undefined;
  const { distance } = await import("fastest-levenshtein");
  let nearest: string | undefined;
  let smallest = Math.min(3, Math.floor(input.length / 2)) + 1;
  for (const name of known) {
    const difference = distance(input, normalizeName(name));
    if (difference < smallest) [nearest, smallest] = [name, difference];
  }
  return nearest;
}

function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
