/**
 * Backchannel authentication (group CB).
 *
 * @extensions device, registration, signed_requests
 */

import { assert, assertEquals, assertMatch, assertNotEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions, memoryStore } from "../../../../src/mod.ts";
import {
  assertPage,
  decodeClaims,
  forEachCase,
  getOutcome,
  getRejections,
  realHost,
  testServer,
} from "../../../kit.ts";
import type { Fields, TestServer } from "../../../kit.ts";
import { basicHeader } from "../../client_endpoints.ts";
import { bank, cibaType, deviceCodeType, poll, server, start, started } from "./bank.ts";
import { outcomeOf, postRegistration } from "../../registering.ts";
import { latchkey } from "../../../secret_leak_check.ts";
import { endsWithin, until } from "../../../until.ts";
import { openBrowser } from "../../browser.ts";
import { describePage, openPage, submit } from "../../page_navigation.ts";

test("[CB-06] with automatic login the approver decides before the response", async () => {
  const b = await server({ login: "auto" });
  const tokens = await (await poll(b, await started(b, { login_hint: "bob" }))).json();
  assertEquals([decodeClaims(tokens.id_token).sub, decodeClaims(tokens.id_token).aud], ["bob", "bank"]);
  const denying = await server({ approver: () => Promise.reject(new Error("no")) });
  assertEquals((await start(denying)).status, 500);
});

test("[CB-02] exactly one hint", async () => {
  const b = await server();
  await forEachCase<readonly [Fields, string]>([
    [{ login_hint: undefined }, "400 invalid_request"],
    [{ login_hint: "" }, "400 invalid_request"],
    [{ login_hint_token: "x" }, "400 invalid_request"],
    [{ login_hint: undefined, login_hint_token: "x" }, "400 invalid_request"],
    [{ id_token_hint: "x" }, "400 invalid_request"],
    [{ login_hint: undefined, id_token_hint: "x" }, "400 invalid_request"],
    [{ login_hint: ["alice", "bob"] }, "400 invalid_request"],
  ], async ([fields, outcome]) => assertEquals(await getOutcome(await start(b, fields)), outcome));
});

test("[CB-10, OI-06] with users any a hint of no user creates one with a warning, as at a login", async () => {
  const b = await server({ users: "any", login: "auto" });
  const { id_token } = await (await poll(b, await started(b, { login_hint: "dora@example.com" }))).json();
  assertEquals(decodeClaims(id_token).sub, "dora@example.com");
  assert(b.events.some((event) => event.type === "warning" && event.explanation.rule === "OI-06"));
  assertEquals(await getOutcome(await start(b, { login_hint: "x".repeat(5000) })), "400 unknown_user_id");
});

test("[CB-10] a hint that names no user is unknown_user_id, and nothing is stored", async () => {
  const store = memoryStore();
  const b = await server({ store, unknownLoginHint: "create" });
  for (const login_hint of ["carol", "<b>", "x".repeat(5000)]) {
    const response = await start(b, { login_hint });
    const text = await response.text();
    assertEquals([response.status, JSON.parse(text).error], [400, "unknown_user_id"]);
    assertEquals(text.includes("<b>"), false);
  }
  const { explanation } = getRejections(b.events).at(-1)!;
  assertEquals(explanation.expected, "the sub, e-mail address or preferred_username of a user");
  assertEquals(await store.count("polled_request", ""), 0);
  assertEquals(b.as.users.list().map(({ sub }) => sub), ["alice", "bob"]);
  assertEquals((await start(b, { login_hint: "ALICE@example.com" })).status, 200);
});

test("[CB-10] one client can have a hundred requests for one user", async () => {
  const b = await server();
  for (let i = 0; i < 100; i++) await started(b);
  const response = await start(b);
  assertEquals([response.status, response.headers.get("retry-after")], [429, "60"]);
  assertEquals((await start(b, { login_hint: "bob" })).status, 200);
  const shop = () => start(b, {}, "shop");
  const statuses = (await Promise.all(Array.from({ length: 110 }, shop))).map(({ status }) => status);
  assert(statuses.filter((status) => status === 200).length <= 100);
});

test("[CB-05] only a confidential, registered client starts, and only the client that started polls", async () => {
  const b = await server();
  assertEquals(await getOutcome(await start(b, {}, "plain")), "400 unauthorized_client");
  const unauthenticated = (fields: Fields) => b.post("/oauth2/backchannel_authentication", fields);
  const fields = { scope: "openid", login_hint: "alice" };
  assertEquals(await getOutcome(await unauthenticated({ ...fields, client_id: "app" })), "400 unauthorized_client");
  assertEquals(await getOutcome(await unauthenticated(fields)), "401 invalid_client");
  assertEquals(await getOutcome(await unauthenticated({ ...fields, client_id: "bank" })), "401 invalid_client");
  const id = await started(b);
  assertEquals(await getOutcome(await poll(b, id, "shop")), "400 invalid_grant");
  assertEquals(getRejections(b.events).at(-1)!.explanation.rule, "CB-05");
  assertEquals(await getOutcome(await poll(b, id)), "400 authorization_pending");
});

test("[CB-03, DV-03] a device code is no auth_req_id, and the other way round", async () => {
  const b = await server();
  const device = await (await b.post("/oauth2/device_authorization", { scope: "openid" }, basicHeader("shop"))).json();
  assertEquals(await getOutcome(await poll(b, device.device_code, "shop")), "400 invalid_grant");
  const { auth_req_id } = await (await start(b, {}, "shop")).json();
  const { expected } = getRejections(b.events).at(-1)!.explanation;
  assertEquals(expected, "the auth_req_id that this server issued, unchanged");
  const swapped = { grant_type: deviceCodeType, device_code: auth_req_id };
  assertEquals(await getOutcome(await b.post("/oauth2/token", swapped, basicHeader("shop"))), "400 invalid_grant");
});

test("[CB-04] a poll before the interval is slow_down, and the interval grows", async () => {
  const b = await server({ backchannelPollInterval: 2 });
  const response = await (await start(b)).json();
  assertEquals(response.interval, 2);
  assertEquals(await getOutcome(await poll(b, response.auth_req_id)), "400 authorization_pending");
  assertEquals(await getOutcome(await poll(b, response.auth_req_id)), "400 slow_down");
  b.advance(6);
  assertEquals(await getOutcome(await poll(b, response.auth_req_id)), "400 slow_down");
  b.advance(12);
  assertEquals(await getOutcome(await poll(b, response.auth_req_id)), "400 authorization_pending");
});

test("[CB-01, CB-08, CB-09] scope, binding_message, requested_expiry and request", async () => {
  const b = await server();
  await forEachCase<readonly [Fields, string]>([
    [{ scope: "read" }, "400 invalid_scope"],
    [{ scope: undefined }, "400 invalid_scope"],
    [{ binding_message: "a\nb" }, "400 invalid_binding_message"],
    [{ binding_message: "\u202Egnp.exe" }, "400 invalid_binding_message"],
    [{ binding_message: "x".repeat(65) }, "400 invalid_binding_message"],
    ...["\u3164", "Pay 42\u115f", "\u034f", "\uffa0 \u1160", "\ufe0f", "\u2800", "   ", "\u0301"].map((invisible) =>
      [{ binding_message: invisible }, "400 invalid_binding_message"] as const
    ),
    [{ binding_message: "\u2764\ufe0f 42 한" }, "200"],
    [{ requested_expiry: "0" }, "400 invalid_request"],
    [{ requested_expiry: "-5" }, "400 invalid_request"],
    [{ requested_expiry: "1.5" }, "400 invalid_request"],
    [{ request: "x.y.z" }, "400 request_not_supported"],
    [{ binding_message: "Größe <b> №" }, "200"],
  ], async ([fields, outcome]) => assertEquals(await getOutcome(await start(b, fields)), outcome));
  for (const [requested_expiry, expires_in] of [["60", 60], ["999999999", 300]] as const) {
    assertEquals((await (await start(b, { requested_expiry })).json()).expires_in, expires_in);
  }
});

test("[CB-01] a signed request is request_not_supported, whatever else is wrong with it", async () => {
  const b = await server();
  await forEachCase<Fields>([
    { request: "x.y.z", scope: undefined, login_hint: undefined },
    { request: "x.y.z", login_hint_token: "x" },
    { request: "x.y.z", binding_message: "a\nb" },
  ], async (fields) => {
    assertEquals(await getOutcome(await start(b, fields)), "400 request_not_supported");
    assertEquals(getRejections(b.events).at(-1)!.explanation.rule, "CB-01");
  });
});

test("[JR-05] a client whose requests must be signed cannot send unsigned ones to the backchannel", async () => {
  const { publicKey } = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign"]);
  const jwks = { keys: [{ ...await crypto.subtle.exportKey("jwk", publicKey), key_ops: undefined }] };
  const signer: ClientMetadata = { ...bank, token_endpoint_auth_method: "client_secret_basic", jwks };
  for (
    const options of [
      { clients: [{ ...signer, require_signed_request_object: true }] },
      { clients: [signer], requireSignedRequestObject: true },
    ]
  ) {
    const b = await server(options);
    assertEquals(await getOutcome(await start(b)), "400 unauthorized_client");
    assertEquals(getRejections(b.events).at(-1)!.explanation.rule, "JR-05");
  }
  assertEquals((await start(await server({ clients: [signer] }))).status, 200);
});

test("[CB-05] on a real host a client that registered itself cannot have the grant type", async () => {
  const options = { registration: { mode: "open" }, insecure: ["auto-login", "open-registration"] } as const;
  const real = await testServer({ ...realHost, ...options, backchannelAuthentication: true, clients: [bank] });
  const metadata = { redirect_uris: ["https://app.example/cb"], grant_types: ["authorization_code", cibaType] };
  assertEquals(await outcomeOf(await postRegistration(real, metadata)), "400 invalid_client_metadata");
  const error = await assertRejects(
    () => latchkey({ ...realHost, clients: [bank] }),
    ConfigurationError,
  );
  assertEquals(error.issues.map(({ path }) => path), ["clients[0].grant_types[1]"]);
});

test("[CB-03] auth_req_id is stored as a digest, and reveals no user to several clients", async () => {
  const store = memoryStore();
  const b = await server({ store });
  const [first, second] = [await started(b), (await (await start(b, {}, "shop")).json()).auth_req_id];
  assertNotEquals(first.slice(0, 21), second.slice(0, 21));
  const records = JSON.stringify(await store.list("polled_request", { prefix: "", limit: 10 }));
  assertEquals(records.includes(first.split(".")[1]!), false);
});

test("[CB-06] the page after a decision says which decision it was", async () => {
  const b = await server();
  const decisions = { "result=approved": "You allowed the request", "error=access_denied": "You denied the request" };
  await forEachCase(Object.entries(decisions), async ([query, heading]) => {
    assertMatch(await assertPage(await b.get(`/backchannel?${query}`), 200), new RegExp(`<h1[^>]*>${heading}`));
  });
});

test("[CB-11] metadata names the endpoint, the grant type and the mode while the setting is on", async () => {
  const read = async (options: LatchkeyOptions) => {
    const metadata = await (await (await testServer(options)).get("/.well-known/openid-configuration")).json();
    return [
      metadata.backchannel_authentication_endpoint,
      metadata.backchannel_token_delivery_modes_supported,
      metadata.grant_types_supported.includes(cibaType),
    ];
  };
  const endpoint = "https://as.test/oauth2/backchannel_authentication";
  assertEquals(await read({}), [endpoint, ["poll", "ping"], true]);
  assertEquals(await read({ backchannelAuthentication: false }), [undefined, undefined, false]);
  const b = await server();
  await assertPage(await b.get("/backchannel?request_id=x"), 400);
});

const endpoint = "https://bank.example/ciba";
const pingBank: ClientMetadata = {
  ...bank,
  backchannel_token_delivery_mode: "ping",
  backchannel_client_notification_endpoint: endpoint,
};
const client_notification_token = "8d67dc78-7faa-4d41-aabd-67707b374255";

/** The user of a request logs in on its page, and allows or denies. */
async function decide(b: TestServer, auth_req_id: string, decision: "allow" | "deny"): Promise<void> {
  const browser = openBrowser(b);
  const path = `/backchannel?request_id=${auth_req_id.split(".")[0]}`;
  let page = await openPage(browser, path, await browser.get(path));
  while (describePage(page) !== "consent") {
    const isLogin = describePage(page) === "login";
    page = await (isLogin ? submit(browser, page, "sub", "alice") : submit(browser, page, ""));
  }
  await submit(browser, page, "decision", decision);
}

/** A server whose notifications of clients are recorded. */
async function notifyingServer(
  options: LatchkeyOptions = {},
  respond: () => Response | Promise<Response> = () => new Response(null, { status: 204 }),
) {
  const notifications: { readonly url: string; readonly init: RequestInit }[] = [];
  const outbound = (url: string, init: RequestInit) => {
    notifications.push({ url, init });
    return (async () => await respond())();
  };
  return { ...await server({ clients: [pingBank], outbound, ...options }), notifications };
}

const warnings = ({ events }: Pick<TestServer, "events">) =>
  events.flatMap((event) => event.type === "warning" && event.explanation.rule === "CB-12" ? [event.explanation] : []);

test("[CB-12] a client of the mode ping is notified once of each decision, and then gets tokens or access_denied", async () => {
  for (const [decision, outcome] of [["allow", "200"], ["deny", "400 access_denied"]] as const) {
    const b = await notifyingServer();
    const auth_req_id = await started(b, { client_notification_token });
    assertEquals(await getOutcome(await poll(b, auth_req_id)), "400 authorization_pending");
    assertEquals(b.notifications, []);
    await decide(b, auth_req_id, decision);
    await until(() => b.notifications.length > 0);
    const [{ url, init }] = b.notifications as [{ url: string; init: RequestInit }];
    assertEquals([url, init.method, init.redirect], [endpoint, "POST", "manual"]);
    const { authorization, ...headers } = init.headers as Record<string, string>;
    assertEquals([authorization, headers["content-type"]], [`Bearer ${client_notification_token}`, "application/json"]);
    assertEquals(JSON.parse(String(init.body)), { auth_req_id });
    b.advance(5);
    assertEquals(await getOutcome(await poll(b, auth_req_id)), outcome);
    assertEquals([b.notifications.length, warnings(b)], [1, []]);
  }
});

test("[CB-12] an immediate decision notifies after the response", async () => {
  const b = await notifyingServer({ login: "auto" });
  const auth_req_id = await started(b, { client_notification_token });
  assertEquals(b.notifications, []);
  await until(() => b.notifications.length === 1);
  assertEquals(await getOutcome(await poll(b, auth_req_id)), "200");
});

test("[CB-12] the page of a decision does not wait for the notified client, and closing does", async () => {
  const { promise: responded, resolve: respond } = Promise.withResolvers<Response>();
  const b = await notifyingServer({}, () => responded);
  const auth_req_id = await started(b, { client_notification_token });
  assertNotEquals(await endsWithin(2500, () => decide(b, auth_req_id, "allow")), "late");
  await until(() => b.notifications.length === 1);
  let isClosed = false;
  const closed = b.as.close().then(() => isClosed = true);
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(isClosed, false);
  respond(new Response("no", { status: 500 }));
  await closed;
  assertEquals(warnings(b).length, 1);
});

test("[CB-12] without a valid client_notification_token the request of such a client is invalid_request", async () => {
  const b = await notifyingServer();
  for (
    const token of [undefined, "", "short", "x".repeat(21), "x".repeat(1025), `${"x".repeat(30)} y`, "é".repeat(30)]
  ) {
    assertEquals(await getOutcome(await start(b, { client_notification_token: token })), "400 invalid_request");
    assertEquals(getRejections(b.events).at(-1)!.explanation.rule, "CB-12");
  }
  assertEquals((await start(b, { client_notification_token: "x".repeat(22) })).status, 200);
  const polling = await server();
  assertEquals((await start(polling, { client_notification_token: "short" })).status, 200);
});

test("[CB-12] a failed notification is a warning, and the client can poll", async () => {
  const fail = () => {
    throw new Error("connection refused");
  };
  const redirect = () => new Response(null, { status: 302, headers: { location: "https://elsewhere.example/" } });
  for (
    const [respond, received] of [
      [() => new Response("no", { status: 500 }), "status 500"],
      [redirect, "status 302"],
      [fail, "no response (connection refused)"],
    ] as const
  ) {
    const b = await notifyingServer({ login: "auto" }, respond);
    const auth_req_id = await started(b, { client_notification_token });
    await until(() => warnings(b).length === 1);
    assertEquals([warnings(b)[0]!.received, b.notifications.length], [received, 1]);
    assertEquals(await getOutcome(await poll(b, auth_req_id)), "200");
  }
});

test("[CB-12] no notification goes to a host that the server must not contact (SSRF)", async () => {
  const local = { ...pingBank, backchannel_client_notification_endpoint: "https://127.0.0.1:1/ciba" };
  const b = await server({ clients: [local], login: "auto", outbound: undefined });
  await started(b, { client_notification_token });
  await until(() => warnings(b).length === 1);
  assertMatch(warnings(b)[0]!.received!, /no response/);
});

test("[CB-05, CB-12] the mode ping needs an endpoint, and the mode push is not offered", async () => {
  await forEachCase<readonly [object, string]>([
    [{ backchannel_client_notification_endpoint: undefined }, "backchannel_client_notification_endpoint"],
    [{ backchannel_client_notification_endpoint: "app:/ciba" }, "backchannel_client_notification_endpoint"],
    [{ backchannel_client_notification_endpoint: "http://bank.com/ciba" }, "backchannel_client_notification_endpoint"],
    [{ backchannel_client_notification_endpoint: "https://bank.com/#x" }, "backchannel_client_notification_endpoint"],
    [{ backchannel_token_delivery_mode: "push" }, "backchannel_token_delivery_mode"],
  ], async ([changes, path]) => {
    const error = await assertRejects(
      () => server({ clients: [{ ...pingBank, ...changes } as ClientMetadata] }),
      ConfigurationError,
    );
    assertEquals(error.issues.map((issue) => issue.path), [`clients[0].${path}`]);
  });
});

test("[CB-12] the notification token is in no event, and the client of another registration is not notified", async () => {
  const b = await notifyingServer();
  const auth_req_id = await started(b, { client_notification_token });
  assertEquals(JSON.stringify(b.events).includes(client_notification_token), false);
  b.as.clients.set({ ...pingBank, backchannel_token_delivery_mode: "poll" });
  await decide(b, auth_req_id, "allow");
  b.advance(5);
  assertEquals(await getOutcome(await poll(b, auth_req_id)), "200");
  assertEquals(b.notifications, []);
});
