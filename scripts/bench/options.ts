/** Options of the bench: the amount of work, and the subjects. */

import type { BenchAlgorithm } from "./site.ts";
import type { PeerName } from "./peers/packages.ts";
import type { RuntimeName } from "./runtimes.ts";

/** How much is measured, and of what. */
export interface Options {
  readonly runtimes: readonly RuntimeName[];
  /** Default: each part has its own. */
  readonly algs?: readonly BenchAlgorithm[];
  readonly peers: readonly PeerName[];
  readonly rounds: number;
  /** Per round and server. */
  readonly seconds: number;
  /** Seconds of load before measurement. */
  readonly warmUp: number;
  /** Spawns per server in the start part. */
  readonly spawns: number;
  /** Flows per step in the memory part. */
  readonly flowsPerStep: number;
}
