/**
 * Generations: what was issued for a client or a user that was removed stays invalid when an entry of the same id is
 * added. What is issued contains the generation of the entry at that time.
 */

import type { Repository } from "./repository.ts";

/**
 * The entry, if it has the expected generation; `undefined` if it was removed or added again. If the generations
 * differ, the entry is reloaded first: another instance may have just replaced it.
 */
export async function entryOfGeneration<Item>(
  repository: Pick<Repository<never, Item>, "reload">,
  id: string,
  entry: Item,
  generation: string | undefined,
  generationOf: (entry: Item) => string | undefined,
): Promise<Item | undefined> {
  if (generationOf(entry) === generation) return entry;
  const current = await repository.reload(id);
  return current !== undefined && generationOf(current) === generation ? current : undefined;
}
