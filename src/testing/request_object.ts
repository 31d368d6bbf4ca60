/** Signed authorization requests, from the client's side (RFC 9101). */

import { randomId } from "../oauth/secrets.ts";
import { secondsNow } from "../oauth/keys/jwt.ts";
import type { Server } from "../oauth/server.ts";
import { type ClientCredentials, signingKey } from "./client_authentication.ts";
import type { RequestParameters } from "./browser/test_browser.ts";

const requestObjectLifetimeSeconds = 60;

/**
 * Signs the parameters of an authorization request.
 *
 * @throws {TypeError} If the client lacks the key or secret of its algorithm.
 */
export async function signRequest(
  server: Server,
  client: ClientCredentials,
  params: RequestParameters,
): Promise<string> {
  const { SignJWT } = await import("jose");
  const registered = server.clients.findCached(client.client_id)?.metadata;
  const { header, key } = await signingKey(client, registered?.request_object_signing_alg);
  const now = secondsNow(server);
  return await new SignJWT({
    ...Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined)),
    iss: client.client_id,
    aud: server.issuer,
    jti: randomId(server.randomBytes),
  })
    .setProtectedHeader({ ...header, typ: "oauth-authz-req+jwt" })
    .setIssuedAt(now)
    .setNotBefore(now)
    .setExpirationTime(now + requestObjectLifetimeSeconds)
    .sign(key);
}
