/** Connects the repositories of a server with its store: overrides are read at start, and then twice a second. */

import type { ListedRecord, OverrideRecord, RecordKind, Store } from "../../../platform/store/store.ts";
import { encodeBase64url } from "../../../platform/runtime/crypto.ts";
import { quote } from "../../config/config_issue.ts";
import { resolveSettings } from "../../config/resolve_settings.ts";
import type { SettingsExtension } from "../../config/extension_settings.ts";
import type { ProgramSettings } from "../../config/settings.ts";
import { warn } from "../notes.ts";
import type { Server } from "../server.ts";
import type { TraceEvent } from "../trace.ts";
import { type SecretOwner, serverSecret } from "../session/session.ts";
import { configuredEntryDigests } from "./configured_entry_digests.ts";
import { listAll } from "./override_records.ts";
import { recordPrefix } from "./repository.ts";

/** How a repository receives the overrides. */
interface OverrideListener {
  readonly kind: "client" | "user";
  configuredIds(): Iterable<string>;
  /** Parses the overrides; the function that it returns applies them. */
  prepare(
    overrides: readonly ListedRecord<OverrideRecord>[],
    /** For each override, the digest of the entry that is configured now. */
    currentDigests: readonly string[],
  ): Promise<() => void>;
  /** Receives the number of records that have the id of a configured entry, and are therefore not in effect. */
  hide(records: number): void;
  /** The configured ids that the overrides replace and remove. */
  describe(): Pick<StoredChanges, "replaced" | "removed">;
}

type StoredChanges = Extract<TraceEvent, { type: "stored_changes" }>;

/** The store, as the repositories of one server use it. */
export interface RecordSource {
  readonly store: Store;
  readonly now: () => number;
  /** The prefix of the ids of this issuer's records. */
  readonly prefix: string;
  /** When this instance started, in milliseconds by the server's clock. */
  readonly startedAt: number;
  /** The digest of the configured entry of an id; `""` if it is not configured. */
  entryDigest(kind: "client" | "user", id: string): Promise<string>;
  /** A counter that grows when a write begins and when it ends. A value that was read before may be outdated. */
  writes(): number;
  /** Runs writes one after the other, in the order of the calls. */
  write<T>(operation: () => Promise<T>): Promise<T>;
  subscribe(listener: OverrideListener): void;
  /** A random text that distinguishes an entry from earlier entries with the same id. */
  newGeneration(): string;
  /** Traces an entry of the store that is invalid under the settings of this server; once for each key. */
  onInvalid(key: string, cause: unknown): void;
  /** Reads the overrides now. */
  refresh(): Promise<void>;
  /** Reads the overrides, and traces how they differ from the configuration. Never rejects. */
  start(): Promise<void>;
  /** Interval of {@link RecordSource.refreshIfDue}, in milliseconds by the server's clock. */
  readonly refreshIntervalMs: number;
  /**
   * Reads the overrides if the last read was an interval ago. Returns the read under way if the last complete one is
   * that old; it never rejects.
   */
  refreshIfDue(): Promise<void> | undefined;
  /** Whether writes are under way. */
  isWriting(): boolean;
  /** Waits for pending writes. */
  waitForWrites(): Promise<void>;
}

const refreshIntervalMs = 500;

/** Number of records that are read in parallel. */
const maxParallelReads = 32;

/** Number of ids in a trace event. */
const maxReportedIds = 20;

/** Maximum number of reads of the overrides: each write of this instance meanwhile causes another read. */
const maxAttempts = 5;

/** Creates the source for a server with these settings. */
export function recordSource(
  settings: ProgramSettings,
  owner: SecretOwner & Pick<Server, "now" | "trace">,
  extensions: readonly SettingsExtension[],
): RecordSource {
  const { store, now, trace } = owner;
  const issuer = settings.issuer ?? "";
  const prefix = recordPrefix(settings);
  const entryDigest = configuredEntryDigests(owner, resolveSettings(settings, issuer, extensions));
  const startedAt = now();
  const listeners: OverrideListener[] = [];
  const reportedKeys = new Set<string>();
  let lastWrite: Promise<unknown> = Promise.resolve();
  let writes = 0;
  let pendingWrites = 0;
  let isStarted = false;
  let isFailing = false;
  let lastRefreshAt = now();
  /** When the last complete read began. */
  let readAt = now();
  let running: Promise<void> | undefined;

  function onInvalid(key: string, cause: unknown): void {
    if (reportedKeys.has(key)) return;
    reportedKeys.add(key);
    trace({ type: "internal_error", at: now(), endpoint: "changes", cause });
  }

  function onDropped(of: "client" | "user", id: string): void {
    warn(owner, of === "client" ? id : undefined, {
      rule: "OP-10",
      reason: `a change at run time was dropped: ${of} ${quote(id)}`,
      expected: "the configuration entry that the change was made to",
      received: "a changed or removed entry",
    });
  }

  async function readOverrides() {
    const overrides = await listAll(store, "override", prefix);
    const digests = await Promise.all(overrides.map(({ value }) => entryDigest(value.of, value.id)));
    return { overrides, digests };
  }

  type Overrides = Awaited<ReturnType<typeof readOverrides>>;

  async function applyOverrides({ overrides, digests }: Overrides): Promise<boolean> {
    const writesBefore = writes;
    const applications = [];
    for (const listener of listeners) applications.push(await listener.prepare(overrides, digests));
    if (writes !== writesBefore) return false;
    for (const apply of applications) apply();
    return true;
  }

  async function poll(): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const writesBefore = writes;
      const read = await readOverrides();
      if (writes !== writesBefore || !await applyOverrides(read)) continue;
      for (const [i, { id, value, consumedAt }] of read.overrides.entries()) {
        if (value.basis === read.digests[i] || consumedAt !== undefined || reportedKeys.has(id)) continue;
        reportedKeys.add(id);
        onDropped(value.of, value.id);
      }
      return;
    }
  }

  async function startUp(): Promise<void> {
    // Timing attack: the first failed login of a configured client or user must not load the key of the digests.
    await serverSecret(owner, "configuration");
    const read = await readOverrides();
    for (const { id } of read.overrides) reportedKeys.add(id);
    await dropOutdated(read);
    await applyOverrides(await readOverrides());
    isStarted = true;
    for (const { kind, describe } of listeners) await reportDifferences(kind, describe());
  }

  /**
   * Drops changes whose configured entry was changed or removed since. It keeps them if another change is based on the
   * present entry: this instance may then have started late with a former configuration (rolling update). A dropped
   * record is consumed, so that running instances keep using it, and later starts ignore it.
   */
  async function dropOutdated({ overrides, digests }: Overrides): Promise<void> {
    const current = new Set<string>();
    const outdated = new Map<string, { of: "client" | "user"; id: string; records: [RecordKind, string][] }>();
    const add = (of: "client" | "user", id: string, kind: RecordKind, recordId: string) => {
      const target = outdated.get(`${of} ${id}`) ?? { of, id, records: [] };
      target.records.push([kind, recordId]);
      outdated.set(`${of} ${id}`, target);
    };
    for (const [i, { id, value, consumedAt }] of overrides.entries()) {
      if (value.basis === digests[i]) current.add(`${value.of} ${value.id}`);
      else if (consumedAt === undefined) add(value.of, value.id, "override", id);
    }
    for (const { kind, configuredIds, hide } of listeners) {
      if (await store.count(kind, prefix) === 0) continue;
      const ids = [...configuredIds()];
      let hidden = 0;
      for (let i = 0; i < ids.length; i += maxParallelReads) {
        await Promise.all(
          ids.slice(i, i + maxParallelReads).map(async (id) => {
            const record = await store.get(kind, prefix + id);
            if (record === undefined) return;
            hidden++;
            if (record.consumedAt === undefined) add(kind, id, kind, prefix + id);
          }),
        );
      }
      hide(hidden);
    }
    const sorted = [...outdated].sort(([a], [b]) => a < b ? -1 : 1);
    for (const [target, { of, id, records }] of sorted) {
      if (current.has(target)) continue;
      onDropped(of, id);
      for (const [kind, recordId] of records) await store.consume(kind, recordId, now());
    }
  }

  async function reportDifferences(
    kind: "client" | "user",
    { replaced, removed }: Pick<StoredChanges, "replaced" | "removed">,
  ): Promise<void> {
    const listener = listeners.find((listener) => listener.kind === kind)!;
    const configured = new Set(listener.configuredIds());
    const records = await store.list(kind, { prefix, limit: maxReportedIds + configured.size });
    const added = records.filter(({ expiresAt, consumedAt }) => expiresAt === Infinity && consumedAt === undefined)
      .map(({ id }) => id.slice(prefix.length)).filter((id) => !configured.has(id)).slice(0, maxReportedIds);
    if (replaced.length + removed.length + added.length === 0) return;
    const total = await store.count(kind, prefix);
    trace({
      type: "stored_changes",
      at: now(),
      of: `${kind}s`,
      replaced,
      removed,
      added,
      ...added.length === maxReportedIds && total > added.length && { moreAdded: total - added.length },
    });
  }

  /** A failure is traced once, until a read succeeds. */
  async function refresh(): Promise<void> {
    const startedAt = lastRefreshAt = now();
    try {
      await (isStarted ? poll() : startUp());
      isFailing = false;
    } catch (cause) {
      if (!isFailing) trace({ type: "internal_error", at: now(), endpoint: "changes", cause });
      isFailing = true;
    }
    readAt = startedAt;
  }

  const run = () => running ??= refresh().finally(() => running = undefined);

  return {
    store,
    now,
    prefix,
    startedAt,
    entryDigest,
    writes: () => writes,
    write(operation) {
      pendingWrites++;
      const result = lastWrite.then(async () => {
        writes++;
        try {
          return await operation();
        } finally {
          writes++;
          pendingWrites--;
        }
      });
      lastWrite = result.catch(() => {});
      return result;
    },
    isWriting: () => pendingWrites > 0,
    newGeneration: () => encodeBase64url(owner.randomBytes(6)),
    subscribe: (listener) => void listeners.push(listener),
    onInvalid,
    async refresh() {
      // The read under way may have begun before the change that the caller waits for.
      await running;
      await run();
    },
    start: run,
    refreshIntervalMs,
    refreshIfDue() {
      if (Math.abs(now() - lastRefreshAt) >= refreshIntervalMs) run();
      return Math.abs(now() - readAt) >= refreshIntervalMs ? running : undefined;
    },
    async waitForWrites() {
      if (pendingWrites > 0) await lastWrite;
    },
  };
}
