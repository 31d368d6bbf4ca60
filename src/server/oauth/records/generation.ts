/**
 * Generations: what was issued for a client or a user that was removed stays invalid when an entry of the same id is
 * added. What is issued contains the generation of the entry at that time.
 */

import type { MaybePromise } from "../../../platform/maybe_promise.ts";
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
export function entryOfGeneration<Item>(
  repository: Pick<Repository<never, Item>, "reload">,
  issuedFor: IssuedFor<Item>,
): MaybePromise<Item | undefined> {
  const { entry, generation, generationOf } = issuedFor;
  return generationOf(entry) === generation ? entry : reloadGeneration(repository, issuedFor);
}

/** Reads the entry from the store: another instance may have replaced it a moment ago. */
async function reloadGeneration<Item>(
  repository: Pick<Repository<never, Item>, "reload">,
  { id, generation, generationOf }: IssuedFor<Item>,
): Promise<Item | undefined> {
  const entry = await repository.reload(id);
  return entry !== undefined && generationOf(entry) === generation ? entry : undefined;
}
