/** What the drivers of libraries have in common. */

import type { TestClient, TestClientOptions } from "../../../../src/testing/clients.ts";

/** Options of a driver. */
export interface DriverOptions {
  /** How the client is registered. Default: a public client with `https://client.test/callback`. */
  readonly client?: TestClientOptions;
}

/** Options of a driver of a library that verifies signatures of ID tokens only with an option. */
export interface SignatureOptions extends DriverOptions {
  /** Whether the client verifies the signature of ID tokens. Default: false, as in the library, which relies on TLS. */
  readonly verifySignature?: boolean;
}

/** The scope of the authorization request. */
export const scope = "openid profile email offline_access";

/** How long an application caches metadata. */
export const secondsPerDay = 86_400;

/** The methods of client authentication that the drivers support. */
const methods = ["none", "client_secret_basic", "client_secret_post"] as const;

/** The method by which the client authenticates. Throws a `TypeError` if the driver does not support it. */
export function methodOf(driver: string, { token_endpoint_auth_method: received }: TestClient): typeof methods[number] {
  const method = methods.find((known) => known === received);
  if (method !== undefined) return method;
  throw new TypeError(
    `${driver}, client.token_endpoint_auth_method: expected one of ${methods.join(", ")}, received ${received}.`,
  );
}
