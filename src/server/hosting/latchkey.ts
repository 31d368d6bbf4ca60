/** A host with one app: {@link latchkey}. */

import { assertSupportedNode } from "../../platform/runtime/node_version.ts";
import type { ResolvedSettings } from "../config/resolve_settings.ts";
import type { App } from "../app.ts";
import type { HostedApp } from "./hosted_app.ts";
import { createHost } from "./host.ts";
import type { ListenOptions, ListenResult } from "./listen.ts";
import type { LatchkeyOptions } from "./options.ts";
import { assertLatchkeyOptions } from "./options_field.ts";

/** A running authorization server. */
export interface Latchkey extends Omit<HostedApp, "remove"> {
  /**
   * Listens on the network, on Deno, Bun and Node.
   *
   * @throws {Error} If the address or the certificate cannot be used.
   */
  listen(options?: ListenOptions): Promise<ListenResult>;
  /** Stops listening, waits for requests in flight, and closes the store. Further calls return the same promise. */
  close(): Promise<void>;
}

/**
 * Creates an authorization server. Default: strict, in memory, with two demo clients and two users.
 *
 * @throws {ConfigurationError} With one sentence per issue of the options, or of the keys in the store.
 * @throws {StoreError} If the store does not respond for a minute and a half.
 * @throws {Error} On a version of Node that is too old.
 *
 * @example
 * ```ts
 * const as = await latchkey({ clients: [{ client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] }] });
 * const response = await as.fetch(new Request(`${as.issuer}/.well-known/openid-configuration`));
 * ```
 */
export async function latchkey(options: LatchkeyOptions = {}): Promise<Latchkey> {
  return (await openLatchkey(options)).server;
}

/** A server, and what its plugins know of it. */
interface OpenLatchkey {
  readonly server: Latchkey;
  readonly app: App;
}

/**
 * Creates an authorization server.
 *
 * @param resolved What the settings of the options mean. Default: the server resolves them.
 */
export async function openLatchkey(options: LatchkeyOptions, resolved?: ResolvedSettings): Promise<OpenLatchkey> {
  assertSupportedNode();
  if (resolved === undefined) assertLatchkeyOptions(options);
  const host = createHost(options.issuerUntilListening);
  const { app, hosted } = await host.addMainApp(options, resolved);
  const { clients, users, fetch, rotateKeys } = hosted;
  const { listen, close } = host;
  const server: Latchkey = {
    get issuer() {
      return hosted.issuer;
    },
    ...{ clients, users, fetch, rotateKeys, listen, close },
    [Symbol.asyncDispose]: close,
  };
  return { server, app };
}
