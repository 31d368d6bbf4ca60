/** Every fault in the meaning of settings whose shape is right, all at once. */

import { algorithmFaults, clientFaults } from "./client_faults.ts";
import type { User } from "./client.ts";
import { quote } from "./fault.ts";
import type { Fault } from "./fault.ts";
import { isAbsoluteUri } from "./resources.ts";
import { isTestHost } from "./hosts.ts";
import { readPasswordDigest } from "./password.ts";
import { scopeToken } from "./scope.ts";
import { hasTestHost, settle } from "./settings.ts";
import type { KeySettings, Settings, Settled } from "./settings.ts";

/**
 * Judges the meaning of settings whose shape is right, and finds every fault at once.
 *
 * @param issuer The issuer in effect: the configured one, or the default that follows from the port.
 */
export function settingsFaults(settings: Settings, issuer: string): Fault[] {
  const settled = settle(settings, issuer);
  const ofIssuer = [...issuerFaults(settled)];
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
    ...lifetimeFaults(settled),
    ...keyFaults(settled),
    ...refreshFaults(settled),
    ...resourceFaults(settled),
    ...usersFaults(settled),
    ...tokenFaults(settled),
    ...written ? clientsFaults(settled) : [],
  ];
}

/**
 * Names that nothing reads: a setting that is misspelt would silently be at its default. Types tell those who have them.
 *
 * @param place What stands before the name.
 */
export function* unknownFaults(given: object | undefined, known: readonly string[], place = ""): Generator<Fault> {
  for (const name of Object.keys(given ?? {})) {
    if (known.includes(name)) continue;
    yield {
      place: `${place}${name}`,
      expected: `one of ${known.join(", ")}`,
      found: quote(name),
      mend: "Correct the name, or leave it out.",
    };
  }
}

function* issuerFaults({ issuer, insecureAllowHttpIssuer }: Settled): Generator<Fault> {
  const fault = (expected: string, mend: string): Fault => ({ place: "issuer", expected, found: quote(issuer), mend });
  if (!URL.canParse(issuer) || !/^https?:\/\/[^/]/.test(issuer)) {
    return yield fault("an absolute https URL", "Write it as https://host or, on this machine, http://localhost:9000.");
  }
  const url = new URL(issuer);
  if (issuer.includes("?") || issuer.includes("#") || url.username !== "" || url.password !== "") {
    yield fault("a URL without query, fragment and user information", "Keep only scheme, host, port and path.");
  } else if (!/^(?:\/[A-Za-z0-9._~-]+)*\/?$/.test(url.pathname)) {
    yield fault("a path of plain words between single slashes", "Use letters, digits, - . _ and ~ alone.");
  } else if (issuer !== url.origin && issuer !== url.href) {
    yield fault("a URL in its normal form", `Write it as ${quote(url.pathname === "/" ? url.origin : url.href)}.`);
  }
  if (url.protocol === "http:" && !isTestHost(url.hostname) && !insecureAllowHttpIssuer) {
    yield fault(
      "https, because the host is neither a loopback address nor a name that ends in .test, .example, .localhost or .internal",
      "Use https or such a name, or set insecureAllowHttpIssuer in the configuration file for a test that cannot.",
    );
  }
}

function* loginFaults(settings: Settings, settled: Settled): Generator<Fault> {
  // Who writes JavaScript is stopped by no type, and whatever is not "interactive" would let everybody in.
  if (settled.login !== "auto" && settled.login !== "interactive") {
    yield {
      place: "login",
      expected: '"auto" or "interactive"',
      found: quote(settled.login),
      mend: "Write one of them, in small letters.",
    };
    return;
  }
  if (!URL.canParse(settled.issuer) || hasTestHost(settled.issuer)) return;
  if (settled.login !== "interactive" && !settled.insecureAllowAutoLogin) {
    yield {
      place: "login",
      expected: "a login that asks who is there, because the issuer is a real host",
      found: settings.login === undefined ? `nothing, which means "auto"` : quote(settled.login),
      mend: 'Set it to "interactive", or set insecureAllowAutoLogin in the configuration file to let everybody in.',
    };
  }
  if (settled.login === "interactive" && !settled.insecureAllowOpenLogin) yield* openUserFaults(settings, settled);
  if (settings.clients === undefined && !settled.insecureAllowDemoClients) {
    yield {
      place: "clients",
      expected: "clients of your own, because the issuer is a real host and the demo clients' secret is public",
      found: "nothing",
      mend: "Write down the clients, or set insecureAllowDemoClients.",
    };
  }
  if (settled.directory !== "off" && !settled.insecureAllowDirectory) {
    yield {
      place: "directory",
      expected: `"off", because the issuer is a real host and strangers would see its clients and users`,
      found: quote(settled.directory),
      mend: "Leave it out, or set insecureAllowDirectory as well.",
    };
  }
}

/** Users whom anybody could be. */
function* openUserFaults(settings: Settings, { users }: Settled): Generator<Fault> {
  if (settings.users === undefined) {
    return yield {
      place: "users",
      expected: "users of your own with passwords, because the issuer is a real host",
      found: "nothing",
      mend: "Write down the users, or set insecureAllowOpenLogin to let anybody be anybody.",
    };
  }
  for (const [i, user] of users.entries()) {
    if (user.password !== undefined) continue;
    yield {
      place: `users[${i}].password`,
      expected: "the digest of a password, because the issuer is a real host",
      found: "nothing",
      mend: "Write what latchkey hash-password prints, or set insecureAllowOpenLogin to let anybody be anybody.",
    };
  }
}

function* scopeFaults(settings: Settings, settled: Settled): Generator<Fault> {
  if (settled.scopes.length === 0) {
    yield {
      place: "scopes",
      expected: "at least one scope value",
      found: "an empty list",
      mend: "Leave it out for the usual ones, or write the ones you need.",
    };
  }
  for (const [i, token] of settled.scopes.entries()) {
    if (settled.scopes.indexOf(token) < i) {
      yield {
        place: `scopes[${i}]`,
        expected: "each value once",
        found: `${quote(token)} again`,
        mend: "Remove one of the two.",
      };
    }
    if (scopeToken.test(token)) continue;
    yield {
      place: `scopes[${i}]`,
      expected: "printable ASCII without spaces, quotes and backslashes",
      found: quote(token),
      mend: "Write each scope value as an item of its own.",
    };
  }
  for (const token of settings.defaultScope === undefined ? [] : settled.defaultScope) {
    if (settled.scopes.includes(token)) continue;
    yield {
      place: "defaultScope",
      expected: `values that scopes holds (${settled.scopes.join(" ")})`,
      found: quote(token),
      mend: `Add ${quote(token)} to scopes, or remove it from defaultScope.`,
    };
  }
}

function* lifetimeFaults({ lifetimes }: Settled): Generator<Fault> {
  for (const [name, seconds] of Object.entries(lifetimes)) {
    const longest = name === "code" ? 600 : Infinity;
    if (Number.isSafeInteger(seconds) && seconds > 0 && seconds <= longest) continue;
    yield {
      place: `lifetimes.${name}`,
      expected: longest === Infinity ? "a whole number of seconds above 0" : `whole seconds from 1 to ${longest}`,
      found: String(seconds),
      mend: name === "code" ? "A code is redeemed at once: 300 is plenty." : "Write seconds, such as 3600.",
    };
  }
}

function* tokenFaults({ alg, audience, clients }: Settled): Generator<Fault> {
  yield* algorithmFaults("alg", alg);
  if (audience === "" || clients.some((client) => client.client_id === audience)) {
    yield {
      place: "audience",
      expected: "the name of what access tokens are for, which is no client",
      found: audience === "" ? "an empty text" : `${quote(audience)}, a client`,
      mend: "Write the URI of your API, or leave it out: it is the issuer then.",
    };
  }
}

function* keyFaults({ keys }: Settled): Generator<Fault> {
  for (const [name, least] of [["rotateEvery", 3600], ["lead", 0]] as const) {
    const seconds = keys[name];
    if (seconds === undefined || Number.isSafeInteger(seconds) && seconds >= least) continue;
    yield {
      place: `keys.${name}`,
      expected: `whole seconds, at least ${least}`,
      found: String(seconds),
      mend: name === "lead" ? "300 is as long as most clients cache keys." : "A day is 86400.",
    };
  }
}

function* refreshFaults({ refresh }: Settled): Generator<Fault> {
  if (Number.isSafeInteger(refresh.grace) && refresh.grace >= 0 && refresh.grace <= 60) return;
  yield {
    place: "refresh.grace",
    expected: "whole seconds from 0 to 60",
    found: quote(refresh.grace),
    mend: "A lost answer is asked for again at once: 10 is plenty.",
  };
}

function* resourceFaults({ resources = [] }: Settled): Generator<Fault> {
  for (const [i, { uri }] of resources.entries()) {
    if (isAbsoluteUri(uri)) continue;
    yield {
      place: `resources[${i}].uri`,
      expected: "an absolute URI with a host and without a fragment",
      found: quote(uri),
      mend: "Write it as https://api.example.",
    };
  }
}

function* usersFaults({ users }: Settled): Generator<Fault> {
  for (const [i, user] of users.entries()) {
    for (const fault of userFaults(user)) yield { ...fault, place: `users[${i}].${fault.place}` };
    if (users.findIndex((other) => other.sub === user.sub) === i) continue;
    yield {
      place: `users[${i}].sub`,
      expected: "a subject that no other user has",
      found: quote(user.sub),
      mend: "Choose another one.",
    };
  }
}

/** Every fault in one user; places are relative to the user. */
export function* userFaults({ sub, password, ...claims }: User): Generator<Fault> {
  if (typeof sub !== "string" || !/^[\x21-\x7E]{1,255}$/.test(sub)) {
    yield {
      place: "sub",
      expected: "1 to 255 printable ASCII characters",
      found: quote(sub),
      mend: "Choose a short identifier that will never change.",
    };
  }
  if (password !== undefined && (typeof password !== "string" || readPasswordDigest(password) === undefined)) {
    yield {
      place: "password",
      expected: "the scrypt digest of a password, with at most 128 MiB and 16 lanes",
      found: "something else, which is not repeated here",
      mend: "Run latchkey hash-password (deno task start hash-password), and write what it prints.",
    };
  }
  for (const [claim, value] of Object.entries(claims)) {
    if (!isDeeper(value, deepestClaim)) continue;
    yield {
      place: claim,
      expected: `lists and objects in one another, at most ${deepestClaim} deep`,
      found: "deeper ones",
      mend: "Make it flatter.",
    };
  }
}

/** How deep claims may be: what is much deeper can be read as JSON, and then not be written. */
const deepestClaim = 32;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function* clientsFaults(settled: Settled): Generator<Fault> {
  for (const [i, client] of settled.clients.entries()) {
    const first = settled.clients.findIndex((other) => other.client_id === client.client_id);
    if (first < i) {
      yield {
        place: `clients[${i}].client_id`,
        expected: "an id that no other client has",
        found: quote(client.client_id),
        mend: `Rename this one, or remove clients[${first}].`,
      };
    }
    for (const fault of clientFaults(client, settled)) {
      yield { ...fault, place: `clients[${i}].${fault.place}` };
    }
  }
}
