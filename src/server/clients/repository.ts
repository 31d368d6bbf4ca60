/**
 * Clients and users that can change at run time.
 *
 * A {@link memoryRepository} keeps them in a map. With a persistent store, a repository of `stored_repository.ts`
 * adds the entries of the store to the configured ones:
 *
 * - A configured entry is a value in this process. A change or removal at run time lasts until the process ends.
 * - An entry that is added at run time is a record of the kind `client` or `user`, for all instances on the store.
 *
 * An entry that was removed and added again has another generation. What was issued contains the generation of its
 * client and user at that time, so that it stays invalid for the new entry.
 */

import { boundedCache } from "../../platform/bounded_cache.ts";
import type { Entries } from "../../core/clients/clients.ts";

/** @internal Selects a page of a list. */
export interface PageOptions {
  /** The id after which the page begins. Default: the first page. */
  readonly after?: string;
  /** Maximum number of entries. Default: the whole list. */
  readonly limit?: number;
}

/**
 * Clients or users, found by id.
 *
 * Entries in memory are found and changed synchronously; those of a store by a promise. A change is in the store when
 * its promise resolves; if the promise rejects, nothing has changed.
 */
export interface Repository<Input, Item> extends Entries<Item> {
  /** The default entry, the configured entries, then the entries of the store by id. A short page is the last. */
  list(options?: PageOptions): readonly Item[] | Promise<readonly Item[]>;
  /** The number of entries; of a persistent store an estimate while entries expire. */
  count(): number | Promise<number>;
  /**
   * Registers one, replacing one of the same id.
   *
   * @throws {ConfigurationError} With one sentence for each problem.
   */
  set(input: Input): Item | Promise<Item>;
  /**
   * Replaces one by what `change` makes of it: no other change comes between, of any instance.
   *
   * @param change Returns `undefined` to change nothing. It may be called again, if the entry has changed meanwhile. It
   *   must not use the repository: a read of the same entry would wait for this change.
   * @returns `undefined` if nothing was changed, or no such entry exists.
   * @throws {ConfigurationError} With one sentence for each problem.
   * @throws {StoreError} If other instances change it without end.
   */
  update(id: string, change: (current: Item) => Promise<Input | undefined>): Promise<Item | undefined>;
  /**
   * Removes one. Returns whether it existed.
   *
   * @param by The cause, for {@link Repository.removedBy}. Default: `its removal`.
   * @param isDue Whether the entry, as it is when it is removed, may be removed. Default: any.
   */
  delete(id: string, by?: string, isDue?: (current: Item) => boolean): boolean | Promise<boolean>;
  /** The cause of the removal of this id on this instance; `undefined` if it was not removed, or long ago. */
  removedBy(id: string): string | undefined;
  /**
   * The entries in memory, by id: configured ones, and those that this instance read or changed last. For messages and
   * lists; another instance may have changed them since. The same map until one of them changes.
   */
  known(): ReadonlyMap<string, Item>;
  /** Whether a store keeps changes of this id. Changes of a configured entry end with the process. */
  persists(id: string): boolean;
  /**
   * Replaces all entries by these, in their order. In memory, the repository is then as it was created.
   *
   * @param by The cause, for {@link Repository.removedBy}.
   */
  restore(inputs: readonly Input[], by: string): void | Promise<void>;
}

/** @internal A repository in memory: every method returns its result synchronously. */
export interface MemoryRepository<Input, Item> extends Repository<Input, Item> {
  /** See {@link Repository.find}. */
  find(id: string): Item | undefined;
  /** See {@link Repository.list}. */
  list(options?: PageOptions): readonly Item[];
  /** See {@link Repository.count}. */
  count(): number;
  /** See {@link Repository.set}. */
  set(input: Input): Item;
  /** See {@link Repository.delete}. */
  delete(id: string, by?: string, isDue?: (current: Item) => boolean): boolean;
  /** See {@link Repository.restore}. */
  restore(inputs: readonly Input[], by: string): void;
}

/** What the server itself also needs of a repository: entries may expire, and one is the default. */
export interface ServerRepository<Input, Item> extends Repository<Input, Item> {
  /**
   * Registers one for a limited time; `undefined` if the id is taken.
   *
   * @param expiresAt Milliseconds since the epoch.
   */
  add(input: Input, expiresAt: number): Item | undefined | Promise<Item | undefined>;
  /** Makes one the default, which is first in the list, until the process ends. Returns whether it exists. */
  makeDefault(id: string): boolean | Promise<boolean>;
  /**
   * Reads the store for a configured id, as `find` does for any other. Timing attack: the duration of a failed
   * authentication must not reveal which ids are configured (CA-07).
   */
  readAsIfStored(id: string): Promise<void>;
}

/** How a repository handles its entries. */
export interface EntryDefinition<Input, Item> {
  /** The kind of the records in the store. */
  readonly kind: "client" | "user";
  /** Whether entries may be registered for a limited time. If false, such entries of the store are ignored. */
  readonly acceptsExpiring: boolean;
  /** The id of a parsed entry. */
  idOf(item: Item): string;
  /** Validates and parses an entry of the configuration, of a caller, or of the store; throws a ConfigurationError. */
  parse(input: Input): Item;
  /** The entry as the store keeps it, so that `parse` can read it. */
  serialize(input: Input): SerializedEntry | Promise<SerializedEntry>;
  /** The generation; `undefined` if the entry is configured and was never removed. */
  generationOf(item: Item): string | undefined;
  /** Sets the generation of an entry that was just parsed. */
  assignGeneration(item: Item, generation: string): void;
  /** Called after a change. `former` is `undefined` if the entry was added, `current` if it was removed. */
  changed?(former: Item | undefined, current: Item | undefined): void;
}

export type CreateRepository = <Input, Item>(
  configured: readonly Input[],
  definition: EntryDefinition<Input, Item>,
) => ServerRepository<Input, Item>;

/** An entry as the store keeps it: plain JSON. */
export type SerializedEntry = Readonly<Record<string, unknown>>;

/** Number of removals that are remembered for messages. */
const maxRememberedRemovals = 1000;

/** The prefix of the ids of an issuer's client and user records: issuers may share a store. */
export function recordPrefix({ issuer = "" }: { readonly issuer?: string }): string {
  // The configured issuer: the issuer in effect may depend on the port.
  return `${issuer} `;
}

/**
 * Creates a repository with these entries.
 *
 * @param newGeneration Creates the generation of an entry after a removal. Default: numbers, for a server whose tokens
 *   end with the process.
 */
export function memoryRepository<Input, Item>(
  initial: readonly Input[],
  { idOf, parse, generationOf, assignGeneration, changed }: EntryDefinition<Input, Item>,
  newGeneration = (removals: number) => String(removals),
): MemoryRepository<Input, Item> & ServerRepository<Input, Item> {
  const parseAll = (inputs: readonly Input[]) => new Map(inputs.map(parse).map((item) => [idOf(item), item]));
  let items = parseAll(initial);
  let known: ReadonlyMap<string, Item> | undefined;
  /** Between two entries of one id there is a removal, so that their generations differ. */
  let removals = 0;
  const removalCauses = boundedCache<string>(maxRememberedRemovals);

  function set(input: Input): Item {
    const item = parse(input);
    const id = idOf(item);
    const former = items.get(id);
    const added = removals === 0 ? undefined : newGeneration(removals);
    const generation = former === undefined ? added : generationOf(former);
    if (generation !== undefined) assignGeneration(item, generation);
    items.set(id, item);
    known = undefined;
    changed?.(former, item);
    return item;
  }

  return {
    find: (id) => items.get(id),
    list({ after, limit = Infinity } = {}) {
      const start = after === undefined ? 0 : [...items.keys()].indexOf(after) + 1;
      return [...items.values().drop(start).take(limit)];
    },
    count: () => items.size,
    set,
    async update(id, change) {
      for (let current = items.get(id); current !== undefined; current = items.get(id)) {
        const input = await change(current);
        if (input === undefined) return undefined;
        if (items.get(id) === current) return set(input);
      }
      return undefined;
    },
    add: (input) => items.has(idOf(parse(input))) ? undefined : set(input),
    delete(id, by = "its removal", isDue = () => true) {
      const former = items.get(id);
      if (former === undefined || !isDue(former)) return false;
      items.delete(id);
      known = undefined;
      removals++;
      removalCauses.set(id, by);
      changed?.(former, undefined);
      return true;
    },
    removedBy: removalCauses.get,
    known: () => known ??= new Map(items),
    persists: () => false,
    readAsIfStored: async () => {},
    makeDefault(id) {
      const item = items.get(id);
      if (item === undefined) return false;
      items.delete(id);
      items = new Map([[id, item], ...items]);
      known = undefined;
      return true;
    },
    restore(inputs, by) {
      for (const id of items.keys()) removalCauses.set(id, by);
      items = parseAll(inputs);
      known = undefined;
      removals = 0;
    },
  };
}
