/** A part of the catalogue for each of many clients: each client meets some attacks, each attack some clients. */

import { attacks } from "../../src/check/attacks/mod.ts";
import { sample } from "../sample.ts";

const ids = attacks.map(({ id }) => id);

/**
 * The practices, `others`, and every `share`-th attack of the catalogue; in a run of some files, the whole catalogue.
 *
 * @param place The position of the first attack. The parts of `share` successive places together have every attack.
 */
export function partOfCatalogue(share: number, place: number, others: readonly string[] = []): readonly string[] {
  return [...new Set([...sample(ids, share, place), ...others, "practices"])];
}

/** Every `share`-th attack of some categories; in a run of some files, or if there are fewer, all of them. */
export function partOf(categories: readonly string[], share: number, place: number): readonly string[] {
  const all = ids.filter((id) => categories.includes(id.split("/")[0]!));
  return all.length < share ? all : sample(all, share, place);
}

/** What a check needs to find these: an attack, a practice (`practice/…`), or what fails without an attack. */
export function neededFor(foundBy: readonly string[]): readonly string[] {
  return foundBy.flatMap((id) => {
    // Requests fail only under this attack.
    if (id === "practice/retry-measured") return ["practices", "transport/unavailable"];
    return /^(?:practice|ability)\//.test(id) ? "practices" : id;
  });
}
