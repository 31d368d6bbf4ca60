/** A repository in memory: changes apply immediately and end with the process. */

import { boundedCache } from "../bounded_cache.ts";
import { defaultPageSize, maxRememberedRemovals } from "./repository.ts";
import type { EntryDefinition, MemoryRepository } from "./repository.ts";

/** Creates a repository with these entries. */
export function memoryRepository<Input, Item>(
  initial: readonly Input[],
  { getId, parse, generations }: EntryDefinition<Input, Item>,
): MemoryRepository<Input, Item> {
  const parseAll = (inputs: readonly Input[]) => new Map(inputs.map((input) => [getId(input), parse(input)]));
  let configured: ReadonlyMap<string, Item> = parseAll(initial);
  let items = new Map(configured);
  let list: readonly Item[] | undefined;
  let additions = 0;
  const removalCauses = boundedCache<string>(maxRememberedRemovals);

  const all = () => list ??= Object.freeze([...items.values()]);

  function store(id: string, item: Item): Item {
    items.set(id, item);
    list = undefined;
    return item;
  }

  function set(id: string, item: Item): Item {
    const former = items.get(id);
    const generation = former === undefined ? String(++additions) : generations?.of(former);
    if (generation !== undefined) generations?.assign(item, generation);
    return store(id, item);
  }

  return {
    isPersistent: false,
    find: (id) => items.get(id),
    reload: (id) => items.get(id),
    isFresh: () => true,
    parse,
    findCached: (id) => items.get(id),
    set: (input) => set(getId(input), parse(input)),
    add: (input) => items.has(getId(input)) ? undefined : set(getId(input), parse(input)),
    delete(id, by = "its removal") {
      if (!items.delete(id)) return false;
      list = undefined;
      removalCauses.set(id, by);
      return true;
    },
    removedBy: removalCauses.get,
    makeDefault(id) {
      const item = items.get(id);
      if (item === undefined) return false;
      items.delete(id);
      items = new Map([[id, item], ...items]);
      list = undefined;
      return true;
    },
    first: () => all()[0],
    list({ after, limit = defaultPageSize } = {}) {
      const start = after === undefined ? 0 : [...items.keys()].indexOf(after) + 1;
      return all().slice(start, start + limit);
    },
    count: () => items.size,
    all,
    allCached: all,
    refresh: () => {},
    reconfigure(inputs) {
      const former = configured;
      configured = parseAll(inputs);
      for (const [id, item] of configured) if (items.get(id) === former.get(id)) store(id, item);
    },
    restore(inputs, by) {
      for (const id of items.keys()) removalCauses.set(id, by);
      items = parseAll(inputs);
      list = undefined;
      additions = 0;
    },
  };
}
