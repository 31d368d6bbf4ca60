/** The protected resources of the whole server, and how requests name them (RFC 8707). */

import { type Client, policyOf } from "../../core/clients/clients.ts";
import { findKnownClient } from "../clients/clients.ts";
import type { Params } from "../../core/http/params.ts";
import { allowsHttp } from "../../core/http/test_hosts.ts";
import { canonicalUri, isAbsoluteUri } from "../../platform/http/absolute_uri.ts";
import { metadataOf } from "../config/client_metadata.ts";
import { asServerPolicy, byProfile, type ServerPolicy } from "../config/server_policy.ts";
import type { ResourceSettings } from "../config/server_settings.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { HostedResource, HostedResources } from "../token/hosted_resources.ts";
import { reject, resourceLimits } from "../rules/resource_indicators.ts";

/**
 * Creates the resources. Of two with the same URI, the hosted one counts. Without a list in the settings, every
 * absolute URI is accepted, but an http URI only on a host that may use plain http.
 */
export function hostedResources({ resources, allows: { localUrls } }: ServerPolicy): HostedResources<HostedServer> {
  let hosted: readonly HostedResource[] = [];
  const byUri = new Map<string, ResourceSettings>();
  for (const resource of resources ?? []) {
    const key = canonicalUri(resource.uri);
    // The last of several with the same URI counts, with the claims of an earlier one if it has none.
    byUri.set(key, { access_token_claims: byUri.get(key)?.access_token_claims, ...resource });
  }
  return {
    configured: resources?.map(({ uri }) => uri),
    get hosted() {
      return hosted;
    },
    host(resource) {
      hosted = [...hosted.filter(({ identifier }) => identifier !== resource.identifier), resource];
    },
    find(uri) {
      const key = canonicalUri(uri);
      const own = hosted.find(({ identifier }) => canonicalUri(identifier) === key);
      if (own !== undefined) return own.identifier;
      // The list may name what is no URI, as several providers do.
      if (resources !== undefined) return byUri.get(key)?.uri;
      if (!isAbsoluteUri(uri)) return undefined;
      return !/^http:/i.test(uri) || allowsHttp(new URL(uri).hostname, localUrls) ? key : undefined;
    },
    registered,
    read,
    async keep(server: HostedServer, granted) {
      const kept = await registered(server, granted);
      if (kept.length === 0) throw reject("RI-05", { resources: granted });
      return kept;
    },
    async narrow(server: HostedServer, granted, params) {
      const requested = await read(server, params);
      if (requested.length === 0) return granted;
      if (requested.every((uri) => granted.includes(uri))) return requested;
      throw reject("RI-03", { granted, requested });
    },
    observe,
    isOpaque: (uris) => uris.some((uri) => byUri.get(canonicalUri(uri))?.access_token_format === "opaque"),
    claimNames: ({ claims: { accessToken } }, uris) =>
      uris.flatMap((uri) => byUri.get(canonicalUri(uri))?.access_token_claims ?? accessToken),
    isServedBy: (client, resource) =>
      metadataOf(client).serves?.some((uri) => canonicalUri(uri) === canonicalUri(resource)) === true,
  };
}

async function registered(server: HostedServer, uris: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(uris.map((uri) => findResource(server, uri)))).filter((uri) => uri !== undefined);
}

/** The registered spelling of a resource. The id of a client is never a resource. */
async function findResource({ clients, resources }: HostedServer, uri: string): Promise<string | undefined> {
  const found = resources.find(uri);
  if (found === undefined) return undefined;
  return await findKnownClient(clients, found) === undefined ? found : undefined;
}

async function read(server: HostedServer, params: Params): Promise<readonly string[]> {
  const requested = params.getAll("resource");
  if (requested.length > 0) return await findRequested(server, requested);
  const { policy } = server;
  if (policy.resourceParameter === "required") {
    throw reject("MC-02", { byProfile: byProfile(policy, "resourceParameter") });
  }
  return requested;
}

/** Also observes a request without a resource if the server expects one. */
function observe(server: HostedServer, client: Client, params: Params): void {
  const requested = params.getAll("resource");
  server.observe(server, client.id, "resource", { requested, hasAudience: params.get("audience") !== undefined });
  const policy = asServerPolicy(policyOf(server, client));
  if (policy.resourceParameter === "optional" || requested.length > 0) return;
  server.observe(server, client.id, "MC-02", { byProfile: byProfile(policy, "resourceParameter") });
}

async function findRequested(server: HostedServer, requested: readonly string[]): Promise<readonly string[]> {
  const { count, uriLength, totalLength } = resourceLimits;
  const isTooMuch = requested.length > count || requested.join("").length > totalLength;
  const resources = new Set<string>();
  for (const uri of requested) {
    if (isTooMuch || uri.length > uriLength) throw reject("RI-01", { uri, problem: "too much" });
    const resource = await findResource(server, uri);
    if (resource === undefined) throw reject("RI-01", { uri, problem: resourceProblem(server, uri) });
    resources.add(resource);
  }
  return [...resources];
}

/** Why the server issues no access tokens for a resource. */
function resourceProblem({ resources }: HostedServer, uri: string): "not absolute" | "unknown" | "unsuitable" {
  const { configured } = resources;
  if (!isAbsoluteUri(uri) && configured?.some((name) => !isAbsoluteUri(name)) !== true) return "not absolute";
  return configured === undefined ? "unsuitable" : "unknown";
}
