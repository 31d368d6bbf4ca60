/**
 * Validates groups of settings: logins, issuer URLs, scope values and the clients of other issuers. Settings
 * for tests alone need a test host.
 */

import { scopeToken } from "../params.ts";
import { isTestHost, testHosts } from "../test_hosts.ts";
import { defaultScopes, listed, rejectAny, type Settings } from "./settings.ts";
import { type ConfigIssue, type ConfigurationWarning, quote } from "./config_issue.ts";
import { fromHost } from "./issuer_urls.ts";
import type { ResolvedSettings } from "./resolve_settings.ts";

/** The issues of logins, clients and pages that are for tests. */
export function validateLogin(settings: Settings, resolved: ResolvedSettings): ConfigIssue[] {
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
  const reason = "the issuer is a real host, where every visitor would use it";
  issues.push(...rejectAny(settings, reason, "List what is registered, or use an issuer on a test host."));
  if (resolved.unknownLoginHint === "create" && settings.users !== "any") {
    issues.push({
      path: "unknownLoginHint",
      expected: '"default" or "reject", because the issuer is a real host and every visitor could create users',
      received: '"create"',
      hint: "Remove it, or use an issuer on a test host.",
    });
  }
  if (Object.keys(resolved.metadata).length > 0) {
    issues.push({
      path: "metadata",
      expected: "nothing, because the issuer is a real host, whose metadata must be true",
      received: quote(resolved.metadata),
      hint: "Remove it, or use an issuer on a test host.",
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

/** The issues of these settings. */
export function validateIssuerUrls(settings: Settings, resolved: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const { issuer, insecureAllowHttpIssuer } = resolved;
  const isFromHost = settings.issuer === fromHost;
  const isTest = URL.canParse(issuer) && isTestHost(new URL(issuer).hostname);
  for (const [i, host] of (settings.issuerHosts ?? []).entries()) {
    if (isFromHost && isTestHost(host)) continue;
    issues.push({
      path: `issuerHosts[${i}]`,
      expected: isFromHost ? `a test host: ${testHosts}` : `issuer: "${fromHost}", which reads it`,
      received: isFromHost ? quote(host) : "another issuer",
      hint: isFromHost ? "Name the host of the URL by which clients reach the server." : "Remove it, or change issuer.",
    });
  }
  for (const path of ["frontChannelUrl", "backChannelUrl"] as const) {
    const url = settings[path];
    if (url === undefined) continue;
    const issue = (expected: string, hint: string) => issues.push({ path, expected, received: quote(url), hint });
    if (!URL.canParse(url) || new URL(url).origin !== url) {
      issue("an origin in its normal form", "Write it as http://localhost:9000.");
    } else if (isFromHost) {
      issue("nothing, because each request has an issuer of its own", "Remove it, or name one issuer.");
    } else if (isTest !== isTestHost(new URL(url).hostname)) {
      issue(
        `${isTest ? "a" : "no"} test host, because the issuer is ${isTest ? "on one" : "on a real host"}`,
        "Choose test hosts for both, or real hosts for both.",
      );
    } else if (!isTest && url.startsWith("http:") && !insecureAllowHttpIssuer) {
      issue("https", "Use https, or set insecureAllowHttpIssuer in the configuration file for a test that cannot.");
    }
  }
  return issues;
}

/** The issues of `scopes` and `defaultScope`. */
export function validateScopes(settings: Settings, resolved: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const scopes = listed(settings.scopes) ?? defaultScopes;
  if (scopes.length === 0) {
    issues.push({
      path: "scopes",
      expected: "at least one scope value",
      received: "an empty array",
      hint: "Remove the setting for the default, or add scope values.",
    });
  }
  for (const [i, token] of scopes.entries()) {
    if (scopes.indexOf(token) < i) {
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

/**
 * The warnings about such entries.
 *
 * @param paths The paths of the entries.
 */
export function unlistedClientsWarnings(
  settings: Pick<ResolvedSettings, "extensions">,
  paths: readonly string[],
): ConfigurationWarning[] {
  if (!settings.extensions.some((extension) => extension.acceptsUnknownClients?.(settings))) return [];
  return paths.map((path) => ({
    path: `${path}.clients`,
    message:
      "the entry lists no clients, so only configured clients may use it, and no client that registered itself or has " +
      "a metadata document. List the clients.",
  }));
}
