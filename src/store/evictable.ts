/** The record kinds that a store may evict early without a security effect. */

import type { RecordKind } from "./store.ts";

/**
 * Evictable kinds. Never marks of revocation or single use: their loss would allow a replay. Never consents: a lost
 * consent cannot be revoked, and each user has at most one per client. A lost pushed request or device authorization
 * cannot be used, and a lost ID token cannot be exchanged. The user must repeat a lost decision about a device. A lost
 * client of a session is not called at logout.
 */
export const evictable: ReadonlySet<RecordKind> = new Set<RecordKind>([
  ...["code", "refresh_token", "id_token", "access_token", "interaction", "browser", "pushed_request"] as const,
  ...["polled_request", "polled_decision", "poll_pace", "session_client", "logout_call"] as const,
]);
