/** Settings for openid-client 6, for JavaScript on a server. */

import { isHttpIssuer, joinLines, stringLiteral } from "./client_info.ts";
import type { ClientInfo, SnippetWriter } from "./client_info.ts";

const library = "openid-client";
const placement = "JavaScript, on a server";

/** Discovery and a login with PKCE. */
export const openidClient: SnippetWriter = (info) => {
  const { redirectUri, demands } = info;
  const [isPushed, isSigned, usesDpop] = [demands.includes("par"), demands.includes("jar"), demands.includes("dpop")];
  const config = joinLines(
    `import * as client from "openid-client";`,
    "",
    `const config = await client.discovery(`,
    `  new URL(${stringLiteral(info.issuer)}),`,
    `  ${stringLiteral(info.clientId)},`,
    `  undefined,`,
    `  ${authentication(info)},`,
    isHttpIssuer(info) && `  { execute: [client.allowInsecureRequests] }, // the issuer is http`,
    `);`,
    redirectUri !== undefined && `// By default openid-client relies on TLS in place of the signature of the ID token.`,
    redirectUri !== undefined && `client.enableNonRepudiationChecks(config);`,
    demands.includes("jarm") && `client.useJwtResponseMode(config);`,
    usesDpop && `const DPoP = client.getDPoPHandle(config, await client.randomDPoPKeyPair());`,
  );
  const usesKey = info.authMethod === "private_key_jwt" || isSigned && redirectUri !== undefined;
  const notes = [
    ...usesKey ? ["privateKey is the CryptoKey of the client."] : [],
    ...usesDpop
      ? ["Keep the key pair of DPoP as long as the tokens, and send requests with client.fetchProtectedResource."]
      : [],
  ];
  const dpopOption = usesDpop ? ", { DPoP }" : "";
  if (redirectUri === undefined) {
    const grant = `const tokens = await client.clientCredentialsGrant(config, { scope: ${
      stringLiteral(info.scope.join(" "))
    } }${dpopOption});`;
    return { library, placement, text: joinLines(config, "", grant), notes };
  }
  const text = joinLines(
    config,
    "",
    `/** The URL to send the browser to, and the values to keep in its session. */`,
    `export async function begin() {`,
    `  const pkceCodeVerifier = client.randomPKCECodeVerifier();`,
    `  const expectedState = client.randomState();`,
    `  const ${isPushed && isSigned ? "signed" : "url"} = ${
      isSigned
        ? "await client.buildAuthorizationUrlWithJAR"
        : isPushed
        ? "await client.buildAuthorizationUrlWithPAR"
        : "client.buildAuthorizationUrl"
    }(config, {`,
    `    redirect_uri: ${stringLiteral(redirectUri)},`,
    `    scope: ${stringLiteral(info.scope.join(" "))},`,
    `    state: expectedState,`,
    `    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),`,
    `    code_challenge_method: "S256",`,
    `  }${isSigned ? ", privateKey" : isPushed ? dpopOption : ""});`,
    isPushed && isSigned &&
      `  const url = await client.buildAuthorizationUrlWithPAR(config, signed.searchParams${dpopOption});`,
    `  return { url, kept: { pkceCodeVerifier, expectedState } };`,
    `}`,
    "",
    `/** At the redirect URI: the URL of the request, and the kept values. */`,
    `export function finish(url, kept) {`,
    `  return client.authorizationCodeGrant(config, url, kept${usesDpop ? ", undefined, { DPoP }" : ""});`,
    `}`,
  );
  return { library, placement, text, notes };
};

function authentication({ authMethod, secret = "" }: ClientInfo): string {
  switch (authMethod) {
    case "none":
      return "client.None()";
    case "client_secret_basic":
      return `client.ClientSecretBasic(${stringLiteral(secret)})`;
    case "client_secret_post":
      return `client.ClientSecretPost(${stringLiteral(secret)})`;
    case "client_secret_jwt":
      return `client.ClientSecretJwt(${stringLiteral(secret)})`;
    case "private_key_jwt":
      return "client.PrivateKeyJwt(privateKey)";
  }
}
