/** Records in the order of their expiry. */

export interface HeapItem {
  /** The expiry in milliseconds since the epoch; finite while the item is in the heap. */
  readonly expiresAt: number;
  /** The order of items that expire at the same time: the lower number is first. */
  readonly sequence: number;
  /** The index in the heap; only the heap writes it. */
  index: number;
}

export type ExpiryHeap<T extends HeapItem> = ReturnType<typeof expiryHeap<T>>;

/** Creates an empty heap; each operation takes O(log n). */
export function expiryHeap<T extends HeapItem>() {
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
    /** Adds an item that is not in the heap. */
    add: (item: T): void => siftUp(item, heap.length),
    /** Removes an item that is in the heap. */
    remove,
    /** The item that expires first, if it has expired at `now`. */
    firstExpired: (now: number): T | undefined =>
      heap[0] !== undefined && heap[0].expiresAt <= now ? heap[0] : undefined,
  };
}
