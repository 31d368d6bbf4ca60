/** Promises where a value is expected. */

/** Ignores that a promise, whose result nothing reads, rejects. */
export function ignoreRejection(result: unknown): void {
  if (isThenable(result)) result.then(undefined, () => {});
}

/** A program may have replaced `Promise`, so its class says nothing. */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as Partial<PromiseLike<unknown>> | null | undefined)?.then === "function";
}
