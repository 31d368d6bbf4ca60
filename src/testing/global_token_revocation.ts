/**
 * Calls the endpoint of an application that revokes all tokens of a user (draft-parecki-oauth-global-token-revocation):
 * an identity provider does so when an account is taken over.
 */

import { userForHint } from "../server/clients/login_hint.ts";
import { choice, object, type ObjectField } from "../core/policy/field.ts";
import { secondsNow, signJwt } from "../core/keys/jwt.ts";
import { randomId } from "../core/keys/secrets.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import { assertOptions } from "./options.ts";
import { unknownUserError } from "./user_decisions.ts";

/** The lifetime of the token that authenticates the call, in seconds. */
const tokenLifetimeSeconds = 300;

/** How long the call may take, in milliseconds. */
const timeoutMs = 5000;

/** @internal Options of a global token revocation. */
export interface GlobalTokenRevocationOptions {
  /** How the request names the user: by `iss` and `sub`, or by the e-mail address, as Okta does. Default: `iss_sub`. */
  readonly format?: "iss_sub" | "email";
}

/** Describes {@link GlobalTokenRevocationOptions}. */
export const globalTokenRevocationField: ObjectField<GlobalTokenRevocationOptions> = object<
  GlobalTokenRevocationOptions
>("GlobalTokenRevocationOptions", { format: choice(["iss_sub", "email"], { default: "iss_sub" }) }, {
  format: "email",
});

/**
 * Calls the endpoint. The draft leaves the authentication of the caller open; this is Okta's: a JWT of the issuer.
 *
 * @returns The status of the response: 204 is success.
 * @throws {TypeError} If the URL is not an http or https URL, or the user has no e-mail address.
 * @throws {Error} If there is no response, or the server must not contact the host.
 */
export async function callGlobalTokenRevocation(
  server: HostedServer,
  url: string,
  sub: string,
  options: GlobalTokenRevocationOptions = {},
): Promise<number> {
  assertOptions("globalTokenRevocation", globalTokenRevocationField, options);
  if (!URL.canParse(url) || !/^https?:/i.test(url)) {
    throw new TypeError("globalTokenRevocation: expected an http or https URL, received another text");
  }
  const { issuer, keys, policy: { alg } } = server;
  const subject = options.format === "email" ? await emailOf(server, sub) : { format: "iss_sub", iss: issuer, sub };
  const now = secondsNow(server);
  const token = await signJwt(await keys.signer(alg), "global-token-revocation+jwt", {
    ...{ iss: issuer, sub: issuer, aud: url, jti: randomId(server.randomBytes), iat: now },
    nbf: now - tokenLifetimeSeconds,
    exp: now + tokenLifetimeSeconds,
  });
  const response = await server.fetching.send(url, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ sub_id: subject }),
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  response.body?.cancel().catch(() => {});
  return response.status;
}

async function emailOf(
  { users }: HostedServer,
  sub: string,
): Promise<{ readonly format: string; readonly email: string }> {
  const user = await userForHint({ users }, sub);
  if (user === undefined) throw unknownUserError(users, sub);
  if (user.email !== undefined) return { format: "email", email: user.email };
  throw new TypeError(`globalTokenRevocation: expected a user with email, received ${sub} without one.`);
}
