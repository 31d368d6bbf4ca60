/** oauth4webapi 3, for every JavaScript runtime: discovery and a login with PKCE, step by step. */

import type { SnippetText } from "./snippet_text.ts";

/** The options of a request that the client authenticates. */
const options =
  "{{?dpop isHttp}}, { ...options, DPoP }{{/}}{{?dpop !isHttp}}, { DPoP }{{/}}{{?!dpop isHttp}}, options{{/}}";

export const oauth4webapi: SnippetText = {
  name: "oauth4webapi",
  library: "oauth4webapi",
  placement: "JavaScript, on a server or in the browser",
  redirectUri: "http://localhost:3000/callback",
  demands: ["par", "jar", "jarm", "dpop"],
  text: `
import * as oauth from "oauth4webapi";

const issuer = new URL({{issuer}});
{{?isHttp}}const options = { [oauth.allowInsecureRequests]: true }; // the issuer is http{{/}}
const discovery = await oauth.discoveryRequest(issuer{{?isHttp}}, options{{/}});
const as = await oauth.processDiscoveryResponse(issuer, discovery);
const client = { client_id: {{clientId}} };
{{?none}}const clientAuth = oauth.None();{{/}}
{{?client_secret_basic}}const clientAuth = oauth.ClientSecretBasic({{secret}});{{/}}
{{?client_secret_post}}const clientAuth = oauth.ClientSecretPost({{secret}});{{/}}
{{?client_secret_jwt}}const clientAuth = oauth.ClientSecretJwt({{secret}});{{/}}
{{?private_key_jwt}}const clientAuth = oauth.PrivateKeyJwt(privateKey);{{/}}
{{?dpop}}const DPoP = oauth.DPoP(client, await oauth.generateKeyPair("ES256"));{{/}}

{{?!redirectUri}}
const parameters = { scope: {{scope}} };
const response = await oauth.clientCredentialsGrantRequest(
  as, client, clientAuth, parameters${options},
);
const tokens = await oauth.processClientCredentialsResponse(as, client, response);
{{/}}
{{?redirectUri}}
const redirectUri = {{redirectUri}};

/** The URL to send the browser to, and the values to keep in its session. */
export async function begin() {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(as.authorization_endpoint);
  let parameters = {
    response_type: "code",
    client_id: client.client_id,
{{?jarm}}    response_mode: "jwt",{{/}}
    redirect_uri: redirectUri,
    scope: {{scope}},
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  };
{{?jar}}
  const request = await oauth.issueRequestObject(as, client, parameters, privateKey);
  parameters = { client_id: client.client_id, request };
{{/}}
{{?par}}
  const pushed = await oauth.pushedAuthorizationRequest(as, client, clientAuth, parameters${options});
  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, pushed);
  parameters = { client_id: client.client_id, request_uri };
{{/}}
  url.search = new URLSearchParams(parameters).toString();
  return { url, kept: { verifier, state } };
}

/** At the redirect URI: the URL of the request, and the kept values. */
export async function finish(url, kept) {
{{?jarm}}  const params = await oauth.validateJwtAuthResponse(as, client, url, kept.state{{?isHttp}}, options{{/}});{{/}}
{{?!jarm}}  const params = oauth.validateAuthResponse(as, client, url, kept.state);{{/}}
  const response = await oauth.authorizationCodeGrantRequest(
    as, client, clientAuth, params, redirectUri, kept.verifier${options},
  );
  return await oauth.processAuthorizationCodeResponse(as, client, response);
}
{{/}}`,
  notes: `
{{?usesKey}}privateKey is the CryptoKey of the client.{{/}}
{{?dpop}}Keep the key pair of DPoP as long as the tokens, and repeat a request if oauth.isDPoPNonceError(error).{{/}}`,
};
