/**
 * The TypeScript SDK of the Model Context Protocol as a client of the mock, unchanged, and the user who logs in to it.
 */

import { Client, StreamableHTTPClientTransport, UnauthorizedError } from "@modelcontextprotocol/client";
import type {
  AuthProvider,
  OAuthClientInformationContext,
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import type { TestLatchkey } from "../../src/testing/mod.ts";

/** The redirect URI of every client. */
export const redirectUri = "http://127.0.0.1:8090/callback";

/** Fetches, as the SDK's `fetch` option does. */
export type Fetch = (input: string | URL, init?: RequestInit) => Promise<Response>;

/** The configuration of an MCP client. */
export interface McpClientOptions {
  /** Credentials of a registered client. Default: none, the client registers or has a metadata document. */
  readonly client?: StoredOAuthClientInformation;
  /** The URL of its metadata document. */
  readonly clientMetadataUrl?: string;
  /** The metadata of its registration. */
  readonly metadata?: Partial<OAuthClientMetadata>;
  /** Further members of the provider. */
  readonly provider?: Partial<OAuthClientProvider>;
  /** Sends the requests. Default: `as.fetch`. */
  readonly fetch?: Fetch;
  /** Changes the callback URL that the browser arrives at. Default: not changed. */
  readonly callback?: (url: URL) => void;
}

/** An MCP client, its storage and its user. */
export interface McpClient {
  /** What it has stored. */
  readonly stored: { tokens?: StoredOAuthTokens; client?: StoredOAuthClientInformation };
  /** The authorization requests that it sent the user to. */
  readonly authorizations: readonly URL[];
  /** Calls a tool; logs in and steps up as often as the server asks for it. */
  call(tool: string): Promise<Readonly<Record<string, unknown>>>;
}

/** An MCP client of one server. Every request and every storage is its own. */
export function mcpClient(as: TestLatchkey, serverUrl: string, options: McpClientOptions = {}): McpClient {
  const stored: McpClient["stored"] = { client: options.client };
  const authorizations: URL[] = [];
  let verifier = "";
  let discovered: OAuthDiscoveryState | undefined;
  const provider: OAuthClientProvider = {
    redirectUrl: redirectUri,
    clientMetadataUrl: options.clientMetadataUrl,
    clientMetadata: { client_name: "MCP client", redirect_uris: [redirectUri], ...options.metadata },
    clientInformation: () => stored.client,
    saveClientInformation: (client, _context?: OAuthClientInformationContext) => void (stored.client = client),
    tokens: () => stored.tokens,
    saveTokens: (tokens) => void (stored.tokens = tokens),
    redirectToAuthorization: (url) => void authorizations.push(url),
    saveCodeVerifier: (saved) => void (verifier = saved),
    codeVerifier: () => verifier,
    saveDiscoveryState: (saved) => void (discovered = saved),
    discoveryState: () => discovered,
    ...options.provider,
  };
  const connect = mcpConnection(serverUrl, provider, options.fetch ?? (as.fetch as Fetch));
  return {
    stored,
    authorizations,
    async call(tool) {
      for (let logins = 0;; logins++) {
        const { client, transport } = connect();
        try {
          await client.connect(transport);
          return (await client.callTool({ name: tool, arguments: {} })).structuredContent as Record<string, unknown>;
        } catch (error) {
          if (!(error instanceof UnauthorizedError) || logins === 3) throw error;
          const callback = new URL((await as.browser().authorize(authorizations.at(-1)!)).url);
          options.callback?.(callback);
          await transport.finishAuth(callback.searchParams);
        } finally {
          await client.close();
        }
      }
    },
  };
}

/** Makes a new connection of a client with this provider. */
export function mcpConnection(
  serverUrl: string,
  authProvider: AuthProvider | OAuthClientProvider,
  fetch: Fetch,
): () => { readonly client: Client; readonly transport: StreamableHTTPClientTransport } {
  return () => ({
    client: new Client({ name: "test", version: "1.0.0" }),
    transport: new StreamableHTTPClientTransport(new URL(serverUrl), { authProvider, fetch }),
  });
}
