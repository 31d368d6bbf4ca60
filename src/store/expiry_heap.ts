/** Who expires next: a binary heap whose members know their place, so that any of them can leave at any time. */

/** What can stand in the queue. */
export interface HeapItem {
  /** Milliseconds since the epoch; must be finite while in the queue. */
  readonly expiresAt: number;
  /** Decides between those that expire together: the lower one comes first. */
  readonly sequence: number;
  /** Where it stands; written by the queue alone. */
  index: number;
}

/** Adding, leaving and taking each cost the logarithm of the length at most, whatever lifetimes are mixed. */
export interface ExpiryHeap<T extends HeapItem> {
  /** Lets in an item that is not in the queue. */
  add(item: T): void;
  /** Takes out an item that is in the queue. */
  remove(item: T): void;
  /** Takes out the item that expires first, if it has expired at `now`. */
  popExpired(now: number): T | undefined;
}

/** An empty queue. */
export function expiryHeap<T extends HeapItem>(): ExpiryHeap<T> {
  const heap: T[] = [];

  const isBefore = (a: T, b: T) => a.expiresAt < b.expiresAt || a.expiresAt === b.expiresAt && a.sequence < b.sequence;

  function set(item: T, index: number): void {
    heap[index] = item;
    item.index = index;
  }

  function siftUp(item: T, index: number): void {
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(item, heap[parent])) break;
      set(heap[parent], index);
      index = parent;
    }
    set(item, index);
  }

  function siftDown(item: T, index: number): void {
    for (let child = 2 * index + 1; child < heap.length; child = 2 * index + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], item)) break;
      set(heap[child], index);
      index = child;
    }
    set(item, index);
  }

  function remove(item: T): void {
    const last = heap.pop()!;
    if (last === item) return;
    siftDown(last, item.index);
    siftUp(last, last.index);
  }

  return {
    add: (item) => siftUp(item, heap.length),
    remove,
    popExpired(now) {
      const first = heap[0];
      if (first === undefined || first.expiresAt > now) return undefined;
      remove(first);
      return first;
    },
  };
}
