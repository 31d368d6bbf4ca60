/** Operations that must not overlap. */

/**
 * Runs an operation after all earlier ones of its key, whether they succeeded or failed.
 *
 * @param pending The last operation of each key that has not ended, without its error.
 */
export function inTurn<T>(
  pending: Map<string, Promise<unknown>>,
  key: string,
  operation: () => Promise<T>,
): Promise<T> {
  const result = (pending.get(key) ?? Promise.resolve()).then(operation);
  const ended: Promise<unknown> = result.catch(() => {}).then(() => pending.get(key) === ended && pending.delete(key));
  pending.set(key, ended);
  return result;
}
