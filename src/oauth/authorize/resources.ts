/** Resource indicators (RFC 8707): the resources that a request may name. */

import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";

/** Limits of one request: number of resources, characters of one URI, characters of all URIs. */
const maxResources = 16;
const maxUriLength = 512;
const maxTotalUriLength = 2048;

/** The registered spelling of a resource; the id of a client is never a resource. */
function findResource(server: Server, uri: string): string | undefined {
  const registered = server.resources.find(uri);
  return registered === undefined || server.clients.findCached(registered) !== undefined ? undefined : registered;
}

/** The granted resources that are still registered, in their current spelling. */
export function registeredResources(server: Server, granted: readonly string[]): readonly string[] {
  return granted.flatMap((uri) => findResource(server, uri) ?? []);
}

/** Reads the requested resources; a request may name none. */
export function readResources(server: Server, params: Params): string[] {
  const requested = params.getAll("resource");
  if (requested.length === 0) return [];
  const isTooMuch = requested.length > maxResources || requested.join("").length > maxTotalUriLength;
  const resources = requested.map((uri) => {
    const resource = isTooMuch || uri.length > maxUriLength ? undefined : findResource(server, uri);
    if (resource !== undefined) return resource;
    throw new OAuthError("invalid_target", "resource is not an absolute URI of a registered resource", {
      rule: "RI-01",
      expected: "an absolute URI without a fragment, of a resource that this server issues tokens for",
      received: uri,
    });
  });
  return [...new Set(resources)];
}

/** The resources of one access token: those of the token request, which must be granted; without any, all granted ones. */
export function narrowResources(server: Server, granted: readonly string[], params: Params): readonly string[] {
  const requested = readResources(server, params);
  if (requested.length === 0) return granted;
  if (requested.every((uri) => granted.includes(uri))) return requested;
  throw new OAuthError("invalid_target", "resource is not one that was granted", {
    rule: "RI-03",
    expected: granted.join(" or ") || "no resource, none was granted",
    received: requested.join(" "),
  });
}
