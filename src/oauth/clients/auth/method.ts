/** The ClientAuth interface: one way in which a client proves who it is, and the one refusal they share. */

import type { MaybePromise } from "../../maybe_promise.ts";
import type { ClientAuthMethod } from "../client.ts";
import { describeRemovedClient } from "../repository.ts";
import type { Client } from "../repository.ts";
import { OAuthError } from "../../errors.ts";
import type { Params } from "../../params.ts";
import { constantTimeEqual, digest } from "../../secrets.ts";
import { secondsNow } from "../../server.ts";
import type { Server } from "../../server.ts";

/** What a request offers as proof of who is calling. */
export interface Credentials {
  /** The value of the `Authorization` header. */
  readonly authorization: string | null;
  readonly params: Params;
  /** The address of the caller, as far as it is known. */
  readonly address?: string;
}

/** One method of client authentication (OAuth 2.1 §2.4). */
export interface ClientAuth {
  readonly method: ClientAuthMethod;
  /** Whether the request uses this method at all. */
  isUsed(credentials: Credentials): boolean;
  /** Who the request says it is, for the trace and the throttle; `undefined` when it cannot be read. */
  claimedId(credentials: Credentials): string | undefined;
  /** The client, when it has proved itself by this method; throws `invalid_client` otherwise. */
  authenticate(server: Server, credentials: Credentials): MaybePromise<Client>;
}

/** The one answer to every failed proof, so that nothing can be learned from it; the trace is told more. */
export function invalidClient(reason: string, expected?: string, received?: string, earlier?: string): OAuthError {
  return new OAuthError("invalid_client", "client authentication failed", {
    rule: "CA-07",
    reason,
    expected,
    received,
    earlier,
  });
}

/** Tells which client it is. */
export function tracePassedClient(server: Server, client: Client): void {
  server.passed?.("CA-07", client.id);
}

/** Rejects a client that is not registered; `received` describes the id that was sent. */
export function unknownClient(server: Server, id: string | undefined, received = id): OAuthError {
  const earlier = describeRemovedClient(server.clients, id);
  return invalidClient("the client is unknown", "the client_id of a registered client", received, earlier);
}

/** Shows only the length of an unknown Basic user name: it may be the secret, if both halves were swapped. */
function describeUserName(server: Server, id: string, secret: string): string {
  if (server.clients.findCached(secret) !== undefined) return "the client_id in place of the secret";
  return `a user name of ${id.length} characters`;
}

/** The digest that stands in for the secret of a client that is not there. */
const dummyDigest = "A".repeat(43);

/** Proves a client by a shared secret; every failure does the same work and looks the same (CA-07, CA-08). */
export async function verifyClientSecret(
  server: Server,
  method: ClientAuthMethod,
  candidates: readonly { readonly id: string; readonly secret: string }[],
): Promise<Client> {
  let failure: OAuthError | undefined;
  for (const { id, secret } of candidates) {
    const client = await server.clients.find(id);
    const expectedDigest = await client?.secretDigest ?? dummyDigest;
    const matches = constantTimeEqual(await digest(secret), expectedDigest);
    if (client === undefined) continue;
    if (!client.authMethods.includes(method)) {
      failure = invalidClient(
        `client ${id} must use ${client.authMethod}; this request used ${method}`,
        client.authMethod,
        method,
      );
    } else if (secret === "" || !matches) {
      failure = invalidClient(`the secret of client ${id} is wrong`, "the registered secret", "a different secret");
    } else if (client.secretExpiresAt !== undefined && secondsNow(server) >= client.secretExpiresAt) {
      const at = new Date(client.secretExpiresAt * 1000).toISOString();
      failure = invalidClient("the secret has expired", "a secret that is still valid", `one that expired at ${at}`);
    } else return client;
  }
  const { id, secret } = candidates[0]!;
  throw failure ??
    unknownClient(server, id, method === "client_secret_basic" ? describeUserName(server, id, secret) : id);
}
