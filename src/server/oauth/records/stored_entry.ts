/** Entries of a persistent store. */

import type { ListedRecord, OverrideRecord, RegisteredRecord } from "../../../platform/store/store.ts";

/** A parsed entry, and the JSON it was parsed from: the object stays the same as long as the JSON does. */
export interface ParsedEntry<Item> {
  readonly json: string;
  /** `undefined` if the entry is removed, or invalid under the settings of this server. */
  readonly item: Item | undefined;
}

/** A parsed entry of the store, and when it was read. */
export interface CachedEntry<Item> extends ParsedEntry<Item> {
  /** Milliseconds since the epoch, by the server's clock. */
  readonly readAt: number;
  /** The epoch of the read: entries of earlier epochs are stale. */
  readonly epoch: number;
}

/**
 * The generations of configured entries whose changes were dropped, because the configuration was changed since. A
 * removed entry then exists again, but tokens issued before its removal stay invalid.
 *
 * @param currentDigests For each override, the digest of the entry that is configured now.
 */
export function generationsOfDropped(
  kind: "client" | "user",
  overrides: readonly ListedRecord<OverrideRecord>[],
  currentDigests: readonly string[],
): ReadonlyMap<string, string> {
  const generations = new Map<string, string>();
  for (const [i, { value: { of, id, basis, change, generation } }] of overrides.entries()) {
    if (of !== kind || basis === currentDigests[i] || change === "default" || generation === undefined) continue;
    const former = generations.get(id);
    if (former !== generation) generations.set(id, former === undefined ? generation : `${former}_${generation}`);
  }
  return generations;
}

/** The JSON of an entry; it differs if the entry has changed. */
export function toJson({ entry, generation }: RegisteredRecord): string {
  return JSON.stringify({ entry, generation });
}
