/** A memory of bounded size: the newest entries stay, older ones are forgotten many at a time. */

/** What is remembered, by key. */
export interface BoundedCache<T> {
  /** `undefined` where it was never set, or is forgotten. */
  get(key: string): T | undefined;
  /** Remembers a value as the newest one. */
  set(key: string, value: T): void;
  /** Removes a value. */
  delete(key: string): void;
  /** All values. */
  values(): Iterable<T>;
}

/**
 * Makes a memory for `size` entries, of which the newer half is always there. The older half is forgotten as a whole:
 * finding the oldest of a Map costs as much as was deleted before it.
 */
export function boundedCache<T>(size: number): BoundedCache<T> {
  let newer = new Map<string, T>();
  let older = new Map<string, T>();
  return {
    get: (key) => newer.get(key) ?? older.get(key),
    set(key, value) {
      newer.set(key, value);
      if (newer.size < size / 2) return;
      older = newer;
      newer = new Map();
    },
    delete(key) {
      newer.delete(key);
      older.delete(key);
    },
    values: () => new Map([...older, ...newer]).values(),
  };
}
