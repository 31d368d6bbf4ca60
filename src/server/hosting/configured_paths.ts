/** Endpoints at the paths of the setting `paths`. */

import type { Endpoint, EndpointDescription } from "../endpoint.ts";
import { assertNoIssues } from "../../core/rules/configuration_error.ts";
import { quote } from "../config/config_issue.ts";
import type { EndpointPaths } from "../config/endpoint_paths.ts";

/**
 * The endpoints. An endpoint that the setting names is served at the configured path only, and the endpoints below it
 * move with it.
 */
export function atConfiguredPaths(endpoints: readonly Endpoint[], base: string, paths: EndpointPaths): Endpoint[] {
  const parentOf = ({ path }: Endpoint) => endpoints.find((parent) => path === `${parent.path}/*`);
  return endpoints.map((endpoint) => {
    const path = pathOf(endpoint, paths);
    if (path !== undefined) return { ...endpoint, path: belowIssuer(base, path), aliases: [] };
    const parent = parentOf(endpoint);
    const parentPath = parent && pathOf(parent, paths);
    return parentPath === undefined ? endpoint : { ...endpoint, path: `${belowIssuer(base, parentPath)}/*` };
  });
}

/**
 * Rejects a configured path that another endpoint has. A plugin may replace the endpoint by one of the same name.
 *
 * @param endpoints The endpoints of the server and of its plugins.
 * @throws {ConfigurationError}
 */
export function assertOwnPaths(endpoints: readonly EndpointDescription[], paths: EndpointPaths): void {
  assertNoIssues(endpoints.flatMap((endpoint) => {
    const { path, metadataName } = endpoint;
    if (pathOf(endpoint, paths) === undefined) return [];
    const other = endpoints.find((one) =>
      one.name !== endpoint.name && [one.path, ...one.aliases ?? []].includes(path)
    );
    return other === undefined ? [] : [{
      path: `paths.${metadataName}`,
      expected: "a path that no other endpoint has",
      received: `${quote(path)}, the path of ${quote(other.name)}`,
      hint: "Choose another path.",
    }];
  }));
}

/** The path on the host. Each `/..` at the start of a configured path removes a segment of the path of the issuer. */
function belowIssuer(base: string, path: string): string {
  return path.startsWith("/../") ? belowIssuer(base.replace(/\/[^/]*$/, ""), path.slice(3)) : base + path;
}

function pathOf({ metadataName }: EndpointDescription, paths: EndpointPaths): string | undefined {
  return metadataName === undefined ? undefined : paths[metadataName as keyof EndpointPaths];
}
