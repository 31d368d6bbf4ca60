/** openid-client 6: discovery and a login with PKCE. */

import type { SnippetText } from "./snippet_text.ts";

export const openidClient: SnippetText = {
  name: "openid-client",
  library: "openid-client",
  placement: "JavaScript, on a server",
  redirectUri: "http://localhost:3000/callback",
  demands: ["par", "jar", "jarm", "dpop"],
  text: `
import * as client from "openid-client";

const config = await client.discovery(
  new URL({{issuer}}),
  {{clientId}},
  undefined,
{{?none}}  client.None(),{{/}}
{{?client_secret_basic}}  client.ClientSecretBasic({{secret}}),{{/}}
{{?client_secret_post}}  client.ClientSecretPost({{secret}}),{{/}}
{{?client_secret_jwt}}  client.ClientSecretJwt({{secret}}),{{/}}
{{?private_key_jwt}}  client.PrivateKeyJwt(privateKey),{{/}}
{{?isHttp}}  { execute: [client.allowInsecureRequests] }, // the issuer is http{{/}}
);
{{?redirectUri}}
// By default openid-client relies on TLS in place of the signature of the ID token.
client.enableNonRepudiationChecks(config);
{{/}}
{{?jarm}}client.useJwtResponseMode(config);{{/}}
{{?dpop}}const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair());{{/}}

{{?!redirectUri}}
const tokens = await client.clientCredentialsGrant(config, { scope: {{scope}} }{{?dpop}}, { DPoP }{{/}});
{{/}}
{{?redirectUri}}
/** The URL to send the browser to, and the values to keep in its session. */
export async function begin() {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const expectedState = client.randomState();
{{?!jar !par}}  const url = client.buildAuthorizationUrl(config, {{{/}}
{{?!jar par}}  const url = await client.buildAuthorizationUrlWithPAR(config, {{{/}}
{{?jar}}  const {{?par}}signed{{/}}{{?!par}}url{{/}} = await client.buildAuthorizationUrlWithJAR(config, {{{/}}
    redirect_uri: {{redirectUri}},
    scope: {{scope}},
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  }{{?jar}}, privateKey{{/}}{{?!jar par dpop}}, { DPoP }{{/}});
{{?jar par}}
  const url = await client.buildAuthorizationUrlWithPAR(config, signed.searchParams{{?dpop}}, { DPoP }{{/}});
{{/}}
  return { url, kept: { pkceCodeVerifier, expectedState } };
}

/** At the redirect URI: the URL of the request, and the kept values. */
export function finish(url, kept) {
  return client.authorizationCodeGrant(config, url, kept{{?dpop}}, undefined, { DPoP }{{/}});
}
{{/}}`,
  notes: `
{{?usesKey}}privateKey is the CryptoKey of the client.{{/}}
{{?dpop}}Keep the key pair of DPoP as long as the tokens, and send requests with client.fetchProtectedResource.{{/}}`,
};
