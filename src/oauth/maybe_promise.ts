/** What may be there already: going on at once costs less than waiting for a value that need not be waited for. */

/** A value, or the promise of one. */
export type Soon<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, or as soon as it is. Whatever can be awaited counts as a promise. */
export function soon<T, U>(value: Soon<T>, goOn: (value: T) => Soon<U>): Soon<U> {
  return isPromise(value) ? Promise.resolve(value).then(goOn) : goOn(value);
}

/** Not by its class: programs replace that of their own realm, and test runners have several realms. */
function isPromise<T>(value: Soon<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null | undefined)?.then === "function";
}
