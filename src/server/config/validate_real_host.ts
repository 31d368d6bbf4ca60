/** Logins, clients and pages that are for tests: an issuer on a real host must not have them. */

import { validatePkce } from "../../core/options/validate_policy.ts";
import { rejectAny, type Settings } from "./settings.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import type { PolicyAtStart } from "./extension_settings.ts";

/**
 * The issues of logins, clients and pages that are for tests.
 *
 * @param isDeviating Whether requests and responses of a provider's profile differ from the standards.
 */
export function validateRealHost(settings: Settings, policy: PolicyAtStart, isDeviating: boolean): ConfigIssue[] {
  const isOpen = policy.login === "interactive" && !policy.insecure.includes("open-login");
  const issues = isOpen ? validatePasswordsPresent(settings, policy) : [];
  if (policy.login !== "interactive" && !policy.insecure.includes("auto-login")) {
    issues.push({
      path: "login",
      expected: "a login page, because the issuer is not a test host",
      received: settings.login === undefined ? `nothing (default: "auto")` : quote(policy.login),
      hint:
        'Set it to "interactive", or add "auto-login" to insecure in the configuration file to let every visitor in.',
    });
  }
  if (settings.loginPage !== undefined && settings.loginPage !== "latchkey") {
    issues.push({
      path: "loginPage",
      expected: "Latchkey's own page, because the issuer is not a test host",
      received: quote(settings.loginPage),
      hint: "Remove it, or use an issuer on a test host.",
    });
  }
  const reason = "the issuer is not a test host, and every visitor would use it";
  issues.push(...rejectAny(settings, reason, "List the registered values, or use an issuer on a test host."));
  if (policy.unknownLoginHint === "create" && settings.users !== "any") {
    issues.push({
      path: "unknownLoginHint",
      expected: '"default" or "reject", because the issuer is not a test host and every visitor could create users',
      received: '"create"',
      hint: "Remove it, or use an issuer on a test host.",
    });
  }
  if (Object.keys(policy.metadata).length > 0) {
    issues.push({
      path: "metadata",
      expected: "nothing, because the issuer is not a test host, and its metadata must be true",
      received: quote(policy.metadata),
      hint: "Remove it, or use an issuer on a test host.",
    });
  }
  if (isDeviating) {
    issues.push({
      path: "profile",
      expected: "a profile of settings alone, because the issuer is not a test host",
      received: quote(policy.providers.join(", ")),
      hint: "Remove the profile, or use an issuer on a test host.",
    });
  }
  if (policy.refresh.reuse !== undefined) {
    issues.push({
      path: "refresh.reuse",
      expected: "nothing, because the issuer is not a test host, and a stolen refresh token must be noticed",
      received: quote(policy.refresh.reuse),
      hint: "Remove it, or use an issuer on a test host.",
    });
  }
  issues.push(...validatePkce(policy.pkce));
  if (settings.clients === undefined && !policy.insecure.includes("demo-clients")) {
    issues.push({
      path: "clients",
      expected: "clients of your own, because the issuer is not a test host and the demo clients' secret is public",
      received: "nothing",
      hint: /^http:/.test(policy.issuer) && !policy.insecure.includes("http-redirect-uris")
        ? 'Add the clients, or add "demo-clients" and "http-redirect-uris" to insecure.'
        : 'Add the clients, or add "demo-clients" to insecure.',
    });
  }
  if (policy.directory !== "off" && !policy.insecure.includes("directory")) {
    issues.push({
      path: "directory",
      expected: `"off", because the issuer is not a test host and every visitor would see its clients and users`,
      received: quote(policy.directory),
      hint: 'Remove it, or add "directory" to insecure.',
    });
  }
  return issues;
}

function validatePasswordsPresent(settings: Settings, { users }: PolicyAtStart): ConfigIssue[] {
  if (settings.users === undefined) {
    return [{
      path: "users",
      expected: "users of your own with passwords, because the issuer is not a test host",
      received: "nothing",
      hint: 'Add the users, or add "open-login" to insecure, which lets every visitor be any user.',
    }];
  }
  return users.flatMap(({ password }, i) =>
    password !== undefined ? [] : [{
      path: `users[${i}].password`,
      expected: "the digest of a password, because the issuer is not a test host",
      received: "nothing",
      hint:
        'Write the output of latchkey hash-password, or add "open-login" to insecure: visitors can then be any user.',
    }]
  );
}
