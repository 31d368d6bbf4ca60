/** The verbs of the control: each by plain HTTP, with its errors. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { testLatchkey } from "../test_latchkey.ts";
import { decodeClaims, forEachCase } from "../../kit.ts";
import { assertIssues, controlClient } from "./harness.ts";

/** A server with the control, whose clock stands at the start of 2026. */
async function start() {
  const as = await testLatchkey({ control: true, seed: 1 });
  return { as, ...controlClient(as) };
}

const web = { client_id: "web", client_secret: "web-secret-of-the-test", redirect_uris: ["https://web.test/cb"] };

test("the clock moves, stops and returns, and tokens expire by it", async () => {
  const { as, get, post } = await start();
  assertEquals((await get("/clock/now")).body, {
    now: 1_767_225_600_000,
    time: "2026-01-01T00:00:00.000Z",
    frozen: true,
  });
  const { tokens } = await as.logIn(as.client());
  assertEquals((await post("/clock/advance", { seconds: tokens.expires_in })).body.time, "2026-01-01T01:00:00.000Z");
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  assertEquals((await as.fetch("/oauth2/userinfo", { headers })).status, 401);
  assertEquals((await post("/clock/set", { time: "2027-06-01" })).body.time, "2027-06-01T00:00:00.000Z");
  assertEquals((await post("/clock/resume")).body.frozen, false);
  assertEquals((await post("/clock/freeze", { time: "2028-01-01" })).body, {
    now: 1_830_297_600_000,
    time: "2028-01-01T00:00:00.000Z",
    frozen: true,
  });
  assertMatch((await post("/clock/reset")).body.time, /^2026-01-01T/);
});

test("devices and backchannel requests wait for their users, who decide by verbs", async () => {
  const { as, post } = await start();
  const device = as.client({ grant_types: ["urn:ietf:params:oauth:grant-type:device_code"] });
  const bank = as.client({ confidential: true, grant_types: ["urn:openid:params:grant-type:ciba"], redirect_uris: [] });
  const sub = (idToken: string | undefined) => decodeClaims(idToken!).sub;
  const [first, second] = [await as.startDevice(device, { scope: "openid" }), await as.startDevice(device)];
  const unknown = await post("/device/approve", { userCode: first.userCode, sub: "carol" });
  assertEquals([unknown.status, unknown.body.detail], [400, 'The server has no user "carol". Its users: alice, bob.']);
  assertEquals((await post("/device/approve", { userCode: first.userCode, sub: "bob" })).status, 204);
  assertEquals(sub((await first.poll()).id_token), "bob");
  assertEquals((await post("/device/deny", { user_code: second.userCode })).status, 204);
  assertEquals(await second.poll().catch(({ error }) => error), "access_denied");
  const decisions = [["approve", "authReqId", "bob"], ["deny", "auth_req_id", "access_denied"]] as const;
  for (const [verb, name, expected] of decisions) {
    const request = await as.startBackchannel(bank, { user: "bob" });
    assertEquals(await request.poll().catch(({ error }) => error), "authorization_pending");
    assertEquals((await post(`/backchannel/${verb}`, { [name]: request.authReqId })).status, 204);
    assertEquals(await request.poll().then(({ id_token }) => sub(id_token), ({ error }) => error), expected);
  }
  for (
    const [path, input] of [["/device/approve", { userCode: "BBBB-BBBB" }], ["/backchannel/deny", { authReqId: "x" }]]
  ) {
    const { status, body } = await post(path as string, input as object);
    assertEquals([status, typeof body.detail], [409, "string"]);
  }
});

test("[CO-05] a time that is none is a problem that says what was expected, and changes nothing", async () => {
  const { get, post } = await start();
  const invalid: readonly [string, object, RegExp][] = [
    ["/clock/set", { time: "noon" }, /expected a Date.* received noon/],
    ["/clock/advance", { seconds: 1e12 }, /expected a time in the years 1970 to 9999/],
    ["/clock/freeze", { time: "10000-01-01" }, /expected/],
  ];
  await forEachCase(invalid, async ([path, input, detail]) => {
    const { status, headers, body } = await post(path, input);
    assertEquals([status, headers.get("content-type")], [400, "application/problem+json"]);
    assertMatch(body.detail, detail);
    assertIssues(body);
  });
  assertEquals((await get("/clock/now")).body.time, "2026-01-01T00:00:00.000Z");
});

test("[CO-05] input with other members or types is a problem with place, expected, received and fix", async () => {
  const { post, get } = await start();
  const { status, body } = await post("/clock/advance", { second: 60, seconds: "60" });
  assertEquals(status, 400);
  assertEquals(body, {
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail: "The input has 2 errors.",
    rule: "CO-05",
    errors: [
      { place: "second", expected: "a known key", received: '"second"', fix: "Did you mean seconds?" },
      {
        place: "seconds",
        expected: "a whole number of seconds",
        received: '"60"',
        fix: 'Write it like "seconds": 3600.',
      },
    ],
  });
  assertEquals((await post("/clock/advance")).body.errors[0].received, "nothing");
  const query = await get("/log/exchanges", { since: "x", wait: "99999999", of: "web" });
  assertEquals(query.body.errors.map(({ place }: { place: string }) => place), ["of", "since", "wait"]);
});

test("a client has the id and the secret of the test, changes, and is gone when it is removed", async () => {
  const { as, get, post } = await start();
  const created = await post("/clients/set", web);
  assertEquals(created.status, 200);
  assertEquals(created.body.client_id, "web");
  assert(!("client_secret" in created.body));
  const token = (secret: string) =>
    as.fetch("/oauth2/token", {
      method: "POST",
      body: new URLSearchParams({ grant_type: "client_credentials", client_id: "web", client_secret: secret }),
    });
  assertEquals((await (await token(web.client_secret)).json()).error, "unauthorized_client");
  await post("/clients/set", { ...web, grant_types: ["client_credentials"] });
  assertEquals((await token(web.client_secret)).status, 200);
  const { clients } = (await get("/clients/all")).body;
  assertEquals(clients.map(({ client_id }: { client_id: string }) => client_id), ["web"]);
  assertEquals((await post("/clients/delete", { client_id: "web" })).status, 204);
  assertEquals((await (await token(web.client_secret)).json()).error, "invalid_client");
  const missing = await post("/clients/delete", { client_id: "web" });
  assertEquals([missing.status, missing.body.errors], [404, [{
    place: "client_id",
    expected: "a registered client",
    received: '"web"',
  }]]);
});

test("single members of a client change; the others stay, the secret too", async () => {
  const { as, post } = await start();
  await post("/clients/set", { ...web, client_name: "Shop" });
  const change = (changes: object) => post("/clients/change", { client_id: "web", changes });
  const token = async (secret: string) => {
    const fields = { grant_type: "client_credentials", client_id: "web", client_secret: secret };
    return (await as.fetch("/oauth2/token", { method: "POST", body: new URLSearchParams(fields) })).status;
  };
  const { client_secret, ...metadata } = web;
  const changed = await change({ grant_types: ["client_credentials"], client_name: null });
  assertEquals([changed.status, changed.body], [200, { ...metadata, grant_types: ["client_credentials"] }]);
  assertEquals(await token(client_secret), 200);
  assertEquals((await change({ client_secret: "another-secret" })).status, 200);
  assertEquals([await token(client_secret), await token("another-secret")], [401, 200]);
  const rejected: readonly [object, number, string][] = [
    [{ redirect_uris: ["https://web.test/cb#x"] }, 400, "redirect_uris[0]"],
    [{ redirect_uri: "https://web.test/cb" }, 400, "redirect_uri"],
    [{ client_id: "other" }, 400, "changes.client_id"],
    [{ token_endpoint_auth_method: "none" }, 400, "client_secret"],
    [{ token_endpoint_auth_method: "client_secret_jwt" }, 422, "changes.client_secret"],
  ];
  for (const [changes, status, place] of rejected) {
    const { status: received, body } = await change(changes);
    assertEquals([received, body.errors[0].place], [status, place]);
  }
  assertEquals(await token("another-secret"), 200);
  const missing = await post("/clients/change", { client_id: "none", changes: {} });
  assertEquals([missing.status, missing.body.errors[0].place], [404, "client_id"]);
});

test("concurrent changes of a client are all kept", async () => {
  const { post } = await start();
  await post("/clients/set", web);
  const changes = [{ client_name: "Shop" }, { redirect_uris: ["no URI"] }, { scope: "openid" }];
  const changed = await Promise.all(
    changes.map((members) => post("/clients/change", { client_id: "web", changes: members })),
  );
  assertEquals(changed.map(({ status }) => status), [200, 400, 200]);
  const { client_name, scope } = (await post("/clients/change", { client_id: "web", changes: {} })).body;
  assertEquals([client_name, scope], ["Shop", "openid"]);
});

test("a client with defaults comes with its credentials", async () => {
  const { as, post } = await start();
  const { body } = await post("/client", { confidential: true, redirect_uri: "https://app.test/cb" });
  assertEquals([body.client_id, body.redirect_uris], ["client-1", ["https://app.test/cb"]]);
  assertEquals((await as.logIn(body)).tokens.token_type, "Bearer");
  const invalid = await post("/clients/set", { ...web, redirect_uris: ["https://web.test/cb#x"] });
  assertEquals([invalid.status, invalid.body.errors[0].place], [400, "redirect_uris[0]"]);
  const contradiction = await post("/client", { confidential: true, token_endpoint_auth_method: "none" });
  assertStringIncludes(contradiction.body.detail, "Remove confidential");
});

test("a user has the claims of the test, and is gone when removed", async () => {
  const { as, get, post } = await start();
  const carol = { sub: "carol", name: "Carol", email: "carol@example.com", roles: ["admin"] };
  assertEquals((await post("/users/set", carol)).body, carol);
  const { tokens } = await as.logIn(as.client(), { as: "carol", scope: "openid email" });
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  assertEquals((await (await as.fetch("/oauth2/userinfo", { headers })).json()).roles, ["admin"]);
  assertEquals((await get("/users/all")).body.users.at(-1), carol);
  assertEquals((await post("/users/delete", { sub: "CAROL@example.com" })).status, 204);
  assertEquals((await post("/users/delete", { sub: "carol" })).status, 404);
  assertEquals((await post("/users/set", { name: "nameless" })).body.errors[0].place, "sub");
});

test("a fault changes the next requests that match, and no others", async () => {
  const { as, get, post } = await start();
  const client = as.client({ client_id: "spa" });
  as.client({ client_id: "other" });
  const fault = {
    ...{ fault: "error", parameters: { code: "temporarily_unavailable" }, endpoint: "token", client: "spa" },
    ...{ grant_type: "authorization_code", times: 2, params: { resource: null, code: { pattern: "." } } },
  };
  const added = (await post("/faults/add", fault)).body;
  assertEquals(added, {
    id: "1",
    description: "error at token, for the next 2 requests of spa with grant_type authorization_code",
    fired: 0,
    waits: false,
    finished: false,
  });
  const outcomeOf = async (client_id: string) =>
    await as.logIn({ ...client, client_id }).then(() => "tokens", ({ error }) => error);
  assertEquals(await outcomeOf("other"), "tokens");
  assertEquals(await outcomeOf("spa"), "temporarily_unavailable");
  assertEquals((await get("/faults/all")).body.faults, [{ ...added, fired: 1 }]);
  assertEquals((await post("/faults/remove", { id: "1" })).status, 204);
  assertEquals((await post("/faults/remove", { id: "1" })).status, 404);
  assertEquals(await outcomeOf("spa"), "tokens");
});

test("a plain response is a fault as well, and requests that wait continue when they are released", async () => {
  const { as, get, post } = await start();
  await post("/faults/add", {
    fault: "status",
    parameters: { code: 200, headers: { "content-type": "text/plain" }, body: "teapot" },
    endpoint: "jwks",
  });
  assertEquals(await (await as.fetch("/oauth2/jwks")).text(), "teapot");
  const { id } = (await post("/faults/add", { fault: "hold", endpoint: "jwks", always: true })).body;
  const waiting = as.fetch("/oauth2/jwks");
  assertEquals((await post("/faults/release", { id })).status, 204);
  assertEquals((await waiting).status, 200);
  const { definitions } = (await get("/faults/definitions")).body;
  const row = definitions.find((definition: { id: string }) => definition.id === "id-token/exp-past");
  assertEquals(row.also, ["idToken.expired"]);
});

test("[CO-05] a fault that does not exist, or with wrong parameters, is a problem", async () => {
  const { get, post } = await start();
  const invalid: readonly [object, RegExp][] = [
    [{}, /1 error/],
    [{ fault: "nosuch" }, /expected the id of a fault, received "nosuch"/],
    [{ fault: "idtoken.edited" }, /Did you mean "idToken\.edited"\?/],
    [{ fault: "drop", endpoint: "tokens" }, /Did you mean token\?/],
    [{ fault: "delay", parameters: { milliseconds: "x" } }, /milliseconds/],
    [{ fault: "drop", times: 0 }, /1 error/],
    [{ fault: "drop", endpoint: "token", params: { scope: { pattern: "(" } } }, /regular expression/],
    [{ fault: "drop", endpoint: "token", params: { scope: 1 } }, /params\.scope/],
    [{ fault: "drop", endpoint: "jwks", grant_type: "refresh_token" }, /Grant type/],
    [{ fault: "idToken.edited", endpoint: "jwks" }, /has no effect at jwks/],
  ];
  await forEachCase(invalid, async ([input, detail]) => {
    const { status, body } = await post("/faults/add", input);
    assertEquals(status, 400);
    assertMatch(body.detail, detail);
    assertIssues(body);
  });
  assertEquals((await get("/faults/all")).body.faults, []);
});

test("[CO-06] no fault applies to the control, and the log does not have its requests", async () => {
  const { as, get, post } = await start();
  for (const endpoint of ["any", "control.faults.remove"]) {
    await post("/faults/add", { fault: "drop", endpoint, always: true });
  }
  assertEquals((await get("/faults/all")).body.faults.length, 2);
  assertEquals((await get("/log/exchanges")).body, { count: 0, next: 0, exchanges: [] });
  await post("/faults/remove", { id: "1" });
  await post("/faults/remove", { id: "2" });
  await as.close();
});

test("the log has real values, by endpoint and client, after an earlier exchange", async () => {
  const { as, get, post } = await start();
  const { tokens } = await as.logIn(as.client({ client_id: "spa" }));
  const first = (await get("/log/exchanges", { endpoint: "token", client: "spa" })).body;
  assertEquals(first.count, 1);
  assertEquals(JSON.parse(first.exchanges[0].response.body).access_token, tokens.access_token);
  assertEquals(first.exchanges[0].outcome, "done");
  await as.refresh({ client_id: "spa" }, tokens.refresh_token!);
  const later = (await get("/log/exchanges", { since: String(first.next) })).body;
  assertEquals(later.exchanges.map(({ endpoint }: { endpoint: string }) => endpoint), ["token"]);
  assertEquals((await get("/log/exchanges", { client: "other" })).body.count, 0);
  assertMatch((await get("/log/exchanges", { endpoint: "tokn" })).body.detail, /Did you mean token\?/);
  assertEquals((await post("/log/clear")).status, 204);
  assertEquals((await get("/log/exchanges")).body.count, 0);
});

test("the log waits for exchanges to come, and for one that it has not returned before", async () => {
  const { as, get, post } = await start();
  const list = get("/log/exchanges", { endpoint: "jwks", count: "2", wait: "60000" });
  const next = post("/log/next", { endpoint: "jwks", method: "GET", timeoutMs: 60_000 });
  await as.fetch("/oauth2/jwks");
  assertEquals((await next).body.exchange.endpoint, "jwks");
  await as.fetch("/oauth2/jwks");
  assertEquals((await list).body.count, 2);
  assertEquals((await post("/log/next", { endpoint: "jwks" })).body.exchange.number, 2);
  const missed = await post("/log/next", { endpoint: "jwks", timeoutMs: 0 });
  assertEquals(missed.status, 422);
  assertStringIncludes(missed.body.detail, "expected a request to jwks within 0 milliseconds");
});

test("a request that waits ends when the server closes", async () => {
  const { as, get, post } = await start();
  const list = get("/log/exchanges", { wait: "60000" });
  const next = post("/log/next", { endpoint: "jwks", timeoutMs: 60_000 });
  await new Promise((resolve) => setTimeout(resolve, 0));
  await as.close();
  assertEquals([(await list).body.count, (await next).status], [0, 409]);
});

test("a reset restores clients, users, faults, clock and log, or keeps what is named", async () => {
  const { as, get, post } = await start();
  await post("/clients/set", web);
  await post("/users/set", { sub: "carol" });
  await post("/clock/advance", { seconds: 60 });
  await as.fetch("/oauth2/jwks");
  assertEquals((await post("/reset", { keep: ["clients"] })).status, 204);
  assertEquals((await get("/health")).body, {
    issuer: as.issuer,
    time: "2026-01-01T00:00:00.000Z",
    ...{ clients: 1, users: 2, exchanges: 0, faults: 0 },
  });
  await post("/faults/add", { fault: "drop", endpoint: "token" });
  const unmet = await post("/reset");
  assertEquals([unmet.status, unmet.body.title], [409, "Conflict"]);
  assertMatch(unmet.body.detail, /1 fault fired less often than expected.*no request to token arrived/s);
  assertEquals((await get("/health")).body.faults, 0);
  assertEquals((await get("/clients/all")).body.clients, []);
  assertEquals((await post("/reset", { keep: ["keys"] })).body.errors[0].place, "keep[0]");
});
