/** The verification of client secrets. */

import type { ClientAuthMethod, ClientMetadata } from "./client.ts";
import { type Client, policyOf } from "./clients.ts";
import type { OAuthError } from "../rules/errors.ts";
import { reject } from "../rules/reject.ts";
import { constantTimeEqual, digest } from "../keys/secrets.ts";
import { secondsNow } from "../keys/jwt.ts";
import type { Server } from "../server.ts";

/** Whether the secret of a client has expired; 0 means never (RFC 7591 §3.2.1). */
export function isSecretExpired(server: Server, { client_secret_expires_at: at = 0 }: ClientMetadata): boolean {
  return at > 0 && secondsNow(server) >= at;
}

/** Whether Basic with an empty secret means a public client (RFC 6749 §2.3.1). */
function isEmptySecretAllowed(server: Server, client: Client, method: ClientAuthMethod): boolean {
  return method === "client_secret_basic" && client.authMethod === "none" &&
    policyOf(server, client).allowsEmptySecret;
}

/** The digest that is compared if the client is unknown (timing attack). */
const dummyDigest = "A".repeat(43);

/** One reading of the credentials of a request. */
export interface CredentialCandidate {
  readonly id: string;
  readonly secret: string;
  /** Whether it is right only if the client left out the form encoding of HTTP Basic. */
  readonly isUnencoded?: boolean;
}

/** Verifies a client secret in constant time; every failure does the same work and looks the same (CA-07, CA-08). */
export async function verifyClientSecret(
  server: Server,
  method: ClientAuthMethod,
  candidates: readonly CredentialCandidate[],
): Promise<Client> {
  let failure: OAuthError | undefined;
  let client: Client | undefined;
  let foundId: string | undefined;
  for (const { id, secret, isUnencoded } of candidates) {
    // Readings of one id need one lookup: for an unknown client a second one would read the store again.
    if (id !== foundId) client = await server.clients.find(id, server);
    foundId = id;
    const expectedDigest = await client?.secretDigest ?? dummyDigest;
    const matches = constantTimeEqual(await digest(secret), expectedDigest);
    if (client === undefined) continue;
    if (secret === "" && isEmptySecretAllowed(server, client, method)) return client;
    if (!client.authMethods.includes(method)) {
      failure = reject("CA-07", { failure: "another method", id, registered: client.authMethod, used: method });
    } else if (secret === "" || !matches) {
      failure = reject("CA-07", { failure: "wrong secret", id, used: method });
    } else if (isSecretExpired(server, client.metadata)) {
      failure = reject("CA-07", { failure: "expired secret", at: client.metadata.client_secret_expires_at! });
    } else {
      if (isUnencoded) server.observe(server, client.id, "CA-04", undefined);
      return client;
    }
  }
  const { id, secret } = candidates[0]!;
  // An unknown id may be the secret, if the client swapped the two. The lookup runs for every failure, so that its
  // duration does not reveal which clients exist (timing attack). It fetches no metadata document, because a secret may
  // look like a URL.
  const { clients } = server;
  const isSwapped = await clients.registered.find(secret) !== undefined || clients.known().has(secret);
  throw failure ?? reject("CA-07", { failure: "unknown client", id, used: method, isSwapped });
}
