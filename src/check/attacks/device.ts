/** Devices without a browser (RFC 8628): how they poll, and what they show. */

import type { Fault } from "../../testing/faults/fault.ts";
import { error } from "../../testing/faults/mod.ts";
import { findParam } from "../../recorder/record_request.ts";
import { editJsonBody } from "../../testing/faults/response_body.ts";
import { type Assessment, type Attack, defineAttack, type Stage } from "../define_attack.ts";
import { gridAttacks, type GridResponse, jsonResponse } from "./grid.ts";
import { describeOutcome } from "../assess.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { sent } from "./parameters.ts";
import { failIf } from "./conclusions.ts";

const grant_type = "urn:ietf:params:oauth:grant-type:device_code";

/** The default of `interval`, and the seconds that a `slow_down` adds (RFC 8628 §3.2, §3.5). */
const defaultInterval = 5;

/** How often a device may request new codes in one login, each for a user who was too slow. */
const maxRestarts = 3;

/** How many milliseconds early a poll may be. */
const tolerance = 100;

/** Adds a rule that responds to the next polls with these errors, in this order. */
function failPolls({ as }: Stage, codes: readonly string[]): void {
  as.on("token", { grant_type }).times(codes.length, errorsInOrder(codes));
}

/** A fault that responds with one error after the other. */
function errorsInOrder(codes: readonly string[]): Fault {
  const faults = codes.map((code) => error(code));
  let next = 0;
  return {
    name: [...new Set(codes)].join(", "),
    waitsFor: "was a poll",
    handle: (handleNext, context) => faults[next++ % faults.length]!.handle!(handleNext, context),
  };
}

/** The times between two polls, in seconds. */
function gapsOf(observation: Observation): readonly number[] {
  const polls = exchangesOf(observation, "token");
  return polls.slice(1).map(({ at, number }, index) => {
    const before = polls[index]!;
    const waits = observation.waits.filter(({ after }) => after >= before.number && after < number);
    const waited = waits.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    return (at - before.at + waited + tolerance) / 1000;
  });
}

/** What is wrong with the times between polls; `undefined` if each is at least as long as the expected one. */
function findShortGap(observation: Observation, expected: readonly number[]): Assessment | undefined {
  const gaps = gapsOf(observation);
  const short = gaps.findIndex((gap, index) => gap < expected[Math.min(index, expected.length - 1)]!);
  if (short < 0) return undefined;
  return {
    passed: false,
    seen: "repeated",
    because: `the client sent poll ${short + 2} after ${gaps[short]!.toFixed(1)} s, not after ${
      expected[Math.min(short, expected.length - 1)]
    } s`,
  };
}

/** The login on the device must succeed, with these times between polls. */
function assessPolls(observation: Observation, expected: readonly number[]): Assessment {
  const { outcome, session, expectedSub } = observation;
  return findShortGap(observation, expected) ??
    { passed: outcome === "accepted" && session!.sub === expectedSub, because: describeOutcome(observation) };
}

/** After an error a device may request new codes a few times, but does not poll with the code that has ended. */
function assessEnd(observation: Observation): Assessment | undefined {
  const polls = exchangesOf(observation, "token");
  const codes = new Set(polls.map(({ request }) => findParam(request, "device_code")));
  const repeated = polls.length - codes.size;
  return failIf(repeated > 0, `the client sent ${repeated} more polls with a code after its error`, "repeated") ??
    failIf(codes.size - 1 > maxRestarts, `the client requested new codes ${codes.size - 1} times`, "repeated");
}

const response = jsonResponse("The device authorization response", { isSteady: true });

/** The response whose two addresses are the same. */
const withBothUris: GridResponse = {
  ...response,
  change: (name, _, write) =>
    editJsonBody(name, (members) => {
      const uri = write(members.verification_uri);
      return { ...members, verification_uri: uri, verification_uri_complete: uri };
    }),
};

export const deviceAttacks: readonly Attack[] = [
  ...gridAttacks(withBothUris, [{
    ...{ id: "device/verification-uri-hostile", level: "must-reject", endpoints: ["device_authorization"] },
    member: "verification_uri",
    values: {
      "a script": () => "javascript:globalThis.latchkeyMarker=1",
      "a file": () => "file:///latchkey-marker",
      "an http URL": (_, { trap }) => `${trap.origin.replace("https:", "http:")}/device`,
      "text for a shell": () => "https://device.test|latchkey-marker",
    },
    correctClient: "The client shows the URI as text or rejects it, and does not open it.",
    sources: ["RFC 8628 §3.2", "RFC 8628 §5.4", "CVE-2025-6514"],
    assess({ opened, outcome }) {
      return {
        passed: opened.length === 0 && outcome !== "hung",
        because: opened.length === 0 ? "the client did not open the URI" : `the client opened ${opened[0]}`,
        ...opened.length > 0 && { seen: "hostile", harm: `opened ${opened[0]}, a URI of the attacker` },
      };
    },
  }]),
  defineAttack({
    id: "device/never-approved",
    fix: "Stop polling when expires_in seconds have passed.",
    title:
      "The user never decides, and the server responds with authorization_pending even after the codes have expired.",
    correctClient: "The client stops polling when expires_in has passed, and reports it; the next login works.",
    level: "must-recover",
    needs: ["clock"],
    requirement: "RFC 8628 §3.5",
    start: (stage) => failPolls(stage, Array(150).fill("authorization_pending")),
    assess(observation) {
      const [started] = exchangesOf(observation, "device_authorization");
      const { expires_in } = JSON.parse(started?.response?.body ?? "{}");
      const last = exchangesOf(observation, "token").at(-1);
      const seconds = ((last?.at ?? 0) - (started?.at ?? 0)) / 1000;
      return seconds > expires_in + 2 * defaultInterval
        ? {
          passed: false,
          because: `the client still polled after ${Math.round(seconds)} s; the code lived ${expires_in} s`,
          seen: "repeated",
        }
        : findShortGap(observation, [defaultInterval]);
    },
  }),
  defineAttack({
    id: "device/slow-down",
    fix: "Add 5 seconds to the interval after each slow_down.",
    title: "Two polls receive slow_down, and the later ones receive authorization_pending.",
    correctClient: "The client waits 5 seconds longer after each slow_down, and keeps the longer interval.",
    level: "must-tolerate",
    requirement: "RFC 8628 §3.5",
    sources: ["modelcontextprotocol/registry#1290", "flyteorg/flyte-sdk#1587"],
    start: (stage) => failPolls(stage, ["slow_down", "slow_down", "authorization_pending", "authorization_pending"]),
    assess: (observation) =>
      assessPolls(observation, [2 * defaultInterval, 3 * defaultInterval, 3 * defaultInterval, 3 * defaultInterval]),
  }),
  defineAttack({
    id: "device/ended",
    fix:
      "Stop polling after every error but authorization_pending and slow_down, and request a new code only a few times.",
    title: "A poll receives an error that ends the device login.",
    correctClient:
      "The client polls no more with this code, and reports the error or requests a new code a few times; the next " +
      "login works.",
    level: "must-recover",
    requirement: "RFC 8628 §3.5",
    ...sent("code", ["access_denied", "expired_token", "invalid_grant", "invalid_request"], "The member error."),
    start: (stage, { code }) => failPolls(stage, Array(30).fill(code)),
    assess: assessEnd,
  }),
  defineAttack({
    id: "device/response-odd",
    fix: "Poll every 5 seconds if interval is absent or not a positive number.",
    title: "The device authorization response has no interval, or one that is 0, negative, null, a string or a year.",
    correctClient: "The client polls every 5 seconds if the interval is not usable, and never without a pause.",
    level: "must-recover",
    endpoints: ["device_authorization", "token"],
    requirement: "RFC 8628 §3.5",
    sources: ["RFC 8628 §3.2", "NousResearch/hermes-agent#87437"],
    ...sent("value", ["absent", 0, "5", null, -1, 31_536_000], 'The member interval; "absent" removes it.'),
    start({ as }, { value }) {
      const name = `interval ${value}`;
      const faults: Readonly<Record<string, Fault>> = {
        device_authorization: editJsonBody(name, (members) => ({
          ...members,
          interval: value === "absent" ? undefined : value,
        })),
        token: error("authorization_pending"),
      };
      // One rule: a client that reports the interval sends no poll.
      as.on("any", ({ endpoint }) => Object.hasOwn(faults, endpoint)).times(4, {
        name,
        waitsFor: "was from a device",
        handle: (next, context) => faults[context.request.endpoint]!.handle!(next, context),
      });
    },
    assess(observation) {
      const has = (value: unknown) => observation.exchanges.some(({ faults }) => faults.includes(`interval ${value}`));
      const short = findShortGap(observation, [has(0) ? 1 : defaultInterval]);
      // The specification does not say what a device does with a value that is not positive, or no number.
      return short && { ...short, isWarning: !has("absent") };
    },
  }),
];
