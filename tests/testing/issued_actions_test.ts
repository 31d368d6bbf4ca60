/** The check of a token that a flow issued. */

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
  { registered = false, edit }: {
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
    plugins: [flows, faultPages()],
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

test("[FL-17, FL-03] a token is checked without being on the page of its flow", async () => {
  const { as, submit, reference, html, tokens } = await start();
  await using _ = as;
  for (const value of Object.values(tokens)) assert(String(value).length < 40 || !html.includes(String(value)));
  const page = await (await submit("/tokens", { issued: reference("id_token") })).response.text();
  assertMatch(page, /Valid ID token/);
  assertStringIncludes(page, tokens.id_token!);
});

test("[FL-17] a token belongs to the client that it was issued to, whatever other client the query names", async () => {
  const flows = inspector();
  await using as = await latchkey({
    issuer,
    alg: "ES256",
    clients: [{ ...metadata, client_id: "shop" }],
    plugins: [flows, faultPages()],
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
  assert(html.includes("Access token") && !/name="issued"/.test(html));
});

test("[FL-17, UI-04] a forged form checks no token", async () => {
  const { as, form, cookie, form_token, reference } = await start();
  await using _ = as;
  const issued = reference("access_token");
  assertEquals((await form("/tokens", { issued }, { cookie, origin: issuer })).status, 403);
  const elsewhere = { cookie, origin: "https://evil.example" };
  assertEquals((await form("/tokens", { form_token, issued }, elsewhere)).status, 403);
});

test("[FL-17] a token of a client of unknown standing has no check", async () => {
  const { as, html } = await start({ registered: true });
  await using _ = as;
  assertStringIncludes(html, "Access token of step 2");
  assert(!/name="issued"/.test(html));
});

test("[FL-17] a token with an exp that is no date is shown", async () => {
  for (const [name, exp] of [["id", 1e20], ["id", -1e20], ["id", 8640000000001], ["access", 1e20]] as const) {
    const { as, html, userinfo } = await start({
      edit: { fault: `${name}Token.edited`, edit: JSON.stringify({ exp }) },
    });
    await using _ = as;
    assertStringIncludes(html, `${exp} seconds since 1970`, `${name} ${exp}`);
    assert(await userinfo() < 500);
  }
});
