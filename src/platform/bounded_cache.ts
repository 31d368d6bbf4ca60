/** A cache of bounded size. */

/** @internal Cached values by key. */
export interface BoundedCache<T> {
  /** `undefined` if the key was never set, or was evicted. */
  get(key: string): T | undefined;
  /** Sets a value and makes it the newest one. */
  set(key: string, value: T): void;
  /** Removes a value. */
  delete(key: string): void;
  /** Removes all values. */
  clear(): void;
  values(): Iterable<T>;
}

/**
 * Creates a cache for `size` entries. It evicts the older half as a whole, because finding the oldest entry of a Map
 * takes time in proportion to the entries deleted before it. The newer half always stays.
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
    clear: () => [newer, older].forEach((entries) => entries.clear()),
    values: () => new Map([...older, ...newer]).values(),
  };
}
