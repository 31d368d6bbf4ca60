/** The TypeScript SDK of the Model Context Protocol: the provider of a transport, which stores tokens in memory. */

import type { SnippetText } from "./snippet_text.ts";

export const mcpSdk: SnippetText = {
  name: "mcp-sdk",
  library: "MCP TypeScript SDK",
  placement: "JavaScript, in an MCP client",
  redirectUri: "http://localhost:3000/callback",
  otherRedirectUris: ["http://localhost:8090/callback"],
  isPublic: true,
  methods: ["none", "client_secret_basic", "client_secret_post", "private_key_jwt"],
  text: `
{{?!redirectUri}}
{{?private_key_jwt}}
import { PrivateKeyJwtProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export const authProvider = new PrivateKeyJwtProvider({
  clientId: {{clientId}},
  privateKey,
  algorithm: alg,
{{/}}
{{?!private_key_jwt}}
import { ClientCredentialsProvider, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

export const authProvider = new ClientCredentialsProvider({
  clientId: {{clientId}},
  clientSecret: {{secret}},
{{/}}
  expectedIssuer: {{issuer}},
  scope: {{scope}},
});

/** For an MCP server that names this issuer. */
{{/}}
{{?redirectUri}}
import { {{?private_key_jwt}}createPrivateKeyJwtAuth, {{/}}StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const stored = {};
export const authProvider = {
  redirectUrl: {{redirectUri}},
  clientMetadata: { redirect_uris: [{{redirectUri}}] },
  clientInformation: () => ({
    client_id: {{clientId}},
{{?secret}}
    client_secret: {{secret}},
    token_endpoint_auth_method: {{authMethod}},
{{/}}
    issuer: {{issuer}},
  }),
{{?private_key_jwt}}
  addClientAuthentication: createPrivateKeyJwtAuth({ issuer: {{clientId}}, subject: {{clientId}}, privateKey, alg }),
{{/}}
  tokens: () => stored.tokens,
  saveTokens: (tokens) => void (stored.tokens = tokens),
  codeVerifier: () => stored.verifier,
  saveCodeVerifier: (verifier) => void (stored.verifier = verifier),
  discoveryState: () => stored.discovery,
  saveDiscoveryState: (discovery) => void (stored.discovery = discovery),
  redirectToAuthorization: (url) => console.log("Open in a browser:", String(url)),
};

/** For an MCP server that names this issuer. At the redirect URI: await transport.finishAuth(url.searchParams). */
{{/}}
export const connect = (url) => new StreamableHTTPClientTransport(new URL(url), { authProvider });`,
  notes: `
{{?private_key_jwt}}privateKey is the private key of the client, as a JWK or a PEM text, and alg its algorithm.{{/}}`,
};
