/**
 * Clients and users that can change at run time.
 *
 * A {@link memoryRepository} keeps them in a map. With a persistent store, a repository of `stored_repository.ts`
 * adds the entries of the store to the configured ones:
 *
 * - A configured entry is a value in this process. A change or removal at run time lasts until the process ends.
 * - An entry that is added at run time is a record of the kind `client` or `user`, for all instances on the store.
 */

import { boundedCache } from "../bounded_cache.ts";
import type { MaybePromise } from "../../../platform/maybe_promise.ts";

/** @internal Selects a page of a list. */
export interface PageOptions {
  /** The id after which the page begins. Default: the first page. */
  readonly after?: string;
  /** Maximum number of entries. Default: 50. */
  readonly limit?: number;
}

/** Number of entries on a page, unless the caller asks for another number. */
export const defaultPageSize = 50;

/**
 * Clients or users, found by id.
 *
 * If the result is known without the store, methods return it synchronously, otherwise as a promise. A change is in
 * the store when its promise resolves; if the promise rejects, nothing has changed.
 */
export interface Repository<Input, Item> {
  /** Whether a store keeps added entries, for all instances and after a restart. */
  readonly isPersistent: boolean;
  /** Whether a store keeps changes of this id. Changes of a configured entry end with the process. */
  persists(id: string): boolean;
  /** Finds one by id; `undefined` if it does not exist. */
  find(id: string): MaybePromise<Item | undefined>;
  /** Finds one by id, with a new read of the store: for decisions that changes by other instances may alter. */
  reload(id: string): MaybePromise<Item | undefined>;
  /** Whether {@link Repository.find} returns without reading the store. */
  isFresh(id: string): boolean;
  /** Finds one in memory, which has the configured and the recently used entries. */
  findCached(id: string): Item | undefined;
  /**
   * Validates and parses one, and changes nothing.
   *
   * @throws {ConfigurationError} With one sentence for each problem.
   */
  parse(input: Input): MaybePromise<Item>;
  /**
   * Registers one, replacing one of the same id.
   *
   * @throws {ConfigurationError} With one sentence for each problem.
   */
  set(input: Input): MaybePromise<Item>;
  /**
   * Registers one for a limited time; `undefined` if the id is taken.
   *
   * @param expiresAt Milliseconds since the epoch.
   */
  add(input: Input, expiresAt: number): MaybePromise<Item | undefined>;
  /**
   * Removes one. Returns whether it existed.
   *
   * @param by The cause, for {@link Repository.removedBy}. Default: `its removal`.
   */
  delete(id: string, by?: string): MaybePromise<boolean>;
  /** The cause of the removal of this id on this instance; `undefined` if it was not removed, or long ago. */
  removedBy(id: string): string | undefined;
  /** Makes one the default, which is first in the list, until the process ends. Returns whether it exists. */
  makeDefault(id: string): MaybePromise<boolean>;
  /** The default: the first in the list. */
  first(): MaybePromise<Item | undefined>;
  /**
   * A page of the list: the default entry, the configured entries, then the entries of the store by id. A short page is
   * the last.
   */
  list(options?: PageOptions): MaybePromise<readonly Item[]>;
  /** The number of entries; of a persistent store an estimate while entries expire. */
  count(): MaybePromise<number>;
  /**
   * The whole list. Reads all pages of a persistent store; use {@link Repository.list} if there may be many entries.
   */
  all(): MaybePromise<readonly Item[]>;
  /** The entries in memory: configured and recently used ones. The same array until one of them changes. */
  allCached(): readonly Item[];
  /** Replaces the configured entries; changes at run time still apply to them. */
  reconfigure(inputs: readonly Input[]): void;
  /**
   * Replaces all entries by these, in their order. In memory, the repository is then as it was created.
   *
   * @param by The cause, for {@link Repository.removedBy}.
   */
  restore(inputs: readonly Input[], by: string): MaybePromise<void>;
}

/** @internal A repository in memory: every method returns its result synchronously. */
export interface MemoryRepository<Input, Item> extends Repository<Input, Item> {
  /** See {@link Repository.find}. */
  find(id: string): Item | undefined;
  /** See {@link Repository.reload}. */
  reload(id: string): Item | undefined;
  /** See {@link Repository.parse}. */
  parse(input: Input): Item;
  /** See {@link Repository.set}. */
  set(input: Input): Item;
  /** See {@link Repository.add}. */
  add(input: Input, expiresAt: number): Item | undefined;
  /** See {@link Repository.delete}. */
  delete(id: string, by?: string): boolean;
  /** See {@link Repository.makeDefault}. */
  makeDefault(id: string): boolean;
  /** See {@link Repository.first}. */
  first(): Item | undefined;
  /** See {@link Repository.list}. */
  list(options?: PageOptions): readonly Item[];
  /** See {@link Repository.count}. */
  count(): number;
  /** See {@link Repository.all}. */
  all(): readonly Item[];
  /** See {@link Repository.restore}. */
  restore(inputs: readonly Input[], by: string): void;
}

/** How a repository handles its entries. */
export interface EntryDefinition<Input, Item> {
  /** The kind of the records in the store. */
  readonly kind: "client" | "user";
  /** Whether entries may be registered for a limited time. If false, such entries of the store are ignored. */
  readonly acceptsExpiring: boolean;
  /** The id of an entry. */
  getId(input: Input): string;
  /** The id of a parsed entry. */
  idOf(item: Item): string;
  /** Validates and parses; throws a ConfigurationError. */
  parse(input: Input): Item;
  /** The entry as the store keeps it. */
  serialize(input: Input): MaybePromise<SerializedEntry>;
  /**
   * Parses what {@link EntryDefinition.serialize} returned; throws if it is invalid under the settings of this server.
   */
  deserialize(entry: SerializedEntry): Item;
  /**
   * Distinguishes entries of the same id that were added one after the other. `undefined` if the entry is configured
   * and was never removed.
   */
  generationOf(item: Item): string | undefined;
  /** Sets the generation of an entry that was just parsed. */
  assignGeneration(item: Item, generation: string | undefined): void;
  /** Called when `set` has replaced an entry, or `delete` has removed one: then `current` is `undefined`. */
  changed?(former: Item, current: Item | undefined): void;
  /** Called when an entry was made the default. */
  madeDefault?(): void;
}

/** Creates a repository with these configured entries. */
export type CreateRepository = <Input, Item>(
  configured: readonly Input[],
  definition: EntryDefinition<Input, Item>,
) => Repository<Input, Item>;

/** An entry as the store keeps it: plain JSON. */
export type SerializedEntry = Readonly<Record<string, unknown>>;

/** Number of removals that are remembered for messages. */
export const maxRememberedRemovals = 1000;

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
  { getId, parse, generationOf, assignGeneration, changed, madeDefault }: EntryDefinition<Input, Item>,
  newGeneration = (removals: number) => String(removals),
): MemoryRepository<Input, Item> {
  const parseAll = (inputs: readonly Input[]) => new Map(inputs.map((input) => [getId(input), parse(input)]));
  let configured: ReadonlyMap<string, Item> = parseAll(initial);
  let items = new Map(configured);
  let list: readonly Item[] | undefined;
  /** Between two entries of one id there is a removal, so that their generations differ. */
  let removals = 0;
  const removalCauses = boundedCache<string>(maxRememberedRemovals);

  const all = () => list ??= Object.freeze([...items.values()]);

  function store(id: string, item: Item): Item {
    items.set(id, item);
    list = undefined;
    return item;
  }

  function set(id: string, item: Item): Item {
    const former = items.get(id);
    const generation = former !== undefined
      ? generationOf(former)
      : removals === 0
      ? undefined
      : newGeneration(removals);
    if (generation !== undefined) assignGeneration(item, generation);
    return store(id, item);
  }

  return {
    isPersistent: false,
    persists: () => false,
    find: (id) => items.get(id),
    reload: (id) => items.get(id),
    isFresh: () => true,
    parse,
    findCached: (id) => items.get(id),
    set(input) {
      const id = getId(input);
      const item = parse(input);
      const former = items.get(id);
      set(id, item);
      if (former !== undefined) changed?.(former, item);
      return item;
    },
    add: (input) => items.has(getId(input)) ? undefined : set(getId(input), parse(input)),
    delete(id, by = "its removal") {
      const former = items.get(id);
      if (former === undefined) return false;
      items.delete(id);
      removals++;
      list = undefined;
      removalCauses.set(id, by);
      changed?.(former, undefined);
      return true;
    },
    removedBy: removalCauses.get,
    makeDefault(id) {
      const item = items.get(id);
      if (item === undefined) return false;
      items.delete(id);
      items = new Map([[id, item], ...items]);
      list = undefined;
      madeDefault?.();
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
    reconfigure(inputs) {
      const former = configured;
      configured = parseAll(inputs);
      for (const [id, item] of configured) if (items.get(id) === former.get(id)) store(id, item);
    },
    restore(inputs, by) {
      for (const id of items.keys()) removalCauses.set(id, by);
      items = parseAll(inputs);
      list = undefined;
      removals = 0;
    },
  };
}
