/** The scope of a request: a set of case-sensitive tokens (OAuth 2.1 §1.4.1). */

import { OAuthError } from "../errors.ts";
import type { Client } from "../clients/repository.ts";
import { warnAccepted } from "../warn_accepted.ts";
import { suggest } from "../config/suggest.ts";
import type { PartRequest, Server } from "../server.ts";
import { redactText } from "../redact.ts";
import type { RuleExplanation } from "../trace.ts";
import { hasAccess } from "./access.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";
import { scopeToken, splitScope } from "./scope_token.ts";

/** Maximum length of the unknown values in a message, in characters. */
const maxNamedLength = 200;

/** The scope values that a message may repeat; an error response repeats no other characters of a request. */
const namedToken = /^[\w.:/-]+$/;

/** Maximum number of unknown values that a known one is suggested for. */
const maxSuggestions = 4;

/**
 * The requested scope, or the server's default. With `openid`, unknown values are ignored (OpenID Connect Core §3.1.2.1);
 * without, they are rejected (OAuth 2.1 §4.1.2.1).
 *
 * @throws {OAuthError} If the client may not request it.
 */
export function resolveScope(server: Server, client: Client, requested: string | undefined): string[] {
  const tokens = requested === undefined ? [...server.settings.defaultScope] : splitScope(requested);
  if (requested === undefined && tokens.length === 0) {
    throw new OAuthError("invalid_scope", "scope is missing, and this server has no default scope", {
      rule: "AZ-16",
      expected: `some of: ${client.scope.join(" ")}`,
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
  const isDisallowed = (token: string) => !client.allowsScope(token);
  if (supported.length === 0 || supported.some(isDisallowed)) {
    const disallowed = supported.filter(isDisallowed);
    if (requested === undefined) {
      throw new OAuthError("invalid_scope", "scope is missing, and this client may not request the default scope", {
        rule: "AZ-16",
        reason: `scope is missing, and client ${client.id} may not request the default scope: ${disallowed.join(" ")}`,
        expected: `some of: ${client.scope.join(" ")}`,
        received: "no scope",
      });
    }
    // These values are those of the server, so the response may name them.
    const reason = disallowed.length === 0
      ? "scope contains no value that this client may request"
      : `scope contains a value that this client may not request: ${disallowed.join(" ")}`;
    throw new OAuthError("invalid_scope", reason, {
      rule: "AZ-17",
      expected: `some of: ${client.scope.join(" ")}`,
      received: tokens.join(" ") || "no scope value",
    });
  }
  if (!supported.every((token) => server.settings.scopes.includes(token))) {
    warnAccepted(server, client, "scopes", explainUnknown(server, client, tokens, "unknown scope"));
  }
  // If values were ignored, a warning is traced instead.
  if (supported.length === tokens.length) server.passed?.("AZ-17", supported.join(" "));
  return supported;
}

/** Reads the scope of a request. A request for other access needs none, and then gets no default (RFC 9396 §3.1). */
export function readScope(
  { server, client, params }: PartRequest,
  parts: Partial<AuthorizationRequest>,
): readonly string[] {
  const requested = params.get("scope");
  const needsNone = requested === undefined && hasAccess(server, parts);
  return needsNone ? [] : resolveScope(server, client, requested);
}

/** Warns about the unknown values of an accepted request, which are ignored. */
export function warnIgnoredScope({ server, client, params }: PartRequest, { scope }: AuthorizationRequest): void {
  const requested = params.get("scope");
  if (requested === undefined || requested === scope.join(" ")) return;
  const tokens = splitScope(requested);
  if (tokens.every((token) => isSupported(server, client, token))) return;
  const explanation = explainUnknown(server, client, tokens, "unknown scope was dropped");
  server.trace({ type: "warning", at: server.now(), client: client.id, explanation });
}

/** Whether the server has a scope value, or accepts it of this client without having it. */
function isSupported({ settings: { scopes, acceptsAny } }: Server, client: Client, token: string): boolean {
  return scopes.includes(token) || acceptsAny.includes("scopes") && client.allowsScope(token);
}

function explainUnknown(server: Server, client: Client, tokens: readonly string[], effect: string): RuleExplanation {
  const unknown = tokens.filter((token) => !server.settings.scopes.includes(token));
  const others = client.scope.filter((token) => !tokens.includes(token));
  const meant = new Set(unknown.slice(0, maxSuggestions).flatMap((token) => suggest(token, others) ?? []));
  const names = unknown.filter((token) => namedToken.test(token)).join(" ").slice(0, maxNamedLength);
  const named = names === "" ? effect : `${effect}: ${redactText(names, server.registeredSecrets)}`;
  return {
    rule: "AZ-17",
    reason: `${named}${meant.size > 0 ? `. Did you mean ${[...meant].join(" ")}?` : ""}`,
    expected: `some of: ${client.scope.join(" ")}`,
    received: tokens.join(" "),
  };
}
