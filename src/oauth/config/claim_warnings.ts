/** Warnings about configured claims, and claims of users, that no client can receive. */

import { claimProblem, claimRules, scopesOfClaim } from "../claims.ts";
import type { ClaimProblem, ClaimRules } from "../claims.ts";
import type { User } from "../clients/client.ts";
import { quote } from "./config_issue.ts";
import type { ConfigurationWarning } from "./config_issue.ts";
import { splitScope } from "../authorize/scope.ts";
import type { Settings, Settled } from "./settings.ts";

/** Warnings about the settings and the configured users. */
export function claimWarnings(settings: Settings, settled: Settled): ConfigurationWarning[] {
  const rules = claimRules(settled);
  const scopes = requestableScopes(settings, settled);
  const isUseful = scopes.includes("openid");
  const users = settings.users ?? [];
  const warnings: ConfigurationWarning[] = [];
  if (!isUseful && (settings.claims !== undefined || users.some(hasOtherClaims))) {
    warnings.push({
      path: "scopes",
      message: `No client may ask for "openid", so userinfo and ID tokens contain no claims of users. Add it to ` +
        "scopes, and to the scope of a client.",
    });
  }
  for (const scope of Object.keys(isUseful ? settled.claims : {})) {
    if (scopes.includes(scope)) continue;
    warnings.push({
      path: `claims.${scope}`,
      message: `No client may ask for ${
        quote(scope)
      }, so nothing releases these claims. Add it to the scope of a client.`,
    });
  }
  for (const [path, name] of namesInAccessTokens(settled)) {
    const needed = scopesOfClaim(rules, name);
    if (needed.length === 0 || needed.some((scope) => scopes.includes(scope))) continue;
    warnings.push({
      path,
      message: `${quote(name)} needs the scope value ${needed.map(quote).join(" or ")}, which no client may ask for, ` +
        "so no access token holds it. Add it to scopes, and to the scope of a client.",
    });
  }
  return [...warnings, ...memberWarnings(rules, scopes, users)];
}

/** Warnings about one user who was added at run time. */
export function userWarnings(rules: ClaimRules, scopes: readonly string[], user: User): ConfigurationWarning[] {
  return Object.keys(user).flatMap((name) => {
    const problem = problemOf(rules, scopes, user, name);
    return problem === undefined
      ? []
      : [{ path: `users[${quote(user.sub)}].${name}`, message: messages[problem](rules, name, user[name]) }];
  });
}

/** The scope values that at least one client may request; all of them if no clients are configured yet. */
function requestableScopes({ clients = [] }: Settings, { scopes }: Settled): readonly string[] {
  if (clients.length === 0) return scopes;
  const wanted = new Set(clients.flatMap(({ scope }) => scope === undefined ? scopes : splitScope(scope)));
  return scopes.filter((scope) => wanted.has(scope));
}

function* namesInAccessTokens({ accessTokenClaims, resources = [] }: Settled): Generator<[path: string, name: string]> {
  for (const [i, name] of accessTokenClaims.entries()) yield [`accessTokenClaims[${i}]`, name];
  for (const [i, { access_token_claims: names = [] }] of resources.entries()) {
    for (const [j, name] of names.entries()) yield [`resources[${i}].access_token_claims[${j}]`, name];
  }
}

/** One warning for each claim and problem, even if several users have it. */
function memberWarnings(
  rules: ClaimRules,
  scopes: readonly string[],
  users: readonly User[],
): ConfigurationWarning[] {
  const found = new Map<string, { path: string; message: string; others: number }>();
  for (const [i, user] of users.entries()) {
    for (const name of Object.keys(user)) {
      const problem = problemOf(rules, scopes, user, name);
      if (problem === undefined) continue;
      const known = found.get(`${problem} ${name}`);
      if (known !== undefined) known.others++;
      else {
        const message = messages[problem](rules, name, user[name]);
        found.set(`${problem} ${name}`, { path: `users[${i}].${name}`, message, others: 0 });
      }
    }
  }
  return [...found.values()].map(({ path, message, others }) => ({
    path: others === 0 ? path : `${path}, and of ${others} more`,
    message,
  }));
}

/** This server's own pages show these claims, so they have a use even if no client receives them. */
const shownOnPages = ["name", "email"];

function hasOtherClaims(user: User): boolean {
  return Object.keys(user).some((name) => name !== "sub" && name !== "password" && !shownOnPages.includes(name));
}

function problemOf(
  rules: ClaimRules,
  scopes: readonly string[],
  user: User,
  name: string,
): ClaimProblem | undefined {
  if (name === "sub" || name === "password") return undefined;
  const problem = claimProblem(rules, name, user[name], scopes);
  return problem === "scope" && (shownOnPages.includes(name) || !scopes.includes("openid")) ? undefined : problem;
}

const messages: Readonly<Record<ClaimProblem, (rules: ClaimRules, name: string, value: unknown) => string>> = {
  reserved: (_, name) =>
    `${quote(name)} is a reserved claim name, so this member of the user is ignored. Rename or remove it.`,
  type: (_, name, value) =>
    `${quote(name)} is omitted: its value is ${kindOf(value)}, and OpenID Connect Core §5.1 requires another type. ` +
    "Correct the value.",
  scope: (rules, name) => {
    const needed = scopesOfClaim(rules, name);
    if (needed.length === 0) {
      return `No scope value releases ${quote(name)}, so no client receives it. Map it in claims, for example ` +
        `{"profile": [${quote(name)}]}, name it in accessTokenClaims, or set unmappedClaims to "openid".`;
    }
    return `${quote(name)} is released by the scope value ${needed.map(quote).join(" or ")}, which no client may ask ` +
      "for, so no client receives it. Add it to scopes, and to the scope of a client.";
  },
};

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "a list" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
