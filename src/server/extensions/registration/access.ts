/** Access to registration: initial access tokens (RFC 7591 §3) and registration access tokens (RFC 7592 §2). */

import { constantTimeEqual, digest } from "../../../core/keys/secrets.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { readAuthorization } from "../../../core/token/tokens/sent_token.ts";
import { reject } from "./rules.ts";
import { registrationPolicy } from "./settings.ts";
import type { HostedClient } from "../../config/client_metadata.ts";

interface RegistrationCredentials {
  /** The value of the `Authorization` header. */
  readonly authorization: string | null;
  /** The address of the caller; absent if unknown. */
  readonly address?: string;
}

/**
 * Decides whether a caller may register a client. Open registrations and wrong tokens are rate-limited.
 *
 * @returns Whether it may do so without an initial access token.
 * @throws {OAuthError} `invalid_token`, or `temporarily_unavailable` with status 429.
 */
export async function authorizeRegistration(
  server: HostedServer,
  { authorization, address = "" }: RegistrationCredentials,
): Promise<boolean> {
  const { mode, initialAccessTokens } = registrationPolicy(server);
  const attempt = { client: "registration", address };
  const retryAfter = server.rateLimiter?.retryAfter(attempt) ?? 0;
  if (retryAfter > 0) throw reject("DR-05", { retryAfter }, { status: 429, retryAfter });
  const { token } = readAuthorization(authorization);
  if (token !== undefined && await isInitialAccessToken(initialAccessTokens, token)) {
    server.passed("DR-05", "by an initial access token");
    return false;
  }
  server.rateLimiter?.recordFailure(attempt);
  // A server without initial access tokens ignores a token that a client sends.
  if (mode === "open" && (token === undefined || initialAccessTokens.length === 0)) {
    server.passed("DR-05", "without an initial access token");
    return true;
  }
  const hasToken = token !== undefined;
  throw reject("DR-05", { hasToken }, { challenge: hasToken ? undefined : "bare" });
}

async function isInitialAccessToken(tokens: readonly string[], token: string): Promise<boolean> {
  const tokenDigest = await digest(token);
  // Compares with every token, so that the duration does not depend on which one matches (timing attack).
  const matches = await Promise.all(tokens.map(async (known) => constantTimeEqual(await digest(known), tokenDigest)));
  return matches.includes(true);
}

/** The digest that is compared if the client is unknown (timing attack). */
const dummyDigest = "A".repeat(43);

/**
 * Authenticates the owner of a registration by its registration access token.
 *
 * @throws {OAuthError} `invalid_token`: the same for another client's token, and for an unknown or deleted client.
 */
export async function authenticateOwner(server: HostedServer, id: string, token: string): Promise<HostedClient> {
  const client = await server.clients.find(id);
  await server.clients.readAsIfStored(id);
  const tokenDigest = await digest(token);
  const matches = constantTimeEqual(client?.registration?.tokenDigest ?? dummyDigest, tokenDigest);
  if (client === undefined || !matches) {
    const isConfigured = client !== undefined && client.registration === undefined;
    throw reject("DR-06", {
      problem: client === undefined ? "unknown" : isConfigured ? "configured" : "other token",
    });
  }
  server.passed("DR-06", id);
  return client;
}
