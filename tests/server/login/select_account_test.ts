/**
 * `prompt=select_account` with automatic login: a browser is shown the users, a program needs no page.
 *
 * @extensions requested_claims
 */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { decodeJwt } from "jose";
import { openBrowser } from "../browser.ts";
import { assertTokenResponse, encode, forEachCase, getRedirectParams, goodRequest, testServer } from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { browserHeaders, twoUsers } from "./two_users.ts";

const selection = { prompt: "select_account", scope: "openid", nonce: "n" };

/** A browser that has sent an authorization request, and the page that it was led to. */
async function openAccounts(
  server: TestServer,
  fields: Fields = {},
  headers: Record<string, string> = browserHeaders[0]!,
) {
  const browser = openBrowser(server);
  const path = `/oauth2/authorize?${encode({ ...goodRequest, ...selection, ...fields })}`;
  const response = await browser.get(path, { headers });
  assertEquals(response.status, 302);
  const location = response.headers.get("location")!;
  assertMatch(location, /^\/oauth2\/select_account\?interaction=/);
  const shown = await browser.get(location);
  const html = await shown.text();
  assertEquals(shown.status, 200, html);
  const hidden = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
  return {
    browser,
    html,
    select: (more: Fields) =>
      browser.post("/oauth2/select_account", {
        interaction: hidden("interaction"),
        form_token: hidden("form_token"),
        ...more,
      }),
  };
}

/** The subject that a code stands for. */
async function subOf(server: TestServer, response: Response): Promise<string | undefined> {
  const params = getRedirectParams(response);
  const code = params.get("code") ?? `none: ${params.get("error_description")}`;
  const { client_id, redirect_uri } = goodRequest as Record<string, string>;
  const tokens = await assertTokenResponse(await server.token({ code, client_id, redirect_uri }));
  return decodeJwt((tokens as { id_token?: string }).id_token!).sub;
}

test("[OI-10] automatic login shows a browser the users, and one click selects one", async () => {
  const server = await testServer(twoUsers);
  for (const headers of browserHeaders) {
    const { html, select } = await openAccounts(server, { state: "s" }, headers);
    assertEquals([...html.matchAll(/class="person" name="sub" value="([^"]*)"/g)].map(([, sub]) => sub), [
      "alice",
      "bob",
    ]);
    // No password, no guest, no consent.
    assertNotMatch(html, /type="password"|name="new"/);
    const selected = await select({ sub: "bob" });
    assertEquals(getRedirectParams(selected.clone()).get("state"), "s");
    assertEquals(await subOf(server, selected), "bob");
  }
  // The user of the session comes first, and login_hint before.
  const { browser, select } = await openAccounts(server);
  await select({ sub: "bob" });
  const again = await browser.get(`/oauth2/authorize?${encode({ ...goodRequest, ...selection })}`, {
    headers: browserHeaders[0],
  });
  const list = await (await browser.get(again.headers.get("location")!)).text();
  assertMatch(list, /value="bob"[^]*logged in[^]*value="alice"/);
  const hinted = await openAccounts(server, { login_hint: "bob" });
  assertMatch(hinted.html, /value="bob"[^]*value="alice"/);
});

test("[UI-14] one click of many gets a code, and none after Cancel", async () => {
  const server = await testServer(twoUsers);
  const { select } = await openAccounts(server);
  const clicks = await Promise.all(["alice", "bob", "bob", "alice"].map((sub) => select({ sub })));
  assertEquals(clicks.map(({ status }) => status).sort(), [303, 400, 400, 400]);
  assertEquals((await select({ cancel: "yes" })).status, 400);
  const cancelled = await openAccounts(server);
  assertEquals(getRedirectParams(await cancelled.select({ cancel: "yes" })).get("error"), "access_denied");
  const late = await cancelled.select({ sub: "bob" });
  assertEquals([late.status, late.headers.get("location")], [400, null]);
  assertStringIncludes(await late.text(), "UI-14");
});

test("[OI-10] Cancel is access_denied; an unknown user, another browser and another site select no user", async () => {
  const server = await testServer(twoUsers);
  const { select: selectCancelled } = await openAccounts(server);
  assertEquals(getRedirectParams(await selectCancelled({ cancel: "yes" })).get("error"), "access_denied");
  const { select, browser } = await openAccounts(server);
  await forEachCase<Fields>([{}, { sub: "carol" }, { sub: "" }], async (fields) => {
    const response = await select(fields);
    assertEquals(response.status, 400);
    assertStringIncludes(await response.text(), "Select a user of this list.");
  });
  await forEachCase<Fields>([{ form_token: "" }, { interaction: "" }, { interaction: "x.y.z" }], async (fields) => {
    const response = await select({ sub: "bob", ...fields });
    await response.text();
    assert([400, 403].includes(response.status), `${response.status}`);
    assertEquals(response.headers.get("location"), null);
  });
  browser.cookies.clear();
  const stolen = await select({ sub: "bob" });
  await stolen.text();
  assertEquals(stolen.headers.get("location"), null);
  const foreign = await server.get("/oauth2/select_account?interaction=x", { headers: { host: "evil.example" } });
  await foreign.text();
  assertEquals(foreign.status, 403);
});

test("[OI-10] the list has only users that the client accepts", async () => {
  const server = await testServer(twoUsers);
  const { html } = await openAccounts(server, { claims: JSON.stringify({ id_token: { sub: { value: "bob" } } }) });
  assertEquals([...html.matchAll(/name="sub" value="([^"]*)"/g)].map(([, sub]) => sub), ["bob"]);
});

test("[OI-10] without a browser select_account needs no page, nor does a request without it in a browser", async () => {
  const server = await testServer(twoUsers);
  const request = `/oauth2/authorize?${encode({ ...goodRequest, ...selection })}`;
  await forEachCase<Record<string, string>>([{}, { accept: "*/*" }, { "sec-fetch-dest": "empty" }], async (headers) => {
    assertEquals(await subOf(server, await server.get(request, { headers, redirect: "manual" })), "alice");
  });
  const plain = `/oauth2/authorize?${encode({ ...goodRequest, scope: "openid", nonce: "n" })}`;
  assertEquals(
    await subOf(server, await server.get(plain, { headers: browserHeaders[0], redirect: "manual" })),
    "alice",
  );
});
