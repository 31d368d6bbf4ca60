/**
 * Values that may be promises. In memory nearly every result is there without waiting; awaiting each would cost a tenth
 * of the time of a flow.
 */

/** @internal A value or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value must be awaited. A program may have replaced `Promise`, so its class says nothing. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | null | undefined)?.then === "function";
}

/** Calls a function with a value, synchronously if the value is no promise. */
export function chain<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value);
}
