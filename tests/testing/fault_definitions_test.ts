/** The definitions of all faults: complete, callable by id with JSON, and described in the README. */

import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import type { TraceEvent } from "../../src/server/trace.ts";
import { test } from "node:test";
import type { FaultFactory } from "../../src/testing/faults/definition.ts";
import type { Fault } from "../../src/testing/faults/fault.ts";
import * as faults from "../../src/testing/faults/mod.ts";
import { decodeJwt } from "jose";
import { allFaults, fault } from "../../src/check/fault.ts";
import { scenarios } from "../../src/testing/scenarios/scenarios.ts";
import { testLatchkey } from "./test_latchkey.ts";
import { forEachCase } from "../kit.ts";
import { strictClient } from "./strict_client.ts";

const { createFault, faultDefinitions: all } = faults;

/** Logs in and refreshes, or finds a resource, with a fault at the endpoint, until it fires; returns why it did not. */
async function unmetAfterLogin(endpoint: string, fault: Fault): Promise<readonly string[]> {
  const { promise: fired, resolve } = Promise.withResolvers<void>();
  const trace = ({ type }: TraceEvent) => void (type === "fault_applied" && resolve());
  const s = await strictClient({ trace }, { wait: () => Promise.resolve() });
  s.injector.on(endpoint).once(fault);
  const login = async () => await s.refresh((await s.logIn()).tokens.refresh_token!);
  const attempt = endpoint.startsWith("resource") ? s.findResource : login;
  await Promise.race([fired, attempt().catch(() => {})]);
  const unmet = s.injector.unmetRules();
  await s.as.close();
  return unmet;
}

test("every definition has a title, a sentence about a correct client, and endpoints that exist", async () => {
  const s = await strictClient({ login: "interactive" });
  assertEquals(new Set(all.map(({ id }) => id)).size, all.length);
  for (const { id, title, correctClient, endpoints, parameters } of all) {
    assert(title.length > 0 && !title.endsWith("."), id);
    assertMatch(correctClient, /^The client .+\.$/, id);
    assert(endpoints.length > 0, id);
    for (const endpoint of endpoints) s.injector.on(endpoint);
    for (const { name, description, default: value, option = false } of parameters) {
      assertMatch(description, /\.$/, `${id}, ${name}`);
      assert(value !== undefined || option, `${id}, ${name}`);
    }
  }
});

test("every function has a definition with its name as the id, and every definition is listed", () => {
  const { createFault: _, faultDefinitions: __, ...members } = faults;
  const factories = Object.entries(members).flatMap(([name, member]): (readonly [string, unknown])[] =>
    typeof member === "function"
      ? [[name, member]]
      : Object.entries(member).map(([inner, factory]) => [`${name}.${inner}`, factory])
  );
  assertEquals(factories.map(([name]) => name).sort(), all.map(({ id }) => id).sort());
  for (const [name, factory] of factories) {
    const { definition } = factory as FaultFactory<() => Fault>;
    assertEquals([definition.id, all.some((one) => one === definition)], [name, true]);
  }
});

test("every name of a fault leads to one row, which exists", () => {
  const ids = allFaults.map(({ id }) => id);
  const names = allFaults.flatMap(({ also = [] }) => also);
  assertEquals([ids.length, names.length], [new Set(ids).size, new Set([...names, ...ids]).size - ids.length]);
  const used = scenarios.flatMap(({ steps }) => steps.flatMap(({ input = {} }) => input.fault ?? []));
  assertEquals(used.filter((name) => !ids.includes(String(name))), []);
});

test("every fault fires with its default parameters", async () => {
  await forEachCase(
    all.map(({ id, endpoints }) => [id, endpoints[0]!] as const),
    async ([id, endpoint]) => {
      assertEquals(await unmetAfterLogin(endpoint, createFault(id)), []);
    },
  );
});

test("every attack that changes a response is a fault for a test, with its first values", async () => {
  // The others need an ability of a client or of the server that this login does not have.
  const attacks = allFaults.filter(({ id, endpoints }) =>
    /^(?:metadata|response|token|id-token|keys|userinfo|transport|refresh)\//.test(id) &&
    ["discovery", "authorize", "token", "jwks", "userinfo", "any"].includes(endpoints[0]!)
  );
  assert(attacks.length > 50, String(attacks.length));
  await forEachCase(
    attacks.map(({ id, endpoints }) => [id, endpoints[0]!] as const),
    async ([id, endpoint]) => assertEquals(await unmetAfterLogin(endpoint, fault(id)), []),
  );
});

test("a fault of an attack has the clock of the server, and the values of the attack", async () => {
  await using as = await testLatchkey();
  as.clock.advance(1_000_000);
  const now = as.clock.now() / 1000;
  as.on("token").once(fault("id-token/exp-past", { value: "a year ago" }));
  const { tokens } = await as.logIn(as.client());
  const { exp } = decodeJwt(tokens.id_token!);
  assert(Math.abs(exp! + 31_536_000 - now) < 60, String(exp));
  assertThrows(() => fault("id-token/exp-pst"), TypeError, 'Did you mean "id-token/exp-past"?');
  assertThrows(() => fault("id-token/exp-past", { value: "tomorrow" }), RangeError);
  assertEquals(fault("idToken.expired").id, "id-token/exp-past");
});

test("parameters survive JSON, and make the same fault again", () => {
  for (const { id, endpoints } of JSON.parse(JSON.stringify(all)) as typeof all) {
    const fault = createFault(id);
    const again = createFault(fault.id!, JSON.parse(JSON.stringify(fault.parameters)));
    assertEquals([again.id, again.name, again.parameters], [id, fault.name, fault.parameters]);
    assertEquals<readonly string[]>(again.endpoints ?? ["any"], endpoints);
  }
});

test("arguments of a function and an object of parameters make the same fault", () => {
  const pairs: readonly (readonly [Fault, Fault])[] = [
    [faults.delay(200), createFault("delay", { milliseconds: 200 })],
    [faults.error("invalid_grant", { retryAfter: 3 }), createFault("error", { code: "invalid_grant", retryAfter: 3 })],
    [faults.status(429, { body: "no" }), createFault("status", { code: 429, body: "no" })],
    [faults.idToken.edited({ aud: ["a", "b"] }), createFault("idToken.edited", { edit: { aud: ["a", "b"] } })],
  ];
  for (const [called, created] of pairs) {
    assertEquals([called.id, called.name, called.parameters], [created.id, created.name, created.parameters]);
  }
});

test("wrong parameters are rejected with what was expected, what was received and a hint", async () => {
  const wrongArguments = faults as unknown as Record<string, (...args: unknown[]) => Fault>;
  const cases: readonly (readonly [() => Fault, typeof TypeError | typeof RangeError, string])[] = [
    [
      () => createFault("idToken.editd"),
      TypeError,
      'fault: expected the id of a fault, received "idToken.editd". Did you mean "idToken.edited"?',
    ],
    [
      () => createFault("delay", { millisecond: 5 }),
      TypeError,
      'faults.delay: expected known parameters, received "millisecond". Did you mean milliseconds?',
    ],
    [
      () => createFault("hang", { milliseconds: 5 }),
      TypeError,
      'faults.hang: expected known parameters, received "milliseconds". It has no parameters.',
    ],
    [
      () => createFault("delay", [] as unknown as Record<string, unknown>),
      TypeError,
      "faults.delay: expected an object of parameters, received an array. Its parameters: milliseconds.",
    ],
    [
      () => wrongArguments.delay!("200"),
      TypeError,
      'faults.delay: expected an integer from 0 for milliseconds, received "200". milliseconds: How long the request waits ' +
      "before the server handles it.",
    ],
    [
      () => faults.delay(-1),
      RangeError,
      "faults.delay: expected an integer from 0 for milliseconds, received -1. milliseconds: How long the request waits " +
      "before the server handles it.",
    ],
    [
      () => faults.status(600),
      RangeError,
      "faults.status: expected an integer from 200 to 599 for code, received 600. code: The status of the response.",
    ],
    [
      () => wrongArguments.drop!("during"),
      RangeError,
      'faults.drop: expected "before", "after" or "midway" for moment, received "during". moment: before the server handles ' +
      "the request, after it has handled it, or midway through the body.",
    ],
    [
      () => wrongArguments.status!(503, 5),
      TypeError,
      "faults.status: expected an object of options, received 5. Its parameters: code, retryAfter, headers, body.",
    ],
    [
      () => wrongArguments.status!(503, { retryafter: 5 }),
      TypeError,
      'faults.status: expected known parameters, received "retryafter". Did you mean retryAfter?',
    ],
    [
      () => wrongArguments.hang!(5),
      TypeError,
      "faults.hang: expected no further argument, received 5. It has no parameters.",
    ],
  ];
  await forEachCase(cases, ([create, Type, message]) => {
    assertEquals(assertThrows(create, Type).message, message);
    return Promise.resolve();
  });
});
