/** What was changed of clients and users while servers ran: numbered records that all instances on one store replay. */

import type { ChangeRecord, Store } from "../store/store.ts";

/** A change that was told and is not written yet; its digests take a moment. */
export type Told = ChangeRecord | Promise<ChangeRecord>;

/** The changes of one issuer. */
export interface Changes {
  /** Takes over what other instances have written until now. */
  catchUp(): Promise<void>;
  /** Writes a change soon, and again and again while the store fails. */
  tell(change: Told): void;
  /** Waits until everything told so far is written; rejects when the store fails. */
  written(): Promise<void>;
  /** Is given every change, the instance's own included, in the one order in which all instances meet them. */
  hear(of: ChangeRecord["of"], listener: (change: ChangeRecord) => void): void;
}

/** Records that are read at once by an instance that is far behind. */
const ahead = 32;

/**
 * Changes that live in a store. Each has a number, and the one that adds the next number decides, as with signing keys:
 * so every instance meets the same changes in the same order, and none is lost between two who write at once.
 */
export function storedChanges(store: Store, issuer: string): Changes {
  const listeners = new Map<ChangeRecord["of"], (change: ChangeRecord) => void>();
  /** What each client and user was last said to be, so that a program that says the same at each start adds nothing. */
  const said = new Map<string, string>();
  const waiting: Told[] = [];
  /** The mark of the first that waits, once it may be written, known or not: an answer can be lost. */
  let attempted: string | undefined;
  let next = 0;
  let working: Promise<void> | undefined;

  const nameOf = (number: number) => `${issuer} ${number}`;

  function take(change: ChangeRecord): void {
    if (change.mark === attempted) {
      waiting.shift();
      attempted = undefined;
    }
    said.set(subjectOf(change), meaningOf(change));
    listeners.get(change.of)?.(change);
  }

  async function read(): Promise<void> {
    for (let many = 1;; many = Math.min(many * 2, ahead)) {
      const numbers = Array.from({ length: many }, (_, i) => next + i);
      const found = await Promise.all(numbers.map((number) => store.get("change", nameOf(number))));
      for (const entry of found) {
        if (entry === undefined) return;
        next++;
        take(entry.value);
      }
    }
  }

  async function work(): Promise<void> {
    await read();
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const change = await first;
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
function subjectOf({ of, id }: ChangeRecord): string {
  return `${of} ${id}`;
}

/** What a change says, without its mark. */
function meaningOf({ mark: _, ...meaning }: ChangeRecord): string {
  return JSON.stringify(meaning);
}
