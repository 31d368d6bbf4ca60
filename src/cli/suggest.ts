/** Which known name somebody probably meant; the library that measures it is loaded only when it is needed. */

/** Names longer than this are no slips of the finger. */
const longestSlip = 64;

/**
 * The known name nearest to what was written, or `undefined` when none is near. Case, hyphens and underscores do not
 * count, and fewer than half of the letters may differ, at most three.
 */
export async function suggest(written: string, known: readonly string[]): Promise<string | undefined> {
  const slip = bare(written);
  if (slip === "" || slip.length > longestSlip) return undefined;
  const { distance } = await import("fastest-levenshtein");
  let nearest: string | undefined;
  let least = Math.min(3, Math.floor(slip.length / 2)) + 1;
  for (const name of known) {
    const differing = distance(slip, bare(name));
    if (differing < least) [nearest, least] = [name, differing];
  }
  return nearest;
}

function bare(name: string): string {
  return name.toLowerCase().replaceAll(/[-_]/g, "");
}
