/**
 * Values that may be available synchronously. Avoids a microtask and two promises when the value is already there: by
 * {@link chain}, or in an async function by `isPromise(value) ? await value : value`.
 */

/** @internal A value or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Calls `next` with a value: synchronously, or when its promise is fulfilled. Every thenable counts as a promise. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/**
 * Whether the value must be awaited. Does not use `instanceof`: applications replace the class, and test runners have
 * several realms.
 */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null | undefined)?.then === "function";
}
