/**
 * Shared signals: streams of security events (group SS).
 *
 * @extensions client_logout, pairwise, registration
 */

import type { ListedRecord } from "../../../../src/core/store/store.ts";
import type { StreamEventRecord } from "../../../../src/server/extensions/shared_signals/records.ts";
import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { test } from "node:test";
import { memoryStore } from "../../../../src/mod.ts";
import { storeKinds } from "../../../platform/store/store_kinds.ts";
import { decodeClaims, forEachCase, getRejections, sharedStore } from "../../../kit.ts";
import { until } from "../../../until.ts";
import { openBrowser } from "../../browser.ts";
import { postRegistration } from "../../registering.ts";
import { randomBytes } from "../../../../src/core/keys/crypto.ts";
import { randomToken } from "../../../../src/core/keys/secrets.ts";
import { rememberingRandom } from "../../../../src/server/redaction/issued_secrets.ts";
import { caep, type Json, machine, receiverWith, risc, signalServer, verificationType } from "./receiver.ts";

const push = (endpoint_url: string, others = {}) => ({
  delivery: { method: "urn:ietf:rfc:8935", endpoint_url, ...others },
});
const digest = "$scrypt$ln=15,r=8,p=3$4fXXG0spB92WPB1NitT8/Q$dAf4FAXv5aPZ5rXGwYtVjPyLZkUJzYV6c9xJFXG1bBo";

const allUserEvents = [
  `${caep}session-revoked`,
  `${caep}credential-change`,
  `${risc}account-purged`,
];

/** The single type in `events` of each token, in alphabetical order. */
function typesOf(claims: Json[]): string[] {
  return claims.map(({ events }) => Object.keys(events).join()).sort();
}

test("[SS-01] the metadata names every endpoint, and the server has both scope values", async () => {
  const b = await signalServer();
  const metadata = await (await b.get("/.well-known/ssf-configuration")).json();
  assertEquals(metadata, {
    spec_version: "1_0",
    issuer: "https://as.test",
    jwks_uri: "https://as.test/oauth2/jwks",
    delivery_methods_supported: ["urn:ietf:rfc:8935", "urn:ietf:rfc:8936"],
    configuration_endpoint: "https://as.test/ssf/stream",
    status_endpoint: "https://as.test/ssf/status",
    add_subject_endpoint: "https://as.test/ssf/subjects/add",
    remove_subject_endpoint: "https://as.test/ssf/subjects/remove",
    verification_endpoint: "https://as.test/ssf/verification",
    authorization_schemes: [{ spec_urn: "urn:ietf:rfc:6749" }],
    default_subjects: "ALL",
  });
  const { scopes_supported } = await (await b.get("/.well-known/openid-configuration")).json();
  assertEquals(scopes_supported.filter((value: string) => value.startsWith("ssf.")), ["ssf.manage", "ssf.read"]);
  const below = await signalServer({ issuer: "https://as.test/tenant", sharedSignalsSubjects: "NONE" });
  const response = await below.as.fetch(new Request("https://as.test/.well-known/ssf-configuration/tenant"));
  const { issuer, status_endpoint, default_subjects } = await response.json();
  assertEquals([issuer, status_endpoint, default_subjects], [
    "https://as.test/tenant",
    "https://as.test/tenant/ssf/status",
    "NONE",
  ]);
});

test("[SS-01] off by default: every path is unknown, and metadata has none of its scope values", async () => {
  const b = await signalServer({ sharedSignals: undefined, clients: [] });
  for (const path of ["/.well-known/ssf-configuration", "/ssf/stream", "/ssf/status", "/ssf/poll/x"]) {
    assertEquals((await b.get(path, { headers: { accept: "application/json" } })).status, 404, path);
  }
  assertEquals(JSON.stringify(await (await b.get("/.well-known/openid-configuration")).json()).includes("ssf"), false);
});

test("[SS-02] every endpoint requires a token with ssf.manage; ssf.read is enough to read and to poll", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const stream = await receiver.create();
  const requests: [method: string, path: string, reads: boolean][] = [
    ["GET", `/ssf/stream?stream_id=${stream.stream_id}`, true],
    ["GET", `/ssf/status?stream_id=${stream.stream_id}`, true],
    ["POST", stream.delivery.endpoint_url, true],
    ...["POST /ssf/stream", "PATCH /ssf/stream", "PUT /ssf/stream", "POST /ssf/status", "POST /ssf/subjects/add"]
      .map((line): [string, string, boolean] => [line.split(" ")[0]!, line.split(" ")[1]!, false]),
    ["POST", "/ssf/subjects/remove", false],
    ["POST", "/ssf/verification", false],
    ["DELETE", `/ssf/stream?stream_id=${stream.stream_id}`, false],
  ];
  const [reading, other] = [await b.receiver("receiver", "ssf.read"), await b.receiver("reader", "read")];
  await forEachCase(requests, async ([method, path, reads]) => {
    const body = method === "GET" || method === "DELETE" ? undefined : { returnImmediately: true };
    assertEquals((await receiverWith(b, "unknown").send(method, path, body)).body.error, "invalid_token");
    assertEquals((await other.send(method, path, body)).body.error, "insufficient_scope");
    const { status } = await reading.send(method, path, body);
    assertEquals(status, reads ? 200 : 403);
  });
});

test("[SS-02] a client that lost the scope value, or that registered itself, has no streams", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const stream = await receiver.create(push("https://rp.example/events"));
  b.as.clients.set(machine("receiver", { scope: "read" }));
  assertEquals((await receiver.send("GET", "/ssf/stream")).status, 403);
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  await browser.get(`/oauth2/logout?id_token_hint=${id_token}`);
  b.as.clients.set(machine("receiver"));
  assertEquals((await receiver.send("GET", "/ssf/stream")).body, [stream]);
  const grant_types = ["client_credentials"];
  const requestOf = async (registeredScope: string, scope: string) => {
    const registered = await (await postRegistration(b, { grant_types, scope: registeredScope })).json();
    const { client_id, client_secret } = registered;
    return await (await b.post("/oauth2/token", {
      ...{ client_id, client_secret, scope },
      grant_type: "client_credentials",
    }))
      .json();
  };
  assertEquals((await requestOf("ssf.manage", "ssf.manage")).error, "invalid_scope");
  const { access_token } = await requestOf("read ssf.manage", "read");
  const { status, body } = await receiverWith(b, access_token).send("GET", "/ssf/stream");
  assertEquals([status, body.error], [403, "insufficient_scope"]);
  assertEquals(b.pushes, []);
});

test("[SS-03] the configuration says what is delivered: requested and supported types; by default the client polls", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const events_requested = [`${risc}account-purged`, "urn:example:unknown"];
  const stream = await receiver.create({ events_requested, description: "for the shop" });
  assertEquals([stream.iss, stream.aud, stream.events_requested, stream.events_delivered, stream.description], [
    "https://as.test",
    "receiver",
    events_requested,
    [`${risc}account-purged`],
    "for the shop",
  ]);
  const received = b.events.flatMap((event) => event.type === "warning" ? [event.explanation.received] : []);
  assertEquals(received, ['"urn:example:unknown"']);
  assertEquals(stream.delivery, {
    method: "urn:ietf:rfc:8936",
    endpoint_url: `https://as.test/ssf/poll/${stream.stream_id}`,
  });
  assertEquals((await receiver.create({ events_requested: undefined })).events_delivered, []);
  const secret = { authorization_header: "Bearer of-the-receiver" };
  const pushed = await receiver.create(push("https://rp.example/events", secret));
  assertEquals(pushed.delivery, push("https://rp.example/events").delivery);
});

test("[SS-03] malformed members get 400, and nothing is created", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const stream = await receiver.create();
  const id = stream.stream_id;
  const ofConfiguration: unknown[] = [
    ...["", "[]", "{", "null", { events_requested: "x" }, { events_requested: [1] }, { description: 1 }],
    ...[{ delivery: "push" }, { delivery: {} }, { delivery: null }, { events_requested: Array(101).fill("urn:x") }],
    ...["rp.example", "ftp://rp.example/", "javascript:alert(1)", "http://rp.com/x", "https://rp.example/#x", 7, null]
      .map((url) => push(url as string)),
    ...["Bearer a\r\nx: y", "", 1].map((authorization_header) => push("https://rp.example/", { authorization_header })),
  ];
  const cases: [path: string, body: unknown][] = [
    ...ofConfiguration.map((body): [string, unknown] => ["/ssf/stream", body]),
    ["/ssf/status", { stream_id: id, status: "off" }],
    ["/ssf/status", { stream_id: id, status: "paused", reason: {} }],
    ["/ssf/verification", { stream_id: id, state: 1 }],
    ["/ssf/subjects/add", { stream_id: id }],
    ["/ssf/subjects/add", { stream_id: id, subject: { format: "email", email: 1 } }],
    ["/ssf/subjects/remove", { stream_id: id, subject: { format: "constructor" } }],
    ["/ssf/subjects/add", { stream_id: id, subject: { format: "email", email: "a@b" }, verified: "yes" }],
    ...[{ maxEvents: -1 }, { maxEvents: 0.5 }, { ack: "x" }, { ack: [1] }, { setErrs: [] }, { returnImmediately: 1 }]
      .map((body): [string, unknown] => [stream.delivery.endpoint_url, body]),
  ];
  await forEachCase(cases, async ([path, body]) => {
    const reply = await receiver.send("POST", path, body);
    assertEquals([reply.status, reply.body.error], [400, "invalid_request"]);
  });
  // Values whose conversion to text would fail.
  const hostile = [{ toString: 1 }, { toString: 2 }];
  const supplied = await receiver.send("PATCH", "/ssf/stream", { stream_id: id, events_supported: hostile });
  assertEquals([supplied.status, supplied.body.error], [400, "invalid_request"]);
  for (const error of [null, 7, { err: hostile[0], description: hostile }]) {
    await receiver.poll(stream, { setErrs: { __proto__: error, unknown: error } });
  }
  assertEquals((await receiver.send("GET", "/ssf/stream")).body, [stream]);
});

test("[SS-03] a rejection shows the value and how to correct it, but no secret", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const { stream_id, delivery } = await receiver.create();
  const explain = async (path: string, body: object) => {
    await receiver.send("POST", path, body);
    const { received, fix } = getRejections(b.events).at(-1)!.explanation;
    return [received, fix];
  };
  assertEquals(await explain("/ssf/status", { stream_id, status: "off" }), [
    '"off"',
    "Send enabled, paused or disabled as status.",
  ]);
  assertEquals(await explain("/ssf/stream", { events_requested: ["urn:x", 1] }), [
    "2 values, one of them 1",
    "Send at most 100 strings as events_requested.",
  ]);
  for (const count of [99, 100, 101]) {
    const events_requested = Array.from({ length: count }, (_, i) => `urn:x:${i}`);
    const { status } = await receiver.send("PATCH", "/ssf/stream", { stream_id, events_requested });
    assertEquals(status, count > 100 ? 400 : 200, `${count}`);
  }
  assertEquals(await explain("/ssf/subjects/add", { stream_id, subject: { format: "opaque", id: "alice" } }), [
    'format "opaque", members "format, id"',
    "Name the user by iss and sub of its ID token, or by the e-mail address.",
  ]);
  assertEquals(await explain("/ssf/stream", push("https://rp.example/", { authorization_header: "hunter2\r\n" })), [
    "9 characters",
    "Send 1 to 2048 printable ASCII characters as delivery.authorization_header.",
  ]);
  assertEquals(await explain(delivery.endpoint_url, { maxEvents: "3" }), [
    'maxEvents: "3"; returnImmediately: false; ack: an array; setErrs: an object',
    "Correct the type of the member, or leave it out.",
  ]);
  const [received = ""] = await explain("/ssf/stream", push("https://a:hunter2@rp.example/#x"));
  assert(received.endsWith('@rp.example/#x"') && !received.includes("hunter2"), received);
});

test("[SS-04] another client's stream is unknown at every endpoint, and unchanged", async () => {
  const b = await signalServer();
  const [receiver, foreign] = [await b.receiver(), await b.receiver("foreign")];
  const stream = await receiver.create();
  const { stream_id } = stream;
  const subject = { format: "email", email: "alice@example.com" };
  const requests: [method: string, path: string, body?: object][] = [
    ["GET", `/ssf/stream?stream_id=${stream_id}`],
    ["PATCH", "/ssf/stream", { stream_id, description: "mine" }],
    ["PUT", "/ssf/stream", { stream_id }],
    ["GET", `/ssf/status?stream_id=${stream_id}`],
    ["POST", "/ssf/status", { stream_id, status: "disabled" }],
    ["POST", "/ssf/subjects/add", { stream_id, subject }],
    ["POST", "/ssf/subjects/remove", { stream_id, subject }],
    ["POST", "/ssf/verification", { stream_id }],
    ["POST", stream.delivery.endpoint_url, { returnImmediately: true }],
    ["DELETE", `/ssf/stream?stream_id=${stream_id}`],
  ];
  await forEachCase(requests, async ([method, path, body]) => {
    const unknown = JSON.parse(JSON.stringify([path, body ?? null]).replaceAll(stream_id, "no-such-stream"));
    const replies = [
      await foreign.send(method, path, body),
      await foreign.send(method, unknown[0], unknown[1] ?? undefined),
    ];
    assertEquals(replies[0], replies[1]);
    assertEquals([replies[0]!.status, replies[0]!.body.error], [404, "not_found"]);
  });
  assertEquals((await foreign.send("GET", "/ssf/stream")).body, []);
  assertEquals((await receiver.send("GET", `/ssf/stream?stream_id=${stream_id}`)).body, stream);
  assertEquals((await receiver.poll(stream)).sets, {});
  assertEquals((await receiver.send("DELETE", `/ssf/stream?stream_id=${stream_id}`)).status, 204);
  assertEquals((await receiver.send("GET", `/ssf/stream?stream_id=${stream_id}`)).status, 404);
});

test("[SS-05] PATCH changes what it has, PUT removes what it lacks, and neither changes what the server supplies", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const stream = await receiver.create({ description: "first" });
  const { stream_id } = stream;
  const patched = await receiver.send("PATCH", "/ssf/stream", { ...stream, ...push("https://rp.example/x") });
  assertEquals([patched.status, patched.body], [200, { ...stream, ...push("https://rp.example/x") }]);
  await forEachCase(["iss", "aud", "events_supported", "events_delivered"], async (name) => {
    const body = { stream_id, description: "second", [name]: ["another"] };
    for (const method of ["PATCH", "PUT"]) assertEquals((await receiver.send(method, "/ssf/stream", body)).status, 400);
  });
  assertEquals((await receiver.send("GET", `/ssf/stream?stream_id=${stream_id}`)).body, patched.body);
  const replaced = (await receiver.send("PUT", "/ssf/stream", { stream_id })).body;
  assertEquals([replaced.events_delivered, replaced.description, replaced.delivery], [[], undefined, stream.delivery]);
});

test("[SS-06] a client has at most ten streams, and a stream keeps the thousand newest events", async () => {
  const store = memoryStore();
  const b = await signalServer({ store });
  const receiver = await b.receiver();
  const stream = await receiver.create();
  for (let number = 2; number <= 10; number++) await receiver.create();
  const { status, body } = await receiver.send("POST", "/ssf/stream", {});
  assertEquals([status, /SS-06/.test(body.error_description)], [403, true]);
  await (await b.receiver("foreign")).create();
  const verify = (state: string) => receiver.send("POST", "/ssf/verification", { stream_id: stream.stream_id, state });
  await verify("0");
  b.advance(1);
  await verify("1");
  const [, second] = await store.list("stream_event", { prefix: "", limit: 2 });
  for (let number = 2; number < 1000; number++) {
    const { value, expiresAt } = second! as ListedRecord<StreamEventRecord>;
    const event = { ...value, claims: { ...value.claims, jti: `${number}` } };
    await store.put("stream_event", `${second!.id} ${number}`, event, { expiresAt });
  }
  assertEquals((await receiver.poll(stream, { maxEvents: 1 })).claims[0].events[verificationType].state, "0");
  // A response has at most 100.
  for (const [maxEvents, received] of [[99, 99], [100, 100], [101, 100], [undefined, 100]] as const) {
    assertEquals((await receiver.poll(stream, { maxEvents })).claims.length, received);
  }
  b.advance(1);
  await verify("last");
  const { claims, moreAvailable } = await receiver.poll(stream, { maxEvents: 1 });
  assertEquals([claims[0].events[verificationType].state, moreAvailable], ["1", true]);
  await Promise.all(Array.from({ length: 20 }, (_, number) => verify(`at the same time ${number}`)));
  assertEquals(await store.count("stream_event", ""), 1000);
  b.advance(7 * 24 * 3600 + 1);
  assertEquals((await (await b.receiver()).poll(stream)).sets, {});
});

for (const [name, skip, create] of storeKinds) {
  test(`[SS-06] ${name}: requests at the same time create at most ten streams`, { skip }, async () => {
    const store = await create()();
    const b = await signalServer({ store });
    const receiver = await b.receiver();
    await Promise.all(Array.from({ length: 30 }, () => receiver.send("POST", "/ssf/stream", {})));
    const count = await store.count("event_stream", "");
    await b.as.close();
    assert(count <= 10, String(count));
  });
}

test("[SS-06] requests at the same time add at most 10,000 subjects, and a known one can change at the limit", async () => {
  const store = memoryStore();
  const added = () => store.count("stream_subject", "");
  const requests = 10;
  let awaited = 0;
  const { promise: allCounted, resolve } = Promise.withResolvers<void>();
  const count: typeof store.count = async (kind, prefix) => {
    const real = await store.count(kind, prefix);
    if (kind !== "stream_subject") return real;
    if (awaited > 0 && --awaited === 0) resolve();
    if (awaited > 0) await allCounted;
    return real + 9_997;
  };
  const b = await signalServer({ store: { ...store, count } });
  const receiver = await b.receiver();
  const { stream_id } = await receiver.create();
  const change = async (email: string, path = "add") => {
    const subject = { format: "email", email };
    return (await receiver.send("POST", `/ssf/subjects/${path}`, { stream_id, subject })).status;
  };
  assertEquals(await change("first@example.com"), 200);
  awaited = requests;
  await Promise.all(Array.from({ length: requests }, (_, number) => change(`${number}@example.com`)));
  assert(await added() <= 3, String(await added()));
  for (let number = await added(); number < 3; number++) assertEquals(await change(`later-${number}@example.com`), 200);
  assertEquals(await change("one-more@example.com"), 403);
  assertEquals(await change("first@example.com", "remove"), 204);
  assertEquals(await added(), 3);
});

test("[SS-07] a paused stream keeps its events, and a disabled one drops them", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const polled = await receiver.create();
  const pushed = await receiver.create(push("https://rp.example/events"));
  const setStatus = async (stream: Json, status: string, reason?: string) => {
    const reply = await receiver.send("POST", "/ssf/status", { stream_id: stream.stream_id, status, reason });
    const current = await receiver.send("GET", `/ssf/status?stream_id=${stream.stream_id}`);
    assertEquals([reply.body, current.body], Array(2).fill(JSON.parse(JSON.stringify(reply.body))));
    return reply.body;
  };
  assertEquals(await setStatus(polled, "paused", "maintenance"), {
    ...{ stream_id: polled.stream_id, status: "paused", reason: "maintenance" },
  });
  await setStatus(pushed, "paused");
  for (const stream of [polled, pushed]) {
    await receiver.send("POST", "/ssf/verification", { stream_id: stream.stream_id, state: "kept" });
  }
  assertEquals([(await receiver.poll(polled)).sets, b.pushes], [{}, []]);
  for (const stream of [polled, pushed]) await setStatus(stream, "enabled");
  const [kept] = (await receiver.poll(polled)).claims;
  assertEquals([kept, b.pushes[0]!.claims].map(({ events }) => events[verificationType].state), ["kept", "kept"]);
  await setStatus(polled, "disabled");
  await receiver.send("POST", "/ssf/verification", { stream_id: polled.stream_id });
  await setStatus(polled, "enabled");
  assertEquals((await receiver.poll(polled)).sets, {});
});

test("[SS-08] a stream has the events of every user but the removed ones, or only those of the added ones", async () => {
  for (const sharedSignalsSubjects of ["ALL", "NONE"] as const) {
    const b = await signalServer({ sharedSignalsSubjects });
    const receiver = await b.receiver();
    const stream = await receiver.create({ events_requested: [`${risc}account-purged`] });
    const { stream_id } = stream;
    const verb = sharedSignalsSubjects === "ALL" ? "remove" : "add";
    const subjects = [
      { format: "email", email: "ALICE@example.com" },
      { format: "iss_sub", iss: "https://other.test", sub: "bob" },
      { format: "iss_sub", iss: "https://as.test", sub: "unknown" },
    ];
    for (const subject of subjects) {
      const { status, body } = await receiver.send("POST", `/ssf/subjects/${verb}`, { stream_id, subject });
      assertEquals([status, body], [verb === "add" ? 200 : 204, undefined]);
    }
    b.as.users.delete("alice");
    b.as.users.delete("bob");
    const expected = sharedSignalsSubjects === "ALL" ? "bob" : "alice";
    await until(async () => (await receiver.poll(stream)).claims.length === 1);
    assertEquals((await receiver.poll(stream)).claims[0].sub_id, {
      ...{ format: "iss_sub", iss: "https://as.test", sub: expected },
    });
  }
});

test("[SS-08] the end of a session reaches a stream that names its user by email address", async () => {
  const b = await signalServer({ sharedSignalsSubjects: "NONE" });
  const receiver = await b.receiver();
  const stream = await receiver.create({ events_requested: [`${caep}session-revoked`] });
  const subject = { format: "email", email: "alice@example.com" };
  await receiver.send("POST", "/ssf/subjects/add", { stream_id: stream.stream_id, subject });
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  await browser.get(`/oauth2/logout?id_token_hint=${id_token}`);
  const [revoked] = (await receiver.poll(stream)).claims;
  assertEquals(revoked.sub_id.session, { format: "opaque", id: decodeClaims(id_token).sid });
});

test("[SS-09] a token is signed, typed and about one event, and is no other token of this server", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const stream = await receiver.create();
  await receiver.send("POST", "/ssf/verification", { stream_id: stream.stream_id });
  const { sets } = await receiver.poll(stream);
  const [[jti, set]] = Object.entries(sets) as [[string, string]];
  const jwks = createLocalJWKSet(await (await b.get("/oauth2/jwks")).json());
  const { payload, protectedHeader } = await jwtVerify(set, jwks, { typ: "secevent+jwt", currentDate: new Date(0) });
  assertEquals(protectedHeader.alg, "EdDSA");
  assertEquals(payload, {
    ...{ iss: "https://as.test", jti, iat: Date.UTC(2026, 0, 1) / 1000, aud: "receiver" },
    sub_id: { format: "opaque", id: stream.stream_id },
    events: { [verificationType]: {} },
  });
  assertEquals((await receiverWith(b, set).send("GET", "/oauth2/userinfo")).status, 401);
  assertEquals((await receiverWith(b, set).send("GET", "/ssf/stream")).status, 401);
});

test("[SS-10] a push is a post of the token with the header of the stream, and only 202 is success", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const authorization_header = "Bearer secret-of-the-receiver";
  const { stream_id } = await receiver.create(push("https://rp.example/events?x=1", { authorization_header }));
  const verify = () => receiver.send("POST", "/ssf/verification", { stream_id, state: "s" });
  assertEquals((await verify()).status, 204);
  const [{ url, init, header, claims }] = b.pushes as [(typeof b.pushes)[0]];
  assertEquals([url, init.method, init.redirect, header.typ, claims.aud], [
    ...["https://rp.example/events?x=1", "POST", "manual", "secevent+jwt", "receiver"],
  ]);
  assertEquals(init.headers, {
    "content-type": "application/secevent+jwt",
    accept: "application/json",
    authorization: authorization_header,
  });
  assertEquals(b.events.filter(({ type }) => type === "warning"), []);
  const error = { err: "invalid_key", description: "unknown kid" };
  for (const [status, isRepeated] of [[200, false], [302, false], [400, false], [429, true], [503, true]] as const) {
    b.respond = () => new Response(status === 400 ? JSON.stringify(error) : null, { status });
    await verify();
    const warning = b.events.findLast(({ type }) => type === "warning") as Json;
    assertEquals([warning.explanation.rule, /next attempt/.test(warning.explanation.reason)], ["SS-10", isRepeated]);
    assertMatch(warning.explanation.received, status === 400 ? /invalid_key: unknown kid/ : new RegExp(`${status}`));
  }
  assertEquals(JSON.stringify(b.events).includes("secret-of-the-receiver"), false);
});

test("[SS-10] a failed push is repeated after one, five and thirty minutes with the same jti, and then given up", async () => {
  const b = await signalServer();
  const { send, create } = await b.receiver();
  const { stream_id } = await create(push("https://rp.example/events"));
  b.respond = () => Promise.reject(new Error("connection refused"));
  await send("POST", "/ssf/verification", { stream_id });
  const warnings = () => b.events.filter(({ type }) => type === "warning").length;
  for (const [index, seconds] of [60, 300, 1800].entries()) {
    b.advance(seconds);
    await b.get("/oauth2/jwks");
    await until(() => warnings() === index + 2);
  }
  b.advance(7200);
  await b.get("/oauth2/jwks");
  assertEquals(new Set(b.pushes.map(({ claims }) => claims.jti)).size, 1);
  assertEquals(b.pushes.length, 4);
});

test("[SS-10] no push goes to a host that the server must not contact (SSRF)", async () => {
  const b = await signalServer({
    issuer: "https://login.widgets.com",
    insecure: ["auto-login"],
    outbound: undefined,
  });
  const { send, create } = await b.receiver();
  const { stream_id } = await create(push("https://127.0.0.1:1/events"));
  await send("POST", "/ssf/verification", { stream_id });
  const { explanation } = b.events.findLast(({ type }) => type === "warning") as Json;
  assertMatch(explanation.reason, /is not repeated/);
  assertMatch(explanation.received, /no response/);
});

test("[SS-11] each poll returns an event until it is acknowledged, and an error of the client is a warning", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const stream = await receiver.create();
  for (const state of ["1", "2", "3"]) {
    await receiver.send("POST", "/ssf/verification", { stream_id: stream.stream_id, state });
    b.advance(1);
  }
  const statesOf = ({ claims }: Json) => claims.map(({ events }: Json) => events[verificationType].state);
  const first = await receiver.poll(stream, { maxEvents: 2 });
  assertEquals([statesOf(first), first.moreAvailable], [["1", "2"], true]);
  const ack = [first.claims[0].jti, "unknown"];
  assertEquals(await receiver.poll(stream, { maxEvents: 0, ack }).then(({ sets }) => sets), {});
  const setErrs = { [first.claims[1].jti]: { err: "invalid_audience", description: "not mine" } };
  const last = await receiver.poll(stream, { setErrs });
  assertEquals([statesOf(last), last.moreAvailable], [["3"], undefined]);
  const { explanation } = b.events.findLast(({ type }) => type === "warning") as Json;
  assertEquals(explanation.rule, "SS-11");
  assertMatch(explanation.received, /invalid_audience \(not mine\)/);
});

test("[SS-11, HT-15] a code in the description of an error is hidden, also where the text is cut", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const stream = await receiver.create();
  const code = randomToken(rememberingRandom(randomBytes));
  for (let length = 150; length < 200; length++) {
    await receiver.send("POST", "/ssf/verification", { stream_id: stream.stream_id, state: "1" });
    const { claims: [{ jti }] } = await receiver.poll(stream, {});
    await receiver.poll(stream, { setErrs: { [jti]: { err: "other", description: `${".".repeat(length)}${code}` } } });
    b.advance(1);
  }
  assertEquals(JSON.stringify(b.events).includes(code.slice(0, 20)), false);
});

test("[SS-11] of polls without acknowledgement only the first one signs, until another key does", async () => {
  let signatures = 0;
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const privateKeys = new Map<string, CryptoKey>();
  const b = await signalServer({
    alg: "ES256",
    keySource: {
      async create(_alg, number) {
        const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, false, ["sign", "verify"]);
        privateKeys.set(`key-${number}`, privateKey);
        return { kid: `key-${number}`, jwk: { ...await crypto.subtle.exportKey("jwk", publicKey) } };
      },
      signFunction: (_alg, { kid }) => async (bytes) => {
        signatures++;
        return new Uint8Array(await crypto.subtle.sign(algorithm, privateKeys.get(kid)!, new Uint8Array(bytes)));
      },
    },
  });
  const receiver = await b.receiver();
  const stream = await receiver.create();
  for (const state of ["1", "2"]) {
    await receiver.send("POST", "/ssf/verification", { stream_id: stream.stream_id, state });
  }
  const poll = async () => {
    const before = signatures;
    const { sets } = await receiver.poll(stream);
    const kids = Object.values(sets).map((set) => decodeProtectedHeader(set as string).kid);
    return [signatures - before, ...kids];
  };
  assertEquals([await poll(), await poll()], [[2, "key-0", "key-0"], [0, "key-0", "key-0"]]);
  await b.as.rotateKeys("ES256", 0);
  assertEquals([await poll(), await poll()], [[2, "key-1", "key-1"], [0, "key-1", "key-1"]]);
});

test("[SS-11] a poll waits for the next event, and a later poll of the stream ends its wait", async () => {
  const store = memoryStore();
  let searches = 0;
  const list: typeof store.list = async (kind, page) => {
    const found = await store.list(kind, page);
    if (kind === "stream_event") searches++;
    return found;
  };
  const b = await signalServer({ store: { ...store, list } });
  const receiver = await b.receiver();
  const stream = await receiver.create();
  const first = receiver.poll(stream, { returnImmediately: false });
  await until(() => searches === 1); // Its timer fires after the promises that begin the wait.
  const second = receiver.poll(stream, { returnImmediately: false });
  assertEquals((await first).sets, {});
  await receiver.send("POST", "/ssf/verification", { stream_id: stream.stream_id, state: "now" });
  assertEquals((await second).claims[0].events[verificationType].state, "now");
});

test("[SS-12, SS-13] a verification and the end of a session reach the stream, with the sid of the client", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const stream = await receiver.create({ events_requested: allUserEvents });
  const state = "VGhpcyBpcw==";
  const { status } = await receiver.send("POST", "/ssf/verification", { stream_id: stream.stream_id, state });
  assertEquals(status, 204);
  b.advance(1);
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  await browser.get(`/oauth2/logout?id_token_hint=${id_token}`);
  const [verification, revoked] = (await receiver.poll(stream)).claims;
  assertEquals(verification.events, { [verificationType]: { state } });
  const { sid } = decodeClaims(id_token);
  assertEquals(revoked.sub_id, {
    format: "complex",
    user: { format: "iss_sub", iss: "https://as.test", sub: "alice" },
    session: { format: "opaque", id: sid },
  });
  assertEquals(revoked.events, { [`${caep}session-revoked`]: { event_timestamp: Date.UTC(2026, 0, 1) / 1000 + 1 } });
});

test("[SS-13] the removal of a user and another password are events; other changes are none", async () => {
  const b = await signalServer();
  const receiver = await b.receiver();
  const stream = await receiver.create({ events_requested: allUserEvents });
  b.as.users.set({ sub: "alice", name: "Alice" });
  b.as.users.set({ sub: "bob", password: digest });
  await until(async () => (await receiver.poll(stream)).claims.length === 2);
  const { claims } = await receiver.poll(stream);
  assertEquals(typesOf(claims), [`${caep}credential-change`, `${caep}session-revoked`]);
  const ack = claims.map(({ jti }: Json) => jti);
  const members = claims.flatMap(({ events }: Json) => events[`${caep}credential-change`] ?? []);
  assertEquals([members[0].credential_type, members[0].change_type], ["password", "update"]);
  b.as.users.delete("alice");
  await until(async () => (await receiver.poll(stream, { ack })).claims.length === 2);
  const removed = (await receiver.poll(stream)).claims;
  assertEquals(typesOf(removed), [`${caep}session-revoked`, `${risc}account-purged`]);
  assert(removed.every(({ sub_id }: Json) => sub_id.sub === "alice"));
});

test("[SS-08, SS-13] a pairwise client gets the sub and the sid of its ID tokens, and names its users by them", async () => {
  const pairwise = machine("pairwise", {
    subject_type: "pairwise",
    grant_types: ["client_credentials", "authorization_code"],
    redirect_uris: ["https://spa.example/cb"],
    token_endpoint_auth_method: "client_secret_post",
  });
  const b = await signalServer({ clients: [pairwise], sharedSignalsSubjects: "NONE" });
  const form = { grant_type: "client_credentials", scope: "ssf.manage", client_id: "pairwise" };
  const client_secret = pairwise.client_secret;
  const { access_token } = await (await b.post("/oauth2/token", { ...form, client_secret })).json();
  const receiver = receiverWith(b, access_token);
  const stream = await receiver.create();
  const browser = openBrowser({ ...b, token: (fields) => b.token({ ...fields, client_secret }) });
  const { id_token } = await browser.login({ client_id: "pairwise" });
  const { sub, sid } = decodeClaims(id_token) as Json;
  assertNotEquals(sub, "alice");
  const subject = { format: "iss_sub", iss: "https://as.test", sub };
  await receiver.send("POST", "/ssf/subjects/add", { stream_id: stream.stream_id, subject });
  await browser.get(`/oauth2/logout?id_token_hint=${id_token}`);
  const { claims: [revoked] } = await receiver.poll(stream);
  assertEquals(revoked.sub_id, { format: "complex", user: subject, session: { format: "opaque", id: sid } });
});

for (const [name, skip, create] of storeKinds) {
  test(`[SS-04, SS-11] ${name}: another instance on the store has the stream and its events`, { skip }, async () => {
    const open = create();
    const [one, other] = [await signalServer({ store: await open() }), await signalServer({ store: await open() })];
    const receiver = await one.receiver();
    const stream = await receiver.create();
    await receiver.send("POST", "/ssf/verification", { stream_id: stream.stream_id, state: "shared" });
    const elsewhere = await other.receiver();
    const { claims: [{ jti }] } = await elsewhere.poll(stream);
    assertNotEquals((await receiver.poll(stream)).sets, {});
    await elsewhere.poll(stream, { ack: [jti] });
    assertEquals((await receiver.poll(stream)).sets, {});
    await elsewhere.send("DELETE", `/ssf/stream?stream_id=${stream.stream_id}`);
    assertEquals((await receiver.send("GET", "/ssf/stream")).body, []);
    await Promise.all([one.as.close(), other.as.close()]);
  });
}

test("[SS-10] two instances on one store repeat a failed push once, also after a restart", async () => {
  const store = sharedStore();
  const first = await signalServer({ store });
  const { send, create } = await first.receiver();
  first.respond = () => new Response(null, { status: 503 });
  const { stream_id } = await create(push("https://rp.example/events"));
  await send("POST", "/ssf/verification", { stream_id });
  await first.as.close();
  const instances = [await signalServer({ store }), await signalServer({ store })];
  const pushes = () => instances.flatMap((instance) => instance.pushes);
  for (const instance of instances) instance.advance(60);
  await Promise.all(instances.map(({ get }) => get("/oauth2/jwks")));
  await until(() => pushes().length > 0);
  await until(async () => await store.count("stream_event", "") === 0);
  assertEquals(pushes().map(({ claims }) => claims.jti), first.pushes.map(({ claims }) => claims.jti));
});

test("[SS-04] the subjects of a stream are deleted with it, and those of another stream stay", async () => {
  const store = memoryStore();
  const b = await signalServer({ store });
  const [receiver, other] = [await b.receiver(), await b.receiver("foreign")];
  const subjects = async () => (await store.list("stream_subject", { prefix: "", limit: 10 })).map(({ id }) => id);
  // The store keeps a removed subject as a record.
  const remove = async ({ send, create }: typeof receiver) => {
    const { stream_id } = await create();
    const subject = { format: "email", email: "alice@example.com" };
    assertEquals((await send("POST", "/ssf/subjects/remove", { stream_id, subject })).status, 204);
    return stream_id;
  };
  await remove(other);
  const ofOther = await subjects();
  const stream_id = await remove(receiver);
  assertEquals((await subjects()).length, 2);
  assertEquals((await receiver.send("DELETE", `/ssf/stream?stream_id=${stream_id}`)).status, 204);
  assertEquals(await subjects(), ofOther);
});

test("[CI-11, SS-04] a client that was added again has no stream of the removed one, which gets no more events", async () => {
  const store = memoryStore();
  const b = await signalServer({ store, clients: [] });
  const client = machine("receiver");
  await b.as.clients.set(client);
  const former = await b.receiver();
  const polled = await former.create();
  await former.create(push("https://former.example/events"));
  b.as.users.delete("bob");
  await until(() => b.pushes.length > 0);
  await b.as.clients.delete("receiver");
  await b.as.clients.set(client);
  const next = await b.receiver();
  assertEquals((await next.send("GET", "/ssf/stream")).body, []);
  assertEquals((await next.send("POST", new URL(polled.delivery.endpoint_url).pathname, {})).status, 404);
  await next.create(push("https://next.example/events"));
  b.as.users.delete("alice");
  await until(() => b.pushes.length > 1);
  assertEquals(b.pushes.map(({ url }) => new URL(url).host), ["former.example", "next.example"]);
  // The streams of the former client, with their events, are gone.
  assertEquals(await store.count("event_stream", ""), 1);
  assertEquals(await store.count("stream_event", ""), 0);
});
