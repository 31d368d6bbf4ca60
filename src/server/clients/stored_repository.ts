/**
 * Repositories on a persistent store: configured entries in memory, the others in the store. Each call reads the store,
 * so that every instance sees the changes of the others. The writes of one id run one after another.
 */

import { encodeBase64url, sha256 } from "../../core/keys/crypto.ts";
import { delay, timers } from "../../core/http/timers.ts";
import { type StoredRecord, StoreError } from "../../core/store/store.ts";
import { quote } from "../config/config_issue.ts";
import { boundedCache } from "../../platform/bounded_cache.ts";
import { warn } from "../trace.ts";
import type { HostedServer } from "../hosted_server.ts";
import { storeOf } from "../records.ts";
import type { ServerClients } from "./clients.ts";
import {
  type CreateRepository,
  type EntryDefinition,
  memoryRepository,
  type PageOptions,
  type ServerRepository,
} from "./repository.ts";

/** A client or user that was registered at run time; a guest user if the record expires. */
interface RegisteredRecord {
  /** The registered entry, but with the digest of a client secret, unless the secret is the key of assertions. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Distinguishes entries of the same id that were added one after the other. */
  readonly generation?: string;
}

const entryStore = storeOf<{
  /** Clients registered at run time, by issuer and client. */
  client: RegisteredRecord;
  /** Users added at run time, by issuer and subject. */
  user: RegisteredRecord;
  /**
   * Changes of clients and users that have not ended, by a digest of kind, issuer and id. `by` is a random name of the
   * repository that makes the change: no other instance may begin one.
   */
  change: { readonly by: string };
}>;

/** Number of entries of the store that are kept parsed; the older half is evicted as a whole. */
const maxParsedEntries = 10_000;

/** Maximum number of records that are read at a time. */
const maxPageSize = 1000;

/** Number of records that are read in parallel at the start. */
const maxParallelReads = 32;

/** Milliseconds after which a change that was interrupted no longer prevents the next one. */
const maxChangeMs = 10_000;

/**
 * How long a change waits for one at another instance, from its call on, and the longest pause between two attempts to
 * begin, in milliseconds. A busy machine may run one instance and not the other for a while.
 */
const maxWaitMs = 5000;
const maxPauseMs = 50;

/** Number of ids in a trace event. */
const maxReportedIds = 20;

/** The members of the server that the repositories need. */
type RepositoryOwner =
  & Pick<HostedServer, "store" | "now" | "randomBytes" | "trace">
  & Pick<ServerClients, "recordPrefix">;

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

/** A parsed entry of the store, and its JSON: the item stays the same object as long as the JSON stays the same. */
interface ParsedEntry<Item> {
  readonly json: string;
  /** `undefined` if the settings of this server reject the entry. */
  readonly item: Item | undefined;
}

/** Creates the repositories of a server with a persistent store. */
export function storedRepositories(owner: RepositoryOwner): StoredRepositories {
  const pendingWrites = new Map<string, PendingWrite>();
  const starts: (() => Promise<void>)[] = [];
  return {
    create<Input, Item>(configured: readonly Input[], definition: EntryDefinition<Input, Item>) {
      const inMemory = memoryRepository(configured, definition, () => newGeneration(owner));
      const ids = new Set(inMemory.known().keys());
      starts.push(() => reportStored(owner, definition.kind, [...ids]));
      return storedRepository<Input, Item>(inMemory, ids, definition, owner, pendingWrites);
    },
    async start() {
      try {
        for (const start of starts) await start();
      } catch (cause) {
        owner.trace({ type: "internal_error", at: owner.now(), endpoint: "changes", cause });
      }
    },
    async waitForWrites() {
      await Promise.all([...pendingWrites.values()].map(({ ended }) => ended));
    },
  };
}

/** Random, because tokens outlive the process. */
function newGeneration({ randomBytes }: RepositoryOwner): string {
  return encodeBase64url(randomBytes(6));
}

/** The last write of an entry that has not ended. Its promises never reject. */
interface PendingWrite {
  readonly ended: Promise<unknown>;
  /** Resolves as soon as it, or a write of the entry before it, waits for another instance. */
  readonly waits: Promise<unknown>;
}

/**
 * Runs a write after all earlier ones of its entry, whether they succeeded or failed.
 *
 * @param operation Receives a function to call when it begins to wait for another instance.
 */
function inTurn<T>(
  pending: Map<string, PendingWrite>,
  entry: string,
  operation: (waits: () => void) => Promise<T>,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const previous = pending.get(entry);
  const result = (previous?.ended ?? Promise.resolve()).then(() => operation(resolve));
  const write: PendingWrite = {
    ended: result.catch(() => {}).then(() => pending.get(entry) === write && pending.delete(entry)),
    waits: previous === undefined ? promise : Promise.race([promise, previous.waits]),
  };
  pending.set(entry, write);
  return result;
}

/** Waits until a write has ended or waits for another instance: no read waits for that. */
async function endOrWait(write: PendingWrite | undefined): Promise<void> {
  if (write !== undefined) await Promise.race([write.ended, write.waits]);
}

function changedElsewhere(kind: string, id: string): StoreError {
  return new StoreError({
    location: `${kind} ${id}`,
    expected: "no other change at the same time",
    received: "one at another instance",
    hint: "try again in ten seconds",
  });
}

function storedRepository<Input, Item>(
  configured: ReturnType<typeof memoryRepository<Input, Item>>,
  configuredIds: ReadonlySet<string>,
  definition: EntryDefinition<Input, Item>,
  owner: RepositoryOwner,
  pendingWrites: Map<string, PendingWrite>,
): ServerRepository<Input, Item> {
  const { now, trace, recordPrefix: prefix } = owner;
  const store = entryStore(owner);
  const { kind, idOf, parse, generationOf, assignGeneration } = definition;
  const by = newGeneration(owner);
  const parsed = boundedCache<ParsedEntry<Item>>(maxParsedEntries);
  const removalCauses = boundedCache<string>(maxParsedEntries);
  /** The default entry, unless it is configured. */
  let defaultId: string | undefined;
  let known: { readonly configured: ReadonlyMap<string, Item>; readonly all: ReadonlyMap<string, Item> } | undefined;

  /** Parses a record and keeps it; `undefined` if there is none, or it does not apply. */
  function read(id: string, record: StoredRecord<RegisteredRecord> | undefined): Item | undefined {
    const former = parsed.get(id);
    const entry = record && parseRecord(record, former);
    if (entry !== undefined) parsed.set(id, entry);
    else if (former !== undefined) parsed.delete(id);
    if (entry?.item !== former?.item) known = undefined;
    return entry?.item;
  }

  function parseRecord(
    { value, expiresAt }: StoredRecord<RegisteredRecord>,
    former: ParsedEntry<Item> | undefined,
  ): ParsedEntry<Item> | undefined {
    if (expiresAt < Infinity && !(definition.acceptsExpiring && now() < expiresAt)) return undefined;
    const json = JSON.stringify(value);
    if (former?.json === json) return former;
    try {
      const item = parse(value.entry as Input);
      if (value.generation !== undefined) assignGeneration(item, value.generation);
      return { json, item };
    } catch (cause) {
      trace({ type: "internal_error", at: now(), endpoint: "changes", cause });
      return { json, item: undefined };
    }
  }

  /** Reads an entry of the store. Only a write may call it directly, because `find` waits for the writes of the id. */
  const load = async (id: string) => read(id, await store.get(kind, prefix + id));

  /** Runs the writes of an id in the order of the calls. */
  const write = <T>(id: string, operation: (waits: () => void) => Promise<T>) =>
    inTurn(pendingWrites, `${kind} ${id}`, operation);

  /**
   * Runs a write while no other instance runs one for the id. Otherwise a change that began with an older record could
   * undo another one, or add a removed entry again.
   *
   * @throws {StoreError} If the change of another instance does not end, or was interrupted in the last ten seconds.
   */
  const writeAlone = <T>(id: string, operation: () => Promise<T>) => {
    const calledAt = timers.elapsed();
    return write(id, async (waits) => {
      const mark = await sha256(`${kind} ${prefix}${id}`);
      const begin = async () => await store.add("change", mark, { by }, { expiresAt: now() + maxChangeMs });
      for (let attempt = 1; !await begin(); attempt++) {
        const other = await store.get("change", mark);
        // The writes of this repository run one after another, so a mark of its own was left by a failure.
        if (other?.value.by === by || other !== undefined && other.expiresAt <= now()) {
          await store.delete("change", mark);
          continue;
        }
        if (timers.elapsed() - calledAt > maxWaitMs) throw changedElsewhere(kind, id);
        waits();
        await delay(Math.min(attempt, maxPauseMs));
      }
      try {
        return await operation();
      } finally {
        // The write has ended. A mark that stays expires.
        await store.delete("change", mark).catch(() => {});
      }
    });
  };

  /** The record of an entry, with the generation of the entry that it replaces, or a new one if it replaces none. */
  async function toRecord(input: Input, former: Item | undefined): Promise<Required<RegisteredRecord>> {
    const generation = (former && generationOf(former)) ?? newGeneration(owner);
    return { entry: await definition.serialize(input), generation };
  }

  /** Writes an entry that may replace another one. Only a write may call it. */
  async function replace(id: string, input: Input, item: Item, former: Item | undefined): Promise<Item> {
    const value = await toRecord(input, former);
    await store.put(kind, prefix + id, value, { expiresAt: Infinity });
    return written(id, item, value, former);
  }

  /** Keeps an entry that was just written. */
  function written(id: string, item: Item, value: Required<RegisteredRecord>, former?: Item): Item {
    assignGeneration(item, value.generation);
    parsed.set(id, { json: JSON.stringify(value), item });
    known = undefined;
    definition.changed?.(former, item);
    return item;
  }

  async function findStored(id: string): Promise<Item | undefined> {
    await endOrWait(pendingWrites.get(`${kind} ${id}`));
    return await load(id);
  }

  async function list({ after, limit = Infinity }: PageOptions = {}): Promise<readonly Item[]> {
    const first = defaultId === undefined ? undefined : await findStored(defaultId);
    const head = new Map([...first === undefined ? [] : [[defaultId!, first] as const], ...configured.known()]);
    const position = after === undefined ? 0 : [...head.keys()].indexOf(after) + 1;
    const isInHead = after === undefined || position > 0;
    const page = isInHead ? [...head.values()].slice(position, position + limit) : [];
    await Promise.all([...pendingWrites.values()].map(endOrWait));
    let cursor = isInHead ? undefined : prefix + after;
    while (page.length < limit) {
      const pageSize = Math.min(limit, maxPageSize);
      const records = await store.list(kind, { prefix, after: cursor, limit: pageSize });
      for (const record of records) {
        const id = record.id.slice(prefix.length);
        const item = configuredIds.has(id) || id === defaultId ? undefined : read(id, record);
        if (item !== undefined && page.length < limit) page.push(item);
      }
      if (records.length < pageSize) break;
      cursor = records.at(-1)!.id;
    }
    return page;
  }

  const repository: ServerRepository<Input, Item> = {
    find: (id) => configuredIds.has(id) ? configured.find(id) : findStored(id),
    list,
    async count() {
      await Promise.all([...pendingWrites.values()].map(endOrWait));
      return configured.count() + await store.count(kind, prefix);
    },
    set(input) {
      const item = parse(input);
      const id = idOf(item);
      if (configuredIds.has(id)) return configured.set(input);
      return write(id, async () => await replace(id, input, item, await load(id)));
    },
    update(id, change) {
      if (configuredIds.has(id)) return configured.update(id, change);
      return writeAlone(id, async () => {
        const former = await load(id);
        const input = former && await change(former);
        return input === undefined ? undefined : await replace(id, input, parse(input), former);
      });
    },
    add(input, expiresAt) {
      const item = parse(input);
      const id = idOf(item);
      if (configuredIds.has(id)) return undefined;
      return write(id, async () => {
        if (await load(id) !== undefined) return undefined;
        const value = await toRecord(input, undefined);
        if (!await store.add(kind, prefix + id, value, { expiresAt })) {
          // Another instance has just added one, or the record of the id has expired.
          if (await load(id) !== undefined) return undefined;
          await store.put(kind, prefix + id, value, { expiresAt });
        }
        return written(id, item, value);
      });
    },
    delete(id, by = "its removal") {
      if (configuredIds.has(id)) return configured.delete(id, by);
      return writeAlone(id, async () => {
        const former = await load(id);
        if (former === undefined) return false;
        await store.delete(kind, prefix + id);
        read(id, undefined);
        removalCauses.set(id, by);
        if (id === defaultId) defaultId = undefined;
        definition.changed?.(former, undefined);
        return true;
      });
    },
    removedBy: (id) => configured.removedBy(id) ?? removalCauses.get(id),
    known() {
      const ofConfiguration = configured.known();
      if (known?.configured !== ofConfiguration) {
        const stored = [...parsed.values()].flatMap(({ item }) =>
          item === undefined ? [] : [[idOf(item), item] as const]
        );
        known = { configured: ofConfiguration, all: new Map([...ofConfiguration, ...stored]) };
      }
      return known.all;
    },
    persists: (id) => !configuredIds.has(id),
    async readAsIfStored(id) {
      if (configuredIds.has(id)) await store.get(kind, prefix + id);
    },
    async makeDefault(id) {
      if (configuredIds.has(id)) {
        if (!configured.makeDefault(id)) return false;
        defaultId = undefined;
        return true;
      }
      if (await findStored(id) === undefined) return false;
      defaultId = id;
      return true;
    },
    async restore(inputs, by) {
      const added = (await list()).map(idOf).filter((id) => !configuredIds.has(id));
      configured.restore(inputs, by);
      for (const id of added) await repository.delete(id, by);
    },
  };
  return repository;
}

/** Deletes the entries of the store whose ids are configured, and traces which others it has. */
async function reportStored(
  owner: RepositoryOwner,
  kind: "client" | "user",
  configuredIds: readonly string[],
): Promise<void> {
  const { now, trace, recordPrefix: prefix } = owner;
  const store = entryStore(owner);
  if (await store.count(kind, prefix) === 0) return;
  // Otherwise they would apply again, with old secrets, as soon as the ids are no longer configured.
  for (let i = 0; i < configuredIds.length; i += maxParallelReads) {
    await Promise.all(
      configuredIds.slice(i, i + maxParallelReads).map(async (id) => {
        if (await store.get(kind, prefix + id) === undefined) return;
        await store.delete(kind, prefix + id);
        warn(owner, kind === "client" ? id : undefined, {
          rule: "OP-10",
          reason: `the ${kind} ${quote(id)} is configured, so its entry in the store was deleted`,
          expected: `the ${kind} in the configuration or in the store`,
          received: "both",
        });
      }),
    );
  }
  const records = await store.list(kind, { prefix, limit: maxReportedIds });
  const ids = records.filter(({ expiresAt }) => expiresAt === Infinity).map(({ id }) => id.slice(prefix.length));
  if (ids.length === 0) return;
  const more = ids.length === maxReportedIds ? await store.count(kind, prefix) - ids.length : 0;
  trace({ type: "stored_entries", at: now(), of: `${kind}s`, ids, ...more > 0 && { more } });
}
