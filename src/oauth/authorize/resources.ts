/** Resource indicators (RFC 8707): the resources that a request may name. */

import { byProfile } from "../config/profile.ts";
import { isAbsoluteUri } from "../config/resource_list.ts";
import { policyOf } from "../clients/policy.ts";
import type { Client } from "../clients/repository.ts";
import { OAuthError } from "../errors.ts";
import { chain } from "../maybe_promise.ts";
import { noteResource } from "../notes.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import type { Params } from "../params.ts";
import type { Server } from "../server.ts";
import type { Explanation } from "../trace.ts";

/** Limits of one request: number of resources, characters of one URI, characters of all URIs. */
const maxResources = 16;
const maxUriLength = 512;
const maxTotalUriLength = 2048;

/** The registered spelling of a resource. The id of a client is never one; this check fetches no metadata document. */
async function findResource(server: Server, uri: string): Promise<string | undefined> {
  const { clients, resources } = server;
  const registered = resources.find(uri);
  if (registered === undefined) return undefined;
  const client = await clients.registered.find(registered) ?? clients.findCached(registered);
  return client === undefined ? registered : undefined;
}

/** The granted resources that are still registered, in their current spelling. */
export function registeredResources(server: Server, granted: readonly string[]): MaybePromise<readonly string[]> {
  return granted.length === 0 ? granted : findAll(server, granted);
}

async function findAll(server: Server, granted: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(granted.map((uri) => findResource(server, uri)))).filter((uri) => uri !== undefined);
}

/**
 * Reads the requested resources; a request may name none.
 *
 * @throws {OAuthError} If the server has no such resource, or requires one and the request has none.
 */
export function readResources(server: Server, params: Params): MaybePromise<readonly string[]> {
  const requested = params.getAll("resource");
  if (requested.length > 0) return findRequested(server, requested);
  if (server.settings.resourceParameter === "required") {
    throw new OAuthError("invalid_target", "resource is missing", explainMissing(server, server.settings));
  }
  return requested;
}

/** Warns about an accepted request without `resource`, if the server expects one; notes what it may not expect. */
export function warnAboutResource(server: Server, client: Client, params: Params): void {
  noteResource(server, client, params);
  const settings = policyOf(server, client);
  if (settings.resourceParameter === "optional" || params.getAll("resource").length > 0) return;
  server.trace({ type: "warning", at: server.now(), client: client.id, explanation: explainMissing(server, settings) });
}

function explainMissing({ audience }: Server, settings: Server["settings"]): Explanation {
  return {
    rule: "MC-02",
    reason:
      `resource is missing${
        byProfile(settings.profile, "resourceParameter")
      }; if no request of the flow names one, the ` +
      `access token is for ${audience}`,
    expected: "resource with the URI of the protected resource, in the authorization request and in the token request",
    received: "no resource",
  };
}

async function findRequested(server: Server, requested: readonly string[]): Promise<readonly string[]> {
  const isTooMuch = requested.length > maxResources || requested.join("").length > maxTotalUriLength;
  const resources = new Set<string>();
  for (const uri of requested) {
    const resource = isTooMuch || uri.length > maxUriLength ? undefined : await findResource(server, uri);
    if (resource === undefined) {
      throw invalidResource(server, uri, isTooMuch);
    }
    resources.add(resource);
  }
  return [...resources];
}

function invalidResource(server: Server, uri: string, isTooMuch: boolean): OAuthError {
  const { resources: configured } = server.settings;
  const reject = (message: string, expected: string, fix?: string, publicExpected?: string) =>
    new OAuthError("invalid_target", message, { rule: "RI-01", expected, publicExpected, received: uri, fix });
  if (isTooMuch || uri.length > maxUriLength) {
    return reject(
      "the resource parameters are too long or too many",
      `at most ${maxResources} URIs of at most ${maxUriLength} characters, and ${maxTotalUriLength} in all`,
      "Send only the resources that the token is for.",
    );
  }
  if (!isAbsoluteUri(uri)) {
    return reject("resource is not an absolute URI without a fragment", "an absolute URI without a fragment");
  }
  if (configured !== undefined) {
    return reject(
      "resource is not one of this server",
      [...configured, ...server.resources.hosted.map(({ identifier }) => ({ uri: identifier }))].map(({ uri }) => uri)
        .join(" or "),
      "Send a resource of this server, or add this one to the setting resources.",
      "a resource of this server",
    );
  }
  return reject(
    "resource is not a URI that this server issues tokens for",
    "an https URI, or an http URI on a test host, that is not the client_id of a client",
    "Use https, and the URI of the resource itself.",
  );
}

/**
 * The resources of one access token: those of the token request, which must be granted; without any, all granted ones.
 */
export function narrowResources(
  server: Server,
  granted: readonly string[],
  params: Params,
): MaybePromise<readonly string[]> {
  return chain(readResources(server, params), (requested) => narrowTo(granted, requested));
}

function narrowTo(granted: readonly string[], requested: readonly string[]): readonly string[] {
  if (requested.length === 0) return granted;
  if (requested.every((uri) => granted.includes(uri))) return requested;
  throw new OAuthError("invalid_target", "resource is not one that was granted", {
    rule: "RI-03",
    expected: granted.join(" or ") || "no resource, none was granted",
    received: requested.join(" "),
  });
}
