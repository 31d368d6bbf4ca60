/** What was changed of clients and users while servers ran: numbered records that all instances on one store replay. */

import type { ChangeRecord, Store } from "../../store/store.ts";

/** A change that was told and is not written yet; its digests take a moment. */
type PendingChange = ChangeRecord | Promise<ChangeRecord>;

/** The client or user that a change applies to. */
export type ChangeTarget = Pick<ChangeRecord, "of" | "id">;

/** The changes of one issuer. */
export interface ChangeLog {
  /** Takes over what other instances have written until now. */
  refresh(): Promise<void>;
  /** Writes a change soon, and again and again while the store fails. */
  append(change: PendingChange): void;
  /** Waits until everything told so far is written; rejects when the store fails. */
  flush(): Promise<void>;
  /** Receives every valid change, including this instance's own, in the order that all instances share. */
  subscribe(of: ChangeRecord["of"], listener: (change: Change) => void): void;
}

/** A change, without records about the configuration. */
export type Change = Exclude<ChangeRecord, { verb: "configured" }>;

/** The configured entries that changes are based on, and a callback for changes based on other entries. */
interface ConfiguredEntries {
  /** The digest of the configured entry of a client or user; `""` if it has none. */
  entryDigest(subject: ChangeTarget): Promise<string>;
  /** Creates a random mark for a change. */
  readonly randomMark: () => string;
  /** Called for each change that is dropped because it is based on another configured entry. */
  readonly onDropped: (subject: ChangeTarget) => void;
}

/** Records that are read at once by an instance that is far behind. */
const maxParallelReads = 32;

/**
 * Changes that live in a store. Each has a number, and the one that adds the next number decides, as with signing keys:
 * so every instance meets the same changes in the same order, and none is lost between two who write at once.
 *
 * A change is valid only while its client or user has the configured entry that the change was based on. The first
 * start with a different entry writes a `configured` record. That record invalidates all earlier changes based on other
 * entries, even if an old entry is configured again later. A start with an earlier entry writes no record, because it
 * may be a late start in a rolling update.
 */
export function storedChangeLog(
  store: Store,
  issuer: string,
  { entryDigest, randomMark, onDropped }: ConfiguredEntries,
): ChangeLog {
  const listeners = new Map<ChangeRecord["of"], (change: Change) => void>();
  /** What each client and user was last said to be, so that a program that says the same at each start adds nothing. */
  const latestContent = new Map<string, string>();
  const pending: PendingChange[] = [];
  /** The mark of the first that waits, once it may be written, known or not: an answer can be lost. */
  let attemptedMark: string | undefined;
  let nextNumber = 0;
  let started = false;
  let running: Promise<void> | undefined;

  const recordId = (number: number) => `${issuer} ${number}`;

  function apply(change: ChangeRecord): void {
    if (change.mark === attemptedMark) {
      pending.shift();
      attemptedMark = undefined;
    }
    latestContent.set(targetKey(change), changeContent(change));
    if (change.verb !== "configured") listeners.get(change.of)?.(change);
  }

  async function readNew(): Promise<void> {
    const records: ChangeRecord[] = [];
    for (let batchSize = 1, isMore = true; isMore; batchSize = Math.min(batchSize * 2, maxParallelReads)) {
      const numbers = Array.from({ length: batchSize }, (_, i) => nextNumber + records.length + i);
      for (const record of await Promise.all(numbers.map((number) => store.get("change", recordId(number))))) {
        if (record === undefined) {
          isMore = false;
          break;
        }
        records.push(record.value);
      }
    }
    const valid = await selectValid(records);
    nextNumber += records.length;
    for (const change of valid) apply(change);
  }

  /** The valid changes, in order; at the start the configuration replaces all others permanently. */
  async function selectValid(records: readonly ChangeRecord[]): Promise<readonly ChangeRecord[]> {
    const valid: ChangeRecord[] = [];
    /** Subjects that a later record lists with another configured entry. */
    const replaced = new Set<string>();
    /** Subjects that a record lists with the entry that is configured now. */
    const current = new Set<string>();
    const otherwiseConfigured = new Map<string, ChangeRecord>();
    for (const change of records.toReversed()) {
      const target = targetKey(change);
      const isCurrent = change.over === await entryDigest(change);
      if (isCurrent) current.add(target);
      else if (!otherwiseConfigured.has(target)) otherwiseConfigured.set(target, change);
      if (change.verb === "configured" && !isCurrent) replaced.add(target);
      // A change without a digest has an unknown basis: only a removal is valid, because it grants nothing.
      const isValid = change.over === undefined
        ? change.verb === "delete" && otherwiseConfigured.get(target) === change && !current.has(target)
        : isCurrent && !replaced.has(target);
      if (isValid) valid.push(change);
      else if (started && !isCurrent && change.verb !== "configured") onDropped(change);
    }
    valid.reverse();
    if (started) return valid;
    started = true;
    for (const [target, last] of otherwiseConfigured) {
      if (current.has(target)) continue;
      const { of, id } = last;
      const isKept = valid.includes(last);
      if (!isKept) onDropped(last);
      pending.push({ of, id, mark: randomMark(), verb: isKept ? "delete" : "configured" });
    }
    return valid;
  }

  async function writePending(): Promise<void> {
    await readNew();
    for (let first = pending[0]; first !== undefined; first = pending[0]) {
      const pendingChange = await first;
      const change = { ...pendingChange, over: await entryDigest(pendingChange) };
      attemptedMark = change.mark;
      // Who stands in front depends on what was said since.
      if (change.verb !== "first" && latestContent.get(targetKey(change)) === changeContent(change)) {
        apply(change);
      } else if (await store.add("change", recordId(nextNumber), change, { expiresAt: Infinity })) {
        nextNumber++;
        apply(change);
      } else {
        attemptedMark = undefined;
        await readNew();
      }
    }
  }

  const run = () => running ??= writePending().finally(() => running = undefined);

  return {
    async refresh() {
      // What is under way may have looked before the change that is wanted was written.
      await running?.catch(() => {});
      await run();
    },
    append(change) {
      pending.push(change);
      // Told again by whoever waits for it, or by the next one who catches up.
      run().catch(() => {});
    },
    async flush() {
      await running?.catch(() => {});
      if (pending.length > 0) await run();
    },
    subscribe(of, listener) {
      listeners.set(of, listener);
    },
  };
}

/** Whom a change is about. */
function targetKey({ of, id }: ChangeTarget): string {
  return `${of} ${id}`;
}

/** What a change says, without its mark. */
function changeContent({ mark: _, ...content }: ChangeRecord): string {
  return JSON.stringify(content);
}
