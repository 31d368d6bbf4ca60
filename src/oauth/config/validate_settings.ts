/** Every fault in the meaning of settings whose shape is right, all at once. */

// Lists, except where somebody stops at the first fault: to meet generators takes a fresh Bun longer than to judge it all.

import { claimFaults } from "./validate_claims.ts";
import { algorithmFaults, clientFaults } from "../clients/validate_client.ts";
import type { User } from "../clients/client.ts";
import { quote, typeFaults } from "./config_issue.ts";
import type { Fault } from "./config_issue.ts";
import { isAbsoluteUri } from "../authorize/resources.ts";
import { isTestHost, testHosts } from "../test_hosts.ts";
import { isCheap, readPasswordDigest } from "../users/password.ts";
import { scopeToken } from "../authorize/scope.ts";
import { hasTestHost, settle } from "./settings.ts";
import type { KeySettings, Settings, Settled } from "./settings.ts";

/**
 * Judges the meaning of settings whose shape is right, and finds every fault at once.
 *
 * @param issuer The issuer in effect: the configured one, or the default that follows from the port.
 */
export function settingsFaults(settings: Settings, issuer: string): Fault[] {
  const settled = settle(settings, issuer);
  const ofIssuer = issuerFaults(settled);
  // Clients that nobody wrote down follow the issuer, and so do their faults.
  const written = ofIssuer.length === 0 || settings.clients !== undefined;
  const groups = settle({}, issuer);
  return [
    ...unknownFaults(settings.lifetimes, Object.keys(groups.lifetimes), "lifetimes."),
    ...unknownFaults(settings.pkce, Object.keys(groups.pkce), "pkce."),
    ...unknownFaults(settings.refresh, Object.keys(groups.refresh), "refresh."),
    ...unknownFaults(settings.keys, ["rotateEvery", "lead"] satisfies (keyof KeySettings)[], "keys."),
    ...ofIssuer,
    ...loginFaults(settings, settled),
    ...scopeFaults(settings, settled),
    ...claimFaults(settled),
    ...lifetimeFaults(settled),
    ...keyFaults(settled),
    ...refreshFaults(settled),
    ...resourceFaults(settled),
    ...usersFaults(settled),
    ...tokenFaults(settled),
    ...assertionFaults(settled),
    ...written ? clientsFaults(settled) : [],
  ];
}

/**
 * Names that nothing reads: a setting that is misspelt would silently be at its default. Types tell those who have them.
 *
 * @param place What stands before the name.
 */
export function unknownFaults(given: object | undefined, known: readonly string[], place = ""): Fault[] {
  const faults: Fault[] = [];
  for (const name of Object.keys(given ?? {})) {
    if (known.includes(name)) continue;
    faults.push({
      place: `${place}${name}`,
      expected: `one of ${known.join(", ")}`,
      found: quote(name),
      mend: "Correct the name, or leave it out.",
    });
  }
  return faults;
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
export function optionTypeFaults(options: Settings): Fault[] {
  return typeFaults(options, optionExamples);
}

function issuerFaults({ issuer, insecureAllowHttpIssuer }: Settled): Fault[] {
  const fault = (expected: string, mend: string): Fault => ({ place: "issuer", expected, found: quote(issuer), mend });
  if (!URL.canParse(issuer) || !/^https?:\/\/[^/]/.test(issuer)) {
    return [fault("an absolute https URL", "Write it as https://host or, on this machine, http://localhost:9000.")];
  }
  const faults: Fault[] = [];
  const url = new URL(issuer);
  if (issuer.includes("?") || issuer.includes("#") || url.username !== "" || url.password !== "") {
    faults.push(fault("a URL without query, fragment and user information", "Keep only scheme, host, port and path."));
  } else if (!/^(?:\/[A-Za-z0-9._~-]+)*\/?$/.test(url.pathname)) {
    faults.push(fault("a path of plain words between single slashes", "Use letters, digits, - . _ and ~ alone."));
  } else if (issuer !== url.origin && issuer !== url.href) {
    faults.push(
      fault("a URL in its normal form", `Write it as ${quote(url.pathname === "/" ? url.origin : url.href)}.`),
    );
  }
  if (url.protocol === "http:" && !isTestHost(url.hostname) && !insecureAllowHttpIssuer) {
    faults.push(fault(
      `https, or http on a test host (${testHosts})`,
      "Use https or a test host, or set insecureAllowHttpIssuer in the configuration file for a test that cannot.",
    ));
  }
  return faults;
}

function assertionFaults({ assertionAudience }: Settled): Fault[] {
  // JavaScript has no type check: a misspelt value would accept more than intended.
  if (assertionAudience === "issuer" || assertionAudience === "issuer-or-token-endpoint") return [];
  return [{
    place: "assertionAudience",
    expected: '"issuer" or "issuer-or-token-endpoint"',
    found: quote(assertionAudience),
    mend: "Write one of them, in small letters.",
  }];
}

function loginFaults(settings: Settings, settled: Settled): Fault[] {
  // Who writes JavaScript is stopped by no type, and whatever is not "interactive" would let everybody in.
  if (settled.login !== "auto" && settled.login !== "interactive") {
    return [{
      place: "login",
      expected: '"auto" or "interactive"',
      found: quote(settled.login),
      mend: "Write one of them, in small letters.",
    }];
  }
  if (!URL.canParse(settled.issuer) || hasTestHost(settled.issuer)) return [];
  const isOpen = settled.login === "interactive" && !settled.insecureAllowOpenLogin;
  const faults = isOpen ? openUserFaults(settings, settled) : [];
  if (settled.login !== "interactive" && !settled.insecureAllowAutoLogin) {
    faults.push({
      place: "login",
      expected: "a login that asks who is there, because the issuer is a real host",
      found: settings.login === undefined ? `nothing, which means "auto"` : quote(settled.login),
      mend: 'Set it to "interactive", or set insecureAllowAutoLogin in the configuration file to let everybody in.',
    });
  }
  if (settings.clients === undefined && !settled.insecureAllowDemoClients) {
    faults.push({
      place: "clients",
      expected: "clients of your own, because the issuer is a real host and the demo clients' secret is public",
      found: "nothing",
      mend: "Write down the clients, or set insecureAllowDemoClients.",
    });
  }
  if (settled.directory !== "off" && !settled.insecureAllowDirectory) {
    faults.push({
      place: "directory",
      expected: `"off", because the issuer is a real host and strangers would see its clients and users`,
      found: quote(settled.directory),
      mend: "Leave it out, or set insecureAllowDirectory as well.",
    });
  }
  return faults;
}

/** Users whom anybody could be. */
function openUserFaults(settings: Settings, { users }: Settled): Fault[] {
  if (settings.users === undefined) {
    return [{
      place: "users",
      expected: "users of your own with passwords, because the issuer is a real host",
      found: "nothing",
      mend: "Write down the users, or set insecureAllowOpenLogin to let anybody be anybody.",
    }];
  }
  const faults: Fault[] = [];
  for (const [i, user] of users.entries()) {
    if (user.password !== undefined) continue;
    faults.push({
      place: `users[${i}].password`,
      expected: "the digest of a password, because the issuer is a real host",
      found: "nothing",
      mend: "Write what latchkey hash-password prints, or set insecureAllowOpenLogin to let anybody be anybody.",
    });
  }
  return faults;
}

function scopeFaults(settings: Settings, settled: Settled): Fault[] {
  const faults: Fault[] = [];
  const { scopes: listed = [] } = settings;
  if (settings.scopes !== undefined && listed.length === 0) {
    faults.push({
      place: "scopes",
      expected: "at least one scope value",
      found: "an empty list",
      mend: "Leave it out for the usual ones, or write the ones you need.",
    });
  }
  for (const [i, token] of listed.entries()) {
    if (listed.indexOf(token) < i) {
      faults.push({
        place: `scopes[${i}]`,
        expected: "each value once",
        found: `${quote(token)} again`,
        mend: "Remove one of the two.",
      });
    }
    if (scopeToken.test(token)) continue;
    faults.push({
      place: `scopes[${i}]`,
      expected: "printable ASCII without spaces, quotes and backslashes",
      found: quote(token),
      mend: "Write each scope value as an item of its own.",
    });
  }
  for (const token of settings.defaultScope === undefined ? [] : settled.defaultScope) {
    if (settled.scopes.includes(token)) continue;
    faults.push({
      place: "defaultScope",
      expected: `values that scopes holds (${settled.scopes.join(" ")})`,
      found: quote(token),
      mend: `Add ${quote(token)} to scopes, or remove it from defaultScope.`,
    });
  }
  return faults;
}

function lifetimeFaults({ lifetimes }: Settled): Fault[] {
  const faults: Fault[] = [];
  for (const [name, seconds] of Object.entries(lifetimes)) {
    const longest = name === "code" ? 600 : Infinity;
    if (Number.isSafeInteger(seconds) && seconds > 0 && seconds <= longest) continue;
    faults.push({
      place: `lifetimes.${name}`,
      expected: longest === Infinity ? "a whole number of seconds above 0" : `whole seconds from 1 to ${longest}`,
      found: String(seconds),
      mend: name === "code" ? "A code is redeemed at once: 300 is plenty." : "Write seconds, such as 3600.",
    });
  }
  return faults;
}

function tokenFaults({ alg, audience, clients }: Settled): Fault[] {
  const faults = algorithmFaults("alg", alg);
  if (audience === "" || clients.some((client) => client.client_id === audience)) {
    faults.push({
      place: "audience",
      expected: "the name of what access tokens are for, which is no client",
      found: audience === "" ? "an empty text" : `${quote(audience)}, a client`,
      mend: "Write the URI of your API, or leave it out: it is the issuer then.",
    });
  }
  return faults;
}

function keyFaults({ keys }: Settled): Fault[] {
  const faults: Fault[] = [];
  for (const [name, least] of [["rotateEvery", 3600], ["lead", 0]] as const) {
    const seconds = keys[name];
    if (seconds === undefined || Number.isSafeInteger(seconds) && seconds >= least) continue;
    faults.push({
      place: `keys.${name}`,
      expected: `whole seconds, at least ${least}`,
      found: String(seconds),
      mend: name === "lead" ? "300 is as long as most clients cache keys." : "A day is 86400.",
    });
  }
  return faults;
}

function refreshFaults({ refresh }: Settled): Fault[] {
  if (Number.isSafeInteger(refresh.grace) && refresh.grace >= 0 && refresh.grace <= 60) return [];
  return [{
    place: "refresh.grace",
    expected: "whole seconds from 0 to 60",
    found: quote(refresh.grace),
    mend: "A lost answer is asked for again at once: 10 is plenty.",
  }];
}

function resourceFaults({ resources = [] }: Settled): Fault[] {
  const faults: Fault[] = [];
  for (const [i, { uri }] of resources.entries()) {
    if (isAbsoluteUri(uri)) continue;
    faults.push({
      place: `resources[${i}].uri`,
      expected: "an absolute URI with a host and without a fragment",
      found: quote(uri),
      mend: "Write it as https://api.example.",
    });
  }
  return faults;
}

function usersFaults({ users, issuer }: Settled): Fault[] {
  const faults: Fault[] = [];
  const isReal = isRealHost(issuer);
  for (const [i, user] of users.entries()) {
    for (const fault of userFaults(user, isReal)) faults.push({ ...fault, place: `users[${i}].${fault.place}` });
    if (users.findIndex((other) => other.sub === user.sub) === i) continue;
    faults.push({
      place: `users[${i}].sub`,
      expected: "a subject that no other user has",
      found: quote(user.sub),
      mend: "Choose another one.",
    });
  }
  return faults;
}

/** Whether an issuer may be public, so that password digests must be expensive to guess. */
export function isRealHost(issuer: string): boolean {
  return URL.canParse(issuer) && !hasTestHost(issuer);
}

/**
 * Every fault in one user; places are relative to the user.
 *
 * @param isReal Whether the issuer is not a test host: then a digest that is cheap to guess is a fault.
 */
export function* userFaults({ sub, password, ...claims }: User, isReal = false): Generator<Fault> {
  if (typeof sub !== "string" || !/^[\x21-\x7E]{1,255}$/.test(sub)) {
    yield {
      place: "sub",
      expected: "1 to 255 printable ASCII characters",
      found: quote(sub),
      mend: "Choose a short identifier that will never change.",
    };
  }
  const digest = typeof password === "string" ? readPasswordDigest(password) : undefined;
  if (password !== undefined && digest === undefined) {
    yield {
      place: "password",
      expected: "the scrypt digest of a password, with at most 128 MiB and 16 lanes",
      found: "something else, which is not repeated here",
      mend: "Run latchkey hash-password (deno task start hash-password), and write what it prints.",
    };
  }
  if (digest !== undefined && isReal && isCheap(digest)) {
    yield {
      place: "password",
      expected:
        "a digest that costs at least as much to guess as scrypt with ln=16, r=8, p=1, because the issuer is not a test host",
      found: `ln=${digest.ln}, r=${digest.r}, p=${digest.p}`,
      mend: "Run latchkey hash-password (deno task start hash-password), and write what it prints.",
    };
  }
  for (const [claim, value] of Object.entries(claims)) {
    if (claim === "__proto__") {
      yield {
        place: claim,
        expected: "claims whose names are not members of Object.prototype",
        found: quote(claim),
        mend: "Remove or rename it.",
      };
    }
    if (isDeeper(value, deepestClaim)) {
      yield {
        place: claim,
        expected: `lists and objects nested at most ${deepestClaim} deep`,
        found: "deeper nesting",
        mend: "Reduce the nesting.",
      };
    } else if (holdsBigInt(value)) {
      yield {
        place: claim,
        expected: "a value that JSON can hold",
        found: "a BigInt",
        mend: "Use a number or a string.",
      };
    }
  }
}

/** How deep claims may be: what is much deeper can be read as JSON, and then not be written. */
const deepestClaim = 32;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function holdsBigInt(value: unknown): boolean {
  return typeof value === "bigint" ||
    typeof value === "object" && value !== null && Object.values(value).some(holdsBigInt);
}

function clientsFaults(settled: Settled): Fault[] {
  const faults: Fault[] = [];
  for (const [i, client] of settled.clients.entries()) {
    const first = settled.clients.findIndex((other) => other.client_id === client.client_id);
    if (first < i) {
      faults.push({
        place: `clients[${i}].client_id`,
        expected: "an id that no other client has",
        found: quote(client.client_id),
        mend: `Rename this one, or remove clients[${first}].`,
      });
    }
    for (const fault of clientFaults(client, settled)) {
      faults.push({ ...fault, place: `clients[${i}].${fault.place}` });
    }
  }
  return faults;
}
