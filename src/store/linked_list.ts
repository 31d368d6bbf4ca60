/** Who came first: a list whose members know their neighbours, so that any of them can leave at any time. */

/** What can stand in the list; both members are written by the list alone. */
export interface LinkedListNode<T> {
  /** Who came before, and is still there. */
  previous: T | undefined;
  /** Who came after. */
  next: T | undefined;
}

/** Coming, leaving and being the first cost the same however many there are. */
export interface LinkedList<T extends LinkedListNode<T>> {
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
export function linkedList<T extends LinkedListNode<T>>(): LinkedList<T> {
  let first: T | undefined;
  let last: T | undefined;
  let size = 0;
  return {
    add(item) {
      item.previous = last;
      if (last === undefined) first = item;
      else last.next = item;
      last = item;
      size++;
    },
    remove(item) {
      const { previous, next } = item;
      if (previous === undefined) first = next;
      else previous.next = next;
      if (next === undefined) last = previous;
      else next.previous = previous;
      item.previous = item.next = undefined;
      size--;
    },
    first: () => first,
    size: () => size,
  };
}
