/** The requested access: scope, a set of case-sensitive tokens (OAuth 2.1 §1.4.1), and resources (RFC 8707). */

import type { MaybePromise } from "../../../platform/maybe_promise.ts";
import { policyOf } from "../clients/policy.ts";
import { hasStanding } from "../clients/standing.ts";
import type { Client } from "../clients/repository.ts";
import { byProfile } from "../profile.ts";
import { isAbsoluteUri } from "../resource_list.ts";
import { suggest } from "../config_issue.ts";
import { OAuthError } from "../errors.ts";
import { noteResource, warn, warnAccepted } from "../notes.ts";
import { type Params, scopeToken, separatorFix, splitScope } from "../params.ts";
import { hasCode } from "./response_type.ts";
import { redactText } from "../redact.ts";
import type { PartRequest, Server } from "../server.ts";
import type { Explanation, RuleExplanation } from "../trace.ts";
import { hasAccess } from "./access.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";

/** Maximum length of the unknown values in a message, in characters. */
const maxNamedLength = 200;

/** The scope values that a message may repeat; an error response repeats no other characters of a request. */
const namedToken = /^[\w.:/-]+$/;

/** Maximum number of unknown values for which a known value is suggested. */
const maxSuggestions = 4;

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
  const isApproved = hasStanding(client, "approved");
  const registered = holder === "client" && isApproved ? client.ownScope : client.scope;
  const tokens = requested === undefined ? [...server.settings.defaultScope] : splitScope(requested);
  if (requested === undefined && tokens.length === 0) {
    throw new OAuthError("invalid_scope", "scope is missing, and this server has no default scope", {
      rule: "AZ-16",
      expected: `some of: ${registered.join(" ")}`,
      received: "no scope",
    });
  }
  if (!tokens.every((token) => scopeToken.test(token))) {
    throw new OAuthError("invalid_scope", "scope contains a character that scope values cannot have", {
      rule: "AZ-15",
      expected: "space-separated tokens of printable ASCII without quotes and backslashes",
      received: "a disallowed character",
    });
  }
  const supported = tokens.filter((token) => isSupported(server, client, token));
  if (supported.length < tokens.length && !supported.includes("openid")) {
    const explanation = explainUnknown(server, client, tokens, "unknown scope");
    throw new OAuthError("invalid_scope", "scope contains an unknown value", explanation);
  }
  const isDisallowed = (token: string) => !client.allowsScope(token) && !registered.includes(token);
  if (supported.length === 0 || supported.some(isDisallowed)) {
    const disallowed = supported.filter(isDisallowed);
    if (requested === undefined) {
      throw new OAuthError("invalid_scope", "scope is missing, and this client may not request the default scope", {
        rule: "AZ-16",
        reason: `scope is missing, and client ${client.id} may not request the default scope: ${disallowed.join(" ")}`,
        expected: `some of: ${registered.join(" ")}`,
        received: "no scope",
      });
    }
    if (isApproved && disallowed.some((token) => client.ownScope.includes(token))) {
      throw new OAuthError("invalid_scope", "scope contains a value that only a client itself can get, not a user", {
        rule: "AZ-17",
        expected: `some of: ${registered.join(" ")}`,
        received: tokens.join(" "),
        fix: `Request ${disallowed.join(" ")} with the grant type client_credentials.`,
      });
    }
    // These values are configured on the server, so the response may name them.
    const reason = disallowed.length === 0
      ? "scope contains no value that this client may request"
      : `scope contains a value that this client may not request: ${disallowed.join(" ")}`;
    throw new OAuthError("invalid_scope", reason, {
      rule: "AZ-17",
      expected: `some of: ${registered.join(" ")}`,
      received: tokens.join(" ") || "no scope value",
      change: disallowed.length === 0 ? undefined : { client_id: client.id, isNew: false, scope: disallowed.join(" ") },
    });
  }
  if (!supported.every((token) => server.settings.scopes.includes(token))) {
    warnAccepted(server, client, "scopes", explainUnknown(server, client, tokens, "unknown scope"));
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

function releasesClaims({ claims }: Server, value: string): boolean {
  return value === "openid" || claims.claimsByScope.has(value);
}

/** Warns about the unknown values of an accepted request, which are ignored. */
export function warnIgnoredScope(
  { server, client, params }: PartRequest,
  { scope, responseType }: AuthorizationRequest,
): void {
  const requested = params.get("scope");
  if (requested === undefined || requested === scope.join(" ")) return;
  const tokens = splitScope(requested);
  const useless = hasCode(responseType) ? [] : tokens.filter((token) => !releasesClaims(server, token));
  if (useless.length > 0) {
    warn(server, client.id, {
      rule: "AZ-17",
      reason: "scope values for access tokens are ignored, because the response has no code",
      expected: "scope values that release claims",
      received: requested,
    });
  }
  if (tokens.every((token) => isSupported(server, client, token))) return;
  const explanation = explainUnknown(server, client, tokens, "unknown scope was dropped");
  warn(server, client.id, explanation);
}

/** Whether the server has a scope value, or accepts this client's unknown values. */
function isSupported({ settings: { scopes, acceptsAny } }: Server, client: Client, token: string): boolean {
  return scopes.includes(token) || acceptsAny.includes("scopes") && client.allowsScope(token);
}

/** A sentence to append to a reason: it suggests the nearest known values. Empty if no value is near. */
export function suggestScope(unknown: readonly string[], known: readonly string[]): string {
  const meant = new Set(unknown.slice(0, maxSuggestions).flatMap((token) => suggest(token, known) ?? []));
  return meant.size > 0 ? `. Did you mean ${[...meant].join(" ")}?` : "";
}

function explainUnknown(server: Server, client: Client, tokens: readonly string[], effect: string): RuleExplanation {
  const unknown = tokens.filter((token) => !server.settings.scopes.includes(token));
  const others = client.scope.filter((token) => !tokens.includes(token));
  const names = unknown.filter((token) => namedToken.test(token)).join(" ").slice(0, maxNamedLength);
  const named = names === "" ? effect : `${effect}: ${redactText(names, server.registeredSecrets)}`;
  return {
    rule: "AZ-17",
    reason: named + suggestScope(unknown, others),
    expected: `some of: ${client.scope.join(" ")}`,
    received: tokens.join(" "),
    fix: separatorFix("scope", tokens.join(" "), server.settings.scopes),
  };
}

/** Limits of one request: number of resources, characters of one URI, characters of all URIs. */
const maxResources = 16;
const maxUriLength = 512;
const maxTotalUriLength = 2048;

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
  if (forAccess && server.settings.resourceParameter === "required") {
    throw new OAuthError("invalid_target", "resource is missing", explainMissing(server, server.settings));
  }
  return requested;
}

/**
 * Warns about an accepted request without `resource`, if the server expects one; and traces notes about the resource.
 */
export function warnAboutResource(server: Server, client: Client, params: Params): void {
  noteResource(server, client, params);
  const settings = policyOf(server, client);
  if (settings.resourceParameter === "optional" || params.getAll("resource").length > 0) return;
  warn(server, client.id, explainMissing(server, settings));
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
      "resource is not a resource of this server",
      [...configured, ...server.resources.hosted.map(({ identifier }) => ({ uri: identifier }))].map(({ uri }) => uri)
        .join(" or "),
      "Send a resource of this server, or add this one to the setting resources.",
      "a resource of this server",
    );
  }
  return reject(
    "the server issues no tokens for this resource",
    "an https URI, or an http URI on a test host, that is not the client_id of a client",
    "Use https, and the URI of the resource itself.",
  );
}

/**
 * The resources of one access token: the resources of the token request, which must be granted; by default all granted
 * resources.
 */
export async function narrowResources(
  server: Server,
  granted: readonly string[],
  params: Params,
): Promise<readonly string[]> {
  const requested = await readResources(server, params);
  if (requested.length === 0) return granted;
  if (requested.every((uri) => granted.includes(uri))) return requested;
  throw new OAuthError("invalid_target", "resource was not granted", {
    rule: "RI-03",
    expected: granted.join(" or ") || "no resource, none was granted",
    received: requested.join(" "),
  });
}
