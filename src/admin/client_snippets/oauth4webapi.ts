/** Settings for oauth4webapi 3, for every JavaScript runtime. */

import { isHttpIssuer, joinLines, stringLiteral } from "./client_info.ts";
import type { ClientInfo, SnippetWriter } from "./client_info.ts";

const library = "oauth4webapi";
const placement = "JavaScript, everywhere";

/** Discovery and a login with PKCE, step by step. */
export const oauth4webapi: SnippetWriter = (info) => {
  const { redirectUri } = info;
  const options = isHttpIssuer(info) ? ", options" : "";
  const config = joinLines(
    `import * as oauth from "oauth4webapi";`,
    "",
    `const issuer = new URL(${stringLiteral(info.issuer)});`,
    options !== "" && `const options = { [oauth.allowInsecureRequests]: true }; // the issuer is http`,
    `const discovery = await oauth.discoveryRequest(issuer${options});`,
    `const as = await oauth.processDiscoveryResponse(issuer, discovery);`,
    `const client = { client_id: ${stringLiteral(info.clientId)} };`,
    `const clientAuth = ${authentication(info)};`,
  );
  const notes = info.authMethod === "private_key_jwt" ? ["privateKey is the CryptoKey of the client."] : [];
  if (redirectUri === undefined) {
    const grant = joinLines(
      `const parameters = { scope: ${stringLiteral(info.scope.join(" "))} };`,
      `const response = await oauth.clientCredentialsGrantRequest(`,
      `  as, client, clientAuth, parameters${options},`,
      `);`,
      `const tokens = await oauth.processClientCredentialsResponse(as, client, response);`,
    );
    return { library, placement, text: joinLines(config, "", grant), notes };
  }
  const text = joinLines(
    config,
    `const redirectUri = ${stringLiteral(redirectUri)};`,
    "",
    `/** The URL to send the browser to, and the values to keep in its session. */`,
    `export async function begin() {`,
    `  const verifier = oauth.generateRandomCodeVerifier();`,
    `  const state = oauth.generateRandomState();`,
    `  const url = new URL(as.authorization_endpoint);`,
    `  url.search = new URLSearchParams({`,
    `    response_type: "code",`,
    `    client_id: client.client_id,`,
    `    redirect_uri: redirectUri,`,
    `    scope: ${stringLiteral(info.scope.join(" "))},`,
    `    state,`,
    `    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),`,
    `    code_challenge_method: "S256",`,
    `  }).toString();`,
    `  return { url, kept: { verifier, state } };`,
    `}`,
    "",
    `/** At the redirect URI: the URL of the request, and the kept values. */`,
    `export async function finish(url, kept) {`,
    `  const params = oauth.validateAuthResponse(as, client, url, kept.state);`,
    `  const response = await oauth.authorizationCodeGrantRequest(`,
    `    as, client, clientAuth, params, redirectUri, kept.verifier${options},`,
    `  );`,
    `  return await oauth.processAuthorizationCodeResponse(as, client, response);`,
    `}`,
  );
  return { library, placement, text, notes };
};

function authentication({ authMethod, secret = "" }: ClientInfo): string {
  switch (authMethod) {
    case "none":
      return "oauth.None()";
    case "client_secret_basic":
      return `oauth.ClientSecretBasic(${stringLiteral(secret)})`;
    case "client_secret_post":
      return `oauth.ClientSecretPost(${stringLiteral(secret)})`;
    case "client_secret_jwt":
      return `oauth.ClientSecretJwt(${stringLiteral(secret)})`;
    case "private_key_jwt":
      return "oauth.PrivateKeyJwt(privateKey)";
  }
}
