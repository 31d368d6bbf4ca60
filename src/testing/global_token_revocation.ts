/**
 * Calls the endpoint of an application that revokes all tokens of a user (draft-parecki-oauth-global-token-revocation):
 * an identity provider does so when an account is taken over.
 */

import { secondsNow, signJwt } from "../server/oauth/keys/jwt.ts";
import { randomId } from "../server/oauth/secrets.ts";
import type { Server } from "../server/oauth/server.ts";

/** The lifetime of the token that authenticates the call, in seconds. */
const tokenLifetimeSeconds = 300;

/** How long the call may take, in milliseconds. */
const timeoutMs = 5000;

/**
 * Calls the endpoint. The draft leaves the authentication of the caller open; this is Okta's: a JWT of the issuer.
 *
 * @returns The status of the response: 204 is success.
 * @throws {TypeError} If the URL is not an http or https URL.
 * @throws {Error} If there is no response, or the server must not contact the host.
 */
export async function callGlobalTokenRevocation(server: Server, url: string, sub: string): Promise<number> {
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw new TypeError("globalTokenRevocation: expected an http or https URL, received another text");
  }
  const { issuer, keys, settings: { alg } } = server;
  const now = secondsNow(server);
  const token = await signJwt(await keys.signer(alg), "global-token-revocation+jwt", {
    ...{ iss: issuer, sub: issuer, aud: url, jti: randomId(server.randomBytes), iat: now },
    exp: now + tokenLifetimeSeconds,
  });
  const response = await server.outbound(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ sub_id: { format: "iss_sub", iss: issuer, sub } }),
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  response.body?.cancel().catch(() => {});
  return response.status;
}
