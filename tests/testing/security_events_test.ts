/** Security events that a mock sends, correct and wrong ones. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { test } from "node:test";
import type { TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { decodeClaims } from "../kit.ts";
import { controlClient } from "./control/harness.ts";
import { caep, type Json, risc } from "../server/extensions/shared_signals/receiver.ts";
import { eventTypes } from "../../src/server/extensions/shared_signals/event_types.ts";
import { testLatchkey } from "./test_latchkey.ts";

const oauth = "https://schemas.openid.net/secevent/oauth/event-type/";

/** A mock whose client has a stream with these types: posted to, or polled. */
async function mockWithStream(types: readonly string[], pushes?: string[], options: TestLatchkeyOptions = {}) {
  const as = await testLatchkey({ sharedSignals: true, control: true, seed: 1, ...options });
  const client = as.client({ confidential: true, grant_types: ["client_credentials"], scope: "ssf.manage" });
  const { access_token } = await as.token(client, { grant_type: "client_credentials", scope: "ssf.manage" });
  const send = async (url: string, body: unknown): Promise<Json> => {
    const headers = { authorization: `Bearer ${access_token}`, "content-type": "application/json" };
    return await (await as.fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json();
  };
  if (pushes !== undefined) {
    as.serve("https://app.test/events", async (request) => {
      pushes.push(await request.text());
      return new Response(null, { status: 202 });
    });
  }
  const stream = await send("/ssf/stream", {
    events_requested: types,
    ...pushes !== undefined && { delivery: { method: "urn:ietf:rfc:8935", endpoint_url: "https://app.test/events" } },
  });
  return {
    as,
    client,
    stream,
    poll: (body = {}) => send(stream.delivery.endpoint_url, { returnImmediately: true, ...body }),
  };
}

test("[SS-13] each type of event is sent with the members that the specification requires", async () => {
  const cases = [
    [`${caep}session-revoked`, []],
    [`${caep}token-claims-change`, ["claims"]],
    [`${caep}credential-change`, ["credential_type", "change_type"]],
    [`${caep}assurance-level-change`, ["namespace", "current_level"]],
    [`${caep}device-compliance-change`, ["current_status", "previous_status"]],
    [`${caep}session-established`, []],
    [`${caep}session-presented`, []],
    [`${caep}risk-level-change`, ["principal", "current_level"]],
    [`${risc}account-credential-change-required`, []],
    [`${risc}account-purged`, []],
    [`${risc}account-disabled`, []],
    [`${risc}account-enabled`, []],
    [`${risc}identifier-changed`, []],
    [`${risc}identifier-recycled`, []],
    [`${risc}credential-compromise`, ["credential_type"]],
    [`${risc}recovery-activated`, []],
    [`${risc}recovery-information-changed`, []],
    [`${risc}sessions-revoked`, []],
    [`${oauth}tokens-revoked`, []],
    [`${oauth}token-revoked`, ["token"]],
  ] as const;
  const pushes: string[] = [];
  const { as } = await mockWithStream(cases.map(([type]) => type), pushes, { profile: "google" });
  assertEquals(Object.values(eventTypes).sort(), cases.map(([type]) => type).sort());
  for (const [type, required] of cases) {
    const name = type.split("/").at(-1) as keyof typeof eventTypes;
    const members = { claims: { role: "guest" }, token: "the-first-letters" };
    assertEquals(await as.sendEvent(name, "alice", { members }), 1, name);
    const claims = decodeClaims(pushes.pop()!) as Json;
    assertEquals([Object.keys(claims.events), pushes], [[type], []]);
    assert(required.every((member) => claims.events[type][member] !== undefined), name);
    assertEquals(claims.sub_id.format, name.startsWith("identifier") ? "email" : "iss_sub");
  }
  await as.revoke({ sub: "alice" });
  assertEquals(pushes.flatMap((set) => Object.keys((decodeClaims(set) as Json).events)), [`${caep}session-revoked`]);
  await as.close();
});

test("[SS-03] without the profile google a stream has types of CAEP and RISC alone", async () => {
  const { as, stream } = await mockWithStream([`${oauth}tokens-revoked`, `${oauth}token-revoked`]);
  assertEquals(stream.events_supported.filter((type: string) => ![caep, risc].some((one) => type.startsWith(one))), []);
  assertEquals(stream.events_delivered, []);
  for (const name of ["tokens-revoked", "token-revoked"] as const) {
    assertEquals(await as.sendEvent(name, "alice", { members: { token: "x" } }), 0);
  }
  await as.close();
});

test("[SS-13] an event is about a user of the server, or one that was removed", async () => {
  const pushes: string[] = [];
  const { as } = await mockWithStream([`${risc}account-disabled`], pushes);
  const unknown = await assertRejects(() => as.sendEvent("account-disabled", "mallory"), TypeError);
  assertEquals(unknown.message, 'The server has no user "mallory". Its users: alice, bob.');
  await as.users.delete("bob");
  assertEquals(await as.sendEvent("account-disabled", "bob"), 1);
  assertEquals(pushes.map((set) => (decodeClaims(set) as Json).sub_id.sub), ["bob"]);
  await as.close();
});

test("[SS-09] every fault makes a token that a receiver must notice", async () => {
  const type = `${caep}session-revoked`;
  const pushes: string[] = [];
  const { as, client } = await mockWithStream([type], pushes);
  const jwks = createLocalJWKSet(await (await as.fetch("/oauth2/jwks")).json());
  const verify = async (set: string) => {
    const expected = { issuer: as.issuer, audience: client.client_id, typ: "secevent+jwt", currentDate: new Date(0) };
    return await jwtVerify(set, jwks, expected).then(() => "accepted", ({ code }) => code);
  };
  const outcome = async (fault?: NonNullable<Parameters<typeof as.sendEvent>[2]>["fault"]) => {
    await as.sendEvent("session-revoked", "alice", fault && { fault });
    return await Promise.all(pushes.splice(0).map(verify));
  };
  assertEquals(await outcome(), ["accepted"]);
  assertEquals(await outcome("wrong audience"), ["ERR_JWT_CLAIM_VALIDATION_FAILED"]);
  assertEquals(await outcome("wrong issuer"), ["ERR_JWT_CLAIM_VALIDATION_FAILED"]);
  assertEquals(await outcome("wrong type"), ["ERR_JWT_CLAIM_VALIDATION_FAILED"]);
  assertEquals(await outcome("wrong signature"), ["ERR_JWS_SIGNATURE_VERIFICATION_FAILED"]);
  assert((await outcome("unsigned"))[0] !== "accepted");
  await as.sendEvent("session-revoked", "alice", { fault: "unsigned" });
  assertEquals({ ...decodeProtectedHeader(pushes.pop()!) }, { alg: "none", typ: "secevent+jwt" });
  await as.sendEvent("session-revoked", "alice", { fault: "late" });
  const { iat, events } = decodeClaims(pushes.pop()!) as Json;
  assertEquals([iat, events[type].event_timestamp], Array(2).fill(as.clock.now() / 1000 - 3600));
  await as.sendEvent("session-revoked", "alice", { fault: "duplicate" });
  assertEquals(new Set(pushes.map((set) => decodeClaims(set).jti)).size, 1);
  assertEquals(pushes.length, 2);
  await as.close();
});

test("[SS-09, SS-13] the control over HTTP sends the same events with the same faults", async () => {
  const type = `${caep}session-revoked`;
  const pushes: string[] = [];
  const { as, client } = await mockWithStream([type], pushes);
  const { post } = controlClient(as);
  const received = async (fault?: string) => {
    const options = { members: { reason_admin: { en: "test" } }, ...fault !== undefined && { fault } };
    const { status, body } = await post("/sendEvent", { type: "session-revoked", sub: "alice", options });
    assertEquals([status, body], [200, { streams: 1 }], fault);
    return pushes.splice(0).map((set) => {
      const { aud, iat, jti, events } = decodeClaims(set) as Json;
      assertEquals(events[type].reason_admin, { en: "test" });
      return { aud, jti, age: as.clock.now() / 1000 - iat, isSigned: !set.endsWith(".") };
    });
  };
  const correct = { aud: client.client_id, age: 0, isSigned: true };
  for (
    const [fault, expected] of [
      [undefined, correct],
      ["late", { ...correct, age: 3600 }],
      ["wrong audience", { ...correct, aud: "another-client" }],
      ["unsigned", { ...correct, isSigned: false }],
    ] as const
  ) {
    assertEquals((await received(fault)).map(({ jti: _, ...others }) => others), [expected], fault);
  }
  const [first, second] = await received("duplicate");
  assertEquals(first, second);
  const { status, body } = await post("/sendEvent", {
    type: "session-revoked",
    sub: "alice",
    options: { fault: "forged" },
  });
  assertEquals([status, body.errors[0].place, body.errors[0].received], [400, "options.fault", `"forged"`]);
  await as.close();
});

test("[SS-10] the log has each push, with the status of the response, until it is cleared", async () => {
  const type = `${caep}session-revoked`;
  const { as, client } = await mockWithStream([type], []);
  const jtis: unknown[] = [];
  const statuses = [202, 400, 503, 202];
  as.serve("https://app.test/events", async (request) => {
    jtis.push(decodeClaims(await request.text()).jti);
    return new Response(null, { status: statuses.shift()! });
  });
  await as.sendEvent("session-revoked", "alice");
  await as.sendEvent("session-revoked", "alice", { fault: "wrong signature" });
  await as.sendEvent("session-revoked", "alice");
  const at = as.clock.now();
  as.clock.advance(61);
  await as.sendEvent("session-revoked", "bob");
  const delivery = { at, client: client.client_id, attempt: 1 };
  assertEquals(as.log.eventDeliveries.slice(0, 3), [
    { ...delivery, jti: jtis[0] as string, status: 202 },
    { ...delivery, jti: jtis[1] as string, status: 400 },
    { ...delivery, jti: jtis[2] as string, status: 503, retryAt: at + 60_000 },
  ]);
  const { attempt, jti, retryAt } = as.log.eventDeliveries[3]!;
  assertEquals([attempt, jti, retryAt], [2, jtis[2], undefined]);
  as.log.clear();
  assertEquals(as.log.eventDeliveries, []);
  await as.close();
});

test("[SS-09] a member can be the subject, where receivers of Google and Apple read it", async () => {
  const pushes: string[] = [];
  const { as } = await mockWithStream([`${risc}sessions-revoked`], pushes);
  const subject = { subject_type: "iss-sub", iss: as.issuer, sub: "alice" };
  await as.sendEvent("sessions-revoked", "alice", { members: { subject } });
  const { events, sub_id } = decodeClaims(pushes[0]!) as Json;
  assertEquals(events, { [`${risc}sessions-revoked`]: { subject } });
  assertEquals(sub_id, { format: "iss_sub", iss: as.issuer, sub: "alice" });
  await as.close();
});

test("[SS-11] a polled duplicate arrives again after its acknowledgement", async () => {
  const { as, poll } = await mockWithStream([`${caep}session-revoked`]);
  await as.sendEvent("session-revoked", "alice", { fault: "duplicate" });
  const [jti] = Object.keys((await poll()).sets);
  assertEquals(Object.keys((await poll({ ack: [jti] })).sets), [jti]);
  assertEquals((await poll({ ack: [jti] })).sets, {});
  await as.close();
});

test("wrong calls say what was expected", async () => {
  await using off = await testLatchkey();
  const { message } = await assertRejects(() => off.sendEvent("session-revoked", "alice"), TypeError);
  assertEquals(
    message,
    "sendEvent: expected a server with security events, received one without them. Set sharedSignals: true.",
  );
  await using on = await testLatchkey({ sharedSignals: true, users: [{ sub: "alice" }] });
  await assertRejects(() => on.sendEvent("token-claims-change", "alice"), TypeError, "members.claims");
  for (const name of ["identifier-changed", "identifier-recycled"] as const) {
    await assertRejects(() => on.sendEvent(name, "alice"), TypeError, "sendEvent: expected a user with email or");
  }
  await assertRejects(() => on.sendEvent("session-revoked", "alice", { fault: "none" as never }), TypeError, "fault");
  assertEquals(await on.sendEvent("session-revoked", "alice"), 0);
});
