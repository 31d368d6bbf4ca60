/** A list in the order of insertion, from which any item can be removed. */

/** An item of the list; only the list writes these members. */
export interface LinkedListNode<T> {
  previous: T | undefined;
  next: T | undefined;
}

/** A list; each operation takes O(1). */
export type LinkedList<T extends LinkedListNode<T>> = ReturnType<typeof linkedList<T>>;

/** Creates an empty list. */
export function linkedList<T extends LinkedListNode<T>>() {
  let first: T | undefined;
  let last: T | undefined;
  let size = 0;
  return {
    add(item: T): void {
      item.previous = last;
      if (last === undefined) first = item;
      else last.next = item;
      last = item;
      size++;
    },
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
