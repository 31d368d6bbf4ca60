/** The methods of client authentication, one line each, and the phase that every endpoint for clients begins with. */

import type { Client } from "../repository.ts";
import { OAuthError } from "../../errors.ts";
import type { Server } from "../../server.ts";
import type { Throttle } from "../../rate_limiter.ts";
import type { Explanation } from "../../trace.ts";
import { privateKeyJwt, secretJwt } from "./assertion.ts";
import { basic } from "./basic.ts";
import { passClient } from "./method.ts";
import type { ClientAuth, Credentials } from "./method.ts";
import { none } from "./none.ts";
import { post } from "./post.ts";

/** In the order in which metadata names them. */
export const clientAuthMethods: readonly ClientAuth[] = [basic, post, secretJwt, privateKeyJwt, none];

/**
 * Says which client is calling, or throws: `invalid_client` when it does not prove itself, `invalid_request` when it
 * tries to in two ways at once or names two clients (OAuth 2.1 §2.4, §3.2.1).
 */
export async function authenticateClient(server: Server, credentials: Credentials): Promise<Client> {
  const { params } = credentials;
  const used = clientAuthMethods.filter((way) => way !== none && way.isUsed(credentials));
  if (used.length > 1) {
    throw new OAuthError("invalid_request", "the client authenticates in more than one way at once", {
      rule: "CA-09",
      expected: "one of: an Authorization header, client_secret, client_assertion",
      received: "more than one of them",
    });
  }
  const way = used[0] ?? none;
  // Whoever only names itself has nothing to guess, and must not be slowed down by others' guesses.
  const client = server.throttle === undefined || way === none
    ? await prove(server, way, credentials)
    : await proveUnthrottled(server, server.throttle, way, credentials);
  const named = params.get("client_id");
  if (named !== undefined && named !== client.id) {
    throw new OAuthError("invalid_request", "client_id names another client than the one that authenticated", {
      rule: "TK-08",
      expected: "no client_id, or the one of the Authorization header",
      received: "another client_id",
    });
  }
  passClient(server, client);
  if (way.method !== client.authMethod) {
    const why: Explanation = {
      rule: "CA-16",
      reason: `the client used ${way.method}; its metadata has no token_endpoint_auth_method`,
      expected: `${client.authMethod}, the default, or token_endpoint_auth_method: "${way.method}" in its metadata`,
      received: way.method,
    };
    server.trace({ type: "warning", at: server.now(), client: client.id, why });
  }
  return client;
}

/**
 * Authenticates the client. After a failure it reads the store, because another instance may just have changed the
 * client. It does so for known and unknown clients, so that the time does not reveal which exist (CA-07).
 */
async function prove(server: Server, way: ClientAuth, credentials: Credentials): Promise<Client> {
  const { clients } = server;
  const id = way.claimedId(credentials) ?? "";
  const known = clients.find(id);
  try {
    return await way.prove(server, credentials);
  } catch (error) {
    if (!clients.isKept || !(error instanceof OAuthError)) throw error;
    await clients.refresh();
    if (clients.find(id) === known) throw error;
    return await way.prove(server, credentials);
  }
}

/** Proves the client, and slows down who guesses. */
async function proveUnthrottled(
  server: Server,
  throttle: Throttle,
  way: ClientAuth,
  credentials: Credentials,
): Promise<Client> {
  const guesser = { client: way.claimedId(credentials) ?? "", address: credentials.address ?? "" };
  refuseGuesser(throttle.wait(guesser));
  let outcome: Client | OAuthError;
  try {
    outcome = await prove(server, way, credentials);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    outcome = error;
  }
  // Many may have been under way at once: what was found out after the last free failure must not be told.
  refuseGuesser(throttle.wait(guesser));
  if (!(outcome instanceof OAuthError)) return outcome;
  throttle.fail(guesser);
  throw outcome;
}

function refuseGuesser(seconds: number): void {
  if (seconds === 0) return;
  throw new OAuthError("temporarily_unavailable", "too many failed authentications, try again later", {
    rule: "CA-12",
    status: 429,
    retryAfter: seconds,
    expected: `no further try for ${seconds} seconds`,
    received: "another one",
  });
}
