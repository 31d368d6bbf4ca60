/** The requested scope: a set of case-sensitive tokens (OAuth 2.1 §1.4.1). */

import type { Client } from "../clients/clients.ts";
import { scopeToken, splitScope } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import type { Policy } from "../policy/policy.ts";
import type { RulePassed } from "../trace.ts";

/** What decides about the scope of a request. */
type ScopePolicy = Pick<Policy, "scopes" | "defaultScope">;
type ScopeClient = Pick<Client, "id" | "scope" | "allowsScope" | "allowsUnknownScope">;

/**
 * The requested scope, or the server's default. With `openid`, unknown values are ignored (OpenID Connect Core
 * §3.1.2.1); without, they are rejected (OAuth 2.1 §4.1.2.1).
 *
 * @throws {OAuthError} If the client may not request it.
 */
export function resolveScope(
  policy: ScopePolicy,
  client: ScopeClient,
  requested: string | undefined,
  passed: RulePassed,
): string[] {
  const registered = client.scope;
  const tokens = requested === undefined ? [...policy.defaultScope] : splitScope(requested);
  if (requested === undefined && tokens.length === 0) throw reject("AZ-16", { registered });
  if (!tokens.every((token) => scopeToken.test(token))) throw reject("AZ-15");
  const supported = tokens.filter((token) => isSupported(policy, client, token));
  if (supported.length < tokens.length && !supported.includes("openid")) {
    throw reject("AZ-17", { problem: "unknown", requested: tokens, registered });
  }
  const clientId = client.id;
  const disallowed = supported.filter((token) => !client.allowsScope(token));
  if (supported.length === 0 || disallowed.length > 0) {
    if (requested === undefined) throw reject("AZ-16", { registered, disallowed, clientId });
    throw reject("AZ-17", { problem: "not allowed", requested: tokens, registered, disallowed, clientId });
  }
  // If values were ignored, the check has not passed.
  if (supported.length === tokens.length) passed("AZ-17", supported.join(" "));
  return supported;
}

/** Whether the server has a scope value, or the client may request it nevertheless. */
export function isSupported({ scopes }: Pick<Policy, "scopes">, client: ScopeClient, token: string): boolean {
  return scopes.includes(token) || client.allowsUnknownScope?.(token) === true;
}
