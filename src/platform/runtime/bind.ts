/** The interface of the runtime adapters that listen on an address. */

import type { HttpRequest, HttpResponse } from "../../core/http/message.ts";
import type { ClientAddress } from "../../core/http/router.ts";
import type { TlsPair } from "./tls.ts";
import { type Timer, timers } from "../../core/http/timers.ts";

/** @internal The peer of a connection. */
export interface Peer extends ClientAddress {
  /** The certificate that it presented: DER bytes, or PEM text. Default: none. */
  readonly certificate?: Uint8Array | string;
}

/** Handles a request. It never throws and never rejects. */
export type RequestHandler = (request: HttpRequest, peer?: Peer) => Promise<HttpResponse | Response>;

export interface BoundServer {
  readonly port: number;
  /** Completes requests in flight, for at most {@link shutdownTimeoutMs}, and stops. */
  close(): Promise<void>;
}

/** An address of this machine. */
export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** Certificate and key for https. Default: http. */
  readonly tls?: TlsPair;
  /**
   * With `tls`, asks clients for a certificate, and accepts any or none. The handler gets its DER bytes. Default: no.
   */
  readonly requestsCertificate?: boolean;
  /**
   * With `tls`, accepts no other cipher suite than {@link cipherSuites}. Deno cannot restrict those of TLS 1.2: it then
   * has TLS 1.3 and HTTP/1.1 alone. Default: Deno also accepts ChaCha20 in TLS 1.2.
   */
  readonly restrictsCiphers?: boolean;
}

/** All cipher suites of TLS 1.3, and those of TLS 1.2 that BCP 195 recommends (RFC 9325 §4.2), as in OpenSSL. */
export const cipherSuites = [
  ...["TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256", "TLS_AES_128_GCM_SHA256"],
  ...["ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"],
  ...["ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"],
].join(":");

/** Listens on one address. Rejects with the error of the runtime. */
export type Bind = (handle: RequestHandler, binding: ListenAddress) => Promise<BoundServer>;

/** Maximum duration of requests in flight after closing began, in milliseconds; longer than `bodyTimeoutMs`. */
export const shutdownTimeoutMs = 12_000;

/** Maximum duration of receiving a request, in milliseconds, if the runtime supports a limit. */
export const requestTimeoutMs = 15_000;

/** The status of a request that did not arrive in time; its connection is closed (RFC 9110 §15.5.9). */
export const requestTimeoutStatus = 408;

/** The maximum size of all headers, in bytes, if the runtime can set it; above `maxHeaderLength` of each. */
export const maxHeaderBytes = 128 * 1024;

/** Waits for a promise, but no longer than a number of milliseconds. */
export async function waitAtMost(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: Timer | undefined;
  const timeout = new Promise((resolve) => timer = timers.setTimeout(resolve, milliseconds));
  await Promise.race([promise, timeout]).finally(() => timers.clearTimeout(timer));
}

/** Waits for a graceful stop. Calls `byForce` after {@link shutdownTimeoutMs}. */
export async function stopWithTimeout(gracefully: Promise<unknown>, byForce: () => unknown): Promise<void> {
  const timer = timers.setTimeout(byForce, shutdownTimeoutMs);
  await gracefully.finally(() => timers.clearTimeout(timer));
}
