/** What was changed of clients and users while servers ran: numbered records that all instances on one store replay. */

import type { ChangeRecord, Store } from "../../store/store.ts";

/** A change that was told and is not written yet; its digests take a moment. */
export type Told = ChangeRecord | Promise<ChangeRecord>;

/** The client or user that a change applies to. */
export type Subject = Pick<ChangeRecord, "of" | "id">;

/** The changes of one issuer. */
export interface Changes {
  /** Takes over what other instances have written until now. */
  catchUp(): Promise<void>;
  /** Writes a change soon, and again and again while the store fails. */
  tell(change: Told): void;
  /** Waits until everything told so far is written; rejects when the store fails. */
  written(): Promise<void>;
  /** Receives every valid change, including this instance's own, in the order that all instances share. */
  hear(of: ChangeRecord["of"], listener: (change: Change) => void): void;
}

/** A change, without records about the configuration. */
export type Change = Exclude<ChangeRecord, { verb: "configured" }>;

/** The configured entries that changes are based on, and a callback for changes based on other entries. */
export interface Configured {
  /** The digest of the configured entry of a client or user; `""` if it has none. */
  entry(subject: Subject): Promise<string>;
  /** Creates a random mark for a change. */
  readonly mark: () => string;
  /** Called for each change that is dropped because it is based on another configured entry. */
  readonly dropped: (subject: Subject) => void;
}

/** Records that are read at once by an instance that is far behind. */
const ahead = 32;

/**
 * Changes that live in a store. Each has a number, and the one that adds the next number decides, as with signing keys:
 * so every instance meets the same changes in the same order, and none is lost between two who write at once.
 *
 * A change is valid only while its client or user has the configured entry that the change was based on. The first
 * start with a different entry writes a `configured` record. That record invalidates all earlier changes based on other
 * entries, even if an old entry is configured again later. A start with an earlier entry writes no record, because it
 * may be a late start in a rolling update.
 */
export function storedChanges(store: Store, issuer: string, { entry, mark, dropped }: Configured): Changes {
  const listeners = new Map<ChangeRecord["of"], (change: Change) => void>();
  /** What each client and user was last said to be, so that a program that says the same at each start adds nothing. */
  const said = new Map<string, string>();
  const waiting: Told[] = [];
  /** The mark of the first that waits, once it may be written, known or not: an answer can be lost. */
  let attempted: string | undefined;
  let next = 0;
  let started = false;
  let working: Promise<void> | undefined;

  const nameOf = (number: number) => `${issuer} ${number}`;

  function take(change: ChangeRecord): void {
    if (change.mark === attempted) {
      waiting.shift();
      attempted = undefined;
    }
    said.set(subjectOf(change), meaningOf(change));
    if (change.verb !== "configured") listeners.get(change.of)?.(change);
  }

  async function read(): Promise<void> {
    const found: ChangeRecord[] = [];
    for (let many = 1, isMore = true; isMore; many = Math.min(many * 2, ahead)) {
      const numbers = Array.from({ length: many }, (_, i) => next + found.length + i);
      for (const record of await Promise.all(numbers.map((number) => store.get("change", nameOf(number))))) {
        if (record === undefined) {
          isMore = false;
          break;
        }
        found.push(record.value);
      }
    }
    const counting = await judge(found);
    next += found.length;
    for (const change of counting) take(change);
  }

  /** The valid changes, in order; at the start the configuration replaces all others permanently. */
  async function judge(found: readonly ChangeRecord[]): Promise<readonly ChangeRecord[]> {
    const counting: ChangeRecord[] = [];
    /** Subjects that a later record lists with another configured entry. */
    const replaced = new Set<string>();
    /** Subjects that a record lists with the entry that is configured now. */
    const current = new Set<string>();
    const others = new Map<string, ChangeRecord>();
    for (const change of found.toReversed()) {
      const subject = subjectOf(change);
      const isCurrent = change.over === await entry(change);
      if (isCurrent) current.add(subject);
      else if (!others.has(subject)) others.set(subject, change);
      if (change.verb === "configured" && !isCurrent) replaced.add(subject);
      // A change without a digest has an unknown basis: only a removal is valid, because it grants nothing.
      const counts = change.over === undefined
        ? change.verb === "delete" && others.get(subject) === change && !current.has(subject)
        : isCurrent && !replaced.has(subject);
      if (counts) counting.push(change);
      else if (started && !isCurrent && change.verb !== "configured") dropped(change);
    }
    counting.reverse();
    if (started) return counting;
    started = true;
    for (const [subject, last] of others) {
      if (current.has(subject)) continue;
      const { of, id } = last;
      const stays = counting.includes(last);
      if (!stays) dropped(last);
      waiting.push({ of, id, mark: mark(), verb: stays ? "delete" : "configured" });
    }
    return counting;
  }

  async function work(): Promise<void> {
    await read();
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const told = await first;
      const change = { ...told, over: await entry(told) };
      attempted = change.mark;
      // Who stands in front depends on what was said since.
      if (change.verb !== "first" && said.get(subjectOf(change)) === meaningOf(change)) {
        take(change);
      } else if (await store.add("change", nameOf(next), change, { expiresAt: Infinity })) {
        next++;
        take(change);
      } else {
        attempted = undefined;
        await read();
      }
    }
  }

  const run = () => working ??= work().finally(() => working = undefined);

  return {
    async catchUp() {
      // What is under way may have looked before the change that is wanted was written.
      await working?.catch(() => {});
      await run();
    },
    tell(change) {
      waiting.push(change);
      // Told again by whoever waits for it, or by the next one who catches up.
      run().catch(() => {});
    },
    async written() {
      await working?.catch(() => {});
      if (waiting.length > 0) await run();
    },
    hear(of, listener) {
      listeners.set(of, listener);
    },
  };
}

/** Whom a change is about. */
function subjectOf({ of, id }: Subject): string {
  return `${of} ${id}`;
}

/** What a change says, without its mark. */
function meaningOf({ mark: _, ...meaning }: ChangeRecord): string {
  return JSON.stringify(meaning);
}
