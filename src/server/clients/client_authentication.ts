/** What the whole server adds to each method of client authentication: a limit of failures, and an even duration. */

import type { Client } from "../../core/clients/clients.ts";
import { OAuthError } from "../../core/rules/errors.ts";
import type { ClientAuth } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { AuthenticationAttempt, RateLimiter } from "./rate_limiter.ts";
import { reject } from "../rules/operation.ts";

/**
 * The same method, but failures are limited (CA-12), and each failure reads the store equally often, for known and
 * unknown clients (CA-07).
 */
function hostedAuthentication(clientAuth: ClientAuth): ClientAuth {
  const { method } = clientAuth;
  return {
    method,
    isUsed: (credentials) => clientAuth.isUsed(credentials),
    claimedId: (credentials) => clientAuth.claimedId(credentials),
    async authenticate(server: HostedServer, credentials) {
      const claimedId = () => clientAuth.claimedId(credentials) ?? "";
      // A public client has no secret to guess, so failures of others must not limit it.
      const limiter = method === "none" ? undefined : server.rateLimiter;
      const attempt = limiter && { client: claimedId(), address: credentials.connection.address ?? "" };
      rejectRateLimited(limiter, attempt);
      let outcome: Client | OAuthError;
      try {
        outcome = await clientAuth.authenticate(server, credentials);
      } catch (error) {
        if (!(error instanceof OAuthError)) throw error;
        await server.clients.readAsIfStored(claimedId());
        outcome = error;
      }
      // Concurrent attempts may have reached the limit meanwhile: the result of this one must not be revealed.
      rejectRateLimited(limiter, attempt);
      if (!(outcome instanceof OAuthError)) return outcome;
      if (attempt !== undefined) limiter?.recordFailure(attempt);
      throw outcome;
    },
  };
}

/** The server, whose every method of client authentication does this. */
export function withLimitedAuthentication(server: HostedServer): HostedServer {
  return { ...server, clientAuthentication: server.clientAuthentication.map(hostedAuthentication) };
}

function rejectRateLimited(limiter: RateLimiter | undefined, attempt: AuthenticationAttempt | undefined): void {
  const seconds = attempt && limiter?.retryAfter(attempt) || 0;
  if (seconds > 0) throw reject("CA-12", { seconds }, { status: 429, retryAfter: seconds });
}
