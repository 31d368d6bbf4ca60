/** The attacks on devices and on clients of protected resources: correct ones pass all, and each mistake is found. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { accusations, assertNothingFailed, unclearIn } from "./accusations.ts";
import { partOf, partOfCatalogue } from "./catalogue_part.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import type { CheckReport, ClientDriver, DeviceJourney } from "../../src/check/mod.ts";
import { sample } from "../sample.ts";
import { withPatientTimers } from "../until.ts";
import { backchannelClient } from "./backchannel_client.ts";
import { deviceClient, type DeviceMistake } from "./device_client.ts";
import { resourceClient, type ResourceMistake } from "./resource_client.ts";

/** The attacks that find a mistake of a device: no other attack may fail. */
const foundOnDevice: Readonly<Partial<Record<DeviceMistake, readonly string[]>>> = {
  "polls every second": ["device/never-approved", "device/response-odd", "device/slow-down"],
  "does not slow down": ["device/slow-down"],
  "forgets that it slowed down": ["device/slow-down"],
  "polls after the end": ["device/ended"],
  "restarts without an end": ["device/ended"],
  "never stops": ["device/never-approved"],
  "believes every interval": ["device/response-odd"],
  "opens every URI": ["device/verification-uri-hostile"],
};

/** The attacks that find a mistake of a client of a resource: no other attack may fail. */
const foundAtResource: Readonly<Partial<Record<ResourceMistake, readonly string[]>>> = {
  "knows no well-known address": ["resource/challenge-missing"],
  "does not compare the resource": ["resource/metadata-near", "resource/metadata-of-another"],
  "compares the resource by its beginning": ["resource/metadata-near", "resource/metadata-of-another"],
  "compares the origin of the resource": ["resource/metadata-near"],
  "does not look for PKCE": ["resource/pkce-unsupported"],
  "opens every authorization endpoint": ["metadata/authorization-endpoint-hostile"],
  "does not compare iss": ["response/iss-missing", "response/iss-wrong"],
  "uses one registration for all servers": ["resource/issuer-changed"],
  "asks the user without a limit": ["resource/unauthorized-for-ever"],
  "requests only the missing scope": ["resource/insufficient-scope"],
  "follows redirects with the token": ["resource/redirects-away"],
};

/** The ids of the attacks and practices that failed or warned. */
function foundIds(report: CheckReport): readonly string[] {
  assert(report.control.passed, String(report));
  assertEquals(unclearIn(report).length, 0, String(report));
  return [...new Set(accusations(report))].sort();
}

/** Some attacks of these categories. */
const some = (place: number) => ({ only: partOf(["device", "resource"], 6, place) });

for (const [place, client] of [deviceClient(), resourceClient()].entries()) {
  test(`a ${client.name} with every check passes all attacks on it`, async () => {
    const report = await checkClientWithEdDsa(client, some(place));
    assertEquals(foundIds(report), [], String(report));
    assertEquals(report.counts.passed + report.counts.skipped, report.results.length, String(report));
  });
}

/** Attacks of a category: these, and a part of the others, which must not fail. */
const amongOthers = (category: string, ids: readonly string[], place: number) => {
  return [...new Set([...ids, ...partOf([category], 8, place)])];
};

for (const [place, [mistake, ids]] of sample([...Object.entries(foundOnDevice).entries()], 4, 0)) {
  test(`a client on a device that ${mistake} is found by ${ids.join(", ")}`, async () => {
    const report = await checkClientWithEdDsa(deviceClient(mistake as DeviceMistake), {
      only: amongOthers("device", ids, place),
    });
    assertEquals(foundIds(report), ids, String(report));
  });
}

/** What differs from the usual journey of a device. */
type DeviceStyle = (journey: DeviceJourney) => Partial<DeviceJourney>;

/** What a device may do. */
const deviceStyles: Readonly<Record<string, DeviceStyle>> = {
  "opens nothing (RFC 8628 §3.3)": () => ({ open: () => {} }),
  "polls first, and then waits (RFC 8628 §3.4)"({ sleep }) {
    let polls = 0;
    return { sleep: (milliseconds) => polls++ === 0 ? Promise.resolve() : sleep(milliseconds) };
  },
  "never polls more often than every six seconds": ({ sleep }) => ({
    sleep: (milliseconds) => sleep(Math.max(6000, milliseconds)),
  }),
  "slows down by ten seconds (RFC 8628 §3.5)": ({ sleep }) => ({
    sleep: (milliseconds) => sleep(2 * milliseconds - 5000),
  }),
  "gives up after five minutes"({ sleep, now }) {
    const endsAt = now() + 300_000;
    return { sleep: (milliseconds) => now() > endsAt ? Promise.reject(new Error("too late")) : sleep(milliseconds) };
  },
};

const deviceWith = (change: DeviceStyle): ClientDriver => {
  const { logInDevice, ...driver } = deviceClient();
  return { ...driver, logInDevice: (journey) => logInDevice!({ ...journey, ...change(journey) }) };
};

const legalClients: Readonly<Record<string, () => ClientDriver>> = {
  ...Object.fromEntries(Object.entries(deviceStyles).map(([name, style]) => [name, () => deviceWith(style)])),
  "requests new codes three times after expired_token (RFC 8628 §3.5)": () => deviceClient(undefined, 3),
  "logs in again, and does not refresh (MCP)": () => resourceClient(undefined, undefined, { refreshes: false }),
  "does not ask for more scope, and reports the error (MCP)": () => resourceClient(undefined, undefined, { logins: 1 }),
};

for (const [place, [name, client]] of Object.entries(legalClients).entries()) {
  test(`a client that ${name} is not accused`, async () => {
    assertEquals(foundIds(await checkClientWithEdDsa(client(), some(place))), []);
  });
}

test("a correct client with backchannel authentication is accused of nothing by the attacks on any client", async () => {
  const report = await checkClientWithEdDsa(backchannelClient(), { only: partOfCatalogue(12, 3) });
  assertNothingFailed(report);
  assert(report.counts.passed >= 4, String(report));
});

for (const [place, [mistake, ids]] of sample([...Object.entries(foundAtResource).entries()], 6, 0)) {
  test(`a client of a resource that ${mistake} is found by ${ids.join(", ")}`, async () => {
    const report = await checkClientWithEdDsa(resourceClient(mistake as ResourceMistake), {
      only: amongOthers("resource", ids, place),
    });
    assertEquals(foundIds(report), ids, String(report));
  });
}

test("a client of a resource that sends no resource in the token request is found by practice/resource-stated", async () => {
  for (const mistake of ["sends no resource in the token request", undefined] as const) {
    const report = await checkClientWithEdDsa(resourceClient(mistake), { only: ["practices"] });
    assertEquals(accusations(report).includes("practice/resource-stated"), mistake !== undefined, String(report));
  }
});

test("clients that check nothing fall for every attack that a correct client must reject", async () => {
  for (const client of [deviceClient("checks nothing"), resourceClient("checks nothing")]) {
    const report = await withPatientTimers(() => checkClientWithEdDsa(client, { ...some(1), timeoutMs: 1000 }));
    assert(report.control.passed, String(report));
    const passed = report.results.filter(({ verdict, attack }) =>
      verdict === "passed" && attack.level === "must-reject"
    );
    assertEquals([...new Set(passed.map(({ attack: { id } }) => id))], []);
  }
});
