/** What a request asks of the store, counted, and the rule that needs it: what no rule needs makes the bench fail. */

import { latchkey, memoryStore } from "../../src/mod.ts";
import type { Store } from "../../src/mod.ts";
import { clients } from "./clients.ts";
import { over } from "./connection.ts";
import { requests } from "./requests.ts";
import type { RequestName } from "./requests.ts";
import { latchkeySite } from "./site.ts";
import { print } from "./table.ts";

const familyGoesOn = "CI-06, RV-05: nobody ended the family, at whichever instance";
const tokenGoesOn = "RV-05: nor the token by itself";

/** Each trip that there may be, as often as it stands here, and why. */
const needs: Readonly<Record<RequestName, readonly (readonly [trip: string, why: string])[]>> = {
  flow: [
    ["put code", "CI-03: what the code stands for, for whichever instance redeems it"],
    ["get code", "CI-03, CI-09: everything about it must be right before it is used up"],
    ["get ended_family", "CI-11: the approval was not ended"],
    ["get ended_family", "LO-05: nor was the session"],
    ["spend code", "CI-04: the one step that decides who redeems it"],
  ],
  refresh: [
    ["get refresh_token", "RT-02, RT-07: everything about it must be right before it is used up"],
    ["get ended_family", "RT-04, RV-05: the family goes on"],
    ["get ended_family", "RT-01, LO-05: and so does the session"],
    ["spend refresh_token", "RT-05: the one step that decides who exchanges it"],
    ["add refresh_token", "RT-04: the one that takes its place"],
  ],
  introspection: [["get ended_family", familyGoesOn], ["get ended_family", tokenGoesOn]],
  userinfo: [["get ended_family", familyGoesOn], ["get ended_family", tokenGoesOn]],
  client_credentials: [],
};

/** Counts, compares and prints. A request that is the first of its kind, which also asks for keys, is not counted. */
export async function roundTrips(): Promise<void> {
  const asked: Asked[] = [];
  await using as = await latchkey({ clients, store: counted(memoryStore(), asked) });
  const connection = over((url, init) => as.fetch(new Request(url, init)), as.issuer);
  const rows: string[][] = [];
  for (const what of Object.keys(needs) as RequestName[]) {
    const step = await requests[what](connection, latchkeySite(as.issuer));
    await step();
    asked.length = 0;
    await step();
    const found = asked.map(({ trip }) => trip);
    const needed = needs[what].map(([trip]) => trip);
    if (found.join() !== needed.join()) {
      throw new Error(`${what}: expected the round trips ${needed.join(", ")}; found ${found.join(", ")}.`);
    }
    const waits = asked.filter(({ waits }) => waits).length;
    rows.push([what, `${asked.length}`, `${waits}`]);
    needs[what].forEach(([trip, why], i) => rows.push([`${asked[i]!.waits ? "   " : "  ∥"} ${trip} (${why})`, "", ""]));
  }
  print(["round trips to the store (∥: at the same time as the one before)", "trips", "waits"], rows);
}

/** One call of the store. */
interface Asked {
  readonly trip: string;
  /** Whether it began when no other was under way. */
  readonly waits: boolean;
}

/** The same store, each call of which is written down; sweeps are no part of a request. */
function counted(store: Store, asked: Asked[]): Store {
  let underWay = 0;
  async function ask<T>(trip: string, call: () => Promise<T>): Promise<T> {
    asked.push({ trip, waits: underWay === 0 });
    underWay++;
    try {
      return await call();
    } finally {
      underWay--;
    }
  }
  return {
    get: (kind, id) => ask(`get ${kind}`, () => store.get(kind, id)),
    put: (kind, id, value, shelf) => ask(`put ${kind}`, () => store.put(kind, id, value, shelf)),
    add: (kind, id, value, shelf) => ask(`add ${kind}`, () => store.add(kind, id, value, shelf)),
    spend: (kind, id, now) => ask(`spend ${kind}`, () => store.spend(kind, id, now)),
    revoke: (family, until) => ask("revoke", () => store.revoke(family, until)),
    sweep: (now) => store.sweep(now),
    close: () => store.close(),
  };
}
