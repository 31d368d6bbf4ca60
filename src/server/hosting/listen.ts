/** Listens on the network. */

import type { RequestHandler } from "../../core/http/router.ts";
import { localIssuer } from "../config/settings.ts";
import { ListenError, serve } from "../../platform/runtime/serve.ts";
import type { TlsPair } from "../../platform/runtime/tls.ts";

/** @internal The address to listen on. */
export interface ListenOptions {
  /** The port; 0 picks a free one. Default: the issuer's port. */
  readonly port?: number;
  /** A name or address. Default: `localhost`, which is both `127.0.0.1` and `[::1]`. */
  readonly host?: string;
  /**
   * Serve https: a certificate, followed by its chain, and its private key, both as PEM. An issuer that follows the
   * port then begins with `https:`. `self-signed`: generated for each call, for the names of the server. A function
   * receives these names. Default: http.
   */
  readonly tls?: TlsPair | "self-signed" | ((hosts: readonly string[]) => Promise<TlsPair>);
}

/** @internal Where a server listens. */
export interface ListenResult {
  readonly url: string;
  /** The certificate as PEM, for clients that need to trust it; absent without TLS. */
  readonly cert?: string;
}

interface Listeners {
  listen(options?: ListenOptions): Promise<ListenResult>;
  /** Completes the requests in flight and stops listening. */
  close(): Promise<void>;
}

interface ListenersOptions {
  origin(): string;
  /** The names that a generated certificate is for. */
  hostnames(): readonly string[];
  /** The port of a second listener, which asks clients for certificates; absent: none. */
  certificatePort(): number | undefined;
  /** Whether TLS has the cipher suites of BCP 195 alone. */
  restrictsCiphers(): boolean;
  /** Handles every request. It must not reject. */
  readonly handle: RequestHandler;
  /**
   * Runs before the first request.
   *
   * @param origin Has the port of the first listener; absent for later listeners.
   * @param certificatePort The port of the listener that asks for certificates, beside the first listener.
   */
  onListening(origin: string | undefined, certificatePort: number | undefined): void;
}

/** Creates the listeners of a host. */
export function listeners(
  { origin, hostnames, certificatePort, restrictsCiphers, handle, onListening }: ListenersOptions,
): Listeners {
  const open: { close(): Promise<void> }[] = [];
  return {
    async listen({ port, host = "localhost", tls: givenTls } = {}) {
      const isFirst = open.length === 0;
      const portForCertificates = isFirst ? certificatePort() : undefined;
      const makeTls = givenTls === "self-signed"
        ? (await import("../../platform/runtime/self_signed.ts")).selfSignedCertificate
        : givenTls;
      const tls = typeof makeTls === "function" ? await makeTls(hostnames()) : makeTls;
      if (portForCertificates !== undefined && tls === undefined) {
        throw new ListenError(
          "Cannot ask clients for certificates without TLS. Give a certificate and its key, set tls to self-signed, or remove mutualTls.port.",
          undefined,
        );
      }
      const { promise: isReady, resolve: markReady } = Promise.withResolvers<void>();
      let handleWhenReady: RequestHandler = (request, peer) => isReady.then(() => handle(request, peer));
      const scheme = tls === undefined ? "http" : "https";
      const requestedPort = port ?? (Number(new URL(origin()).port) || 9000);
      const passOn: RequestHandler = (request, peer) => handleWhenReady(request, peer);
      const address = { host, tls, restrictsCiphers: restrictsCiphers() };
      const listener = await serve(passOn, { ...address, port: requestedPort });
      const second = portForCertificates === undefined
        ? undefined
        : await serve(passOn, { ...address, port: portForCertificates, requestsCertificate: true })
          .catch(async (error) => {
            await listener.close();
            throw error;
          });
      open.push(listener, ...second === undefined ? [] : [second]);
      onListening(isFirst ? localIssuer(listener.port, scheme) : undefined, second?.port);
      handleWhenReady = handle;
      markReady();
      const url = `${scheme}://${host.includes(":") ? `[${host}]` : host}:${listener.port}`;
      return { url, ...tls && { cert: tls.cert } };
    },
    async close() {
      await Promise.all(open.map((listener) => listener.close()));
    },
  };
}
