/** The requested access: scope, a set of case-sensitive tokens (OAuth 2.1 §1.4.1), and resources (RFC 8707). */

import { chain, type MaybePromise } from "../maybe_promise.ts";
import { type Client, policyOf } from "../clients/repository.ts";
import { byProfile } from "../rules/rule.ts";
import { isAbsoluteUri } from "../resource_list.ts";
import { hasCode, type Params, scopeToken, splitScope } from "../params.ts";
import { reject } from "../reject.ts";
import type { PartRequest, Server } from "../server.ts";
import { hasAccess } from "./access.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";

/**
 * The requested scope, or the server's default. With `openid`, unknown values are ignored (OpenID Connect Core
 * §3.1.2.1); without, they are rejected (OAuth 2.1 §4.1.2.1).
 *
 * @param holder Who gets the access: some values are for a client itself and not for users. Default: a user.
 * @throws {OAuthError} If the client may not request it.
 */
export function resolveScope(
  server: Server,
  client: Client,
  requested: string | undefined,
  holder: "user" | "client" = "user",
): string[] {
  const ownScope = server.permits(server, client, "requestOwnScope") ? client.ownScope : client.scope;
  const registered = holder === "client" ? ownScope : client.scope;
  const tokens = requested === undefined ? [...server.settings.defaultScope] : splitScope(requested);
  if (requested === undefined && tokens.length === 0) throw reject("AZ-16", { registered });
  if (!tokens.every((token) => scopeToken.test(token))) throw reject("AZ-15");
  const supported = tokens.filter((token) => isSupported(server, client, token));
  if (supported.length < tokens.length && !supported.includes("openid")) {
    throw reject("AZ-17", { problem: "unknown", requested: tokens, registered: client.scope });
  }
  const clientId = client.id;
  const disallowed = supported.filter((token) => !client.allowsScope(token) && !registered.includes(token));
  if (supported.length === 0 || disallowed.length > 0) {
    if (requested === undefined) throw reject("AZ-16", { registered, disallowed, clientId });
    const isOwn = disallowed.some((token) => ownScope.includes(token));
    const problem = isOwn ? "not for users" : "not allowed";
    throw reject("AZ-17", { problem, requested: tokens, registered, disallowed, clientId });
  }
  if (!supported.every((token) => server.settings.scopes.includes(token))) {
    server.observe?.(server, client.id, "AZ-17", { requested: tokens, registered: client.scope });
  }
  // If values were ignored, a warning is traced instead.
  if (supported.length === tokens.length) server.passed?.("AZ-17", supported.join(" "));
  return supported;
}

/**
 * Reads the scope of a request. A request for access besides scope may omit scope, and then receives no default scope
 * (RFC 9396 §3.1).
 */
export function readScope(
  { server, client, params }: PartRequest,
  parts: Partial<AuthorizationRequest>,
): readonly string[] {
  const requested = params.get("scope");
  const needsNone = requested === undefined && hasAccess(server, parts);
  const scope = needsNone ? [] : resolveScope(server, client, requested);
  // Without an access token, a scope value can only release claims.
  return hasCode(parts.responseType) ? scope : scope.filter((value) => releasesClaims(server, value));
}

/** Whether a scope value can release claims, without an access token too. */
export function releasesClaims({ claims }: Server, value: string): boolean {
  return value === "openid" || claims.claimsByScope.has(value);
}

/** Whether the server has a scope value, or accepts this client's unknown values. */
export function isSupported({ settings: { scopes, acceptsAny } }: Server, client: Client, token: string): boolean {
  return scopes.includes(token) || acceptsAny.includes("scopes") && client.allowsScope(token);
}

/** Limits of one request: number of resources, characters of one URI, characters of all URIs. */
export const resourceLimits = { count: 16, uriLength: 512, totalLength: 2048 } as const;

/**
 * The registered spelling of a resource. The id of a client is never a resource; this check fetches no metadata
 * document.
 */
async function findResource(server: Server, uri: string): Promise<string | undefined> {
  const { clients, resources } = server;
  const registered = resources.find(uri);
  if (registered === undefined) return undefined;
  const client = await clients.registered.find(registered) ?? clients.known().get(registered);
  return client === undefined ? registered : undefined;
}

/** The granted resources that are still registered, in their current spelling. */
export async function registeredResources(server: Server, granted: readonly string[]): Promise<readonly string[]> {
  return (await Promise.all(granted.map((uri) => findResource(server, uri)))).filter((uri) => uri !== undefined);
}

/**
 * Reads the requested resources; a request may name none.
 *
 * @param forAccess Whether the request leads to an access token. Default: yes.
 * @throws {OAuthError} If the server has no such resource, or requires one and the request has none.
 */
export function readResources(server: Server, params: Params, forAccess = true): MaybePromise<readonly string[]> {
  const requested = params.getAll("resource");
  if (requested.length > 0) return findRequested(server, requested);
  const { resourceParameter, profile } = server.settings;
  if (forAccess && resourceParameter === "required") {
    throw reject("MC-02", { byProfile: byProfile(profile, "resourceParameter") });
  }
  return requested;
}

/** Observes the resources of an accepted request, and a request without one if the server expects one. */
export function observeResources(server: Server, client: Client, params: Params): void {
  const requested = params.getAll("resource");
  server.observe?.(server, client.id, "resource", { requested, hasAudience: params.get("audience") !== undefined });
  const { resourceParameter, profile } = policyOf(server, client);
  if (resourceParameter === "optional" || requested.length > 0) return;
  server.observe?.(server, client.id, "MC-02", { byProfile: byProfile(profile, "resourceParameter") });
}

async function findRequested(server: Server, requested: readonly string[]): Promise<readonly string[]> {
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
function resourceProblem({ settings }: Server, uri: string): "not absolute" | "unknown" | "unsuitable" {
  if (!isAbsoluteUri(uri)) return "not absolute";
  return settings.resources === undefined ? "unsuitable" : "unknown";
}

/**
 * The resources of one access token: the resources of the token request, which must be granted; by default all granted
 * resources.
 */
export function narrowResources(
  server: Server,
  granted: readonly string[],
  params: Params,
): MaybePromise<readonly string[]> {
  return chain(readResources(server, params), (requested) => {
    if (requested.length === 0) return granted;
    if (requested.every((uri) => granted.includes(uri))) return requested;
    throw reject("RI-03", { granted, requested });
  });
}
