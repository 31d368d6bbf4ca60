/** The methods of client authentication, one line each, and the phase that every endpoint for clients begins with. */

import type { Client } from "../clients.ts";
import { OAuthError } from "../errors.ts";
import type { Server } from "../server.ts";
import { basic } from "./basic.ts";
import type { ClientAuth, Credentials } from "./method.ts";
import { none } from "./none.ts";
import { post } from "./post.ts";

/** In the order in which metadata names them. */
export const clientAuthMethods: readonly ClientAuth[] = [basic, post, none];

/**
 * Says which client is calling, or throws: `invalid_client` when it does not prove itself, `invalid_request` when it
 * tries to in two ways at once or names two clients (OAuth 2.1 §2.4, §3.2.1).
 */
export async function authenticateClient(server: Server, credentials: Credentials): Promise<Client> {
  const { params } = credentials;
  const used = clientAuthMethods.filter((way) => way !== none && way.isUsed(credentials));
  const assertion = params.get("client_assertion") !== undefined || params.get("client_assertion_type") !== undefined;
  if (used.length + Number(assertion) > 1) {
    throw new OAuthError("invalid_request", "the client authenticates in more than one way at once", {
      rule: "CA-09",
      expected: "one of: an Authorization header, client_secret, client_assertion",
      received: "more than one of them",
    });
  }
  if (assertion) {
    throw new OAuthError("invalid_client", "client authentication failed", {
      rule: "CA-07",
      reason: "client assertions are not accepted by this server",
      expected: clientAuthMethods.map((way) => way.method).join(", "),
      received: "a client_assertion",
    });
  }
  const way = used[0] ?? none;
  // Whoever only names itself has nothing to guess, and must not be slowed down by others' guesses.
  const guesser = way === none ? undefined : `${way.claimedId(credentials) ?? ""} ${credentials.address ?? ""}`;
  const wait = guesser === undefined ? 0 : server.throttle?.wait(guesser) ?? 0;
  if (wait > 0) {
    throw new OAuthError("temporarily_unavailable", "too many failed authentications, try again later", {
      rule: "CA-12",
      status: 429,
      retryAfter: wait,
      expected: `no further try for ${wait} seconds`,
      received: "another one",
    });
  }
  const client = await prove(server, way, credentials, guesser);
  const named = params.get("client_id");
  if (named !== undefined && named !== client.id) {
    throw new OAuthError("invalid_request", "client_id names another client than the one that authenticated", {
      rule: "TK-08",
      expected: "no client_id, or the one of the Authorization header",
      received: "another client_id",
    });
  }
  return client;
}

async function prove(
  server: Server,
  way: ClientAuth,
  credentials: Credentials,
  guesser: string | undefined,
): Promise<Client> {
  try {
    return await way.prove(server, credentials);
  } catch (error) {
    if (guesser !== undefined && error instanceof OAuthError) server.throttle?.fail(guesser);
    throw error;
  }
}
