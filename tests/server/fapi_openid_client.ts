/** The client of FAPI 2.0 with the library openid-client. */

import { exportJWK, generateKeyPair } from "jose";
import * as openid from "openid-client";
import type { ProfileName } from "../../src/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { bank, redirectUri } from "./fapi_client.ts";

/** A server with a profile, the key of its client, how the client reaches it, and the values of one login. */
export async function openidClient(profile: ProfileName) {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const jwks = { keys: [{ ...await exportJWK(publicKey), kid: "k", alg: "ES256" }] };
  const as = await latchkey({ profile, issuer: "https://as.test", clients: [{ ...bank, jwks }] });
  const send = (url: string | URL | Request, init?: RequestInit) =>
    as.fetch(new Request(url instanceof URL ? url.href : url, { ...init, redirect: "manual" }));
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const checks = { pkceCodeVerifier, expectedNonce: openid.randomNonce(), expectedState: openid.randomState() };
  const authorization = {
    redirect_uri: redirectUri,
    scope: "openid read",
    nonce: checks.expectedNonce,
    state: checks.expectedState,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  };
  return { as, key: { key: privateKey, kid: "k" }, send, checks, authorization };
}
