/** The methods of client authentication, one line each, and the phase that every endpoint for clients begins with. */

import type { Client } from "../repository.ts";
import { OAuthError } from "../../errors.ts";
import type { Server } from "../../server.ts";
import type { RateLimiter } from "../../rate_limiter.ts";
import type { Explanation } from "../../trace.ts";
import { parameters } from "../../parameter.ts";
import { privateKeyJwt, secretJwt } from "./assertion.ts";
import { basic } from "./basic.ts";
import { tracePassedClient } from "./method.ts";
import type { ClientAuth, Credentials } from "./method.ts";
import { none } from "./none.ts";
import { post } from "./post.ts";

/** The parameters of client authentication. */
export const clientAuthParameters = parameters(
  "client_id",
  { name: "client_secret", secret: "client_secret" },
  "client_assertion_type",
  { name: "client_assertion", secret: "client_assertion" },
);

/** In the order in which metadata names them. */
export const clientAuthMethods: readonly ClientAuth[] = [basic, post, secretJwt, privateKeyJwt, none];

/**
 * Says which client is calling, or throws: `invalid_client` when it does not prove itself, `invalid_request` when it
 * tries to in two ways at once or names two clients (OAuth 2.1 §2.4, §3.2.1).
 */
export async function authenticateClient(server: Server, credentials: Credentials): Promise<Client> {
  const { params } = credentials;
  const used = clientAuthMethods.filter((clientAuth) => clientAuth !== none && clientAuth.isUsed(credentials));
  if (used.length > 1) {
    throw new OAuthError("invalid_request", "the request uses more than one method of client authentication", {
      rule: "CA-09",
      expected: "one of: Authorization header, client_secret, client_assertion",
      received: "more than one",
    });
  }
  const clientAuth = used[0] ?? none;
  // Whoever only names itself has nothing to guess, and must not be slowed down by others' guesses.
  const client = server.rateLimiter === undefined || clientAuth === none
    ? await authenticateOrReload(server, clientAuth, credentials)
    : await authenticateRateLimited(server, server.rateLimiter, clientAuth, credentials);
  const claimedClientId = params.get("client_id");
  if (claimedClientId !== undefined && claimedClientId !== client.id) {
    throw new OAuthError("invalid_request", "client_id does not match the authenticated client", {
      rule: "TK-08",
      expected: "no client_id, or that of the Authorization header",
      received: "another client_id",
    });
  }
  tracePassedClient(server, client);
  if (clientAuth.method !== client.authMethod) {
    const explanation: Explanation = {
      rule: "CA-16",
      reason: `the client used ${clientAuth.method}; its metadata has no token_endpoint_auth_method`,
      expected:
        `${client.authMethod}, the default, or token_endpoint_auth_method: "${clientAuth.method}" in its metadata`,
      received: clientAuth.method,
    };
    server.trace({ type: "warning", at: server.now(), client: client.id, explanation });
  }
  return client;
}

/**
 * Authenticates the client. If that fails with a client from memory, it reads the store, because another instance may
 * just have changed the client. So each failure has read the store once, for known and unknown clients: the time does
 * not reveal which exist (CA-07).
 */
async function authenticateOrReload(
  server: Server,
  clientAuth: ClientAuth,
  credentials: Credentials,
): Promise<Client> {
  const { clients } = server;
  const id = clientAuth.claimedId(credentials) ?? "";
  const isFresh = clients.isFresh(id);
  const clientBefore = clients.findCached(id);
  try {
    return await clientAuth.authenticate(server, credentials);
  } catch (error) {
    if (!isFresh || !(error instanceof OAuthError)) throw error;
    if (await clients.reload(id) === clientBefore) throw error;
    return await clientAuth.authenticate(server, credentials);
  }
}

/** Proves the client, and slows down who guesses. */
async function authenticateRateLimited(
  server: Server,
  rateLimiter: RateLimiter,
  clientAuth: ClientAuth,
  credentials: Credentials,
): Promise<Client> {
  const attempt = { client: clientAuth.claimedId(credentials) ?? "", address: credentials.address ?? "" };
  rejectRateLimited(rateLimiter.retryAfter(attempt));
  let outcome: Client | OAuthError;
  try {
    outcome = await authenticateOrReload(server, clientAuth, credentials);
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    outcome = error;
  }
  // Many may have been under way at once: what was found out after the last free failure must not be told.
  rejectRateLimited(rateLimiter.retryAfter(attempt));
  if (!(outcome instanceof OAuthError)) return outcome;
  rateLimiter.recordFailure(attempt);
  throw outcome;
}

function rejectRateLimited(seconds: number): void {
  if (seconds === 0) return;
  throw new OAuthError("temporarily_unavailable", "too many failed authentications, try again later", {
    rule: "CA-12",
    status: 429,
    retryAfter: seconds,
    expected: `no attempt for ${seconds} seconds`,
    received: "another one",
  });
}
