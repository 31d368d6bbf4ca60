/** The two orders of records in memory: a heap by expiry, and a list by age. */

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
    /** Removes the item that expires first, if it has expired at `now`. */
    popExpired(now: number): T | undefined {
      const first = heap[0];
      if (first === undefined || first.expiresAt > now) return undefined;
      remove(first);
      return first;
    },
  };
}

/** An item of the list; only the list writes these members. */
export interface LinkedListNode<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** A list in the order of insertion. */
export type LinkedList<T extends LinkedListNode<T>> = ReturnType<typeof linkedList<T>>;

/** Creates an empty list; each operation takes O(1). */
export function linkedList<T extends LinkedListNode<T>>() {
  let first: T | undefined;
  let last: T | undefined;
  let size = 0;
  return {
    /** Appends an item that is not in the list. */
    add(item: T): void {
      item.previous = last;
      if (last === undefined) first = item;
      else last.next = item;
      last = item;
      size++;
    },
    /** Removes an item that is in the list. */
    remove(item: T): void {
      const { previous, next } = item;
      if (previous === undefined) first = next;
      else previous.next = next;
      if (next === undefined) last = previous;
      else next.previous = previous;
      item.previous = item.next = undefined;
      size--;
    },
    first: (): T | undefined => first,
    size: (): number => size,
  };
}
