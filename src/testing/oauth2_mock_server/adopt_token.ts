/** Registers with the mock the access tokens that the suite signed by `buildToken`. */

import { createLocalJWKSet, jwtVerify } from "jose";
import type { Mint } from "../mint.ts";
import type { IssuedTokens } from "./issued_tokens.ts";
import type { OAuth2Issuer } from "./issuer.ts";

/** The client of tokens without a `client_id`. */
const anyClient = "unknown";

/** Mints a token of the mock for a valid token of `buildToken`. Ignores other tokens, such as expired ones. */
export async function adoptToken(
  token: string,
  issuer: OAuth2Issuer,
  { mint, tokens }: { readonly mint: Mint; readonly tokens: IssuedTokens },
): Promise<void> {
  if (tokens.has(token) || token.split(".").length !== 3) return;
  const verified = await jwtVerify(token, createLocalJWKSet({ keys: issuer.keys.toJSON() }), {
    issuer: issuer.url,
    currentDate: new Date(issuer.now()),
  }).catch(() => undefined);
  if (verified === undefined) return;
  const { client_id = anyClient } = verified.payload;
  tokens.set(token, { own: await mint.accessToken({ client: String(client_id), scope: "openid" }) });
}
