/** Every fault in the meaning of settings whose shape is right, all at once. */

// Lists, except where somebody stops at the first fault: to meet generators takes a fresh Bun longer than to judge it all.

import { validateClaims } from "./validate_claims.ts";
import { validateAlgorithm, validateClient } from "../clients/validate_client.ts";
import type { User } from "../clients/client.ts";
import { quote, validateTypes } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";
import { isAbsoluteUri } from "../authorize/resources.ts";
import { isTestHost, testHosts } from "../test_hosts.ts";
import { isWeakDigest, parsePasswordDigest } from "../users/password.ts";
import { scopeToken } from "../authorize/scope.ts";
import { hasTestHost, resolveSettings } from "./settings.ts";
import type { KeySettings, ResolvedSettings, Settings } from "./settings.ts";

/**
 * Judges the meaning of settings whose shape is right, and finds every fault at once.
 *
 * @param issuer The issuer in effect: the configured one, or the default that follows from the port.
 */
export function validateSettings(settings: Settings, issuer: string): ConfigIssue[] {
  const resolved = resolveSettings(settings, issuer);
  const issuerIssues = validateIssuer(resolved);
  // Clients that nobody wrote down follow the issuer, and so do their faults.
  const hasOwnClients = issuerIssues.length === 0 || settings.clients !== undefined;
  const defaults = resolveSettings({}, issuer);
  return [
    ...validateNames(settings.lifetimes, Object.keys(defaults.lifetimes), "lifetimes."),
    ...validateNames(settings.pkce, Object.keys(defaults.pkce), "pkce."),
    ...validateNames(settings.refresh, Object.keys(defaults.refresh), "refresh."),
    ...validateNames(settings.keys, ["rotateEvery", "lead"] satisfies (keyof KeySettings)[], "keys."),
    ...issuerIssues,
    ...validateLogin(settings, resolved),
    ...validateScopes(settings, resolved),
    ...validateClaims(resolved),
    ...validateLifetimes(resolved),
    ...validateKeySettings(resolved),
    ...validateRefreshSettings(resolved),
    ...validateResources(resolved),
    ...validateUsers(resolved),
    ...validateTokenSettings(resolved),
    ...validateAssertionAudience(resolved),
    ...hasOwnClients ? validateClients(resolved) : [],
  ];
}

/**
 * Names that nothing reads: a setting that is misspelt would silently be at its default. Types tell those who have them.
 *
 * @param pathPrefix What stands before the name.
 */
export function validateNames(
  values: object | undefined,
  knownNames: readonly string[],
  pathPrefix = "",
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const name of Object.keys(values ?? {})) {
    if (knownNames.includes(name)) continue;
    issues.push({
      path: `${pathPrefix}${name}`,
      expected: `one of ${knownNames.join(", ")}`,
      received: quote(name),
      hint: "Correct the name, or leave it out.",
    });
  }
  return issues;
}

/** Options whose type everything else relies on, each with a value that is right. */
const optionExamples: Partial<Settings> = {
  issuer: "http://localhost:9000",
  clients: [{ client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] }],
  users: [{ sub: "alice" }],
  scopes: ["openid", "read"],
  defaultScope: "read",
  resources: [{ uri: "https://api.example" }],
  trustProxy: ["10.0.0.7"],
};

/** Options of the wrong type: nothing else can be judged before they are right. */
export function validateOptionTypes(options: Settings): ConfigIssue[] {
  return validateTypes(options, optionExamples);
}

function validateIssuer({ issuer, insecureAllowHttpIssuer }: ResolvedSettings): ConfigIssue[] {
  const issue = (expected: string, mend: string): ConfigIssue => ({
    path: "issuer",
    expected,
    received: quote(issuer),
    hint: mend,
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

function validateAssertionAudience({ assertionAudience }: ResolvedSettings): ConfigIssue[] {
  // JavaScript has no type check: a misspelt value would accept more than intended.
  if (assertionAudience === "issuer" || assertionAudience === "issuer-or-token-endpoint") return [];
  return [{
    path: "assertionAudience",
    expected: '"issuer" or "issuer-or-token-endpoint"',
    received: quote(assertionAudience),
    hint: "Write one of them, in small letters.",
  }];
}

function validateLogin(settings: Settings, resolved: ResolvedSettings): ConfigIssue[] {
  // Who writes JavaScript is stopped by no type, and whatever is not "interactive" would let everybody in.
  if (resolved.login !== "auto" && resolved.login !== "interactive") {
    return [{
      path: "login",
      expected: '"auto" or "interactive"',
      received: quote(resolved.login),
      hint: "Write one of them, in small letters.",
    }];
  }
  if (!URL.canParse(resolved.issuer) || hasTestHost(resolved.issuer)) return [];
  const isOpen = resolved.login === "interactive" && !resolved.insecureAllowOpenLogin;
  const issues = isOpen ? validatePasswordsPresent(settings, resolved) : [];
  if (resolved.login !== "interactive" && !resolved.insecureAllowAutoLogin) {
    issues.push({
      path: "login",
      expected: "a login that asks who is there, because the issuer is a real host",
      received: settings.login === undefined ? `nothing, which means "auto"` : quote(resolved.login),
      hint: 'Set it to "interactive", or set insecureAllowAutoLogin in the configuration file to let everybody in.',
    });
  }
  if (settings.clients === undefined && !resolved.insecureAllowDemoClients) {
    issues.push({
      path: "clients",
      expected: "clients of your own, because the issuer is a real host and the demo clients' secret is public",
      received: "nothing",
      hint: "Write down the clients, or set insecureAllowDemoClients.",
    });
  }
  if (resolved.directory !== "off" && !resolved.insecureAllowDirectory) {
    issues.push({
      path: "directory",
      expected: `"off", because the issuer is a real host and strangers would see its clients and users`,
      received: quote(resolved.directory),
      hint: "Leave it out, or set insecureAllowDirectory as well.",
    });
  }
  return issues;
}

/** Users whom anybody could be. */
function validatePasswordsPresent(settings: Settings, { users }: ResolvedSettings): ConfigIssue[] {
  if (settings.users === undefined) {
    return [{
      path: "users",
      expected: "users of your own with passwords, because the issuer is a real host",
      received: "nothing",
      hint: "Write down the users, or set insecureAllowOpenLogin to let anybody be anybody.",
    }];
  }
  const issues: ConfigIssue[] = [];
  for (const [i, user] of users.entries()) {
    if (user.password !== undefined) continue;
    issues.push({
      path: `users[${i}].password`,
      expected: "the digest of a password, because the issuer is a real host",
      received: "nothing",
      hint: "Write what latchkey hash-password prints, or set insecureAllowOpenLogin to let anybody be anybody.",
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
      received: "an empty list",
      hint: "Leave it out for the usual ones, or write the ones you need.",
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
      expected: `values that scopes holds (${resolved.scopes.join(" ")})`,
      received: quote(token),
      hint: `Add ${quote(token)} to scopes, or remove it from defaultScope.`,
    });
  }
  return issues;
}

function validateLifetimes({ lifetimes }: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [name, seconds] of Object.entries(lifetimes)) {
    const maxSeconds = name === "code" ? 600 : Infinity;
    if (Number.isSafeInteger(seconds) && seconds > 0 && seconds <= maxSeconds) continue;
    issues.push({
      path: `lifetimes.${name}`,
      expected: maxSeconds === Infinity ? "a whole number of seconds above 0" : `whole seconds from 1 to ${maxSeconds}`,
      received: String(seconds),
      hint: name === "code" ? "A code is redeemed at once: 300 is plenty." : "Write seconds, such as 3600.",
    });
  }
  return issues;
}

function validateTokenSettings({ alg, audience, clients }: ResolvedSettings): ConfigIssue[] {
  const issues = validateAlgorithm("alg", alg);
  if (audience === "" || clients.some((client) => client.client_id === audience)) {
    issues.push({
      path: "audience",
      expected: "the name of what access tokens are for, which is no client",
      received: audience === "" ? "an empty text" : `${quote(audience)}, a client`,
      hint: "Write the URI of your API, or leave it out: it is the issuer then.",
    });
  }
  return issues;
}

function validateKeySettings({ keys }: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [name, minSeconds] of [["rotateEvery", 3600], ["lead", 0]] as const) {
    const seconds = keys[name];
    if (seconds === undefined || Number.isSafeInteger(seconds) && seconds >= minSeconds) continue;
    issues.push({
      path: `keys.${name}`,
      expected: `whole seconds, at least ${minSeconds}`,
      received: String(seconds),
      hint: name === "lead" ? "300 is as long as most clients cache keys." : "A day is 86400.",
    });
  }
  return issues;
}

function validateRefreshSettings({ refresh }: ResolvedSettings): ConfigIssue[] {
  if (Number.isSafeInteger(refresh.grace) && refresh.grace >= 0 && refresh.grace <= 60) return [];
  return [{
    path: "refresh.grace",
    expected: "whole seconds from 0 to 60",
    received: quote(refresh.grace),
    hint: "A lost answer is asked for again at once: 10 is plenty.",
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

/** Whether an issuer may be public, so that password digests must be expensive to guess. */
export function isProductionIssuer(issuer: string): boolean {
  return URL.canParse(issuer) && !hasTestHost(issuer);
}

/**
 * Every fault in one user; places are relative to the user.
 *
 * @param isProduction Whether the issuer is not a test host: then a digest that is cheap to guess is a fault.
 */
export function* validateUser({ sub, password, ...claims }: User, isProduction = false): Generator<ConfigIssue> {
  if (typeof sub !== "string" || !/^[\x21-\x7E]{1,255}$/.test(sub)) {
    yield {
      path: "sub",
      expected: "1 to 255 printable ASCII characters",
      received: quote(sub),
      hint: "Choose a short identifier that will never change.",
    };
  }
  const digest = typeof password === "string" ? parsePasswordDigest(password) : undefined;
  if (password !== undefined && digest === undefined) {
    yield {
      path: "password",
      expected: "the scrypt digest of a password, with at most 128 MiB and 16 lanes",
      received: "something else, which is not repeated here",
      hint: "Run latchkey hash-password (deno task start hash-password), and write what it prints.",
    };
  }
  if (digest !== undefined && isProduction && isWeakDigest(digest)) {
    yield {
      path: "password",
      expected:
        "a digest that costs at least as much to guess as scrypt with ln=16, r=8, p=1, because the issuer is not a test host",
      received: `ln=${digest.ln}, r=${digest.r}, p=${digest.p}`,
      hint: "Run latchkey hash-password (deno task start hash-password), and write what it prints.",
    };
  }
  for (const [claim, value] of Object.entries(claims)) {
    if (claim === "__proto__") {
      yield {
        path: claim,
        expected: "claims whose names are not members of Object.prototype",
        received: quote(claim),
        hint: "Remove or rename it.",
      };
    }
    if (isDeeperThan(value, maxClaimDepth)) {
      yield {
        path: claim,
        expected: `lists and objects nested at most ${maxClaimDepth} deep`,
        received: "deeper nesting",
        hint: "Reduce the nesting.",
      };
    } else if (containsBigInt(value)) {
      yield {
        path: claim,
        expected: "a value that JSON can hold",
        received: "a BigInt",
        hint: "Use a number or a string.",
      };
    }
  }
}

/** How deep claims may be: what is much deeper can be read as JSON, and then not be written. */
const maxClaimDepth = 32;

function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(inner, levels - 1));
}

function containsBigInt(value: unknown): boolean {
  return typeof value === "bigint" ||
    typeof value === "object" && value !== null && Object.values(value).some(containsBigInt);
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
