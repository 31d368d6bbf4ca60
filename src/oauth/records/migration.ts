/** Migrates what version 0.1 kept: a log of changes, and guest users under digests. */

import type { ChangeRecord, OverrideRecord } from "../../store/store.ts";
import { storageKey } from "../secrets.ts";
import type { Server } from "../server.ts";
import { listAll, overrideId } from "./override_records.ts";

/** Number of records that are read or written in parallel. */
const maxParallelCalls = 32;

/**
 * Turns the change log and the guest users of an issuer into records, then deletes them. Several instances may do so at
 * once, and each may be interrupted: records are only added, and all instances add the same ones. The mark `migration`
 * ends this before the log is deleted and before any instance changes a record; an instance that finds the mark adds
 * nothing more.
 *
 * @param issuer The configured issuer, under which the log was written; `""` if none is configured.
 */
export async function migrateChangeLog(
  owner: Pick<Server, "issuer" | "store" | "now">,
  issuer: string,
  entryDigest: (kind: "client" | "user", id: string) => Promise<string>,
  onDropped: (of: "client" | "user", id: string) => void,
): Promise<void> {
  const { store, now } = owner;
  const mark = await store.get("migration", issuer);
  if (mark?.value.isComplete) return;
  const changes = await readChanges(owner, issuer);
  const guests = await readGuests(owner);
  const forever = { expiresAt: Infinity };
  // Read after the log: an instance writes the mark before it deletes the log.
  if (mark === undefined && await store.get("migration", issuer) === undefined) {
    const { overrides, registered, dropped } = await replay(changes, entryDigest);
    await forEachParallel(registered, ({ kind, id, entry }) => store.add(kind, `${issuer} ${id}`, { entry }, forever));
    await forEachParallel(overrides, (value) => store.add("override", overrideId(`${issuer} `, value), value, forever));
    await forEachParallel(guests, async ({ user, expiresAt, isDeleted }) => {
      if (isDeleted || expiresAt <= now()) return;
      await store.add("user", `${issuer} ${user.sub}`, { entry: user }, { expiresAt });
    });
    for (const { of, id } of dropped) onDropped(of, id);
    await store.put("migration", issuer, { isComplete: false }, forever);
  }
  // From the end: an interrupted deletion leaves a log that still begins with its first change.
  for (let number = changes.length - 1; number >= 0; number--) await store.delete("change", `${issuer} ${number}`);
  await forEachParallel(guests, ({ recordId }) => store.delete("person", recordId));
  await store.put("migration", issuer, { isComplete: true }, forever);
}

async function readChanges({ store }: Pick<Server, "store">, issuer: string): Promise<ChangeRecord[]> {
  const changes: ChangeRecord[] = [];
  for (;;) {
    const numbers = Array.from({ length: maxParallelCalls }, (_, i) => changes.length + i);
    const records = await Promise.all(numbers.map((number) => store.get("change", `${issuer} ${number}`)));
    for (const record of records) {
      if (record === undefined) return changes;
      changes.push(record.value);
    }
  }
}

/** The guest users of this issuer; the id of their record is a digest of issuer and subject. */
async function readGuests({ store, issuer }: Pick<Server, "issuer" | "store">) {
  const guests = [];
  for (const { id, value: { user }, expiresAt, consumedAt } of await listAll(store, "person", "")) {
    if (await storageKey({ issuer }, user.sub) !== id) continue;
    guests.push({ recordId: id, user, expiresAt, isDeleted: consumedAt !== undefined });
  }
  return guests;
}

/** What the log says of one client or user. */
interface Target {
  readonly of: "client" | "user";
  readonly id: string;
  /** The last change based on each configured entry, by its digest; `undefined`: a change without a digest. */
  readonly last: Map<string | undefined, ChangeRecord>;
}

/** The records that mean the same as the log, in the order in which it was written. */
async function replay(
  changes: readonly ChangeRecord[],
  entryDigest: (kind: "client" | "user", id: string) => Promise<string>,
) {
  const targets = new Map<string, Target>();
  const defaults = new Map<"client" | "user", ChangeRecord>();
  for (const change of changes) {
    const of = change.of === "clients" ? "client" : "user";
    const key = `${of} ${change.id}`;
    const target: Target = targets.get(key) ?? { of, id: change.id, last: new Map() };
    targets.set(key, target);
    if (change.verb === "configured") {
      // A start with a new configured entry dropped all changes that are based on others.
      for (const basis of target.last.keys()) if (basis !== change.over) target.last.delete(basis);
      const made = defaults.get(of);
      if (made?.id === change.id && made.over !== change.over) defaults.delete(of);
    } else if (change.verb === "first") defaults.set(of, change);
    else target.last.set(change.over, change);
  }

  const registered: { kind: "client" | "user"; id: string; entry: Readonly<Record<string, unknown>> }[] = [];
  const overrides: OverrideRecord[] = [];
  const dropped: Pick<Target, "of" | "id">[] = [];
  for (const { of, id, last } of targets.values()) {
    const current = await entryDigest(of, id);
    for (const [basis, change] of last) {
      if (basis === undefined) {
        // Its basis is unknown, so that it counts only if it removes something, and nothing else is known.
        if (change.verb === "delete" && last.size === 1 && current !== "") {
          overrides.push({ of, id, basis: current, change: "delete" });
        } else if (change.verb === "set" || current === "") dropped.push({ of, id });
      } else if (basis !== "") {
        overrides.push(
          change.verb === "set"
            ? { of, id, basis, change: "set", entry: change.written }
            : { of, id, basis, change: "delete" },
        );
      } else if (change.verb === "set") registered.push({ kind: of, id, entry: change.written });
    }
  }
  for (const [of, { id, over }] of defaults) {
    if (over === undefined) dropped.push({ of, id });
    else overrides.push({ of, id, basis: over, change: "default" });
  }
  return { registered, overrides, dropped };
}

async function forEachParallel<T>(items: readonly T[], operation: (item: T) => Promise<unknown>): Promise<void> {
  for (let i = 0; i < items.length; i += maxParallelCalls) {
    await Promise.all(items.slice(i, i + maxParallelCalls).map(operation));
  }
}
