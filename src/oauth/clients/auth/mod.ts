/** The methods of client authentication, and the authentication of a request, which every client endpoint begins with. */

import { policyOf } from "../policy.ts";
import { warnUnregistered } from "../unregistered_clients.ts";
import type { Client } from "../repository.ts";
import { byProfile } from "../../config/profile.ts";
import { OAuthError } from "../../errors.ts";
import type { ClientAuth, Credentials, Server } from "../../server.ts";
import type { RateLimiter } from "../../rate_limiter.ts";
import type { Explanation } from "../../trace.ts";
import { parameters } from "../../parameter.ts";
import { basic } from "./basic.ts";
import { invalidClient, tracePassedClient } from "./method.ts";
import { none } from "./none.ts";
import { post } from "./post.ts";

/** The parameters of client authentication. */
export const clientAuthParameters = parameters(
  "client_id",
  { name: "client_secret", secret: "client_secret" },
  "client_assertion_type",
  { name: "client_assertion", secret: "client_assertion" },
);

/**
 * The methods of a server, in the order of `token_endpoint_auth_methods_supported`.
 *
 * @param added Those of extensions.
 */
export function clientAuthentication(added: readonly ClientAuth[]): readonly ClientAuth[] {
  return [basic, post, ...added, none];
}

/**
 * Authenticates the client of a request (OAuth 2.1 §2.4, §3.2.1).
 *
 * @throws {OAuthError} `invalid_client` if authentication fails; `invalid_request` if the request uses several methods or
 *   names two clients.
 */
export async function authenticateClient(server: Server, credentials: Credentials): Promise<Client> {
  const { params } = credentials;
  const used = server.clientAuthentication.filter((clientAuth) =>
    clientAuth !== none && clientAuth.isUsed(credentials)
  );
  if (used.length > 1) {
    throw new OAuthError("invalid_request", "the request uses more than one method of client authentication", {
      rule: "CA-09",
      expected: "one of: Authorization header, client_secret, client_assertion",
      received: used.map(({ method }) => method).join(" and "),
    });
  }
  const clientAuth = used[0] ?? none;
  // A public client has no secret to guess, so failures of others must not limit it.
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
  assertMethodAllowed(policyOf(server, client), clientAuth);
  if (client.isUnregistered) warnUnregistered(server, client, "CA-07");
  else tracePassedClient(server, client);
  if (clientAuth.method !== client.authMethod) {
    const explanation: Explanation = {
      rule: "CA-16",
      reason:
        `authentication by ${clientAuth.method} was accepted; the client's metadata has no token_endpoint_auth_method`,
      expected:
        `${client.authMethod}, the default, or token_endpoint_auth_method: "${clientAuth.method}" in its metadata`,
      received: clientAuth.method,
    };
    server.trace({ type: "warning", at: server.now(), client: client.id, explanation });
  }
  return client;
}

/** Rejects a method that the server does not offer, of a client that was registered before. */
function assertMethodAllowed({ clientAuthMethods, profile }: Server["settings"], { method }: ClientAuth): void {
  if (clientAuthMethods.includes(method)) return;
  throw invalidClient(
    `this server does not offer ${method}${byProfile(profile, "clientAuthMethods")}`,
    clientAuthMethods.join(" or "),
    method,
  );
}

/**
 * The registered client that a rejected request claims to be, for the trace; `undefined` if it is unknown, because an
 * unknown id may be a secret in the wrong place.
 */
export function findClaimedClient(
  { clientAuthentication, clients }: Server,
  credentials: Credentials,
): string | undefined {
  for (const clientAuth of clientAuthentication) {
    const id = clientAuth.isUsed(credentials) ? clientAuth.claimedId(credentials) : undefined;
    if (id !== undefined && clients.findCached(id) !== undefined) return id;
  }
  return undefined;
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

/** Authenticates the client, with a limit for failures. */
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
  // Concurrent attempts may have reached the limit meanwhile: the result of this one must not be revealed.
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
