/** Scope: a set of case-sensitive tokens, and what of it may be granted (OAuth 2.1 §1.4.1). */

import { OAuthError } from "../errors.ts";
import type { Client } from "../clients/repository.ts";
import type { Server } from "../server.ts";
import { veil } from "../trace.ts";

/** One scope token: printable ASCII without space, quote and backslash. */
export const scopeToken: RegExp = /^[\x21\x23-\x5B\x5D-\x7E]+$/;

/** Maximum length of the unknown values in a message, in characters. */
const longestNamed = 200;

/** Splits a scope value into its tokens, each once. */
export function splitScope(text: string): string[] {
  const tokens = text.split(" ").filter((token) => token !== "");
  if (tokens.length < 2) return tokens;
  const distinct = new Set(tokens);
  return distinct.size === tokens.length ? tokens : [...distinct];
}

/**
 * Settles what an authorization request asks for: its scope, or the server's default. With `openid` in it, values the
 * server does not know are ignored (OpenID Connect Core §3.1.2.1); without, they are refused (OAuth 2.1 §4.1.2.1).
 */
export function settleScope(server: Server, client: Client, asked: string | undefined): string[] {
  const tokens = asked === undefined ? [...server.defaultScope] : splitScope(asked);
  if (asked === undefined && tokens.length === 0) {
    throw new OAuthError("invalid_scope", "scope is missing, and this server has no default scope", {
      rule: "AZ-16",
      expected: `some of: ${client.scope.join(" ")}`,
      received: "no scope",
    });
  }
  if (!tokens.every((token) => scopeToken.test(token))) {
    throw new OAuthError("invalid_scope", "scope holds a character that scope values cannot have", {
      rule: "AZ-15",
      expected: "space-separated tokens of printable ASCII without quotes and backslashes",
      received: "another character",
    });
  }
  const known = tokens.filter((token) => server.scopes.includes(token));
  if (known.length < tokens.length) {
    const unknown = tokens.filter((token) => !known.includes(token));
    const named = veil(unknown.join(" ").slice(0, longestNamed));
    const facts = {
      rule: "AZ-17" as const,
      expected: `some of: ${client.scope.join(" ")}`,
      received: tokens.join(" "),
    };
    if (!known.includes("openid")) {
      throw new OAuthError("invalid_scope", "scope holds a value that this server does not know", {
        ...facts,
        reason: `unknown scope: ${named}`,
      });
    }
    const why = { ...facts, reason: `unknown scope, ignored because the request contains openid: ${named}` };
    server.trace({ type: "warning", at: server.now(), client: client.id, why });
  }
  const isForeign = (token: string) => !client.scope.includes(token);
  if (known.length === 0 || known.some(isForeign)) {
    const foreign = known.filter(isForeign);
    if (asked === undefined) {
      throw new OAuthError("invalid_scope", "scope is missing, and this client may not request the default scope", {
        rule: "AZ-16",
        reason: `scope is missing, and client ${client.id} may not request the default scope: ${foreign.join(" ")}`,
        expected: `some of: ${client.scope.join(" ")}`,
        received: "no scope",
      });
    }
    throw new OAuthError("invalid_scope", "scope holds a value that this client may not ask for", {
      rule: "AZ-17",
      ...foreign.length > 0 && { reason: `scope that client ${client.id} may not ask for: ${foreign.join(" ")}` },
      expected: `some of: ${client.scope.join(" ")}`,
      received: tokens.join(" ") || "no scope value",
    });
  }
  // If values were dropped, a warning is traced instead.
  if (known.length === tokens.length) server.held?.("AZ-17", known.join(" "));
  return known;
}
