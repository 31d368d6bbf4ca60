/** A repository on a persistent store: configured entries in memory, all others read through a bounded cache. */

import type { ListedRecord, OverrideChange, OverrideRecord } from "../../../platform/store/store.ts";
import type { RegisteredRecord, StoredRecord } from "../../../platform/store/store.ts";
import { boundedCache } from "../bounded_cache.ts";
import { maxPageSize, overrideId } from "./override_records.ts";
import type { RecordSource } from "./record_source.ts";
import { defaultPageSize, maxRememberedRemovals } from "./repository.ts";
import type { EntryDefinition, Repository, SerializedEntry } from "./repository.ts";
import { generationsOfDropped, toJson } from "./stored_entry.ts";
import type { CachedEntry, ParsedEntry } from "./stored_entry.ts";

/** Number of entries of the store that are kept parsed; the least recently read half is evicted as a whole. */
const maxCachedEntries = 10_000;

/** Age at which a cached entry is read again, in milliseconds by the server's clock. */
const maxCacheAgeMs = 500;

/** Creates a repository with these configured entries; its source must be started afterwards. */
export function storedRepository<Input, Item>(
  initial: readonly Input[],
  definition: EntryDefinition<Input, Item>,
  source: RecordSource,
): Repository<Input, Item> {
  const { kind, getId, parse, serialize, generations } = definition;
  const { store, now, prefix } = source;
  const cache = boundedCache<CachedEntry<Item>>(maxCachedEntries);
  /** The number of the latest read of an id that has returned. */
  const latestRead = boundedCache<number>(maxCachedEntries);
  let readCount = 0;
  const removalCauses = boundedCache<string>(maxRememberedRemovals);
  let configured: ReadonlyMap<string, Item> = parseAll(initial);
  let overrides: ReadonlyMap<string, ParsedEntry<Item>> = new Map();
  let defaultEntry: { readonly id: string; readonly item: Item | undefined } | undefined;
  /**
   * The entries that this instance knows without the store: the default, and the configured entries with their changes.
   */
  let view: ReadonlyMap<string, Item> = configured;
  let cachedList: readonly Item[] | undefined;
  /** Grows when all cached entries become stale. */
  let epoch = 0;
  /** Number of configured ids that also have a record from before they were configured. */
  let hiddenRecords = 0;

  const recordId = (id: string) => prefix + id;
  const isFresh = (cached: CachedEntry<Item> | undefined): cached is CachedEntry<Item> =>
    cached?.epoch === epoch && Math.abs(now() - cached.readAt) < maxCacheAgeMs && !source.isWriting();

  function parseAll(inputs: readonly Input[]): Map<string, Item> {
    return new Map(inputs.map((input) => [getId(input), parse(input)]));
  }

  function updateView(): void {
    const items = new Map<string, Item>();
    if (defaultEntry?.item !== undefined) items.set(defaultEntry.id, defaultEntry.item);
    for (const [id, item] of configured) {
      const override = overrides.get(id);
      const current = override === undefined ? item : override.item;
      if (current !== undefined) items.set(id, current);
      else items.delete(id);
    }
    view = items;
    cachedList = undefined;
  }

  /** Parses an entry unless it is the same as before. An invalid one is reported once. */
  function parseEntry(id: string, stored: RegisteredRecord, former: ParsedEntry<Item> | undefined): ParsedEntry<Item> {
    const json = toJson(stored);
    if (former?.json === json) return former;
    try {
      const item = definition.deserialize(stored.entry);
      if (stored.generation !== undefined) generations.assign(item, stored.generation);
      return { json, item };
    } catch (cause) {
      source.onInvalid(`${kind} ${id} ${json}`, cause);
      return { json, item: undefined };
    }
  }

  function cacheEntry(id: string, entry: ParsedEntry<Item>, readAt = now()): void {
    const isNew = cache.get(id)?.item !== entry.item;
    cache.set(id, { json: entry.json, item: entry.item, readAt, epoch });
    if (isNew) cachedList = undefined;
    if (id !== defaultEntry?.id || configured.has(id) || defaultEntry.item === entry.item) return;
    defaultEntry = { id, item: entry.item };
    updateView();
  }

  function parseRecord(id: string, record: StoredRecord<RegisteredRecord>): ParsedEntry<Item> | undefined {
    // Consumed: the configuration of another instance has replaced it. Instances that started before keep using it.
    if (record.consumedAt !== undefined && record.consumedAt <= source.startedAt) return undefined;
    if (record.expiresAt < Infinity && !(definition.acceptsExpiring && now() < record.expiresAt)) return undefined;
    return parseEntry(id, record.value, cache.get(id));
  }

  /** Reads from the store, after the pending writes of this instance. */
  async function load(id: string): Promise<Item | undefined> {
    await source.waitForWrites();
    return await read(id);
  }

  async function read(id: string): Promise<Item | undefined> {
    const writesBefore = source.writes();
    const readAt = now();
    const order = ++readCount;
    const record = await store.get(kind, recordId(id));
    // A read that began later has returned first: its result is newer.
    if ((latestRead.get(id) ?? 0) > order) return cache.get(id)?.item;
    latestRead.set(id, order);
    const entry = record && parseRecord(id, record);
    // A change that this instance made meanwhile is newer than the value that was read.
    if (source.writes() === writesBefore) {
      // The age of the entry counts from the start of the read, because the record may have changed since.
      if (entry !== undefined) cacheEntry(id, entry, readAt);
      else forget(id);
    }
    return entry?.item;
  }

  function forget(id: string): void {
    cache.delete(id);
    cachedList = undefined;
    if (id !== defaultEntry?.id || configured.has(id)) return;
    defaultEntry = undefined;
    updateView();
  }

  function find(id: string): Item | undefined | Promise<Item | undefined> {
    if (configured.has(id)) return view.get(id);
    const cached = cache.get(id);
    return isFresh(cached) ? cached.item : load(id);
  }

  /** Like {@link find}, for a write, which must not wait for itself. */
  async function findInWrite(id: string): Promise<Item | undefined> {
    return configured.has(id) ? view.get(id) : await read(id);
  }

  /** Reads the override of a configured entry, and the entry with it. */
  async function readConfigured(id: string): Promise<Item | undefined> {
    const writesBefore = source.writes();
    const basis = await source.entryDigest(kind, id);
    const record = await store.get("override", overrideId(prefix, { of: kind, id, basis, change: "set" }));
    if (source.writes() === writesBefore) {
      const entry = record && parseOverride(record);
      const next = new Map(overrides);
      if (entry === undefined) next.delete(id);
      else next.set(id, entry);
      overrides = next;
      updateView();
    }
    return view.get(id);
  }

  /** Gives an entry the generation of the entry that it replaces, or a new generation if it replaces none. */
  async function withGeneration(id: string, item: Item, entry: SerializedEntry): Promise<RegisteredRecord> {
    // Another instance may just have removed the former entry.
    const former = await (configured.has(id) ? readConfigured(id) : read(id));
    const generation = former === undefined ? source.newGeneration() : generations.of(former);
    if (generation === undefined) return { entry };
    generations.assign(item, generation);
    return { entry, generation };
  }

  async function putOverride(id: string, change: OverrideChange): Promise<void> {
    const override = { of: kind, id, basis: await source.entryDigest(kind, id), ...change };
    await store.put("override", overrideId(prefix, override), override, { expiresAt: Infinity });
  }

  /** Applies an override; a consumed one only if it was in effect, because later starts must not apply it. */
  function parseOverride({ value, consumedAt }: StoredRecord<OverrideRecord>): ParsedEntry<Item> | undefined {
    const former = overrides.get(value.id);
    if (consumedAt !== undefined) return former;
    return value.change === "set" ? parseEntry(value.id, value, former) : { json: "", item: undefined };
  }

  source.subscribe({
    kind,
    configuredIds: () => configured.keys(),
    async prepare(records, currentDigests) {
      const next = new Map<string, ParsedEntry<Item>>();
      let nextDefault: string | undefined;
      for (const [i, record] of records.entries()) {
        const { value } = record;
        if (value.of !== kind || value.basis !== currentDigests[i]) continue;
        if (value.change === "default") {
          if (record.consumedAt === undefined || defaultEntry?.id === value.id) nextDefault = value.id;
        } else if (configured.has(value.id)) {
          const entry = parseOverride(record);
          if (entry !== undefined) next.set(value.id, entry);
        }
      }
      let item: Item | undefined;
      if (nextDefault !== undefined && !configured.has(nextDefault)) item = await read(nextDefault);
      const inherited = generationsOfDropped(kind, records, currentDigests);
      return () => {
        for (const [id, entry] of configured) generations.assign(entry, inherited.get(id));
        if (nextDefault !== undefined && configured.has(nextDefault)) item = configured.get(nextDefault);
        overrides = next;
        defaultEntry = nextDefault === undefined ? undefined : { id: nextDefault, item };
        updateView();
      };
    },
    hide: (count) => void (hiddenRecords = count),
    describe: () => ({
      replaced: [...configured.keys()].filter((id) => overrides.get(id)?.item !== undefined),
      removed: [...configured.keys()].filter((id) => !view.has(id)),
    }),
  });

  async function listPage(after: string | undefined, limit: number): Promise<readonly Item[]> {
    await source.waitForWrites();
    const position = after === undefined ? 0 : [...view.keys()].indexOf(after) + 1;
    const isInView = after === undefined || position > 0;
    const page = isInView ? [...view.values()].slice(position, position + limit) : [];
    let cursor = isInView ? undefined : recordId(after);
    while (page.length < limit) {
      const records: readonly ListedRecord<RegisteredRecord>[] = await store.list(kind, {
        prefix,
        after: cursor,
        limit,
      });
      for (const record of records) {
        const id = record.id.slice(prefix.length);
        if (view.has(id) || configured.has(id)) continue;
        const item = parseRecord(id, record)?.item;
        if (item !== undefined && page.push(item) === limit) break;
      }
      if (records.length < limit) break;
      cursor = records.at(-1)!.id;
    }
    return page;
  }

  const repository: Repository<Input, Item> = {
    isPersistent: true,
    find,
    async reload(id) {
      if (!configured.has(id)) return await load(id);
      await source.waitForWrites();
      return await readConfigured(id);
    },
    isFresh: (id) => configured.has(id) || isFresh(cache.get(id)),
    parse,
    findCached: (id) => view.get(id) ?? (configured.has(id) ? undefined : cache.get(id)?.item),
    set(input) {
      const id = getId(input);
      const item = parse(input);
      return source.write(async () => {
        const stored = await withGeneration(id, item, await serialize(input));
        const parsed = { json: toJson(stored), item };
        if (configured.has(id)) {
          await putOverride(id, { change: "set", ...stored });
          overrides = new Map(overrides).set(id, parsed);
          updateView();
        } else {
          await store.put(kind, recordId(id), stored, { expiresAt: Infinity });
          cacheEntry(id, parsed);
        }
        return item;
      });
    },
    add(input, expiresAt) {
      const id = getId(input);
      const item = parse(input);
      return source.write(async () => {
        if (configured.has(id) || await read(id) !== undefined) return undefined;
        const stored = await withGeneration(id, item, await serialize(input));
        if (!await store.add(kind, recordId(id), stored, { expiresAt })) {
          const existing = await store.get(kind, recordId(id));
          if (existing !== undefined && parseRecord(id, existing) !== undefined) return undefined;
          await store.put(kind, recordId(id), stored, { expiresAt });
        }
        cacheEntry(id, { json: toJson(stored), item });
        return item;
      });
    },
    delete(id, by = "its removal") {
      return source.write(async () => {
        if (await findInWrite(id) === undefined) return false;
        if (configured.has(id)) {
          await putOverride(id, { change: "delete", generation: source.newGeneration() });
          overrides = new Map(overrides).set(id, { json: "", item: undefined });
          updateView();
        } else {
          await store.delete(kind, recordId(id));
          forget(id);
        }
        removalCauses.set(id, by);
        return true;
      });
    },
    removedBy: removalCauses.get,
    makeDefault(id) {
      return source.write(async () => {
        const item = await findInWrite(id);
        if (item === undefined) return false;
        await putOverride(id, { change: "default" });
        defaultEntry = { id, item };
        updateView();
        return true;
      });
    },
    first() {
      for (const item of view.values()) return item;
      return listPage(undefined, 1).then(([item]) => item);
    },
    list: ({ after, limit = defaultPageSize } = {}) => listPage(after, limit),
    async count() {
      let known = view.size - hiddenRecords;
      if (defaultEntry?.item !== undefined && !configured.has(defaultEntry.id)) known--;
      return known + await store.count(kind, prefix);
    },
    async all() {
      const items: Item[] = [];
      for (;;) {
        const last = items.at(-1);
        const page = await listPage(last && definition.idOf(last), maxPageSize);
        items.push(...page);
        if (page.length < maxPageSize) return items;
      }
    },
    allCached() {
      if (cachedList !== undefined) return cachedList;
      const items = new Set(view.values());
      for (const { item } of cache.values()) if (item !== undefined) items.add(item);
      return cachedList = Object.freeze([...items]);
    },
    async refresh() {
      await source.waitForWrites();
      epoch++;
      await source.refresh();
    },
    reconfigure(inputs) {
      configured = parseAll(inputs);
      if (defaultEntry !== undefined && configured.has(defaultEntry.id)) {
        defaultEntry = { id: defaultEntry.id, item: configured.get(defaultEntry.id) };
      }
      updateView();
    },
    async restore(inputs, by) {
      for (const item of await repository.all()) await repository.delete(definition.idOf(item), by);
      for (const input of inputs) await repository.set(input);
    },
  };
  return repository;
}
