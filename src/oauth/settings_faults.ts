/** Every fault in the meaning of settings whose shape is right, all at once. */

import { clientFaults } from "./client_faults.ts";
import { quote } from "./fault.ts";
import type { Fault } from "./fault.ts";
import { isTestHost } from "./hosts.ts";
import { scopeToken } from "./scope.ts";
import { hasTestHost, settle } from "./settings.ts";
import type { Settings, Settled } from "./settings.ts";

/**
 * Judges the meaning of settings whose shape is right, and finds every fault at once.
 *
 * @param issuer The issuer in effect: the configured one, or the default that follows from the port.
 */
export function settingsFaults(settings: Settings, issuer: string): Fault[] {
  const settled = settle(settings, issuer);
  return [
    ...issuerFaults(settled),
    ...loginFaults(settings, settled),
    ...scopeFaults(settings, settled),
    ...lifetimeFaults(settled),
    ...userFaults(settled),
    ...clientsFaults(settled),
  ];
}

function* issuerFaults({ issuer, insecureAllowHttpIssuer }: Settled): Generator<Fault> {
  const fault = (expected: string, mend: string): Fault => ({ place: "issuer", expected, found: quote(issuer), mend });
  if (!URL.canParse(issuer) || !/^https?:\/\/[^/]/.test(issuer)) {
    return yield fault("an absolute https URL", "Write it as https://host or, on this machine, http://localhost:9000.");
  }
  const url = new URL(issuer);
  if (issuer.includes("?") || issuer.includes("#") || url.username !== "" || url.password !== "") {
    yield fault("a URL without query, fragment and user information", "Keep only scheme, host, port and path.");
  } else if (issuer !== url.origin && issuer !== url.href) {
    yield fault("a URL in its normal form", `Write it as ${quote(url.pathname === "/" ? url.origin : url.href)}.`);
  }
  if (url.protocol === "http:" && !isTestHost(url.hostname) && !insecureAllowHttpIssuer) {
    yield fault(
      "https, because the host is neither a loopback address nor a reserved test name",
      "Use https, or set insecureAllowHttpIssuer for a test that cannot.",
    );
  }
}

function* loginFaults(settings: Settings, settled: Settled): Generator<Fault> {
  if (!URL.canParse(settled.issuer) || hasTestHost(settled.issuer)) return;
  if (!settled.insecureAllowAutoLogin) {
    yield {
      place: "login",
      expected: "a login that asks who is there, because the issuer is a real host",
      found: settings.login === undefined ? `nothing, which means "auto"` : quote(settled.login),
      mend: "Give the server a loopback issuer, or set insecureAllowAutoLogin to let everybody in as the first user.",
    };
  }
  if (settings.clients === undefined && !settled.insecureAllowDemoClients) {
    yield {
      place: "clients",
      expected: "clients of your own, because the issuer is a real host and the demo clients' secret is public",
      found: "nothing",
      mend: "Write down the clients, or set insecureAllowDemoClients.",
    };
  }
}

function* scopeFaults(settings: Settings, settled: Settled): Generator<Fault> {
  for (const [i, token] of settled.scopes.entries()) {
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

function* userFaults({ users }: Settled): Generator<Fault> {
  for (const [i, { sub }] of users.entries()) {
    const place = `users[${i}].sub`;
    if (typeof sub !== "string" || !/^[\x21-\x7E]{1,255}$/.test(sub)) {
      yield {
        place,
        expected: "1 to 255 printable ASCII characters",
        found: quote(sub),
        mend: "Choose a short identifier that will never change.",
      };
    } else if (users.findIndex((other) => other.sub === sub) < i) {
      yield { place, expected: "a subject that no other user has", found: quote(sub), mend: "Choose another one." };
    }
  }
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
