/**
 * Repositories on a persistent store: configured entries in memory, the others in the store. Each call reads the store,
 * so that every instance sees the changes of the others. A change replaces the record that it has read, or begins
 * again. In one process the writes of one id run one after another.
 */

import { encodeBase64url } from "../../core/keys/crypto.ts";
import { again, changeRecord } from "../../core/store/change.ts";
import type { StoredRecord } from "../../core/store/store.ts";
import { quote } from "../config/config_issue.ts";
import { boundedCache } from "../../platform/bounded_cache.ts";
import { warn } from "../trace.ts";
import type { HostedServer } from "../hosted_server.ts";
import { storeOf } from "../stored/records.ts";
import { configuredAndStoredFix } from "./client_texts.ts";
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
}>;

/** Number of entries of the store that are kept parsed; the older half is evicted as a whole. */
const maxParsedEntries = 10_000;

/** Maximum number of records that are read at a time. */
const maxPageSize = 1000;

/** Number of records that are read in parallel at the start. */
const maxParallelReads = 32;

/** Number of ids in a trace event. */
const maxReportedIds = 20;

/** The members of the server that the repositories need. */
type RepositoryOwner =
  & Pick<HostedServer, "store" | "now" | "randomBytes" | "trace">
  & Pick<ServerClients, "recordPrefix">;

export interface StoredRepositories {
  readonly create: CreateRepository;
  /**
   * Deletes the entries of the store whose ids are configured, and traces which others it has. Never rejects: it traces
   * a failure.
   */
  start(): Promise<void>;
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
  /** The last write of each entry that has not ended. These promises never reject. */
  const pendingWrites = new Map<string, Promise<unknown>>();
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
      await Promise.all(pendingWrites.values());
    },
  };
}

/** Random, because tokens outlive the process. */
function newGeneration({ randomBytes }: RepositoryOwner): string {
  return encodeBase64url(randomBytes(6));
}

/** Runs a write after all earlier ones of its entry, whether they succeeded or failed. */
function inTurn<T>(pending: Map<string, Promise<unknown>>, entry: string, operation: () => Promise<T>): Promise<T> {
  const result = (pending.get(entry) ?? Promise.resolve()).then(operation);
  const ended: Promise<unknown> = result.catch(() => {})
    .then(() => pending.get(entry) === ended && pending.delete(entry));
  pending.set(entry, ended);
  return result;
}

function storedRepository<Input, Item>(
  configured: ReturnType<typeof memoryRepository<Input, Item>>,
  configuredIds: ReadonlySet<string>,
  definition: EntryDefinition<Input, Item>,
  owner: RepositoryOwner,
  pendingWrites: Map<string, Promise<unknown>>,
): ServerRepository<Input, Item> {
  const { now, trace, recordPrefix: prefix } = owner;
  const store = entryStore(owner);
  const { kind, idOf, parse, generationOf, assignGeneration } = definition;
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

  /** Runs a change, and again as long as another instance has changed the record since it was read. */
  const change = <T>(
    id: string,
    attempt: (
      record: StoredRecord<RegisteredRecord> | undefined,
      former: Item | undefined,
    ) => Promise<T | typeof again>,
  ): Promise<T> =>
    inTurn(pendingWrites, `${kind} ${id}`, () =>
      changeRecord(`${kind} ${id}`, async () => {
        const record = await store.get(kind, prefix + id);
        return await attempt(record, read(id, record));
      }));

  /**
   * Writes an entry in the place of a record that was read, with the generation of the entry that it replaces, or a new
   * one if it replaces none.
   */
  async function write(
    record: StoredRecord<RegisteredRecord> | undefined,
    former: Item | undefined,
    input: Input,
    item = parse(input),
    expiresAt = record?.expiresAt ?? Infinity,
  ): Promise<Item | typeof again> {
    const id = idOf(item);
    const generation = (former && generationOf(former)) ?? newGeneration(owner);
    const value = { entry: await definition.serialize(input), generation };
    const isWritten = record === undefined
      ? await store.add(kind, prefix + id, value, { expiresAt })
      : await store.replace(kind, prefix + id, record.value, value, { expiresAt });
    if (!isWritten) return again;
    assignGeneration(item, generation);
    parsed.set(id, { json: JSON.stringify(value), item });
    known = undefined;
    definition.changed?.(former, item);
    return item;
  }

  async function findStored(id: string): Promise<Item | undefined> {
    await pendingWrites.get(`${kind} ${id}`);
    return read(id, await store.get(kind, prefix + id));
  }

  async function list({ after, limit = Infinity }: PageOptions = {}): Promise<readonly Item[]> {
    const first = defaultId === undefined ? undefined : await findStored(defaultId);
    const head = new Map([...first === undefined ? [] : [[defaultId!, first] as const], ...configured.known()]);
    const position = after === undefined ? 0 : [...head.keys()].indexOf(after) + 1;
    const isInHead = after === undefined || position > 0;
    const page = isInHead ? [...head.values()].slice(position, position + limit) : [];
    await Promise.all(pendingWrites.values());
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
      await Promise.all(pendingWrites.values());
      return configured.count() + await store.count(kind, prefix);
    },
    set(input) {
      const item = parse(input);
      const id = idOf(item);
      if (configuredIds.has(id)) return configured.set(input);
      return change(id, (record, former) => write(record, former, input, item, Infinity));
    },
    update(id, toInput) {
      if (configuredIds.has(id)) return configured.update(id, toInput);
      return change(id, async (record, former) => {
        const input = former && await toInput(former);
        return input && await write(record, former, input);
      });
    },
    add(input, expiresAt) {
      const item = parse(input);
      const id = idOf(item);
      if (configuredIds.has(id)) return undefined;
      return change(
        id,
        async (record, former) =>
          former === undefined ? await write(record, former, input, item, expiresAt) : undefined,
      );
    },
    delete(id, by = "its removal", isDue = () => true) {
      if (configuredIds.has(id)) return configured.delete(id, by, isDue);
      return change(id, async (record, former) => {
        if (former === undefined || !isDue(former)) return false;
        if (!await store.delete(kind, prefix + id, record!.value)) return again;
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
          fix: configuredAndStoredFix,
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
