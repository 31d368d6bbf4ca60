/** Who came first: a list whose members know their neighbours, so that any of them can leave at any time. */

/** What can stand in the list; both members are written by the list alone. */
export interface Arrival<T> {
  /** Who came before, and is still there. */
  before: T | undefined;
  /** Who came after. */
  after: T | undefined;
}

/** Coming, leaving and being the first cost the same however many there are. */
export interface Arrivals<T extends Arrival<T>> {
  /** Lets in, as the last, an item that is not in the list. */
  add(item: T): void;
  /** Takes out an item that is in the list. */
  remove(item: T): void;
  /** Who came first of those that are there. */
  first(): T | undefined;
  /** How many are there. */
  size(): number;
}

/** An empty list. */
export function arrivals<T extends Arrival<T>>(): Arrivals<T> {
  let first: T | undefined;
  let last: T | undefined;
  let size = 0;
  return {
    add(item) {
      item.before = last;
      if (last === undefined) first = item;
      else last.after = item;
      last = item;
      size++;
    },
    remove(item) {
      const { before, after } = item;
      if (before === undefined) first = after;
      else before.after = after;
      if (after === undefined) last = before;
      else after.before = before;
      item.before = item.after = undefined;
      size--;
    },
    first: () => first,
    size: () => size,
  };
}
