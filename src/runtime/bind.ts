/** The interface of the adapters that listen on an address. */

import type { RequestLike, ResponseLike } from "../http/message.ts";
import type { TlsPair } from "./tls.ts";

/** Answers a request; never throws, never rejects. */
export type RequestHandler = (request: RequestLike, peer?: { readonly address?: string }) => Promise<ResponseLike>;

/** A listening port. */
export interface BoundServer {
  readonly port: number;
  /** Lets requests in flight be answered, for {@link shutdownTimeoutMs} milliseconds at the most, and stops. */
  close(): Promise<void>;
}

/** An address of this machine. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Certificate and key for https; absent: http. */
  readonly tls?: TlsPair;
}

/** Listens on one address; rejects with whatever the runtime throws. */
export type Bind = (handle: RequestHandler, binding: ListenAddress) => Promise<BoundServer>;

/** How long requests in flight may take after closing began, in milliseconds; longer than a body's own deadline. */
export const shutdownTimeoutMs = 12_000;

/** How long a request's headers, or the whole request, may take, in milliseconds, where the runtime can tell. */
export const requestTimeoutMs = 15_000;

/** 408: the rest of the request did not arrive in time, and the connection is closed (RFC 9110 §15.5.9). */
export const requestTimeoutStatus = 408;

/** Waits for something, but no longer than this many milliseconds. */
export async function waitAtMost(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise((resolve) => timer = setTimeout(resolve, milliseconds));
  await Promise.race([promise, timeout]).finally(() => clearTimeout(timer));
}

/** Waits for a graceful stop, and ends it by force when that takes too long. */
export async function stopWithTimeout(gracefully: Promise<unknown>, byForce: () => unknown): Promise<void> {
  const timer = setTimeout(byForce, shutdownTimeoutMs);
  try {
    await gracefully;
  } finally {
    clearTimeout(timer);
  }
}
