/** The command that a page shows in place of an endpoint for programs. */

import type { Context } from "./context.ts";
import { routeUrl } from "./endpoint.ts";

/** A command that calls the endpoint of a request: one of POST requests alone. */
export function exampleCommand({ server, site, endpoint }: Context): string | undefined {
  if (endpoint === undefined || !endpoint.methods.includes("POST") || endpoint.methods.includes("GET")) {
    return undefined;
  }
  const names = endpoint.exampleParameters ?? endpoint.parameters?.map(({ name }) => name).slice(0, 3) ?? [];
  const url = routeUrl(server.issuer, site.base, endpoint.path);
  return ["curl", ...names.map((name) => `-d ${name}=…`), url].join(" ");
}
