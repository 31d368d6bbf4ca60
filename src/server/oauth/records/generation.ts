/**
 * Generations: what was issued for a client or a user that was removed stays invalid when an entry of the same id is
 * added. What is issued contains the generation of the entry at that time.
 */

import type { Repository } from "./repository.ts";

/** An entry, and the generation that was current when something was issued. */
interface IssuedFor<Item> {
  readonly id: string;
  /** The entry that has the id now. */
  readonly entry: Item;
  readonly generation: string | undefined;
  /** Reads the generation of an entry. */
  readonly generationOf: (entry: Item) => string | undefined;
}

/** The entry of an id, if it still has the generation; `undefined` if it was removed and added again. */
export async function entryOfGeneration<Item>(
  repository: Pick<Repository<never, Item>, "reload">,
  { id, entry, generation, generationOf }: IssuedFor<Item>,
): Promise<Item | undefined> {
  if (generationOf(entry) === generation) return entry;
  // Another instance may have replaced the entry a moment ago.
  const reloaded = await repository.reload(id);
  return reloaded !== undefined && generationOf(reloaded) === generation ? reloaded : undefined;
}
