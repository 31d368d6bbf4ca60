/** Who expires next: a binary heap whose members know their place, so that any of them can leave at any time. */

/** What can stand in the queue. */
export interface Expiring {
  /** Milliseconds since the epoch; must be finite while in the queue. */
  readonly expiresAt: number;
  /** Decides between those that expire together: the lower one comes first. */
  readonly number: number;
  /** Where it stands; written by the queue alone. */
  place: number;
}

/** Adding, leaving and taking each cost the logarithm of the length at most, whatever lifetimes are mixed. */
export interface ExpiryQueue<T extends Expiring> {
  /** Lets in an item that is not in the queue. */
  add(item: T): void;
  /** Takes out an item that is in the queue. */
  remove(item: T): void;
  /** Takes out the item that expires first, if it has expired at `now`. */
  takeDue(now: number): T | undefined;
}

/** An empty queue. */
export function expiryQueue<T extends Expiring>(): ExpiryQueue<T> {
  const heap: T[] = [];

  const isBefore = (one: T, other: T) =>
    one.expiresAt < other.expiresAt || one.expiresAt === other.expiresAt && one.number < other.number;

  function set(item: T, place: number): void {
    heap[place] = item;
    item.place = place;
  }

  function rise(item: T, place: number): void {
    while (place > 0) {
      const above = (place - 1) >> 1;
      if (!isBefore(item, heap[above])) break;
      set(heap[above], place);
      place = above;
    }
    set(item, place);
  }

  function sink(item: T, place: number): void {
    for (let below = 2 * place + 1; below < heap.length; below = 2 * place + 1) {
      if (below + 1 < heap.length && isBefore(heap[below + 1], heap[below])) below++;
      if (!isBefore(heap[below], item)) break;
      set(heap[below], place);
      place = below;
    }
    set(item, place);
  }

  function remove(item: T): void {
    const last = heap.pop()!;
    if (last === item) return;
    sink(last, item.place);
    rise(last, last.place);
  }

  return {
    add: (item) => rise(item, heap.length),
    remove,
    takeDue(now) {
      const first = heap[0];
      if (first === undefined || first.expiresAt > now) return undefined;
      remove(first);
      return first;
    },
  };
}
