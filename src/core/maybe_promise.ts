/** The result of callbacks that may be asynchronous. */

/** @internal A value or a promise of it. */
export type MaybePromise<T> = T | Promise<T>;
