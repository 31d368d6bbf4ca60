/** The plugin that hosts a small MCP server, a protected resource, on the origin of the issuer. */

import type { Plugin } from "../server/hosting/options.ts";
import { type HostedResourceOptions, hostResource } from "./hosted_resource.ts";

/**
 * Hosts a small MCP server, to test clients against: a protected resource with metadata and challenges (RFC 9728),
 * which accepts the access tokens of the server itself.
 *
 * @param path The path on the origin of the issuer: `/mcp`. Its `setup` throws a `ConfigurationError` if the server has
 *   an endpoint there.
 */
export function mcpServer(path: string, options: HostedResourceOptions = {}): Plugin {
  return { setup: (app, { addResource }) => void hostResource(app, addResource, path, options, "mcpServer") };
}
