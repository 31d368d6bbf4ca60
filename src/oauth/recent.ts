/** A memory of bounded size: the newest entries stay, the oldest is forgotten first. */

/** What is remembered, by key. */
export interface Recent<T> {
  get(key: string): T | undefined;
  /** Remembers a value as the newest one. */
  set(key: string, value: T): void;
}

/** Makes a memory for `size` entries. */
export function recent<T>(size: number): Recent<T> {
  const entries = new Map<string, T>();
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      entries.delete(key);
      entries.set(key, value);
      if (entries.size <= size) return;
      const [oldest] = entries.keys();
      entries.delete(oldest!);
    },
  };
}
