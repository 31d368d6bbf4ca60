/** The code challenges of recent requests: a client should use each for one request only. */

import { type BoundedCache, boundedCache } from "../../platform/bounded_cache.ts";
import { type Client, policyOf } from "../../core/clients/clients.ts";
import type { HostedServer } from "../hosted_server.ts";
import { warn } from "../trace.ts";

const maxRecentChallenges = 10_000;

/** How to fix a client that repeats a code challenge. */
export const repeatedChallengeFix = "Generate a new code_verifier for each login.";

/** Creates the memory of one server. */
export function recentChallenges(): BoundedCache<number> {
  return boundedCache(maxRecentChallenges);
}

/** Whether a client has recently sent a challenge. */
export function isRecent({ recentChallenges }: HostedServer, clientId: string, challenge: string): boolean {
  return recentChallenges.get(`${clientId} ${challenge}`) !== undefined;
}

/** Remembers the challenge of an issued code, and warns about a challenge whose earlier code may still be valid. */
export function rememberChallenge(server: HostedServer, client: Client, challenge: string): void {
  const { recentChallenges } = server;
  const key = `${client.id} ${challenge}`;
  const now = server.now();
  const until = recentChallenges.get(key);
  if (until !== undefined && until > now) {
    warn(server, client.id, {
      rule: "PK-14",
      reason: "code_challenge repeats that of an earlier authorization request whose code may still be valid",
      expected: "a new code_verifier for each authorization request",
      received: "a repeated code_challenge",
      fix: repeatedChallengeFix,
    });
  }
  recentChallenges.set(key, now + policyOf(server, client).lifetimes.code * 1000);
}
