/**
 * Shared by all stores: the defaults of their options, and the record kinds that a store may evict early without a
 * security effect.
 */

import type { RecordKind } from "./store.ts";

/**
 * Returns the options, with defaults for absent ones.
 *
 * @param call The function with the options: `memoryStore`.
 * @throws {TypeError} If an option is unknown: a misspelt limit would have no effect.
 */
export function resolveOptions<T extends object>(call: string, defaults: Required<T>, options: T): Required<T> {
  const resolved = { ...defaults };
  for (const [name, value] of Object.entries(options)) {
    if (!Object.hasOwn(defaults, name)) {
      const known = Object.keys(defaults).join(", ");
      throw new TypeError(
        `${call}: expected the options ${known}; received ${JSON.stringify(name)}. Correct its name.`,
      );
    }
    if (value !== undefined) resolved[name as keyof T] = value;
  }
  return resolved;
}

/**
 * Evictable kinds. Marks of revocation or single use are not evictable, because their loss would allow a replay.
 * Consents are not evictable, because a lost consent cannot be revoked, and each user has at most one per client. A
 * lost pushed request or device authorization cannot be used, and a lost ID token cannot be exchanged. The user must
 * repeat a lost decision about a device. If the record of a session's client is lost, that client is not called at
 * logout. A lost event is not delivered.
 */
export const evictable: ReadonlySet<RecordKind> = new Set<RecordKind>([
  ...["code", "refresh_token", "id_token", "access_token", "interaction", "browser", "pushed_request"] as const,
  ...["polled_request", "polled_decision", "poll_pace", "session_client", "logout_call", "stream_event"] as const,
]);
