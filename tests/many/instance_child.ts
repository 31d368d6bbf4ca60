/** An instance that dies at a given moment, or has a wrong clock; started by instances.ts. */

import process from "node:process";
import { latchkey } from "../../src/server/hosting/latchkey.ts";
import { health } from "../../src/cli/operating/health.ts";
import type { Store } from "../../src/core/store/store.ts";
import type { Settings } from "../../src/server/config/settings.ts";
import { openStore } from "./open_store.ts";

/** Its configuration, as one JSON argument. */
export interface InstanceOptions {
  readonly port: number;
  readonly store: string;
  readonly settings: Settings;
  /** Store verb and record kind after which it dies: `consume code`. */
  readonly dieAfter?: string;
  /** Milliseconds by which its clock is ahead. */
  readonly ahead?: number;
  /** Its store reports consumed records as unconsumed, and drops every fifth record. */
  readonly lies?: boolean;
}

const { port, store, settings, dieAfter, ahead = 0, lies }: InstanceOptions = JSON.parse(process.argv[2]!);

let added = 0;
const dropsRecord = () => ++added % 5 === 0;

const realStore = await openStore(store);
const as = await latchkey({
  ...settings,
  store: new Proxy(realStore, {
    get: (target, verb: keyof Store) => {
      if (typeof target[verb] !== "function") return target[verb];
      return async (...args: unknown[]) => {
        if (lies && verb === "add" && dropsRecord()) return true;
        const done = await (target[verb] as (...args: unknown[]) => Promise<unknown>)(...args);
        // Like kill -9: no output and no cleanup.
        if (`${verb} ${args[0]}` === dieAfter) process.kill(process.pid, "SIGKILL");
        if (lies && verb === "get" && done !== undefined) return { ...done, consumedAt: undefined };
        return lies && verb === "consume" ? true : done;
      };
    },
  }),
  now: () => Date.now() + ahead,
  plugins: [health()],
});
await as.listen({ port, host: "127.0.0.1" });
