/** An instance that can be told to die at one certain moment, or whose clock is wrong; started by team.ts. */

import process from "node:process";
import { latchkey } from "../../src/server/latchkey.ts";
import { health } from "../../src/operating/health.ts";
import type { Store } from "../../src/store/store.ts";
import type { Settings } from "../../src/oauth/config/settings.ts";
import { openStore } from "./open_store.ts";

/** What it is told, as its one argument in JSON. */
export interface InstanceOptions {
  readonly port: number;
  readonly store: string;
  readonly settings: Settings;
  /** The verb of the store, and the kind of record, after which it dies: `spend code`. */
  readonly dieAfter?: string;
  /** Milliseconds by which its clock is ahead. */
  readonly ahead?: number;
  /** Its store calls unspent what is spent, and drops each fifth record. */
  readonly lies?: boolean;
}

const { port, store, settings, dieAfter, ahead = 0, lies }: InstanceOptions = JSON.parse(process.argv[2]!);

let added = 0;
const dropsRecord = () => ++added % 5 === 0;

const realStore = await openStore(store);
const as = await latchkey({
  ...settings,
  store: new Proxy(realStore, {
    get: (target, verb: keyof Store) => async (...args: unknown[]) => {
      if (lies && verb === "add" && dropsRecord()) return true;
      const done = await (target[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
      // As kill -9 does: nothing is said, nothing is tidied up.
      if (`${verb} ${args[0]}` === dieAfter) process.kill(process.pid, "SIGKILL");
      if (lies && verb === "get" && done !== undefined) return { ...done, consumedAt: undefined };
      return lies && verb === "consume" ? true : done;
    },
  }),
  now: () => Date.now() + ahead,
  plugins: [health()],
});
await as.listen({ port, host: "127.0.0.1" });
