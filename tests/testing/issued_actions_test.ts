/** The actions of the tokens that a flow issued: expire, revoke, check. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { faultPages } from "../../src/testing/fault_pages/mod.ts";
import { challenge, encode, verifier } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";

const issuer = "https://faults.test";
const redirect_uri = "https://client.test/callback";
const metadata = {
  redirect_uris: [redirect_uri],
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "none",
} as const;

/** A server with a flow that has issued tokens, and a browser at the page of the flow. */
async function start(
  { faults = true, registered = false, edit }: {
    readonly faults?: boolean;
    readonly registered?: boolean;
    /** A fault for the token response. */
    readonly edit?: { readonly fault: string; readonly edit: string };
  } = {},
) {
  const flows = inspector();
  const as = await latchkey({
    issuer,
    alg: "ES256",
    clients: [{ ...metadata, client_id: "shop" }],
    plugins: [flows, ...faults ? [faultPages({ recorder: flows.recorder })] : []],
  });
  const send = (path: string, init: RequestInit = {}) => as.fetch(new Request(issuer + path, init));
  const form = (path: string, fields: Readonly<Record<string, string>>, headers: HeadersInit = {}) =>
    send(path, {
      method: "POST",
      body: encode(fields),
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    });

  const json = { method: "POST", body: JSON.stringify(metadata), headers: { "content-type": "application/json" } };
  const client_id = registered ? (await (await send("/oauth2/register", json)).json()).client_id : "shop";
  if (edit !== undefined) {
    const page = await send("/faults");
    const cookie = page.headers.getSetCookie().map((line) => line.split(";", 1)[0]).join("; ");
    const form_token = /name="form_token" value="([^"]+)"/.exec(await page.text())![1]!;
    const fields = { form_token, do: "faults.add", fault: edit.fault, endpoint: "token" };
    const added = await form("/faults", { ...fields, parameter_edit: edit.edit }, { cookie, origin: issuer });
    assertEquals(added.status, 303);
  }
  flows.recorder.clear();
  const request = { response_type: "code", client_id, redirect_uri, scope: "openid", code_challenge: challenge };
  const location = (await send(`/oauth2/authorize?${encode({ ...request, code_challenge_method: "S256" })}`, {
    redirect: "manual",
  })).headers.get("location")!;
  const code = new URL(location).searchParams.get("code")!;
  const grant = { grant_type: "authorization_code", client_id, redirect_uri, code, code_verifier: verifier };
  const tokens: Readonly<Record<string, string>> = await (await form("/oauth2/token", grant)).json();
  const flow = flows.recorder.flows().at(-1)!.id;
  const page = await send(`/flows/${flow}`);
  const html = await page.text();
  const cookie = page.headers.getSetCookie().map((line) => line.split(";", 1)[0]).join("; ");
  const form_token = /name="form_token" value="([^"]+)"/.exec(html)![1]!;
  const { number } = flows.recorder.exchanges().at(-1)!;
  const reference = (kind: string) => `${number}.${kind}`;
  return {
    ...{ as, html, tokens, flow, reference, form, cookie, form_token },
    /** Submits the form of the page. Returns the response, and the confirmation of the page after it. */
    async submit(path: string, fields: Readonly<Record<string, string>>) {
      const response = await form(path, { form_token, ...fields }, { cookie, origin: issuer });
      const set = response.headers.getSetCookie().map((line) => line.split(";", 1)[0]).join("; ");
      const next = response.headers.get("location");
      const shown = next === null ? "" : await (await send(next, { headers: { cookie: set } })).text();
      return { response, confirmation: /role="status"><p>.*?<bdi>(.*?)<\/bdi>/.exec(shown)?.[1] };
    },
    userinfo: async () =>
      (await send("/oauth2/userinfo", { headers: { authorization: `Bearer ${tokens.access_token}` } })).status,
    refresh: async () => {
      const fields = { grant_type: "refresh_token", client_id, refresh_token: tokens.refresh_token! };
      return (await form("/oauth2/token", fields)).status;
    },
  };
}

test("[FL-17] a token is expired from its flow by the clock, and the page says what changed", async () => {
  const { as, submit, userinfo, reference, html, flow } = await start();
  await using _ = as;
  assertStringIncludes(html, `name="expire" value="${reference("access_token")}"`);
  assertEquals(await userinfo(), 200);
  const { response, confirmation } = await submit("/faults", { expire: reference("access_token") });
  assertEquals([response.status, response.headers.get("location")], [303, `/flows/${flow}`]);
  assertMatch(
    confirmation!,
    /^Expired: access token of step 2\. Clock moved by .* to 20.*; \/faults resets the clock$/,
  );
  assertEquals(await userinfo(), 401);
  await submit("/faults", { do: "clock.reset" });
  assertEquals(await userinfo(), 200);
});

test("[FL-17] the page explains Expire now as long as a token of the flow can be expired", async () => {
  const { as, submit, reference, html, flow } = await start();
  await using _ = as;
  const explanation = "“Expire now” moves the clock of the server";
  assertStringIncludes(html, explanation);
  await submit("/faults", { revoke: reference("refresh_token") });
  await submit("/faults", { expire: reference("id_token") });
  const after = await (await as.fetch(new Request(`${issuer}/flows/${flow}`))).text();
  assertEquals([after.includes('name="expire"'), after.includes(explanation)], [false, false]);
});

test("[FL-17] a revoked access token leaves the refresh token, a revoked refresh token leaves nothing", async () => {
  const { as, submit, userinfo, refresh, reference } = await start();
  await using _ = as;
  const first = reference("access_token");
  const second = reference("refresh_token");
  assertEquals((await submit("/faults", { revoke: first })).confirmation, "Revoked: access token of step 2");
  assertEquals(await userinfo(), 401);
  const { confirmation } = await submit("/faults", { revoke: second });
  assertEquals(confirmation, "Revoked: refresh token of step 2, with every token of its grant");
  assertEquals(await refresh(), 400);
});

test("[FL-17, FL-03] a token is checked without being on the page of its flow", async () => {
  const { as, submit, reference, html, tokens } = await start();
  await using _ = as;
  for (const value of Object.values(tokens)) assert(String(value).length < 40 || !html.includes(String(value)));
  const page = await (await submit("/tokens", { issued: reference("id_token") })).response.text();
  assertMatch(page, /Valid ID token/);
  assertStringIncludes(page, tokens.id_token!);
});

test("[FL-17, UI-04] forged forms and tokens that are not valid change nothing", async () => {
  const { as, submit, form, cookie, form_token, userinfo, reference } = await start();
  await using _ = as;
  const expire = reference("access_token");
  for (const path of ["/faults", "/tokens"]) {
    const fields = { expire, issued: expire };
    assertEquals((await form(path, fields, { cookie, origin: issuer })).status, 403);
    assertEquals((await form(path, { form_token, ...fields }, { cookie, origin: "https://evil.example" })).status, 403);
  }
  for (const reference of ["999.access_token", "1.access_token", expire.replace("access", "refresh_"), "x"]) {
    assertEquals((await submit("/faults", { expire: reference })).response.status, 409, reference);
    assertEquals((await submit("/faults", { revoke: reference })).response.status, 409, reference);
  }
  assertEquals((await submit("/faults", { revoke: reference("id_token") })).response.status, 409);
  assertEquals(await userinfo(), 200);
  await submit("/faults", { revoke: expire });
  assertEquals((await submit("/faults", { revoke: expire })).response.status, 409);
});

test("[FL-17] tokens have no actions without the page of faults, and those of a client of unknown standing neither", async () => {
  const off = await start({ faults: false });
  await using _ = off.as;
  assert(!/name="(?:expire|revoke|issued)"/.test(off.html));
  assertEquals((await off.submit("/faults", { expire: off.reference("access_token") })).response.status, 404);
  const unknown = await start({ registered: true });
  await using __ = unknown.as;
  assertStringIncludes(unknown.html, "Access token of step 2");
  assert(!/name="(?:expire|revoke|issued)"/.test(unknown.html));
  const { response } = await unknown.submit("/faults", { expire: unknown.reference("access_token") });
  assertEquals([response.status, await unknown.userinfo()], [409, 200]);
});

test("[FL-17] a token belongs to the client that it was issued to, whatever other client the query names", async () => {
  const flows = inspector();
  await using as = await latchkey({
    issuer,
    alg: "ES256",
    clients: [{ ...metadata, client_id: "shop" }],
    plugins: [flows, faultPages({ recorder: flows.recorder })],
  });
  const post = async (path: string, body: BodyInit, type: string) =>
    await (await as.fetch(new Request(issuer + path, { method: "POST", body, headers: { "content-type": type } })))
      .json();
  const wanted = { grant_types: ["client_credentials"], token_endpoint_auth_method: "client_secret_post" };
  const { client_id, client_secret } = await post("/oauth2/register", JSON.stringify(wanted), "application/json");
  const grant = encode({ grant_type: "client_credentials", client_id, client_secret });
  const { access_token } = await post("/oauth2/token?client_id=shop", grant, "application/x-www-form-urlencoded");
  assertEquals(typeof access_token, "string");
  const flow = flows.recorder.flows().at(-1)!;
  const html = await (await as.fetch(new Request(`${issuer}/flows/${flow.id}`))).text();
  assertEquals(flow.client, client_id);
  assert(html.includes("Access token") && !/name="(?:expire|revoke|issued)"/.test(html));
});

test("[FL-17] a token with an exp that is no date, or that the clock cannot reach, is shown and not expired", async () => {
  for (
    const [name, exp] of [["id", 1e20], ["id", -1e20], ["id", 8640000000001], ["access", 1e20], [
      "access",
      -1e20,
    ]] as const
  ) {
    const edit = JSON.stringify({ exp });
    const { as, submit, reference, html, userinfo } = await start({ edit: { fault: `${name}Token.edited`, edit } });
    await using _ = as;
    assertStringIncludes(html, `${exp} seconds since 1970`, `${name} ${exp}`);
    assert(await userinfo() < 500);
    const { response } = await submit("/faults", { expire: reference(`${name}_token`) });
    assertEquals(response.status, 409, `${name} ${exp}`);
    if (exp === 1e20) assertMatch(await response.text(), /the clock cannot reach its expiry/);
  }
});
