/** What a store may lose early without letting anything in. */

import type { Kind } from "./store.ts";

/**
 * Kinds that may be forgotten early. Never marks of what has ended or was seen: what they keep out would be let in; nor
 * consents: what is not listed cannot be taken back, and there is at most one for each user and client.
 */
export const expendable: ReadonlySet<Kind> = new Set<Kind>([
  ...["code", "refresh_token", "access_token", "interaction", "browser"] as const,
]);
