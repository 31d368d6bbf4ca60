/** A driver of the TypeScript SDK of the Model Context Protocol (version 2, `@modelcontextprotocol/client`). */

import { randomId } from "../../../../src/core/keys/secrets.ts";
import { randomBytes } from "../../../../src/core/keys/crypto.ts";
import type { ClientDriver, ClientJourney, ClientSession } from "../../../../src/check/driver.ts";
import * as mcp from "@modelcontextprotocol/client";

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
 */
export function mcpSdkDriver(): ClientDriver {
  /** What the client keeps between logins, by server. */
  const clients = new Map<string, Stored>();

  async function logIn(journey: ClientJourney): Promise<ClientSession> {
    const { redirectUri, resource, fetch, authorize } = journey;
    const stored: Stored = { ...clients.get(resource), tokens: undefined, discovery: undefined, verifier: "" };
    clients.set(resource, stored);
    const provider = {
      redirectUrl: redirectUri,
      clientMetadata: { client_name: "MCP client", redirect_uris: [redirectUri], token_endpoint_auth_method: "none" },
      state: () => randomId(randomBytes),
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
        if (scope === "all" || scope === "client") stored.client = undefined;
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
    async function finishLogin(transport: mcp.StreamableHTTPClientTransport): Promise<void> {
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

  return { name: "MCP SDK", logIn, requestResource: logIn };
}
