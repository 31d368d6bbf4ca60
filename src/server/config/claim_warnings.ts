/** Warnings about configured claims, and claims of users, that no client can receive. */

import { scopesForClaim } from "../../core/clients/claims.ts";
import type { User } from "../../core/clients/client.ts";
import { type Settings, unlessAny } from "./settings.ts";
import { quote } from "./config_issue.ts";
import type { ConfigurationWarning } from "../../core/rules/configuration_error.ts";
import { splitScope } from "../../core/http/params.ts";
import type { PolicyAtStart } from "./extension_settings.ts";
import { type ServerClaimRules, serverClaimRules } from "./received_claims.ts";
import { claimsShownOnPages, findProblem, messageByProblem } from "./user_warnings.ts";

/**
 * Warnings about the settings and the configured users.
 *
 * @param configured The settings without the values of providers' profiles.
 */
export function claimWarnings(
  settings: Settings,
  policy: PolicyAtStart,
  configured: Pick<Settings, "scopes">,
): ConfigurationWarning[] {
  const rules = serverClaimRules(policy);
  const scopes = requestableScopes(settings, policy);
  const isUseful = scopes.includes("openid");
  const users = unlessAny(settings.users) ?? [];
  const warnings: ConfigurationWarning[] = [];
  const isWithoutOpenId = configured.scopes === undefined && !policy.scopes.includes("openid");
  if (!isUseful && !isWithoutOpenId && (settings.claims !== undefined || users.some(hasReleasableClaims))) {
    warnings.push({
      path: "scopes",
      message: `No client may ask for "openid", so userinfo and ID tokens contain no claims of users. Add it to ` +
        "scopes, and to the scope of a client.",
    });
  }
  for (const scope of Object.keys(isUseful ? policy.claims : {})) {
    if (scopes.includes(scope)) continue;
    warnings.push({
      path: `claims.${scope}`,
      message: `No client may ask for ${
        quote(scope)
      }, so nothing releases these claims. Add it to the scope of a client.`,
    });
  }
  for (const [path, name] of accessTokenClaimPaths(policy)) {
    const requiredScopes = scopesForClaim(rules, name);
    if (requiredScopes.length === 0 || requiredScopes.some((scope) => scopes.includes(scope))) continue;
    warnings.push({
      path,
      message:
        `${quote(name)} needs the scope value ${
          requiredScopes.map(quote).join(" or ")
        }, which no client may ask for, ` +
        "so no access token holds it. Add it to scopes, and to the scope of a client.",
    });
  }
  return [...warnings, ...memberWarnings(rules, scopes, users)];
}

/** The scope values that at least one client may request; all of them if no clients are configured yet. */
function requestableScopes(settings: Settings, { scopes }: PolicyAtStart): readonly string[] {
  const clients = unlessAny(settings.clients) ?? [];
  if (clients.length === 0) return scopes;
  const requested = new Set(clients.flatMap(({ scope }) => scope === undefined ? scopes : splitScope(scope)));
  return scopes.filter((scope) => requested.has(scope));
}

function* accessTokenClaimPaths(
  { accessTokenClaims, resources = [] }: PolicyAtStart,
): Generator<[path: string, name: string]> {
  for (const [i, name] of accessTokenClaims.entries()) yield [`accessTokenClaims[${i}]`, name];
  for (const [i, { access_token_claims: names = [] }] of resources.entries()) {
    for (const [j, name] of names.entries()) yield [`resources[${i}].access_token_claims[${j}]`, name];
  }
}

/** One warning for each claim and problem, even if several users have it. */
function memberWarnings(
  rules: ServerClaimRules,
  scopes: readonly string[],
  users: readonly User[],
): ConfigurationWarning[] {
  const warningsByClaim = new Map<string, { path: string; message: string; others: number }>();
  for (const [i, user] of users.entries()) {
    for (const name of Object.keys(user)) {
      const problem = findProblem(rules, scopes, user, name);
      if (problem === undefined) continue;
      const existing = warningsByClaim.get(`${problem} ${name}`);
      if (existing !== undefined) existing.others++;
      else {
        const message = messageByProblem[problem](rules, name, user[name]);
        warningsByClaim.set(`${problem} ${name}`, { path: `users[${i}].${name}`, message, others: 0 });
      }
    }
  }
  return [...warningsByClaim.values()].map(({ path, message, others }) => ({
    path: others === 0 ? path : `${path} and ${others} other${others === 1 ? "" : "s"}`,
    message,
  }));
}

function hasReleasableClaims(user: User): boolean {
  return Object.keys(user).some((name) => name !== "sub" && name !== "password" && !claimsShownOnPages.includes(name));
}
