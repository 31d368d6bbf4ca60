/** A driver of the TypeScript SDK of the Model Context Protocol (version 2, `@modelcontextprotocol/client`). */

import { randomId } from "../../oauth/secrets.ts";
import { randomPool } from "../../runtime/crypto.ts";
import type { ClientDriver, ClientJourney, ClientSession } from "../driver.ts";
import type { DriverOptions } from "./options.ts";

/** Options of {@link mcpSdkDriver}. */
export interface McpSdkOptions extends Pick<DriverOptions, "name" | "client"> {
  /** Whether the client registers itself (RFC 7591). Default: true, unless it is registered by `client`. */
  readonly registersItself?: boolean;
}

/** The members of a transport of the SDK that the driver uses. */
export interface McpSdkTransport {
  /** Ends a login. */
  finishAuth(callbackParameters: URLSearchParams): Promise<void>;
}

/** The members of a client of the SDK that the driver uses. */
export interface McpSdkClient {
  /** Connects to a server. */
  connect(transport: never): Promise<void>;
  /** Calls a tool of the server. */
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** The members of `@modelcontextprotocol/client` that the driver uses. */
export interface McpSdkModule {
  /** A client. */
  readonly Client: new (info: { name: string; version: string }) => McpSdkClient;
  /** The transport over HTTP. */
  readonly StreamableHTTPClientTransport: new (url: URL, options: never) => McpSdkTransport;
  /** Thrown when the user must log in. */
  readonly UnauthorizedError: abstract new (message?: string) => Error;
  /** Refreshes the tokens of a provider, or starts a login. */
  auth(provider: never, options: never): Promise<string>;
}

/** What the client stores for one server. */
interface Stored {
  client?: object;
  tokens?: object;
  discovery?: object;
  verifier: string;
  /** The URL of the authorization request. */
  authorization?: URL;
}

/** The maximum number of logins for one call. */
const maxLogins = 3;

/**
 * Drives an MCP client that logs in when its server demands it, and calls the tool `whoami`, which names the logged-in
 * user. The application compares `state`, and passes the whole callback to `finishAuth`.
 *
 * @param mcp The module: `import * as mcp from "@modelcontextprotocol/client"`.
 *
 * @example
 * ```ts ignore
 * const report = await checkClient(mcpSdkDriver(mcp));
 * ```
 */
export function mcpSdkDriver(mcp: McpSdkModule, options: McpSdkOptions = {}): ClientDriver {
  const { name = "MCP SDK", client: registration, registersItself = registration === undefined } = options;
  const random = randomPool();
  /** What the client keeps between logins, by server. */
  const clients = new Map<string, Stored>();

  async function logIn(journey: ClientJourney): Promise<ClientSession> {
    const { client: registered, redirectUri, resource, fetch, authorize } = journey;
    const stored: Stored = { ...clients.get(resource), tokens: undefined, discovery: undefined, verifier: "" };
    clients.set(resource, stored);
    if (!registersItself) {
      const { client_id, client_secret, token_endpoint_auth_method } = registered;
      stored.client = { client_id, client_secret, token_endpoint_auth_method, redirect_uris: [redirectUri] };
    }
    const provider = {
      redirectUrl: redirectUri,
      clientMetadata: { client_name: "MCP client", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" },
      state: () => randomId(random),
      clientInformation: () => stored.client,
      saveClientInformation: (client: object) => void (stored.client = client),
      tokens: () => stored.tokens,
      saveTokens: (tokens: object) => void (stored.tokens = tokens),
      redirectToAuthorization: (url: URL) => void (stored.authorization = url),
      saveCodeVerifier: (verifier: string) => void (stored.verifier = verifier),
      codeVerifier: () => stored.verifier,
      saveDiscoveryState: (discovery: object) => void (stored.discovery = discovery),
      discoveryState: () => stored.discovery,
      invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery") {
        if (scope === "all" || scope === "tokens") stored.tokens = undefined;
        if (scope === "all" || scope === "discovery") stored.discovery = undefined;
        if (registersItself && (scope === "all" || scope === "client")) stored.client = undefined;
      },
    };

    /** Calls the tool once. `undefined`: the user had to log in first. */
    async function call(): Promise<string | undefined> {
      const client = new mcp.Client({ name: "check", version: "1.0.0" });
      const transport = new mcp.StreamableHTTPClientTransport(
        new URL(resource),
        { authProvider: provider, fetch } as never,
      );
      try {
        await client.connect(transport as never);
        const result = await client.callTool({ name: "whoami", arguments: {} });
        return (result as { readonly structuredContent: { readonly sub: string } }).structuredContent.sub;
      } catch (error) {
        if (!(error instanceof mcp.UnauthorizedError)) throw error;
        await finishLogin(transport);
        return undefined;
      } finally {
        await client.close();
      }
    }

    /** Lets the user log in. */
    async function finishLogin(transport: McpSdkTransport): Promise<void> {
      const url = stored.authorization!;
      // Like an application that receives the callback as a GET request.
      const params = new URL((await authorize(url)).url).searchParams;
      if (params.get("state") !== url.searchParams.get("state")) {
        throw new Error("the callback has another state than the authorization request");
      }
      await transport.finishAuth(params);
    }

    /** Calls the tool, and lets the user log in as often as the SDK asks for it. */
    async function request(): Promise<string> {
      for (let logins = 0; logins <= maxLogins; logins++) {
        const sub = await call();
        if (sub !== undefined) return sub;
      }
      throw new Error(`the server demands another login after ${maxLogins} logins`);
    }

    return {
      sub: await request(),
      request: async () => void await request(),
      async refresh() {
        const result = await mcp.auth(provider as never, { serverUrl: resource, fetchFn: fetch } as never);
        if (result !== "AUTHORIZED") throw new Error("the SDK starts a new login");
      },
    };
  }

  return { name, client: registration, logIn, requestResource: logIn };
}
