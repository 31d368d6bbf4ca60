/** Store calls of each request, with the rule that needs each. A call without a rule fails the bench. */

import { latchkey, memoryStore } from "../../src/mod.ts";
import type { Store } from "../../src/mod.ts";
import { clients } from "./clients.ts";
import { fetchConnection } from "./connection.ts";
import { requests } from "./requests.ts";
import type { RequestName } from "./requests.ts";
import { latchkeySite } from "./site.ts";
import { print } from "./table.ts";

const grantNotRevoked = "CI-06, RV-05: the grant is not revoked, on any instance";
const tokenNotRevoked = "RV-05: nor the token by itself";

type Trips = readonly (readonly [trip: string, why: string])[];

const flowTrips: Trips = [
  ["put code", "CI-03: what the code stands for, for whichever instance exchanges it"],
  ["get code", "CI-03, CI-09: everything about it must be right before it is used up"],
  ["get revocation", "CI-11: the consent is not revoked"],
  ["get revocation", "LO-05: nor has the session ended"],
  ["consume code", "CI-04: the one step that decides who exchanges it"],
];

/** Allowed calls, with number and reason. */
const expectedTrips: Readonly<Record<RequestName, Trips>> = {
  flow_with_refresh_token: [
    ...flowTrips,
    ["add refresh_token", "RT-01: what the refresh token stands for, for whichever instance exchanges it"],
  ],
  flow: flowTrips,
  refresh: [
    ["get refresh_token", "RT-02, RT-07: everything about it must be right before it is used up"],
    ["get revocation", "RT-04, RV-05: the grant is not revoked"],
    ["get revocation", "RT-01, LO-05: nor has the session ended"],
    ["consume refresh_token", "RT-05: the one step that decides who exchanges it"],
    ["add refresh_token", "RT-04: the one that takes its place"],
  ],
  introspection: [["get revocation", grantNotRevoked], ["get revocation", tokenNotRevoked]],
  userinfo: [["get revocation", grantNotRevoked], ["get revocation", tokenNotRevoked]],
  client_credentials: [],
};

/** Counts, compares and prints. The first request of a kind, which also reads keys, is not counted. */
export async function roundTrips(): Promise<void> {
  const calls: StoreCall[] = [];
  await using as = await latchkey({ clients, store: recordCalls(memoryStore(), calls) });
  const connection = fetchConnection((url, init) => as.fetch(new Request(url, init)), as.issuer);
  const rows: string[][] = [];
  for (const what of Object.keys(expectedTrips) as RequestName[]) {
    const step = await requests[what](connection, latchkeySite(as.issuer));
    await step();
    calls.length = 0;
    await step();
    const found = calls.map(({ trip }) => trip);
    const needed = expectedTrips[what].map(([trip]) => trip);
    if (found.join() !== needed.join()) {
      throw new Error(`${what}: expected the round trips ${needed.join(", ")}; found ${found.join(", ")}.`);
    }
    const waits = calls.filter(({ isSequential }) => isSequential).length;
    rows.push([what, `${calls.length}`, `${waits}`]);
    expectedTrips[what].forEach(([trip, why], i) =>
      rows.push([`${calls[i]!.isSequential ? "   " : "  ∥"} ${trip} (${why})`, "", ""])
    );
  }
  print(["round trips to the store (∥: at the same time as the one before)", "trips", "waits"], rows);
}

/** One call of the store. */
interface StoreCall {
  readonly trip: string;
  /** Whether no other call was pending when it started. */
  readonly isSequential: boolean;
}

/** A store that records each call. Deletion of expired records is no part of a request. */
function recordCalls(store: Store, calls: StoreCall[]): Store {
  let inFlight = 0;
  async function record<T>(trip: string, call: () => Promise<T>): Promise<T> {
    calls.push({ trip, isSequential: inFlight === 0 });
    inFlight++;
    try {
      return await call();
    } finally {
      inFlight--;
    }
  }
  return {
    get: (kind, id) => record(`get ${kind}`, () => store.get(kind, id)),
    put: (kind, id, value, metadata) => record(`put ${kind}`, () => store.put(kind, id, value, metadata)),
    add: (kind, id, value, metadata) => record(`add ${kind}`, () => store.add(kind, id, value, metadata)),
    consume: (kind, id, now) => record(`consume ${kind}`, () => store.consume(kind, id, now)),
    extend: (kind, id, expiresAt) => record(`extend ${kind}`, () => store.extend(kind, id, expiresAt)),
    revoke: (grantId, until) => record("revoke", () => store.revoke(grantId, until)),
    delete: (kind, id) => record(`delete ${kind}`, () => store.delete(kind, id)),
    list: (kind, options) => record(`list ${kind}`, () => store.list(kind, options)),
    count: (kind, prefix) => record(`count ${kind}`, () => store.count(kind, prefix)),
    deleteExpired: (now) => store.deleteExpired(now),
    deleteAll: (prefix) => record("deleteAll", () => store.deleteAll(prefix)),
    close: () => store.close(),
  };
}
