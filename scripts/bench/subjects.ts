/** The servers of every comparison: where each is run from, and what it is called. */

import { installPeers } from "./peers/install.ts";
import { peers, peersFolder, versions } from "./peers/packages.ts";
import type { PeerName } from "./peers/packages.ts";
import { findRuntime } from "./runtimes.ts";
import type { Runtime } from "./runtimes.ts";
import { serve } from "./served.ts";
import type { Served } from "./served.ts";
import type { Setup } from "./server.ts";

/** One of them. */
export type Which = Setup["which"];

/** Starts one on the core that is the servers'. */
export async function begin(runtime: Runtime, setup: Setup): Promise<Served> {
  if (!isPeer(setup.which)) return await serve(runtime, setup, 0);
  await installPeers();
  return await serve(await findRuntime(runtime.key, peersFolder), setup, 0);
}

/** What it is called in a table. */
export function nameOf(which: Which): string {
  if (which === "webcrypto") return "reference by WebCrypto";
  return isPeer(which) ? `${which} ${versions[which]}` : which;
}

/** Whether it is another project's. */
export function isPeer(which: Which): which is PeerName {
  return peers.some((name) => name === which);
}
