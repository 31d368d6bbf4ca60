/** The code challenges of recent requests: a client should use each for one request only. */

import { type BoundedCache, boundedCache } from "../../platform/bounded_cache.ts";
import { type Client, policyOf } from "../../core/clients/repository.ts";
import { observe } from "../../core/observe.ts";
import type { HostedServer } from "../hosted_server.ts";

const maxRecentChallenges = 10_000;

/** Creates the memory of one server. */
export function recentChallenges(): BoundedCache<number> {
  return boundedCache(maxRecentChallenges);
}

/** Whether a client has recently sent a challenge. */
export function isRecent({ recentChallenges }: HostedServer, clientId: string, challenge: string): boolean {
  return recentChallenges.get(`${clientId} ${challenge}`) !== undefined;
}

/** Remembers the challenge of an issued code, and observes a challenge whose earlier code may still be valid. */
export function rememberChallenge(server: HostedServer, client: Client, challenge: string): void {
  const { recentChallenges } = server;
  const key = `${client.id} ${challenge}`;
  const now = server.now();
  const until = recentChallenges.get(key);
  if (until !== undefined && until > now) observe(server, client, "PK-14");
  recentChallenges.set(key, now + policyOf(server, client).lifetimes.code * 1000);
}
