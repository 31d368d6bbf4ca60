/**
 * The limit of clients that registered themselves without an initial access token. A registration beyond it evicts the
 * clients that have been unused the longest, but none that may still have a valid token.
 *
 * For each such client, the store has a further record with the time until which the client is not evicted.
 */

import type { HostedServer } from "../../hosted_server.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { isLoopback } from "../../../core/http/test_hosts.ts";
import { rejectBeyondBound } from "../../stored/bounded_records.ts";
import { again, changeRecord } from "../../../core/store/change.ts";
import { storeOf } from "../../stored/records.ts";
import { reject } from "./rules.ts";
import { registrationPolicy } from "./settings.ts";

/** A client that the limit counts. */
interface RegistrationRecord {
  /** Until when it is not evicted, in milliseconds since the epoch; 0 for one that is being evicted. */
  readonly until: number;
}

const registrationStore = storeOf<{
  /** Clients that registered without an initial access token, by issuer and client. */
  registration: RegistrationRecord;
}>;

/** The expiry of the records. If the store deleted a record before its client, the client would never be evicted. */
const neverExpires = { expiresAt: Infinity };

/** Time after its registration in which a client is not evicted, in milliseconds. */
const newClientMs = 60_000;

/** The time until which a server has no client to evict, in milliseconds since the epoch. */
const fullUntil = new WeakMap<HostedServer["clients"], number>();

/**
 * Counts a client that is about to be registered, and evicts others beyond the limit.
 *
 * @param address The network address of the sender; `undefined` if unknown.
 * @throws {OAuthError} `temporarily_unavailable` with status 429 if all registered clients are in use, or if one
 *   network registers so many that others would find no place.
 */
export async function limitClients(
  server: HostedServer,
  clientId: string,
  address: string | undefined,
): Promise<void> {
  const { now, clients, clients: { recordPrefix } } = server;
  const store = registrationStore(server);
  const { maxClients } = registrationPolicy(server);
  const record = { until: now() + newClientMs };
  if (address !== undefined && address !== "::1" && !isLoopback(address)) {
    // As long as it is new, no other client can take its place.
    const written = { kind: "registration", id: clientId, value: record, expiresAt: record.until, address, size: 1 };
    rejectBeyondBound(server, { confidential: false, standing: "unknown" }, written, maxClients);
  }
  await store.add("registration", recordPrefix + clientId, record, neverExpires);
  // Counted afterwards, so that concurrent requests never exceed the limit; at the limit they may all be rejected.
  const count = await store.count("registration", recordPrefix);
  if (count > maxClients) {
    if (now() >= (fullUntil.get(clients) ?? 0)) await evict(server, count);
    if (await store.count("registration", recordPrefix) > maxClients) {
      await stopCounting(server, clientId);
      throw reject("DR-09", { problem: "reached", maxClients }, { status: 429, retryAfter: newClientMs / 1000 });
    }
  }
  server.passed("DR-09");
}

/** Stops counting a client that no longer exists. */
export async function stopCounting(server: HostedServer, clientId: string): Promise<void> {
  await registrationStore(server).delete("registration", server.clients.recordPrefix + clientId);
}

/** When the use of a client was last recorded, in milliseconds since the epoch. */
const recorded = new WeakMap<Client, number>();

/**
 * Records that something is issued to a client, at most 24 times in the lifetime of a token.
 *
 * @throws {OAuthError} `invalid_client` if the client has just been evicted.
 */
export async function recordUse(server: HostedServer, client: Client): Promise<void> {
  const { clients: { recordPrefix }, now, policy: { lifetimes } } = server;
  const validMs = Math.max(lifetimes.access_token, lifetimes.refresh_token) * 1000;
  const intervalMs = validMs / 24;
  if (Math.abs(now() - (recorded.get(client) ?? -Infinity)) < intervalMs) return;
  const store = registrationStore(server);
  const id = recordPrefix + client.id;
  const isRemoved = async () => await server.clients.find(client.id) === undefined;
  await changeRecord("registration", async () => {
    const current = await store.get("registration", id);
    if (current === undefined ? await isRemoved() : current.value.until === 0) {
      throw reject("DR-09", { problem: "removed" }, { forUser: true });
    }
    const record = { until: now() + intervalMs + validMs };
    const isWritten = current === undefined
      ? await store.add("registration", id, record, neverExpires)
      : await store.replace("registration", id, current.value, record, neverExpires);
    return isWritten || again;
  });
  recorded.set(client, now());
}

/** The share of the limit that is evicted at a time, because an eviction reads the records of all clients. */
const evictedShare = 0.01;

/** Evicts the clients that have been unused the longest, of this number of clients. */
async function evict(server: HostedServer, count: number): Promise<void> {
  const { clients, clients: { recordPrefix }, now } = server;
  const store = registrationStore(server);
  const { maxClients } = registrationPolicy(server);
  const records = await store.list("registration", { prefix: recordPrefix, limit: count });
  const oldestFirst = records.toSorted((a, b) => a.value.until - b.value.until);
  // A client that registers from now on is not evicted for a minute either.
  fullUntil.set(clients, Math.min(oldestFirst[0]?.value.until ?? 0, now() + newClientMs));
  const evicted = Math.max(count - maxClients, Math.ceil(maxClients * evictedShare));
  for (const { id, value } of oldestFirst.slice(0, evicted)) {
    // The client may have been used since the list was read.
    if (value.until > now() || !await store.replace("registration", id, value, { until: 0 }, neverExpires)) continue;
    const clientId = id.slice(recordPrefix.length);
    if (await clients.delete(clientId, "newer registrations exceeded the limit")) {
      const reason = `the server has ${maxClients} registered clients, and this one was unused the longest`;
      server.trace({ type: "client_deleted", at: now(), client: clientId, reason });
    }
    await store.delete("registration", id);
  }
}
