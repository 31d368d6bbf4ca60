/**
 * Clients that registered themselves and that nothing was issued to yet. For each, the store has a record beside the
 * client:
 *
 * 1. {@link addUnusedRegistration} adds it before the client. The number of these records is limited.
 * 2. {@link recordUse} consumes and deletes it when the first code or token is issued. On test hosts, where a login
 *    needs no credentials, each use renews it instead if the client is unknown.
 * 3. {@link deleteUnusedClients} consumes it when its lifetime is over, and deletes the client.
 *
 * `Store.consume` succeeds once, so that a client is either used or deleted, on any number of instances.
 */

import { forgetRecord } from "../../oauth/bounded_records.ts";
import { OAuthError } from "../../oauth/errors.ts";
import type { Server } from "../../oauth/server.ts";
import type { StoredRecord, UnusedRegistrationRecord } from "../../../platform/store/store.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { registrationPolicy } from "./settings.ts";

/** The expiry of the records. The store must not delete a record before its client, because the client would stay. */
const neverExpires = { expiresAt: Infinity };

/** Number of records that are read in one request. */
const pageSize = 500;

/** Seconds after which a client should try again if too many clients are unused. */
const retryAfterSeconds = 60;

/** Minimum time between sweeps that registrations cause: a flood of them must not read all records each time. */
const minSweepIntervalMs = 1000;

/** The last sweep of each server, with its time by the server's clock, in milliseconds. */
const lastSweeps = new WeakMap<Server["clients"], { readonly at: number; readonly done: Promise<void> }>();

/**
 * Adds the record of a client that is about to be registered.
 *
 * @throws {OAuthError} `temporarily_unavailable` with status 429 if too many registered clients are unused.
 */
export async function addUnusedRegistration(server: Server, clientId: string): Promise<void> {
  const { store, recordPrefix } = server;
  const { maxUnused, unusedLifetime } = registrationPolicy(server);
  const until = server.now() + unusedLifetime * 1000;
  await store.add("unused_registration", recordPrefix + clientId, { until }, neverExpires);
  // Counted afterwards, so that concurrent requests never exceed the limit; at the limit they may all be rejected.
  const isFull = async () => await store.count("unused_registration", recordPrefix) > maxUnused;
  if (await isFull()) {
    const last = lastSweeps.get(server.clients);
    const isRecent = last !== undefined && Math.abs(server.now() - last.at) < minSweepIntervalMs;
    // Maintenance may already be running a sweep.
    await (isRecent ? last.done : deleteUnusedClients(server));
    if (await isFull()) {
      await deleteUnusedRegistration(server, clientId);
      throw new OAuthError("temporarily_unavailable", "too many registered clients are not used yet", {
        rule: "DR-09",
        status: 429,
        retryAfter: retryAfterSeconds,
        expected: `at most ${maxUnused} clients that nothing was issued to`,
        received: "one more client",
      });
    }
  }
  server.passed?.("DR-09");
}

/** Deletes the record of a client. */
export async function deleteUnusedRegistration({ store, recordPrefix }: Server, clientId: string): Promise<void> {
  await store.delete("unused_registration", recordPrefix + clientId);
}

/** When the registrations of clients were renewed last, in milliseconds. */
const renewals = new WeakMap<Client, number>();

/** Clients whose use is recorded already, so that later uses need no access to the store. */
const usedClients = new WeakSet<Client>();

/**
 * Records that something is issued to a client that registered itself.
 *
 * @throws {OAuthError} `invalid_client` if another instance has just deleted the client, because it was not used in
 *   time.
 */
export async function recordUse(server: Server, client: Client): Promise<void> {
  if (usedClients.has(client)) return;
  const isRenewed = client.standing === "unknown" && server.settings.allows.unknownClients;
  const exists = await (isRenewed ? renew(server, client) : consumeUnusedRegistration(server, client.id));
  if (!exists) {
    throw new OAuthError("invalid_client", "the client was deleted, because it was not used in time", {
      rule: "DR-09",
      forUser: true,
      expected: `a first use within ${registrationPolicy(server).unusedLifetime} seconds of the registration`,
      received: "a later first use",
    });
  }
  if (!isRenewed) usedClients.add(client);
}

/** Renews a registration, at most 24 times in its lifetime; returns whether the client still exists. */
async function renew({ store, clients, now, recordPrefix, settings }: Server, client: Client): Promise<boolean> {
  const lifetimeMs = registrationPolicy({ settings }).unusedLifetime * 1000;
  if (Math.abs(now() - (renewals.get(client) ?? -Infinity)) < lifetimeMs / 24) return true;
  const id = recordPrefix + client.id;
  const record = await store.get("unused_registration", id);
  if (record?.consumedAt !== undefined || await clients.find(client.id) === undefined) return false;
  await store.put("unused_registration", id, { until: now() + lifetimeMs }, neverExpires);
  renewals.set(client, now());
  return true;
}

/** Returns whether the client is used from now on, or was used before; false if it was deleted. */
async function consumeUnusedRegistration(server: Server, clientId: string): Promise<boolean> {
  const { store, clients, now, recordPrefix } = server;
  const id = recordPrefix + clientId;
  const record = await store.get("unused_registration", id);
  if (record === undefined) return await clients.find(clientId) !== undefined;
  if (record.consumedAt !== undefined) return isUsed(record);
  // A use is recorded with a time before `until`, a deletion with a later one.
  const isFirst = await store.consume("unused_registration", id, Math.min(now(), record.value.until - 1));
  if (!isFirst) return await consumeUnusedRegistration(server, clientId);
  await deleteUnusedRegistration(server, clientId);
  forgetRecord(server, "client", clientId);
  return true;
}

function isUsed({ value, consumedAt }: StoredRecord<UnusedRegistrationRecord>): boolean {
  return consumedAt !== undefined && consumedAt < value.until;
}

/** Deletes the clients that were not used in time, and the records of used clients that a crash has left behind. */
export function deleteUnusedClients(server: Server): Promise<void> {
  const done = sweep(server);
  lastSweeps.set(server.clients, { at: server.now(), done });
  return done;
}

async function sweep(server: Server): Promise<void> {
  const { store, recordPrefix } = server;
  const { unusedLifetime } = registrationPolicy(server);
  let after: string | undefined;
  for (;;) {
    const records = await store.list("unused_registration", { prefix: recordPrefix, after, limit: pageSize });
    for (const record of records) {
      const { id, value, consumedAt } = record;
      const clientId = id.slice(recordPrefix.length);
      if (!isUsed(record)) {
        if (server.now() < value.until) continue;
        // Another instance may consume it now, to use or to delete the client.
        if (consumedAt === undefined && !await store.consume("unused_registration", id, server.now())) continue;
        const reason = `it was not used for ${unusedLifetime} seconds`;
        if (await server.clients.delete(clientId, "the end of its unused registration")) {
          server.trace({ type: "client_deleted", at: server.now(), client: clientId, reason });
        }
      }
      await store.delete("unused_registration", id);
    }
    if (records.length < pageSize) return;
    after = records.at(-1)!.id;
  }
}
