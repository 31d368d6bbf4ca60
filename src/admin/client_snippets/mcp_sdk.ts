/** Settings for the TypeScript SDK of the Model Context Protocol. */

import { authMethodUnsupportedReason, joinLines, stringLiteral } from "./client_info.ts";
import type { ClientInfo, SnippetWriter } from "./client_info.ts";

const library = "MCP TypeScript SDK";
const placement = "JavaScript, in an MCP client";

/** The provider of a transport, which stores tokens in memory. */
export const mcpSdk: SnippetWriter = (info) => {
  const { redirectUri } = info;
  const reason = authMethodUnsupportedReason(info, [
    ...["none", "client_secret_basic", "client_secret_post", "private_key_jwt"] as const,
  ]);
  if (reason !== undefined) return { library, placement, notes: [reason] };
  const usesKey = info.authMethod === "private_key_jwt";
  const notes = usesKey
    ? ["privateKey is the private key of the client, as a JWK or a PEM text, and alg its algorithm."]
    : [];
  const text = redirectUri === undefined ? machineProvider(info) : userProvider(info, redirectUri);
  return { library, placement, text, notes };
};

const connect = "export const connect = (url) => new StreamableHTTPClientTransport(new URL(url), { authProvider });";

function userProvider({ issuer, clientId, authMethod, secret }: ClientInfo, redirectUri: string): string {
  const usesKey = authMethod === "private_key_jwt";
  const [id, uri] = [stringLiteral(clientId), stringLiteral(redirectUri)];
  return joinLines(
    `import { ${
      usesKey ? "createPrivateKeyJwtAuth, " : ""
    }StreamableHTTPClientTransport } from "@modelcontextprotocol/client";`,
    "",
    `const stored = {};`,
    `export const authProvider = {`,
    `  redirectUrl: ${uri},`,
    `  clientMetadata: { redirect_uris: [${uri}] },`,
    `  clientInformation: () => ({`,
    `    client_id: ${id},`,
    secret !== undefined && `    client_secret: ${stringLiteral(secret)},`,
    secret !== undefined && `    token_endpoint_auth_method: ${stringLiteral(authMethod)},`,
    `    issuer: ${stringLiteral(issuer)},`,
    `  }),`,
    usesKey &&
      `  addClientAuthentication: createPrivateKeyJwtAuth({ issuer: ${id}, subject: ${id}, privateKey, alg }),`,
    `  tokens: () => stored.tokens,`,
    `  saveTokens: (tokens) => void (stored.tokens = tokens),`,
    `  codeVerifier: () => stored.verifier,`,
    `  saveCodeVerifier: (verifier) => void (stored.verifier = verifier),`,
    `  discoveryState: () => stored.discovery,`,
    `  saveDiscoveryState: (discovery) => void (stored.discovery = discovery),`,
    `  redirectToAuthorization: (url) => console.log("Open in a browser:", String(url)),`,
    `};`,
    "",
    `/** For an MCP server that names this issuer. At the redirect URI: await transport.finishAuth(url.searchParams). */`,
    connect,
  );
}

function machineProvider({ issuer, clientId, authMethod, secret, scope }: ClientInfo): string {
  const usesKey = authMethod === "private_key_jwt";
  const provider = usesKey ? "PrivateKeyJwtProvider" : "ClientCredentialsProvider";
  return joinLines(
    `import { ${provider}, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";`,
    "",
    `export const authProvider = new ${provider}({`,
    `  clientId: ${stringLiteral(clientId)},`,
    usesKey ? `  privateKey,\n  algorithm: alg,` : `  clientSecret: ${stringLiteral(secret ?? "")},`,
    `  expectedIssuer: ${stringLiteral(issuer)},`,
    `  scope: ${stringLiteral(scope.join(" "))},`,
    `});`,
    "",
    `/** For an MCP server that names this issuer. */`,
    connect,
  );
}
