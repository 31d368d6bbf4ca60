/** A server without a socket in a process of its own, for exam_many.ts. */

import { type Latchkey, latchkey } from "../../src/server/hosting/latchkey.ts";
import type { Settings } from "../../src/server/config/settings.ts";
import type { Store } from "../../src/core/store/store.ts";
import { handleCommands } from "../platform/store/run_child.ts";
import { openStore } from "./open_store.ts";

/** What the parent may ask for. */
export type Command =
  | { readonly do: "open"; readonly store: string; readonly settings: Settings }
  /** Consumes `code <from>` to `code <to - 1>` concurrently; responds with the numbers that it consumed. */
  | { readonly do: "consumeAll"; readonly from: number; readonly to: number }
  /** Uses every verb in turn until a record `seen` of this id exists; responds with start and duration of each call. */
  | { readonly do: "busy"; readonly until: string }
  | { readonly do: "rotate" }
  | {
    readonly do: "fetch";
    readonly path: string;
    readonly init?: { method?: string; body?: string; headers?: Record<string, string> };
  };

/** Response to a request. */
export interface Fetched {
  readonly status: number;
  readonly location: string | null;
  readonly body: string;
}

/** A call of the store: when it began, in milliseconds since the epoch, and how long it took. */
export type Call = readonly [at: number, took: number];

let store: Store;
let as: Latchkey;

await handleCommands(async (command: Command) => {
  switch (command.do) {
    case "open":
      store = await openStore(command.store);
      as = await latchkey({ ...command.settings, store });
      return;
    case "consumeAll": {
      const numbers = Array.from({ length: command.to - command.from }, (_, i) => command.from + i);
      const won = await Promise.all(numbers.map((number) => store.consume("code", `code ${number}`, 1)));
      return numbers.filter((_, i) => won[i]);
    }
    case "busy":
      return await useAll(command.until);
    case "rotate":
      return await as.rotateKeys(undefined, 0);
    case "fetch": {
      const response = await as.fetch(new Request(as.issuer + command.path, { redirect: "manual", ...command.init }));
      return {
        status: response.status,
        location: response.headers.get("location"),
        body: await response.text(),
      } satisfies Fetched;
    }
  }
});

async function useAll(until: string): Promise<Call[]> {
  const calls: Call[] = [];
  let over = false;
  const verbs: ((id: string) => Promise<unknown>)[] = [
    (id) => store.add("used_identifier", id, {}, { expiresAt: Infinity }),
    (id) => store.consume("used_identifier", id, 1),
    (id) => store.revoke(id, Infinity),
    (id) => store.put("used_identifier", id, {}, { expiresAt: Infinity }),
    async () => over = await store.get("used_identifier", until) !== undefined,
  ];
  for (let i = 0; !over; i++) {
    const at = Date.now();
    const begun = performance.now();
    await verbs[i % verbs.length]!(`busy ${Math.floor(i / verbs.length)}`);
    calls.push([at, performance.now() - begun]);
    // Only a test would retry immediately, and a SQLite file has no fair queue.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return calls;
}
