/** Compares settings with each other and with the issuer. Each value on its own matches its field already. */

// Arrays instead of generators: the first generator of a process takes Bun longer than all of these checks.

import { validateClient } from "../clients/validate_client.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";
import { isAbsoluteUri } from "./resource_list.ts";
import { isTestHost, testHosts } from "../test_hosts.ts";
import { byProfile } from "./profiles.ts";
import { scopeToken } from "../authorize/scope_token.ts";
import { hasTestHost, resolveSettings } from "./settings.ts";
import type { ProgramSettings, ResolvedSettings, Settings } from "./settings.ts";
import { isProductionIssuer, validateUser } from "./validate_user.ts";

/**
 * All issues of settings that match their description. The validators of rare settings are loaded only for a server that
 * has such a setting.
 *
 * @param issuer The issuer in effect: the configured one, or the default that follows from the port.
 */
export async function validateSettings(settings: ProgramSettings, issuer: string): Promise<ConfigIssue[]> {
  const resolved = resolveSettings(settings, issuer);
  const issuerIssues = validateIssuer(resolved);
  // The default clients follow the issuer, and so do their issues.
  const hasOwnClients = issuerIssues.length === 0 || settings.clients !== undefined;
  return [
    ...issuerIssues,
    ...await validateOptionalProfile(settings),
    ...validateDefaultEndpoints(resolved),
    ...validateLogin(settings, resolved),
    ...validateScopes(settings, resolved),
    ...await validateOptionalClaims(settings, resolved),
    ...validateResources(resolved),
    ...await validateOptionalGrants(resolved, issuer),
    ...validateUsers(resolved),
    ...validateAudience(resolved),
    ...await validateOptionalRegistration(settings, resolved, issuer),
    ...hasOwnClients ? validateClients(resolved) : [],
  ];
}

async function validateOptionalProfile(settings: Settings): Promise<ConfigIssue[]> {
  if (settings.profile === undefined && settings.mcpRevision === undefined) return [];
  return (await import("./validate_profile.ts")).validateProfile(settings);
}

async function validateOptionalClaims(
  { claims, accessTokenClaims, resources }: Settings,
  resolved: ResolvedSettings,
): Promise<ConfigIssue[]> {
  if ((claims ?? accessTokenClaims ?? resources) === undefined) return [];
  return (await import("./validate_claims.ts")).validateClaims(resolved);
}

async function validateOptionalGrants(resolved: ResolvedSettings, issuer: string): Promise<ConfigIssue[]> {
  const { trustedIssuers, tokenExchange, resourceAuthorizationServers } = resolved;
  const issues: ConfigIssue[] = [];
  if (tokenExchange !== undefined || resourceAuthorizationServers.length > 0) {
    const { validateTokenExchange } = await import("./validate_token_exchange.ts");
    issues.push(...validateTokenExchange(resolved, issuer));
  }
  if (trustedIssuers.length > 0) {
    const { validateTrustedIssuers } = await import("./validate_trusted_issuers.ts");
    issues.push(...validateTrustedIssuers(trustedIssuers, { ...resolved, isTestIssuer: hasTestHost(issuer) }));
  }
  return issues;
}

/** The defaults of `registration` have no issues. */
async function validateOptionalRegistration(
  { registration }: Settings,
  resolved: ResolvedSettings,
  issuer: string,
): Promise<ConfigIssue[]> {
  if (registration === undefined) return [];
  return (await import("./validate_registration.ts")).validateRegistration(resolved.registration, {
    isTestIssuer: !URL.canParse(issuer) || hasTestHost(issuer),
    allowsOpen: resolved.insecureAllowOpenRegistration,
  });
}

function validateIssuer({ issuer, insecureAllowHttpIssuer }: ResolvedSettings): ConfigIssue[] {
  const issue = (expected: string, hint: string): ConfigIssue => ({
    path: "issuer",
    expected,
    received: quote(issuer),
    hint,
  });
  if (!URL.canParse(issuer) || !/^https?:\/\/[^/]/.test(issuer)) {
    return [issue("an absolute https URL", "Write it as https://host or, on this machine, http://localhost:9000.")];
  }
  const issues: ConfigIssue[] = [];
  const url = new URL(issuer);
  if (issuer.includes("?") || issuer.includes("#") || url.username !== "" || url.password !== "") {
    issues.push(issue("a URL without query, fragment and user information", "Keep only scheme, host, port and path."));
  } else if (!/^(?:\/[A-Za-z0-9._~-]+)*\/?$/.test(url.pathname)) {
    issues.push(issue("a path of plain words between single slashes", "Use letters, digits, - . _ and ~ alone."));
  } else if (issuer !== url.origin && issuer !== url.href) {
    issues.push(
      issue("a URL in its normal form", `Write it as ${quote(url.pathname === "/" ? url.origin : url.href)}.`),
    );
  }
  if (url.protocol === "http:" && !isTestHost(url.hostname) && !insecureAllowHttpIssuer) {
    issues.push(issue(
      `https, or http on a test host (${testHosts})`,
      "Use https or a test host, or set insecureAllowHttpIssuer in the configuration file for a test that cannot.",
    ));
  }
  return issues;
}

function validateDefaultEndpoints({ issuer, defaultEndpoints, profile }: ResolvedSettings): ConfigIssue[] {
  if (!defaultEndpoints || !URL.canParse(issuer) || new URL(issuer).pathname === "/") return [];
  const reason = `defaultEndpoints is on${byProfile(profile, "defaultEndpoints")}`;
  return [{
    path: "issuer",
    expected: `an issuer without a path, because ${reason}: clients look for the default endpoints at the root`,
    received: quote(issuer),
    hint: "Remove the path, or set defaultEndpoints to false.",
  }];
}

function validateLogin(settings: Settings, resolved: ResolvedSettings): ConfigIssue[] {
  if (!URL.canParse(resolved.issuer) || hasTestHost(resolved.issuer)) return [];
  const isOpen = resolved.login === "interactive" && !resolved.insecureAllowOpenLogin;
  const issues = isOpen ? validatePasswordsPresent(settings, resolved) : [];
  if (resolved.login !== "interactive" && !resolved.insecureAllowAutoLogin) {
    issues.push({
      path: "login",
      expected: "a login by pages, because the issuer is a real host",
      received: settings.login === undefined ? `nothing, which means "auto"` : quote(resolved.login),
      hint: 'Set it to "interactive", or set insecureAllowAutoLogin in the configuration file to let every visitor in.',
    });
  }
  if (settings.clients === undefined && !resolved.insecureAllowDemoClients) {
    issues.push({
      path: "clients",
      expected: "clients of your own, because the issuer is a real host and the demo clients' secret is public",
      received: "nothing",
      hint: "Add the clients, or set insecureAllowDemoClients.",
    });
  }
  if (resolved.directory !== "off" && !resolved.insecureAllowDirectory) {
    issues.push({
      path: "directory",
      expected: `"off", because the issuer is a real host and every visitor would see its clients and users`,
      received: quote(resolved.directory),
      hint: "Remove it, or set insecureAllowDirectory as well.",
    });
  }
  return issues;
}

/** The users without a password. */
function validatePasswordsPresent(settings: Settings, { users }: ResolvedSettings): ConfigIssue[] {
  if (settings.users === undefined) {
    return [{
      path: "users",
      expected: "users of your own with passwords, because the issuer is a real host",
      received: "nothing",
      hint: "Add the users, or set insecureAllowOpenLogin to let every visitor be any user.",
    }];
  }
  const issues: ConfigIssue[] = [];
  for (const [i, user] of users.entries()) {
    if (user.password !== undefined) continue;
    issues.push({
      path: `users[${i}].password`,
      expected: "the digest of a password, because the issuer is a real host",
      received: "nothing",
      hint: "Write what latchkey hash-password prints, or set insecureAllowOpenLogin to let every visitor be any user.",
    });
  }
  return issues;
}

function validateScopes(settings: Settings, resolved: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const { scopes: listed = [] } = settings;
  if (settings.scopes !== undefined && listed.length === 0) {
    issues.push({
      path: "scopes",
      expected: "at least one scope value",
      received: "an empty array",
      hint: "Remove the setting for the default, or add scope values.",
    });
  }
  for (const [i, token] of listed.entries()) {
    if (listed.indexOf(token) < i) {
      issues.push({
        path: `scopes[${i}]`,
        expected: "each value once",
        received: `${quote(token)} again`,
        hint: "Remove one of the two.",
      });
    }
    if (scopeToken.test(token)) continue;
    issues.push({
      path: `scopes[${i}]`,
      expected: "printable ASCII without spaces, quotes and backslashes",
      received: quote(token),
      hint: "Write each scope value as an item of its own.",
    });
  }
  for (const token of settings.defaultScope === undefined ? [] : resolved.defaultScope) {
    if (resolved.scopes.includes(token)) continue;
    issues.push({
      path: "defaultScope",
      expected: `values of scopes (${resolved.scopes.join(" ")})`,
      received: quote(token),
      hint: `Add ${quote(token)} to scopes, or remove it from defaultScope.`,
    });
  }
  return issues;
}

function validateAudience({ audience, clients }: ResolvedSettings): ConfigIssue[] {
  if (audience !== "" && !clients.some((client) => client.client_id === audience)) return [];
  return [{
    path: "audience",
    expected: "the name of what access tokens are for, which is not the id of a client",
    received: audience === "" ? "an empty string" : `${quote(audience)}, a client`,
    hint: "Write the URI of your API, or remove the setting: the default is the issuer.",
  }];
}

function validateResources({ resources = [] }: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, { uri }] of resources.entries()) {
    if (isAbsoluteUri(uri)) continue;
    issues.push({
      path: `resources[${i}].uri`,
      expected: "an absolute URI with a host and without a fragment",
      received: quote(uri),
      hint: "Write it as https://api.example.",
    });
  }
  return issues;
}

function validateUsers({ users, issuer }: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const isProduction = isProductionIssuer(issuer);
  for (const [i, user] of users.entries()) {
    for (const issue of validateUser(user, isProduction)) issues.push({ ...issue, path: `users[${i}].${issue.path}` });
    if (users.findIndex((other) => other.sub === user.sub) === i) continue;
    issues.push({
      path: `users[${i}].sub`,
      expected: "a subject that no other user has",
      received: quote(user.sub),
      hint: "Choose another one.",
    });
  }
  return issues;
}

function validateClients(resolved: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, client] of resolved.clients.entries()) {
    const first = resolved.clients.findIndex((other) => other.client_id === client.client_id);
    if (first < i) {
      issues.push({
        path: `clients[${i}].client_id`,
        expected: "an id that no other client has",
        received: quote(client.client_id),
        hint: `Rename this one, or remove clients[${first}].`,
      });
    }
    for (const issue of validateClient(client, resolved)) {
      issues.push({ ...issue, path: `clients[${i}].${issue.path}` });
    }
  }
  return issues;
}
