/** The recorder: a layer that remembers every exchange, bounded, and sorts them into flows. */

import type { Layer } from "../endpoints/layer.ts";
import type { Exchange, Flow } from "./exchange.ts";

/** Remembers what a server is asked and what it answers. */
export interface Recorder extends Layer {
  /** Oldest first. Each is a value of its own: what becomes of an exchange later shows in a new value. */
  exchanges(): readonly Exchange[];
  /** Oldest first. */
  flows(): readonly Flow[];
  /** `undefined` when there is none, or no longer. */
  flow(id: string): Flow | undefined;
  /** Is told of every exchange when it begins and again when it ends; gives back how to stop listening. */
  listen(listener: (exchange: Exchange) => void): () => void;
  /** Forgets everything, or one flow. */
  clear(flow?: string): void;
  /** Whether it remembers what comes from now on; what it knows it keeps either way. */
  recording: boolean;
}

/** How much is remembered. */
export interface RecorderOptions {
  /** Exchanges, the oldest of which are forgotten first, whole flows at a time. Default: 1,000. */
  readonly limit?: number;
  /** Whether static files and other plain pages are remembered as well. Default: false. */
  readonly pages?: boolean;
}
