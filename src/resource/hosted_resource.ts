/** A protected resource that an authorization server hosts itself, for tests of clients: a small MCP server. */

import type { ServerUrls } from "../core/http/names.ts";
import { serverOrigins } from "../server/config/server_origins.ts";
import type { App } from "../server/app.ts";
import type { AppChanges } from "../server/hosting/options.ts";
import { parameters } from "../core/http/params.ts";
import { type Endpoint, page } from "../server/endpoint.ts";
import { ConfigurationError } from "../core/rules/configuration_error.ts";
import { connectionList } from "./connections.ts";
import type { HostedResourceDefinition } from "./hosted_handlers.ts";
import { assertResourceScopes, metadataUrl } from "./metadata.ts";
import type { RequiredLogin } from "./protected_resource.ts";
import { assertRequiredLogin } from "./required_login.ts";

/** How a hosted resource checks requests. Everything has a default. */
export interface HostedResourceOptions {
  /**
   * The scope values that every request needs; the server learns values that it does not have yet. Default: `read` if
   * the server has it, otherwise none.
   */
  readonly scopes?: readonly string[];
  /**
   * Tool → the additional scope values that a call of it needs. Each tool returns its arguments and the claims of the
   * access token. Default: `whoami` and `read_calendar` need none, and `add_note` needs `write` if the server has it.
   */
  readonly tools?: Readonly<Record<string, readonly string[]>>;
  /** Tool → the login that a call of it needs (RFC 9470). Default: every login suffices. */
  readonly toolLogins?: Readonly<Record<string, RequiredLogin>>;
  /**
   * Tool → the name of another service, to which its user must first connect an account: the call returns the URL of a
   * page that stands for the login there (URL mode elicitation of MCP 2025-11-25 and newer). Default:
   * `{ read_calendar: "Example Calendar" }` without `tools`, otherwise none.
   */
  readonly toolConnections?: Readonly<Record<string, string>>;
  /** The types of authorization details for the metadata document (RFC 9728 §2). Default: none. */
  readonly authorizationDetailsTypes?: readonly string[];
  /** Scope value → the scope values that it implies. Default: none. */
  readonly impliedScopes?: Readonly<Record<string, readonly string[]>>;
  /**
   * `jwks`: with the published keys; does not notice a revocation and accepts no opaque tokens. `introspection`: like
   * the introspection endpoint; notices revocations and accepts opaque tokens. Default: `jwks`.
   */
  readonly verifyBy?: "jwks" | "introspection";
}

/**
 * Adds a hosted resource to a server.
 *
 * @param location The identifier; a path is a resource on the origin of the issuer, and follows its port.
 * @param setting The name of the location in errors.
 * @returns The identifier, which is its URL, and the URL of its metadata document.
 * @throws {TypeError} If the identifier is invalid.
 * @throws {ConfigurationError} If the server has an endpoint at the same path.
 */
export function hostResource(
  app: App,
  addResource: AppChanges["addResource"],
  location: string,
  options: HostedResourceOptions,
  setting: "resource" | "mcpServer" = "resource",
): { readonly url: string; readonly metadataUrl: string } {
  const getUrl = () => location.startsWith("/") ? new URL(app.server.issuer).origin + location : location;
  const documentUrl = metadataUrl(getUrl());
  assertEndpointUrl(getUrl());
  const path = pathForUrl(app.server, getUrl());
  const origin = path.startsWith("//") ? { origin: new URL(getUrl()).origin } : {};
  const { name } = app.findEndpoint(path) ?? {};
  if (name !== undefined && name !== resourceEndpointName) {
    throw new ConfigurationError([{
      path: setting,
      expected: "a path without an endpoint",
      received: `${location}, the path of the endpoint ${name}`,
      hint: "Choose another path, such as /mcp.",
    }]);
  }
  const ifKnown = (value: string) => app.server.policy.scopes.includes(value) ? [value] : [];
  const { scopes = ifKnown("read"), tools = { whoami: [], add_note: ifKnown("write"), read_calendar: [] } } = options;
  const { toolConnections = options.tools === undefined ? { read_calendar: "Example Calendar" } : {} } = options;
  const allScopes = [...new Set([...scopes, ...Object.values(tools).flat()])];
  assertResourceScopes(allScopes);
  Object.values(options.toolLogins ?? {}).forEach(assertRequiredLogin);
  const unknown = Object.keys(toolConnections).find((tool) => !Object.hasOwn(tools, tool));
  if (unknown !== undefined) {
    const expected = `a name of its tools: ${Object.keys(tools).join(", ")}`;
    throw new TypeError(`toolConnections: expected ${expected}; received ${JSON.stringify(unknown)}. Add it to tools.`);
  }
  const connections = connectionList();
  const definition: HostedResourceDefinition = {
    get identifier() {
      return getUrl();
    },
    scopes: allScopes,
    commonScopes: scopes,
    tools,
    toolLogins: options.toolLogins ?? {},
    toolConnections,
    connections,
    reset: connections.clear,
    connectPath: `${app.site.base}/connect-account${path.replace(/^\/(?=\/)/, "")}`,
    impliedScopes: options.impliedScopes,
    authorizationDetailsTypes: options.authorizationDetailsTypes,
    verifyBy: options.verifyBy ?? "jwks",
  };
  const handlers = async () => await import("./hosted_handlers.ts");
  addResource(
    definition,
    [
      {
        name: resourceEndpointName,
        path,
        ...origin,
        methods: ["GET", "POST"],
        caller: "resource client",
        cors: true,
        title: "Resource request",
        doneLabel: "served",
        errors: "resource",
        role: "step",
        responseParameters: parameters(
          ...["requestState", "elicitationId"].map((name) => ({ name, secret: "elicitation" })),
        ),
        load: async () => (await handlers()).mcpHandlers(definition),
      },
      {
        name: "resource_metadata",
        path: pathForUrl(app.server, documentUrl),
        ...origin,
        methods: ["GET"],
        caller: "any",
        cors: true,
        title: "Resource metadata",
        errors: "json",
        role: "document",
        load: async () => (await handlers()).metadataHandlers(definition),
      },
      {
        ...page("connect_account", definition.connectPath, "Connect an account", async () => {
          return (await import("./connect_handlers.ts")).connectHandlers(definition);
        }, ["GET", "POST"]),
        parameters: parameters({ name: "elicitation_id", secret: "elicitation" }),
      },
    ] satisfies Endpoint[],
  );
  return {
    get url() {
      return getUrl();
    },
    get metadataUrl() {
      return metadataUrl(getUrl());
    },
  };
}

const resourceEndpointName = "resource";

/**
 * The path of an endpoint at a URL. On an origin that is not the server's, it is the URL without its scheme (a
 * network-path reference, RFC 3986 §4.2), which no request over a network has by accident.
 */
export function pathForUrl(server: ServerUrls, url: string): string {
  const { origin, host, pathname } = new URL(url);
  return serverOrigins(server).includes(origin) ? pathname : `//${host}${pathname}`;
}

/** Rejects a URL that no endpoint can have: endpoints have no query, and `*` in a path is a wildcard. */
function assertEndpointUrl(url: string): void {
  if (!/[?*]/.test(url)) return;
  throw new TypeError(
    `resource: expected a URL without a query and without *, received ${JSON.stringify(url)}. Choose another path.`,
  );
}
