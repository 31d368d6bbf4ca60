/** The server of oauth2-mock-server: a service on a port. */

import { readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, isIP } from "node:net";
import type { TestLatchkey } from "../test_latchkey.ts";
import { OAuth2Issuer } from "./issuer.ts";
import { OAuth2Service } from "./service.ts";
import type { HttpServerOptions, OAuth2Options } from "./types.ts";

/** A server that can be started again after a stop. */
export class HttpServer {
  readonly #listener: RequestListener;
  readonly #options: HttpServerOptions | undefined;
  #servers: readonly Server[] = [];

  /**
   * Creates a server that does not listen yet.
   *
   * @param listener Handles the requests.
   * @param options A certificate and its private key, for https. Default: http.
   */
  constructor(listener: RequestListener, options?: HttpServerOptions) {
    this.#listener = listener;
    this.#options = options?.key && options.cert ? options : undefined;
  }

  /** Whether the server listens. */
  get listening(): boolean {
    return this.#servers.length > 0;
  }

  /** The address of the server. @throws {Error} If it does not listen. */
  address(): AddressInfo {
    if (!this.listening) throw new Error("Server is not started.");
    return this.#servers[0]!.address() as AddressInfo;
  }

  /**
   * Starts the server.
   *
   * @param port Default: a free one.
   * @param host A name or address. Default: `localhost`, which is both `127.0.0.1` and `::1`.
   * @throws {Error} If it listens already, or the address cannot be used.
   */
  async start(port = 0, host = "localhost"): Promise<void> {
    if (this.listening) throw new Error("Server has already been started.");
    if (host !== "localhost") {
      this.#servers = [await this.#listen(port, host)];
      return;
    }
    const first = await this.#listen(port, "127.0.0.1");
    const { port: usedPort } = first.address() as AddressInfo;
    // A machine without IPv6 has only the first address.
    const second = await this.#listen(usedPort, "::1").catch(() => undefined);
    this.#servers = second === undefined ? [first] : [first, second];
  }

  /** Completes the requests in flight and stops. @throws {Error} If the server does not listen. */
  async stop(): Promise<void> {
    if (!this.listening) throw new Error("Server is not started.");
    const servers = this.#servers;
    this.#servers = [];
    await Promise.all(servers.map((server) =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      })
    ));
  }

  /** The URL of a host and port; `localhost` instead of an address of this machine. */
  protected buildIssuerUrl(host: string | undefined, port: number): string {
    const name = host === undefined || isThisMachine(host) ? "localhost" : host.includes(":") ? `[${host}]` : host;
    return new URL(`${this.#options === undefined ? "http" : "https"}://${name}:${port}`).origin;
  }

  #listen(port: number, host: string): Promise<Server> {
    const server = this.#options === undefined
      ? createServer(this.#listener)
      : createHttpsServer(this.#options as object, this.#listener);
    return new Promise((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => resolve(server));
    });
  }
}

function isThisMachine(host: string): boolean {
  return isIP(host) === 4 ? host === "0.0.0.0" || host.startsWith("127.") : host === "::" || host === "::1";
}

/**
 * A server with the interface of `OAuth2Server` of oauth2-mock-server.
 *
 * @example
 * ```ts
 * import { OAuth2Server } from "@latchkey/latchkey/testing/oauth2-mock-server";
 *
 * const server = new OAuth2Server();
 * await server.issuer.keys.generate("RS256");
 * await server.start();
 * server.service.once("beforeTokenSigning", (token) => token.payload.roles = ["admin"]);
 * await server.stop();
 * ```
 */
export class OAuth2Server extends HttpServer {
  readonly #issuer: OAuth2Issuer;
  readonly #service: OAuth2Service;

  /**
   * Creates a server that does not listen yet.
   *
   * @param key The path of the private key, for https. Default: http.
   * @param cert The path of its certificate.
   * @param options Paths of endpoints, and the form of the issuer. Default: those of oauth2-mock-server.
   * @throws {Error} If only one of `key` and `cert` is given.
   */
  constructor(key?: string, cert?: string, options: OAuth2Options = {}) {
    if ((key === undefined) !== (cert === undefined)) {
      throw new Error("Both key and cert need to be supplied to start the server with https");
    }
    const issuer = new OAuth2Issuer(options.shouldIssuerUrlBeSuffixedWithATralingSlash);
    const service = new OAuth2Service(issuer, options.endpoints);
    super(
      service.requestHandler,
      key === undefined || cert === undefined ? undefined : { key: readFileSync(key), cert: readFileSync(cert) },
    );
    this.#issuer = issuer;
    this.#service = service;
  }

  /** The issuer: its URL and its keys. */
  get issuer(): OAuth2Issuer {
    return this.#issuer;
  }

  /** The service: its events. */
  get service(): OAuth2Service {
    return this.#service;
  }

  /** The mock behind this server, with its log, faults, users and clock. */
  get mock(): Promise<TestLatchkey> {
    return this.#service.mock();
  }

  /** Starts the server, as {@link HttpServer.start} does, and sets the URL of the issuer unless a test has set it. */
  override async start(port?: number, host?: string): Promise<void> {
    await super.start(port, host);
    const url = this.buildIssuerUrl(host, this.address().port);
    await this.#service.mock(url);
    this.#issuer.url ??= url;
  }

  /**
   * Stops the server and forgets the URL of the issuer.
   *
   * @throws {Error} If it does not listen, or if a fault of the mock fired less often than expected.
   */
  override async stop(): Promise<void> {
    await super.stop();
    this.#issuer.url = undefined;
    await this.#service.close();
  }
}
