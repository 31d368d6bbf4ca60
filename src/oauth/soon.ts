/** What may be there already: going on at once costs less than waiting for a value that need not be waited for. */

/** A value, or the promise of one. */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, or as soon as it is. */
export function soon<T, U>(value: Soon<T>, goOn: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value);
}
