/** What the drivers of libraries have in common. */

import type { TestClient, TestClientOptions } from "../../testing/clients.ts";

/** Options of a driver. Everything has a default. */
export interface DriverOptions {
  /** The name in the report. Default: the name of the library. */
  readonly name?: string;
  /** How the client is registered. Default: a public client with `https://client.test/callback`. */
  readonly client?: TestClientOptions;
  /** The scope of the authorization request, separated by spaces. Default: `openid profile email offline_access`. */
  readonly scope?: string;
}

/** The default of {@link DriverOptions.scope}. */
export const defaultScope = "openid profile email offline_access";

/** How long an application caches metadata. */
export const secondsPerDay = 86_400;

/** The methods of client authentication that the drivers support. */
const methods = ["none", "client_secret_basic", "client_secret_post"] as const;

/**
 * The method by which the client authenticates.
 *
 * @throws {TypeError} If the driver does not support it.
 */
export function methodOf(driver: string, { token_endpoint_auth_method: received }: TestClient): typeof methods[number] {
  const method = methods.find((known) => known === received);
  if (method !== undefined) return method;
  throw new TypeError(
    `${driver}, client.token_endpoint_auth_method: expected one of ${methods.join(", ")}, received ${received}. ` +
      "Register the client with one of these methods, or write a driver of your own.",
  );
}
