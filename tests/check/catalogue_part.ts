/** A part of the catalogue, for correct clients: each is met by some attacks, and each attack by some clients. */

import { attacks } from "../../src/check/attacks/mod.ts";
import { sample } from "../sample.ts";

const ids = attacks.map(({ id }) => id);

/**
 * The habits, these attacks, and every `share`-th of the catalogue; in a run of some files, the whole catalogue.
 *
 * @param place The attack to begin with. Parts of as many places have every attack.
 */
export function partOfCatalogue(share: number, place: number, others: readonly string[] = []): readonly string[] {
  return [...new Set([...sample(ids, share, place), ...others, "habits"])];
}
