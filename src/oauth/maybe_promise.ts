/** What may be there already: going on at once costs less than waiting for a value that need not be waited for. */

/** A value, or the promise of one. */
export type MaybePromise<T> = T | Promise<T>;

/** Goes on with a value: at once where it is there, or as soon as it is. Whatever can be awaited counts as a promise. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Not by its class: programs replace that of their own realm, and test runners have several realms. */
function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null | undefined)?.then === "function";
}
