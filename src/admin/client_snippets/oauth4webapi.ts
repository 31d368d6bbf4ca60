/** Settings for oauth4webapi 3, for every JavaScript runtime. */

import { isHttpIssuer, joinLines, stringLiteral } from "./client_info.ts";
import type { ClientInfo, SnippetWriter } from "./client_info.ts";

const library = "oauth4webapi";
const placement = "JavaScript, on a server or in the browser";

/** Discovery and a login with PKCE, step by step. */
export const oauth4webapi: SnippetWriter = (info) => {
  const { redirectUri, demands } = info;
  const [isPushed, isSigned, usesDpop] = [demands.includes("par"), demands.includes("jar"), demands.includes("dpop")];
  const isResponseSigned = demands.includes("jarm");
  const options = isHttpIssuer(info) ? ", options" : "";
  const clientOptions = !usesDpop ? options : options === "" ? ", { DPoP }" : ", { ...options, DPoP }";
  const config = joinLines(
    `import * as oauth from "oauth4webapi";`,
    "",
    `const issuer = new URL(${stringLiteral(info.issuer)});`,
    options !== "" && `const options = { [oauth.allowInsecureRequests]: true }; // the issuer is http`,
    `const discovery = await oauth.discoveryRequest(issuer${options});`,
    `const as = await oauth.processDiscoveryResponse(issuer, discovery);`,
    `const client = { client_id: ${stringLiteral(info.clientId)} };`,
    `const clientAuth = ${authentication(info)};`,
    usesDpop && `const DPoP = oauth.DPoP(client, await oauth.generateKeyPair("ES256"));`,
  );
  const usesKey = info.authMethod === "private_key_jwt" || isSigned && redirectUri !== undefined;
  const notes = [
    ...usesKey ? ["privateKey is the CryptoKey of the client."] : [],
    ...usesDpop
      ? ["Keep the key pair of DPoP as long as the tokens, and repeat a request if oauth.isDPoPNonceError(error)."]
      : [],
  ];
  if (redirectUri === undefined) {
    const grant = joinLines(
      `const parameters = { scope: ${stringLiteral(info.scope.join(" "))} };`,
      `const response = await oauth.clientCredentialsGrantRequest(`,
      `  as, client, clientAuth, parameters${clientOptions},`,
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
    `  ${isPushed || isSigned ? "let" : "const"} parameters = {`,
    `    response_type: "code",`,
    `    client_id: client.client_id,`,
    isResponseSigned && `    response_mode: "jwt",`,
    `    redirect_uri: redirectUri,`,
    `    scope: ${stringLiteral(info.scope.join(" "))},`,
    `    state,`,
    `    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),`,
    `    code_challenge_method: "S256",`,
    `  };`,
    ...isSigned
      ? [
        `  const request = await oauth.issueRequestObject(as, client, parameters, privateKey);`,
        `  parameters = { client_id: client.client_id, request };`,
      ]
      : [],
    ...isPushed
      ? [
        `  const pushed = await oauth.pushedAuthorizationRequest(as, client, clientAuth, parameters${clientOptions});`,
        `  const { request_uri } = await oauth.processPushedAuthorizationResponse(as, client, pushed);`,
        `  parameters = { client_id: client.client_id, request_uri };`,
      ]
      : [],
    `  url.search = new URLSearchParams(parameters).toString();`,
    `  return { url, kept: { verifier, state } };`,
    `}`,
    "",
    `/** At the redirect URI: the URL of the request, and the kept values. */`,
    `export async function finish(url, kept) {`,
    isResponseSigned
      ? `  const params = await oauth.validateJwtAuthResponse(as, client, url, kept.state${options});`
      : `  const params = oauth.validateAuthResponse(as, client, url, kept.state);`,
    `  const response = await oauth.authorizationCodeGrantRequest(`,
    `    as, client, clientAuth, params, redirectUri, kept.verifier${clientOptions},`,
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
