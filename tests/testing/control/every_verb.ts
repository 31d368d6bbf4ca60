/** Calls every verb of a server once, over the network, as a test suite in another process does. */

import { assert, assertEquals } from "@std/assert";
import { validate } from "../../../src/server/config/config_issue.ts";
import { verbPath } from "../../../src/testing/control/verb.ts";
import { verbs } from "../../../src/testing/control/verbs/mod.ts";
import { basic, challenge, verifier } from "../../kit.ts";
import { controlClient } from "./harness.ts";

/** The settings that the verbs need. */
export const settingsOfEveryVerb = {
  acrValues: [{ value: "urn:example:silver", methods: ["auto"] }],
  sharedSignals: true,
} as const;

const web = {
  ...{ client_id: "web", client_secret: "web-secret-of-the-test", redirect_uris: ["https://web.test/cb"] },
  backchannel_logout_uri: "https://web.test/logout",
  grant_types: [
    ...["authorization_code", "refresh_token"],
    ...["urn:ietf:params:oauth:grant-type:device_code", "urn:openid:params:grant-type:ciba"],
  ],
};

/**
 * Calls every verb with valid input, in an order in which each has something to act on. Each call succeeds, and its
 * result is as the verb describes it.
 *
 * @param issuer The issuer, on a socket: `http://localhost:9000`.
 * @throws {AssertionError} If a verb fails, or was not called.
 */
export async function callEveryVerb(issuer: string): Promise<void> {
  const { get, post } = controlClient({ issuer, fetch });
  const called = new Set<string>();

  // deno-lint-ignore no-explicit-any
  async function call(name: string, input: object = {}): Promise<any> {
    const verb = verbs.find((one) => one.name === name);
    assert(verb !== undefined, `${name} is no verb`);
    const { status, body } = await (verb.reads ? get(verbPath(verb), { ...input }) : post(verbPath(verb), input));
    assertEquals(status, verb.result === undefined ? 204 : 200, `${name}: ${JSON.stringify(body)}`);
    if (verb.result !== undefined) assertEquals(validate(verb.result, body), [], name);
    called.add(name);
    return body;
  }

  assertEquals((await call("health")).issuer, issuer);
  await call("clients.set", web);
  const changed = await call("clients.change", { client_id: "web", changes: { client_name: "Web" } });
  assertEquals(changed.client_name, "Web");
  await call("users.set", { sub: "carol" });
  await call("decisions.loginNext", { sub: "carol" });
  const { id_token } = await logIn(issuer);
  await call("log.next", { endpoint: "token" });
  await call("log.expect", { endpoint: "token", client: "web", succeeded: true });
  await call("log.expectNoRejections");
  await call("log.expectNoWarnings");
  assertEquals((await call("log.exchanges", { endpoint: "authorize" })).count, 1);
  await call("checkPractices", { client: "web" });
  await call("log.clear");
  await call("endSession", { idToken: id_token });

  assertEquals((await call("client", { confidential: true })).token_endpoint_auth_method, "client_secret_basic");
  assert((await call("clients.all")).clients.length >= 2);
  assert((await call("users.all")).users.some(({ sub }: { sub: string }) => sub === "carol"));

  await call("decisions.loginAs", { sub: "carol" });
  await call("decisions.deny", { sub: "carol" });
  await call("decisions.limitScope", { sub: "carol", scope: "read" });
  await call("decisions.limitDetails", { sub: "carol", types: [] });
  await call("decisions.limitAcr", { sub: "carol", acr: "urn:example:silver" });
  await call("decisions.deferRequests", {});
  await call("decisions.allowAll", { sub: "carol" });
  for (const verb of ["approve", "deny"]) {
    const { user_code } = await start(issuer, "device_authorization", {});
    await call(`device.${verb}`, { userCode: user_code });
    const { auth_req_id } = await start(issuer, "backchannel_authentication", { login_hint: "carol" });
    await call(`backchannel.${verb}`, { authReqId: auth_req_id });
  }
  for (const { name } of verbs) {
    if (name.startsWith("issue.")) {
      await call(name, { [name.endsWith("Metadata") ? "metadata" : "claims"]: { tenant: "blue" } });
    }
  }

  await call("users.set", { sub: "carol", email: "carol@example.com" });
  assertEquals(await call("sendEvent", { type: "session-revoked", sub: "carol" }), { streams: 0 });

  const grant = { client: "web", sub: "carol" };
  for (const kind of ["idToken", "logoutToken", "refreshToken", "code"]) await call(`mint.${kind}`, grant);
  await call("mint.assertion", { sub: "carol" });
  await call("mint.idJag", { client: "web", sub: "carol" });
  assertEquals((await call("mint.tokens", grant)).token_type, "Bearer");
  assertEquals(await call("revoke", { token: (await call("mint.accessToken", grant)).token }), { revoked: 1 });
  await call("changeSettings", { lifetimes: { access_token: 60 } });
  await call("nextValues", { code: "code-of-the-test" });
  await call("rotateKeys");
  await call("importKey", verbs.find(({ name }) => name === "importKey")!.input.examples[0] as object);

  const [first, second] = [
    await call("faults.add", { fault: "hold", endpoint: "jwks" }),
    await call("faults.add", { fault: "drop", endpoint: "jwks" }),
  ];
  assertEquals((await call("faults.all")).faults.length, 2);
  await call("faults.release", { id: first.id });
  await call("faults.remove", { id: second.id });
  assert((await call("faults.definitions")).definitions.length > 50);

  await call("clock.freeze", { time: "2030-01-01" });
  assertEquals((await call("clock.advance", { seconds: 60 })).time, "2030-01-01T00:01:00.000Z");
  await call("clock.set", { time: "2031-01-01" });
  await call("clock.resume");
  assert((await call("clock.now")).time >= "2031-01-01");
  await call("clock.reset");

  const tenant = await call("tenants.create", { users: [{ sub: "carol" }] });
  assertEquals((await call("tenants.all")).tenants, [tenant]);
  await call("tenants.remove", { id: tenant.id });

  await call("users.delete", { sub: "carol" });
  await call("clients.delete", { client_id: "web" });
  await call("reset");
  assertEquals(verbs.map(({ name }) => name).filter((name) => !called.has(name)), []);
}

/** Starts a request of {@link web} that waits for its user. */
async function start(
  issuer: string,
  endpoint: string,
  fields: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const response = await fetch(`${issuer}/oauth2/${endpoint}`, {
    method: "POST",
    headers: basic(web.client_id, web.client_secret),
    body: new URLSearchParams({ scope: "openid", ...fields }),
  });
  return await response.json();
}

/** The tokens of a login of {@link web}. */
async function logIn(issuer: string): Promise<{ readonly id_token: string }> {
  const redirect_uri = web.redirect_uris[0]!;
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id: web.client_id, redirect_uri, scope: "openid", state: "state-of-the-test" },
    ...{ code_challenge: challenge, code_challenge_method: "S256" },
  });
  const response = await fetch(`${issuer}/oauth2/authorize?${query}`, { redirect: "manual" });
  await response.body?.cancel();
  const code = new URL(response.headers.get("location")!).searchParams.get("code")!;
  const body = new URLSearchParams({
    ...{ grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier },
  });
  const headers = basic(web.client_id, web.client_secret);
  return await (await fetch(`${issuer}/oauth2/token`, { method: "POST", headers, body })).json();
}
