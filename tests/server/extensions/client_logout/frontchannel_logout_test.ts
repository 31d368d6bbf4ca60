/**
 * Front-channel logout: the logout page with a frame of each client (group FC). A browser runs it in tests/browser.
 *
 * @extensions pairwise, registration
 */

import { assert, assertEquals, assertMatch, assertNotMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions } from "../../../../src/mod.ts";
import { latchkey } from "../../../secret_leak_check.ts";
import { openBrowser, parseAttributes, sessionCookie } from "../../browser.ts";
import { decodeClaims, forEachCase, getOutcome, testServer } from "../../../kit.ts";
import { callingServer, loggedOutClient, logOut, postLogoutRedirectUri } from "./logout_receiver.ts";
import { postRegistration } from "../../registering.ts";

/** A client that is logged out in a frame. */
function framedClient(id: string, changes: Partial<ClientMetadata> = {}): ClientMetadata {
  return loggedOutClient(id, {
    client_name: `The ${id} <b>&"`,
    backchannel_logout_uri: undefined,
    frontchannel_logout_uri: `https://spa.example/front/${id}`,
    ...changes,
  });
}

const options: LatchkeyOptions = {
  clients: [
    framedClient("spa", {
      post_logout_redirect_uris: [postLogoutRedirectUri, "com.example.app:/bye"],
      frontchannel_logout_uri: "https://spa.example/front?tenant=7&x",
      frontchannel_logout_session_required: true,
    }),
    framedClient("both", { backchannel_logout_uri: "https://both.example/out" }),
    framedClient("pairwise", {
      subject_type: "pairwise",
      redirect_uris: ["https://spa.example:8443/cb", "https://spa.example/cb"],
      frontchannel_logout_uri: "https://spa.example:8443/front",
    }),
    framedClient("silent", { frontchannel_logout_uri: undefined }),
  ],
};

/** The attributes of the frames of a page. */
function framesOf(html: string): ReadonlyMap<string, string>[] {
  return [...html.matchAll(/<iframe\b(?:"[^"]*"|[^>"])*>/g)].map(([tag]) => parseAttributes(tag));
}

const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; " +
  "base-uri 'none'; frame-ancestors 'none'";

test("[FC-01] metadata announces front-channel logout exactly when it is on", async () => {
  await forEachCase([{}, { frontChannel: true, backChannel: false }, { frontChannel: false }], async (clientLogout) => {
    const b = await testServer({ clientLogout });
    const metadata = await (await b.get("/.well-known/openid-configuration")).json();
    const expected = clientLogout.frontChannel === false ? undefined : true;
    assertEquals(
      [metadata.frontchannel_logout_supported, metadata.frontchannel_logout_session_supported],
      [expected, expected],
    );
  });
});

test("[FC-01] frontchannel_logout_uri has scheme, host and port of a redirect URI, and no fragment", async () => {
  const redirect_uris = ["https://rp.example/cb", "http://localhost:3000/cb", "com.example.app:/cb"];
  redirect_uris.push(
    "https://rp;sandbox/cb",
    "https://rp,sandbox/cb",
    "https://my_rp.example/cb",
    "http://[::1]:81/cb",
  );
  const client = { client_id: "rp", redirect_uris };
  const valid: Partial<ClientMetadata>[] = [
    { frontchannel_logout_uri: "https://rp.example/out" },
    { frontchannel_logout_uri: "https://rp.example:443/out?tenant=7", frontchannel_logout_session_required: true },
    { frontchannel_logout_uri: "http://localhost:3000" },
    { frontchannel_logout_uri: "https://my_rp.example/out" },
    { frontchannel_logout_uri: "http://[::1]:81/out" },
    { frontchannel_logout_session_required: false },
  ];
  const origin = /scheme, host and port/;
  const invalid: [Partial<ClientMetadata>, expected: RegExp][] = [
    [{ frontchannel_logout_uri: "https://other.example/out" }, origin],
    [{ frontchannel_logout_uri: "https://rp.example:8443/out" }, origin],
    [{ frontchannel_logout_uri: "https://www.rp.example/out" }, origin],
    [{ frontchannel_logout_uri: "http://rp.example/out" }, origin],
    [{ frontchannel_logout_uri: "http://localhost:3001/" }, origin],
    [{ frontchannel_logout_uri: "com.example.app:/out" }, origin],
    [{ frontchannel_logout_uri: "https://rp.example/out#x" }, /fragment/],
    [{ frontchannel_logout_uri: "/out" }, /absolute/],
    // The host would be a directive of the page's policy.
    [{ frontchannel_logout_uri: "https://rp;sandbox/out" }, /a host of letters/],
    [{ frontchannel_logout_uri: "https://rp,sandbox/out" }, /a host of letters/],
    [{ frontchannel_logout_uri: "https://rp.example/out?sid=1" }, /without iss and sid/],
    [{ frontchannel_logout_uri: "https://rp.example/out?a&iss=1" }, /without iss and sid/],
    [{ frontchannel_logout_session_required: true }, /a URI/],
  ];
  const b = await testServer();
  const register = (metadata: object) =>
    postRegistration(b, { redirect_uris, token_endpoint_auth_method: "none", ...metadata });
  await forEachCase(valid, async (metadata) => {
    await (await latchkey({ clients: [{ ...client, ...metadata }] })).close();
    assertEquals((await register(metadata)).status, 201);
  });
  await forEachCase(invalid, async ([metadata, expected]) => {
    const error = await assertRejects(() => latchkey({ clients: [{ ...client, ...metadata }] }), ConfigurationError);
    assertEquals(error.issues.map(({ path }) => path), ["clients[0].frontchannel_logout_uri"]);
    assertMatch(error.issues[0]!.expected, expected);
    const response = await register(metadata);
    assertEquals(await getOutcome(response.clone()), "400 invalid_client_metadata");
    assertMatch((await response.json()).error_description, expected);
  });
});

test("[FC-02, FC-03] the logout page has one frame for each client of the session, with iss and sid, and a policy for these origins alone", async () => {
  const b = await callingServer(options);
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  await browser.login();
  const pairwise = await browser.login({ client_id: "pairwise" });
  await browser.login({ client_id: "both" });
  await browser.login({ client_id: "silent" });
  await openBrowser(b).login({ client_id: "silent" });
  const response = await logOut(browser, id_token);
  assertEquals([response.status, response.headers.get("location")], [200, null]);
  const html = await response.text();
  const frames = framesOf(html);
  const parameters = (tokens: string) => `iss=https%3A%2F%2Fas.test&sid=${decodeClaims(tokens).sid}`;
  assertEquals(frames.map((frame) => frame.get("src")).sort(), [
    `https://spa.example/front/both?${parameters(id_token)}`,
    `https://spa.example/front?tenant=7&x&${parameters(id_token)}`,
    `https://spa.example:8443/front?${parameters(pairwise.id_token)}`,
  ]);
  for (const frame of frames) assertEquals(frame.get("sandbox"), "allow-scripts allow-same-origin");
  const [base, origins] = response.headers.get("content-security-policy")!.split("; frame-src ");
  assertEquals(base, policy);
  assertEquals(new Set(origins!.split(" ")), new Set(["https://spa.example", "https://spa.example:8443"]));
  assertEquals(response.headers.get("x-frame-options"), "DENY");
  assertEquals(response.headers.get("referrer-policy"), "no-referrer");
  assertStringIncludes(html, "The spa &lt;b>&amp;");
  assertEquals(browser.cookies.has(sessionCookie), false);
  // The client with both URIs was called, too.
  assertEquals(b.calls.map(({ claims }) => claims.aud), ["both"]);
  // No other page has frames.
  const again = await logOut(browser, id_token);
  assertEquals(again.headers.get("content-security-policy"), policy);
  assertEquals(framesOf(await again.text()), []);
});

test("[FC-02] without the session cookie the session ends, but the page does not name its clients", async () => {
  for (const method of ["get", "post"] as const) {
    const b = await callingServer(options);
    const browser = openBrowser(b);
    const { id_token } = await browser.login();
    await browser.login({ client_id: "both" });
    const other = openBrowser(b);
    const response = method === "get"
      ? await logOut(other, id_token)
      : await other.post("/oauth2/logout", { id_token_hint: id_token });
    const html = await response.text();
    assertEquals([response.status, framesOf(html), /The (both|spa)/.test(html)], [200, [], false]);
    assertEquals(response.headers.get("content-security-policy"), policy);
    assertEquals(b.calls.map(({ claims }) => claims.aud), ["both"]);
    assertEquals(await browser.authorizeSilently(), "login_required");
  }
});

test("[FC-04, LO-04] the page continues to the accepted post_logout_redirect_uri with state, also without script", async () => {
  const cases: [Record<string, string>, href: string | undefined][] = [
    [{ post_logout_redirect_uri: postLogoutRedirectUri, state: `a b"&` }, `${postLogoutRedirectUri}?state=a%20b%22%26`],
    [{ post_logout_redirect_uri: "com.example.app:/bye" }, "com.example.app:/bye"],
    [{}, undefined],
  ];
  await forEachCase(cases, async ([fields, href]) => {
    const b = await callingServer({ ...options, clientLogout: { timeout: 3 } });
    const browser = openBrowser(b);
    const html = await (await logOut(browser, (await browser.login()).id_token, fields)).text();
    const [link] = [...html.matchAll(/<a\b[^>]*data-continue-after[^>]*>/g)].map(([tag]) => parseAttributes(tag));
    assertEquals([link?.get("href"), link?.get("data-continue-after")], [href, href && "3000"]);
    assertNotMatch(html, /http-equiv/);
  });
  const b = await callingServer(options);
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  const rejected = await logOut(browser, id_token, { post_logout_redirect_uri: "https://evil.example/" });
  assertEquals(rejected.status, 400);
  assertNotMatch(await rejected.text(), /<iframe/);
  assertEquals(await browser.authorizeSilently(), "code");
});

test("[FC-02] a session that is ended twenty times concurrently shows each client once", async () => {
  const b = await callingServer(options);
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  const responses = await Promise.all(Array.from({ length: 20 }, () => logOut(browser, id_token)));
  const pages = await Promise.all(responses.map((response) => response.text()));
  assertEquals(pages.flatMap((html) => framesOf(html)).length, 1);
});

test("[FC-01, FC-02] if it is off, the page has no frames, and only clients with a back-channel URI are recorded", async () => {
  const b = await callingServer({ ...options, clientLogout: { frontChannel: false } });
  const browser = openBrowser(b);
  const { id_token } = await browser.login();
  await browser.login({ client_id: "both" });
  const response = await logOut(browser, id_token, { post_logout_redirect_uri: postLogoutRedirectUri });
  assertEquals(response.headers.get("location"), postLogoutRedirectUri);
  assertEquals(b.calls.map(({ claims }) => claims.aud), ["both"]);
});

test("[FC-02] with back-channel logout off, frames are shown and no client is called", async () => {
  const b = await callingServer({ ...options, clientLogout: { backChannel: false } });
  const browser = openBrowser(b);
  await browser.login({ client_id: "both" });
  const { id_token } = await browser.login();
  assertEquals(framesOf(await (await logOut(browser, id_token)).text()).length, 2);
  assertEquals(b.calls, []);
  assert(b.events.every(({ type }) => type !== "back_channel_logout"));
});

test("[CI-11, FC-02] a client that was added again has no frame for logins at the removed one", async () => {
  const b = await testServer(options);
  const browser = openBrowser(b);
  await browser.login({ client_id: "both" });
  const { id_token } = await browser.login();
  await b.as.clients.delete("both");
  await b.as.clients.set(framedClient("both"));
  const page = await logOut(browser, id_token);
  assertEquals(framesOf(await page.text()).map((frame) => new URL(frame.get("src")!).pathname), ["/front"]);
});
