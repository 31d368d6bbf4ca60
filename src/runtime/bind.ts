/** What every runtime offers in the same shape: listening on one address. */

import type { Answer, Incoming } from "../http/message.ts";
import type { TlsPair } from "./tls.ts";

/** Answers a request; never throws, never rejects. */
export type Handle = (request: Incoming, peer?: { readonly address?: string }) => Promise<Answer>;

/** A port that is listened on. */
export interface Bound {
  readonly port: number;
  /** Lets requests in flight be answered, for {@link graceful} milliseconds at the most, and stops. */
  close(): Promise<void>;
}

/** One address of this machine. */
export interface Binding {
  readonly host: string;
  readonly port: number;
  /** With which https is spoken; absent: http. */
  readonly tls?: TlsPair;
}

/** Listens on one address; rejects with whatever the runtime throws. */
export type Bind = (handle: Handle, binding: Binding) => Promise<Bound>;

/** How long requests in flight may take after closing began, in milliseconds; longer than a body's own deadline. */
export const graceful = 12_000;

/** How long a request's headers, or the whole request, may take, in milliseconds, where the runtime can tell. */
export const patience = 15_000;

/** 408: the rest of the request did not arrive in time, and the connection is closed (RFC 9110 §15.5.9). */
export const requestTimeout = 408;

/** Waits for something, but no longer than this many milliseconds. */
export async function within(milliseconds: number, something: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise((resolve) => timer = setTimeout(resolve, milliseconds));
  await Promise.race([something, late]).finally(() => clearTimeout(timer));
}

/** Waits for a graceful stop, and ends it by force when that takes too long. */
export async function stopWithin(gracefully: Promise<unknown>, byForce: () => unknown): Promise<void> {
  const timer = setTimeout(byForce, graceful);
  try {
    await gracefully;
  } finally {
    clearTimeout(timer);
  }
}
