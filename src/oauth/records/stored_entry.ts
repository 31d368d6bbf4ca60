/** Entries of a persistent store. */

import type { RegisteredRecord } from "../../store/store.ts";

/** An entry as the store has it. */
export type StoredEntry = Pick<RegisteredRecord, "entry" | "generation">;

/** A parsed entry, and the JSON it was parsed from: while that is the same, the object stays the same. */
export interface ParsedEntry<Item> {
  readonly json: string;
  /** `undefined` if the entry is removed, or invalid under the settings of this server. */
  readonly item: Item | undefined;
}

/** A parsed entry of the store, and when it was read. */
export interface CachedEntry<Item> extends ParsedEntry<Item> {
  /** Milliseconds since the epoch, by the server's clock. */
  readonly readAt: number;
  /** All entries of an earlier number are stale. */
  readonly epoch: number;
}

/** A change of a configured entry. */
export type OverrideChange =
  | { readonly change: "set" } & StoredEntry
  | { readonly change: "delete" | "default" };

/** The JSON of an entry; another one means that the entry has changed. */
export function toJson({ entry, generation }: StoredEntry): string {
  return JSON.stringify({ entry, generation });
}
