/** Values that may be available at once: continuing synchronously costs less than awaiting them. */

/** A value, or the promise of one. */
export type MaybePromise<T> = T | Promise<T>;

/** Continues with a value: at once, or as soon as its promise is fulfilled. Every thenable counts as a promise. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Not by `instanceof`: programs replace the class, and test runners have several realms. */
function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null | undefined)?.then === "function";
}
