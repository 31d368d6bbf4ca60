/**
 * Two issuers on one store, and what one request may cost: neither may reach into the other, nor hold it up.
 *
 * @extensions pairwise, requested_claims
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { memoryStore } from "../../src/mod.ts";
import { redactText } from "../../src/server/redaction/redact.ts";
import { recordDigests } from "./digests.ts";
import { assertTokenResponse, getOutcome, getRedirectParams, testServer } from "../kit.ts";

const clients = [{
  client_id: "spa",
  redirect_uris: ["https://spa.example/cb"],
  grant_types: ["authorization_code", "refresh_token"],
  access_token_format: "opaque" as const,
}];

test("[CI-03, RT-02, UI-07] tokens, codes and sessions of one issuer are invalid at another on the same store", async () => {
  const store = memoryStore();
  const [one, two] = [
    await testServer({ store, clients, audience: "https://api.test" }),
    await testServer({ store, clients, audience: "https://api.test", issuer: "https://other.test" }),
  ];
  assertEquals(await getOutcome(await two.token({ code: await one.code() })), "400 invalid_grant");

  const login = await one.authorize();
  const cookie = login.headers.get("set-cookie")!.split(";")[0]!;
  const tokens = await (await one.token({ code: getRedirectParams(login).get("code")! })).json();
  const refresh = { grant_type: "refresh_token", refresh_token: tokens.refresh_token, code_verifier: undefined };
  assertEquals(await getOutcome(await two.token(refresh)), "400 invalid_grant");
  const bearer = { headers: { authorization: `Bearer ${tokens.access_token}` } };
  assertEquals((await two.get("/oauth2/userinfo", bearer)).status, 401);
  assertEquals((await one.get("/oauth2/userinfo", bearer)).status, 200);
  const silently = await two.authorize({ prompt: "none" }, { headers: { cookie } });
  assertEquals(getRedirectParams(silently).get("error"), "login_required");
  assertEquals((await one.token(refresh)).status, 200);
});

test("[HT-09] redaction takes linear time in the length of a request", () => {
  // Counted in steps of a regular expression that has to give up, not in time: a runaway would not end at all.
  for (const unit of ["a".repeat(31) + ".", "a=", "?a", "&", "=", "~", "a.b-c_d"]) {
    const text = redactText(unit.repeat(1_000_000 / unit.length));
    assert(text.length <= 2100);
  }
});

test("[OI-08] many demanded values of sub read each user once", async () => {
  const b = await testServer({
    clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"], subject_type: "pairwise" as const }],
    users: Array.from({ length: 500 }, (_, i) => ({ sub: `user${i}` })),
  });
  const values = Array.from({ length: 16 }, (_, i) => String(i));
  const claims = JSON.stringify({ id_token: { sub: { values } } });
  const digested = await recordDigests(async () => {
    assertEquals(getRedirectParams(await b.authorize({ claims })).get("error"), "access_denied");
  });
  assert(digested.length >= 500 && digested.length < 600, `${digested.length} digests`);
});

test("[AZ-18, OI-08] a claim of a denied scope value is not released by a request by name", async () => {
  const b = await testServer({
    approver: (request, { users, now }) => ({
      user: users.known().get("alice")!,
      scope: request.scope.filter((token) => token !== "email"),
      authTime: now(),
    }),
  });
  const claims = JSON.stringify({ userinfo: { email: null, name: null }, id_token: { email: null } });
  const tokens = await assertTokenResponse(
    await b.token({ code: await b.code({ scope: "openid email read", claims }) }),
  );
  assertEquals(tokens.scope, "openid read");
  const bearer = { headers: { authorization: `Bearer ${tokens.access_token}` } };
  const info = await (await b.get("/oauth2/userinfo", bearer)).json();
  assertEquals([info.email, info.name], [undefined, "Alice Adams"]);
  assert(!atob(tokens.id_token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")).includes("email"));
});

test("[OI-05, SC-09] a login that an approver reports as new must not be older than max_age", async () => {
  const b = await testServer({
    approver: (request, { users, now }) => ({
      user: users.known().get("alice")!,
      scope: request.scope,
      authTime: now() - 5_000_000,
    }),
  });
  assertEquals(getRedirectParams(await b.authorize({ max_age: "10" })).get("error"), "login_required");
  assert(getRedirectParams(await b.authorize({ max_age: "6000" })).get("code"));
});

test("[OI-05] with max_age=0 and a moving clock a login during the request is new enough", async () => {
  let time = Date.UTC(2026, 0, 1);
  const b = await testServer({ now: () => time++ });
  for (let i = 0; i < 20; i++) {
    assert(getRedirectParams(await b.authorize({ max_age: "0", prompt: "login" })).get("code"));
  }
});
