/** Settings for openid-client 6, in JavaScript on a server. */

import { isPlainHttp, lines, literal } from "./about.ts";
import type { About, WriteSettings } from "./about.ts";

const library = "openid-client";
const place = "JavaScript, on a server";

/** Discovery, a login with PKCE, and what comes back. */
export const openidClient: WriteSettings = (about) => {
  const { redirectUri } = about;
  const config = lines(
    `import * as client from "openid-client";`,
    "",
    `const config = await client.discovery(`,
    `  new URL(${literal(about.issuer)}),`,
    `  ${literal(about.clientId)},`,
    `  undefined,`,
    `  ${authentication(about)},`,
    isPlainHttp(about) && `  { execute: [client.allowInsecureRequests] }, // the issuer is http`,
    `);`,
  );
  const notes = about.authMethod === "private_key_jwt" ? ["privateKey is the CryptoKey of the client."] : [];
  if (redirectUri === undefined) {
    const grant = `const tokens = await client.clientCredentialsGrant(config, { scope: ${
      literal(about.scope.join(" "))
    } });`;
    return { library, place, text: lines(config, "", grant), notes };
  }
  const text = lines(
    config,
    "",
    `/** Where to send the browser, and what to keep in its session. */`,
    `export async function begin() {`,
    `  const pkceCodeVerifier = client.randomPKCECodeVerifier();`,
    `  const expectedState = client.randomState();`,
    `  const url = client.buildAuthorizationUrl(config, {`,
    `    redirect_uri: ${literal(redirectUri)},`,
    `    scope: ${literal(about.scope.join(" "))},`,
    `    state: expectedState,`,
    `    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),`,
    `    code_challenge_method: "S256",`,
    `  });`,
    `  return { url, kept: { pkceCodeVerifier, expectedState } };`,
    `}`,
    "",
    `/** At the redirect URI: the URL the browser came with, and what was kept. */`,
    `export function finish(url, kept) {`,
    `  return client.authorizationCodeGrant(config, url, kept);`,
    `}`,
  );
  return { library, place, text, notes };
};

function authentication({ authMethod, secret = "" }: About): string {
  switch (authMethod) {
    case "none":
      return "client.None()";
    case "client_secret_basic":
      return `client.ClientSecretBasic(${literal(secret)})`;
    case "client_secret_post":
      return `client.ClientSecretPost(${literal(secret)})`;
    case "client_secret_jwt":
      return `client.ClientSecretJwt(${literal(secret)})`;
    case "private_key_jwt":
      return "client.PrivateKeyJwt(privateKey)";
  }
}
