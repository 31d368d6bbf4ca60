/** Changes of records that depend on what was read. */

import { StoreError } from "./store.ts";

/** The result of an attempt whose record another caller has changed since it was read. */
export const again = Symbol("changed since it was read");

/** Maximum number of attempts to change a record that others change at the same time. */
const maxAttempts = 1000;

/**
 * Reads a record and changes it, and again as long as another caller, of any instance, changes it in between.
 *
 * @param name The record, for the message.
 * @param attempt Reads the record. Returns `again` if `add`, `replace` or `delete` found another one.
 * @throws {StoreError} If others change it without end.
 */
export async function changeRecord<T>(name: string, attempt: () => Promise<T | typeof again>): Promise<T> {
  for (let attempts = 0; attempts < maxAttempts; attempts++) {
    const result = await attempt();
    if (result !== again) return result;
  }
  throw new StoreError({
    location: name,
    expected: "a record that stays as it was read",
    received: `a change at each of ${maxAttempts} attempts`,
    hint: "try again; if it always fails, the store compares wrongly: let it sit the exam of stores",
  });
}
