/**
 * Repositories on a persistent store: configured entries in memory, the others in the store.
 *
 * Entries of the store are cached for half a second, so that an instance knows an added entry immediately and any other
 * change of another instance within a second. The writes of one id run one after another.
 */

import { encodeBase64url } from "../../../platform/runtime/crypto.ts";
import { inTurn } from "../../../platform/in_turn.ts";
import type { MaybePromise } from "../../../platform/maybe_promise.ts";
import type { RegisteredRecord, StoredRecord } from "../../../platform/store/store.ts";
import { quote } from "../../config/config_issue.ts";
import { boundedCache } from "../bounded_cache.ts";
import { warn } from "../notes.ts";
import type { Server } from "../server.ts";
import { defaultPageSize, maxRememberedRemovals, memoryRepository } from "./repository.ts";
import type { CreateRepository, EntryDefinition, PageOptions, Repository } from "./repository.ts";

/** Number of entries of the store that are kept parsed; the least recently read half is evicted as a whole. */
const maxCachedEntries = 10_000;

/** Age at which a cached entry is read again, in milliseconds by the server's clock. */
const maxCacheAgeMs = 500;

/** Number of entries that are read at a time if all are read. */
const maxPageSize = 1000;

/** Number of records that are read in parallel at the start. */
const maxParallelReads = 32;

/** Number of ids in a trace event. */
const maxReportedIds = 20;

/** The members of the server that the repositories need. */
type RepositoryOwner = Pick<Server, "store" | "now" | "randomBytes" | "trace" | "recordPrefix">;

/** The repositories of one server. */
export interface StoredRepositories {
  /** Creates a repository. */
  readonly create: CreateRepository;
  /**
   * Deletes the entries of the store whose ids are configured, and traces which others it has. Never rejects: it traces
   * a failure.
   */
  start(): Promise<void>;
  /** Waits for pending writes. */
  waitForWrites(): Promise<void>;
}

/** A parsed entry of the store. */
interface CachedEntry<Item> {
  /** The JSON that it was parsed from: the item stays the same object as long as the JSON stays the same. */
  readonly json: string;
  readonly item: Item;
  /** Milliseconds since the epoch, by the server's clock. */
  readonly readAt: number;
}

/** Creates the repositories of a server with a persistent store. */
export function storedRepositories(owner: RepositoryOwner): StoredRepositories {
  const created: Omit<StoredRepositories, "create">[] = [];
  return {
    create(configured, definition) {
      const { repository, ...others } = storedRepository(configured, definition, owner);
      created.push(others);
      return repository;
    },
    async start() {
      try {
        for (const { start } of created) await start();
      } catch (cause) {
        owner.trace({ type: "internal_error", at: owner.now(), endpoint: "changes", cause });
      }
    },
    async waitForWrites() {
      for (const { waitForWrites } of created) await waitForWrites();
    },
  };
}

function storedRepository<Input, Item>(
  initial: readonly Input[],
  definition: EntryDefinition<Input, Item>,
  owner: RepositoryOwner,
): Omit<StoredRepositories, "create"> & { readonly repository: Repository<Input, Item> } {
  const { kind, getId, idOf, parse, generationOf, assignGeneration } = definition;
  const { store, now, trace, recordPrefix: prefix } = owner;
  // Random, because tokens outlive the process.
  const newGeneration = () => encodeBase64url(owner.randomBytes(6));
  const configured = memoryRepository(initial, definition, newGeneration);
  let configuredIds: ReadonlySet<string> = new Set(initial.map(getId));
  const cache = boundedCache<CachedEntry<Item>>(maxCachedEntries);
  /** For each id, the number of the read or write that the cache is based on. */
  const applied = boundedCache<number>(maxCachedEntries);
  let accesses = 0;
  const pendingWrites = new Map<string, Promise<unknown>>();
  const removalCauses = boundedCache<string>(maxRememberedRemovals);
  const reportedEntries = boundedCache<true>(maxCachedEntries);
  /** The default entry, unless it is configured. */
  let defaultId: string | undefined;
  let cachedList: { readonly configured: readonly Item[]; readonly items: readonly Item[] } | undefined;

  function isFresh(id: string): boolean {
    const cached = cache.get(id);
    return cached !== undefined && Math.abs(now() - cached.readAt) < maxCacheAgeMs && !pendingWrites.has(id);
  }

  /** Parses a record; `undefined` if it does not apply. An invalid one is reported once. */
  function parseRecord(
    id: string,
    { value, expiresAt }: Pick<StoredRecord<RegisteredRecord>, "value" | "expiresAt">,
    readAt: number,
  ): CachedEntry<Item> | undefined {
    if (expiresAt < Infinity && !(definition.acceptsExpiring && now() < expiresAt)) return undefined;
    const json = JSON.stringify(value);
    const former = cache.get(id);
    if (former?.json === json) return { ...former, readAt };
    try {
      const item = definition.deserialize(value.entry);
      assignGeneration(item, value.generation);
      return { json, item, readAt };
    } catch (cause) {
      const key = `${id} ${json}`;
      if (!reportedEntries.get(key)) trace({ type: "internal_error", at: now(), endpoint: "changes", cause });
      reportedEntries.set(key, true);
      return undefined;
    }
  }

  /** Applies the result of an access to the cache, unless a later one was applied before. */
  function apply(id: string, access: number, entry: CachedEntry<Item> | undefined): Item | undefined {
    if (access > (applied.get(id) ?? 0)) {
      applied.set(id, access);
      if (cache.get(id)?.item !== entry?.item) cachedList = undefined;
      if (entry === undefined) cache.delete(id);
      else cache.set(id, entry);
    }
    return cache.get(id)?.item;
  }

  async function read(id: string): Promise<Item | undefined> {
    const access = ++accesses;
    // The age of the entry counts from the start of the read, because the record may have changed since.
    const readAt = now();
    const record = await store.get(kind, prefix + id);
    return apply(id, access, record && parseRecord(id, record, readAt));
  }

  /** Reads from the store, after the pending writes of this id. */
  async function load(id: string): Promise<Item | undefined> {
    await pendingWrites.get(id);
    return await read(id);
  }

  /** Runs the writes of an id in the order of the calls. */
  const write = <T>(id: string, operation: () => Promise<T>) => inTurn(pendingWrites, id, operation);

  async function waitForWrites(): Promise<void> {
    await Promise.all(pendingWrites.values());
  }

  /** The record of an entry, with the generation of the entry that it replaces, or a new one if it replaces none. */
  async function toRecord(input: Input, former: Item | undefined): Promise<RegisteredRecord> {
    const generation = (former && generationOf(former)) ?? newGeneration();
    return { entry: await definition.serialize(input), generation };
  }

  function applyWrite(id: string, item: Item, value: RegisteredRecord): Item {
    assignGeneration(item, value.generation);
    apply(id, ++accesses, { json: JSON.stringify(value), item, readAt: now() });
    return item;
  }

  function find(id: string): MaybePromise<Item | undefined> {
    if (configuredIds.has(id)) return configured.find(id);
    return isFresh(id) ? cache.get(id)?.item : load(id);
  }

  /** The default entry if it is not configured. */
  const storedDefault = () => defaultId === undefined ? undefined : find(defaultId);

  /** The entries after an id, in the order of lists. */
  async function* entriesAfter(after: string | undefined, pageSize: number): AsyncGenerator<Item> {
    const first = await storedDefault();
    const head = [...first === undefined ? [] : [first], ...configured.all()];
    const position = after === undefined ? 0 : head.findIndex((item) => idOf(item) === after) + 1;
    const isInHead = after === undefined || position > 0;
    if (isInHead) yield* head.slice(position);
    await waitForWrites();
    let cursor = isInHead ? undefined : prefix + after;
    for (;;) {
      const records = await store.list(kind, { prefix, after: cursor, limit: pageSize });
      for (const record of records) {
        const id = record.id.slice(prefix.length);
        const entry = configuredIds.has(id) || id === defaultId ? undefined : parseRecord(id, record, now());
        if (entry !== undefined) yield entry.item;
      }
      if (records.length < pageSize) return;
      cursor = records.at(-1)!.id;
    }
  }

  async function list({ after, limit = defaultPageSize }: PageOptions = {}): Promise<readonly Item[]> {
    const page: Item[] = [];
    for await (const item of entriesAfter(after, limit)) if (page.push(item) === limit) break;
    return page;
  }

  const repository: Repository<Input, Item> = {
    isPersistent: true,
    persists: (id) => !configuredIds.has(id),
    find,
    async reload(id) {
      if (!configuredIds.has(id)) return await load(id);
      // Timing attack: the duration of a failed authentication must not reveal which ids are configured (CA-07).
      await store.get(kind, prefix + id);
      return configured.find(id);
    },
    isFresh: (id) => configuredIds.has(id) || isFresh(id),
    findCached: (id) => configuredIds.has(id) ? configured.find(id) : cache.get(id)?.item,
    parse,
    set(input) {
      const id = getId(input);
      if (configuredIds.has(id)) return configured.set(input);
      const item = parse(input);
      return write(id, async () => {
        const former = await read(id);
        const value = await toRecord(input, former);
        await store.put(kind, prefix + id, value, { expiresAt: Infinity });
        applyWrite(id, item, value);
        if (former !== undefined) definition.changed?.(former, item);
        return item;
      });
    },
    add(input, expiresAt) {
      const id = getId(input);
      const item = parse(input);
      if (configuredIds.has(id)) return undefined;
      return write(id, async () => {
        if (await read(id) !== undefined) return undefined;
        const value = await toRecord(input, undefined);
        if (!await store.add(kind, prefix + id, value, { expiresAt })) {
          // Another instance has just added one, or the record of the id has expired.
          if (await read(id) !== undefined) return undefined;
          await store.put(kind, prefix + id, value, { expiresAt });
        }
        return applyWrite(id, item, value);
      });
    },
    delete(id, by = "its removal") {
      if (configuredIds.has(id)) return configured.delete(id, by);
      return write(id, async () => {
        const former = await read(id);
        if (former === undefined) return false;
        await store.delete(kind, prefix + id);
        apply(id, ++accesses, undefined);
        removalCauses.set(id, by);
        if (id === defaultId) defaultId = undefined;
        definition.changed?.(former, undefined);
        return true;
      });
    },
    removedBy: (id) => configured.removedBy(id) ?? removalCauses.get(id),
    async makeDefault(id) {
      if (configuredIds.has(id)) {
        if (!configured.makeDefault(id)) return false;
        defaultId = undefined;
        return true;
      }
      if (await load(id) === undefined) return false;
      defaultId = id;
      definition.madeDefault?.();
      return true;
    },
    first: async () => await storedDefault() ?? configured.first() ?? (await list({ limit: 1 }))[0],
    list,
    async count() {
      await waitForWrites();
      return configured.count() + await store.count(kind, prefix);
    },
    all: () => Array.fromAsync(entriesAfter(undefined, maxPageSize)),
    allCached() {
      const ofConfiguration = configured.all();
      if (cachedList?.configured !== ofConfiguration) {
        const items = [...ofConfiguration, ...[...cache.values()].map(({ item }) => item)];
        cachedList = { configured: ofConfiguration, items: Object.freeze(items) };
      }
      return cachedList.items;
    },
    reconfigure: configured.reconfigure,
    async restore(inputs, by) {
      configured.restore(inputs, by);
      configuredIds = new Set(inputs.map(getId));
      for (const id of (await repository.all()).map(idOf)) {
        if (!configuredIds.has(id)) await repository.delete(id, by);
      }
    },
  };

  /** Deletes the entries with configured ids: they would return, with old secrets, once the ids are not configured. */
  async function deleteConfigured(): Promise<void> {
    const ids = [...configuredIds];
    for (let i = 0; i < ids.length; i += maxParallelReads) {
      await Promise.all(
        ids.slice(i, i + maxParallelReads).map(async (id) => {
          if (await store.get(kind, prefix + id) === undefined) return;
          await store.delete(kind, prefix + id);
          warn(owner, kind === "client" ? id : undefined, {
            rule: "OP-10",
            reason: `the store had the ${kind} ${quote(id)}, which was deleted there`,
            expected: `the ${kind} in the configuration or in the store`,
            received: "both",
          });
        }),
      );
    }
  }

  return {
    repository,
    async start() {
      if (await store.count(kind, prefix) === 0) return;
      await deleteConfigured();
      const records = await store.list(kind, { prefix, limit: maxReportedIds });
      const ids = records.filter(({ expiresAt }) => expiresAt === Infinity).map(({ id }) => id.slice(prefix.length));
      if (ids.length === 0) return;
      const more = ids.length === maxReportedIds ? await store.count(kind, prefix) - ids.length : 0;
      trace({ type: "stored_entries", at: now(), of: `${kind}s`, ids, ...more > 0 && { more } });
    },
    waitForWrites,
  };
}
