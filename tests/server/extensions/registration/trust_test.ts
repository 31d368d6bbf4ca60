/**
 * Clients that registered themselves are not trusted: sectors, consent, errors before the login (groups DR, AR).
 *
 * @extensions assertion_authentication, pairwise, par
 */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../../src/mod.ts";
import { openBrowser } from "../../browser.ts";
import {
  assertAuthorizationResponse,
  authorizeByPost,
  decodeClaims,
  forEachCase,
  getRejections,
  testServer,
} from "../../../kit.ts";
import { assertInvalidRequestUri, pushed, refer } from "../par/pushed_requests.ts";
import { describePage, logIn, logInAndAllow, requestAuthorization, submit } from "../../page_navigation.ts";
import { manage, outcomeOf, postRegistration, publicClient, register } from "../../registering.ts";

const redirect_uri = "https://app.example/cb";
const sector_identifier_uri = "https://sector.example/uris.json";
const pairwise = { ...publicClient, subject_type: "pairwise", sector_identifier_uri };

test("[DR-08] the document of a sector lists every redirect URI, or the client is rejected", async () => {
  let respond: () => Response | Promise<Response> = () => Response.json([redirect_uri]);
  const fetched: string[] = [];
  const server = await testServer({
    outbound: async (url) => {
      fetched.push(url);
      return await respond();
    },
  });
  const client = await register(server, pairwise);
  assertEquals([client.sector_identifier_uri, client.subject_type], [sector_identifier_uri, "pairwise"]);
  const at = { client_id: client.client_id, redirect_uri };
  const { id_token } = await (await server.token({ ...at, code: await server.code(at) })).json();
  assert(decodeClaims(id_token).sub !== "alice");

  const responses: readonly (() => Response | Promise<Response>)[] = [
    () => Response.json(["https://app.example/other"]),
    () => Response.json({ uris: [redirect_uri] }),
    () => new Response("not JSON"),
    () => new Response(null, { status: 404 }),
    () => new Response(null, { status: 302, headers: { location: "http://127.0.0.1/" } }),
    () => new Response(" ".repeat(70_000)),
    () => Promise.reject(new TypeError("no route to host")),
  ];
  for (const response of responses) {
    respond = response;
    server.events.length = 0;
    assertEquals(await outcomeOf(await postRegistration(server, pairwise)), "400 invalid_client_metadata");
    assertEquals(getRejections(server.events)[0]!.explanation.rule, "DR-08");
    const put = await manage(server, "PUT", client, { ...pairwise, client_id: client.client_id });
    assertEquals(await outcomeOf(put), "400 invalid_client_metadata");
  }
  assertEquals(new Set(fetched), new Set([sector_identifier_uri]));
  // The client is as it was.
  assertEquals((await manage(server, "GET", client)).status, 200);
});

test("[MC-05] sectors and keys of clients that registered themselves have a limit of fetches from one host", async () => {
  const fetched: string[] = [];
  const server = await testServer({
    outbound: (url) => {
      fetched.push(url);
      return Promise.resolve(Response.json([redirect_uri]));
    },
  });
  for (let i = 0; i < 60; i++) await register(server, pairwise);
  assertEquals(await outcomeOf(await postRegistration(server, pairwise)), "400 invalid_client_metadata");
  assertMatch(
    getRejections(server.events)[0]!.explanation.expected!,
    /^at most 60 fetches in 60 seconds from sector\.example$/,
  );
  assertEquals(fetched.length, 60);

  const part = (value: unknown) => btoa(JSON.stringify(value)).replace(/=+$/, "");
  const authenticate = async (i: number) => {
    const { client_id } = await register(server, {
      redirect_uris: [redirect_uri],
      token_endpoint_auth_method: "private_key_jwt",
      jwks_uri: `https://keys.example:${8000 + i}/jwks`,
    });
    const claims = { iss: client_id, sub: client_id, aud: server.as.issuer, exp: 4e9, jti: "once" };
    const response = await server.token({
      client_id: undefined,
      code: "x",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
      client_assertion: `${part({ alg: "ES256" })}.${part(claims)}.AAAA`,
    });
    assertEquals(response.status, 401);
  };
  fetched.length = 0;
  for (let i = 0; i < 61; i++) await authenticate(i);
  assertEquals(fetched.length, 60);
  server.advance(60);
  await authenticate(61);
  assertEquals(fetched.length, 61);
});

test("[DR-11] the consent page says that the client registered itself, and warns about a client on the device", async () => {
  const server = await testServer({
    login: "interactive",
    users: [{ sub: "alice" }],
    registration: { mode: "open", initialAccessTokens: ["an-initial-access-token"] },
  });
  const consentOf = async (metadata: Record<string, unknown>, headers?: Record<string, string>) => {
    const { client_id, redirect_uris } = await register(server, metadata, headers);
    const [uri] = redirect_uris as string[];
    const page = await logIn(openBrowser(server), "alice", { client_id, redirect_uri: uri });
    return page.text.replaceAll(/\s+/g, " ");
  };
  const open = await consentOf({ ...publicClient, client_name: "Shop" });
  for (
    const words of [
      "Allow Shop to",
      "Not registered by the operator of this server: the client itself chose",
      "app.example",
    ]
  ) {
    assertStringIncludes(open, words);
  }
  assert(!open.includes("pretend to be this client"));
  const onDevice = await consentOf({ ...publicClient, redirect_uris: ["http://localhost:3000/cb"] });
  assertStringIncludes(onDevice, "pretend to be this client");
  const trusted = await consentOf(publicClient, { authorization: "Bearer an-initial-access-token" });
  assertStringIncludes(trusted, "Registered by the operator of this server.");
});

test("[DR-11] a remembered consent does not count after a change of redirect URIs, and does after one of the name", async () => {
  const server = await testServer({ login: "interactive", users: [{ sub: "alice" }] });
  const browser = openBrowser(server);
  const client = await register(server);
  const put = { ...publicClient, client_id: client.client_id };
  const at = { client_id: client.client_id, redirect_uri };
  assertEquals(describePage(await logInAndAllow(browser, "alice", at)), "code");
  assertEquals(describePage(await requestAuthorization(browser, at)), "code");
  const renamed = await (await manage(server, "PUT", client, { ...put, client_name: "New" })).json();
  assertEquals(describePage(await requestAuthorization(browser, at)), "code");
  const redirect_uris = [redirect_uri, "https://other.example/cb"];
  assertEquals((await manage(server, "PUT", renamed, { ...put, redirect_uris })).status, 200);
  assertEquals(describePage(await requestAuthorization(browser, at)), "consent");
});

test("[DR-11] a consent page does not count after the client has changed its redirect URIs", async () => {
  const server = await testServer({ login: "interactive", users: [{ sub: "alice" }] });
  const browser = openBrowser(server);
  const client = await register(server);
  const at = { client_id: client.client_id, redirect_uri };
  const page = await logIn(browser, "alice", at);
  const redirect_uris = [redirect_uri, "https://other.example/cb"];
  const put = { ...publicClient, client_id: client.client_id, redirect_uris };
  assertEquals((await manage(server, "PUT", client, put)).status, 200);
  assertEquals((await submit(browser, page, "decision", "allow")).status, 403);
  assertEquals(describePage(await requestAuthorization(browser, at)), "consent");
});

test("[DR-04] on a real host, a client without approval gets no tokens of its own", async () => {
  const own = {
    ...publicClient,
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["client_credentials"],
  };
  const metadata = { ...own, redirect_uris: undefined };
  const server = await testServer(realHost);
  assertEquals(await outcomeOf(await postRegistration(server, metadata)), "400 invalid_client_metadata");
  assertEquals(getRejections(server.events)[0]!.explanation.rule, "DR-04");
  await register(server, metadata, { authorization: "Bearer an-initial-access-token" });
  await register(await testServer(), metadata);
});

test("[DR-11, DR-10] a client is trusted as long as its metadata has a verified software statement", async () => {
  const { publicKey, privateKey } = await generateKeyPair("ES256");
  const issuer = "https://publisher.example";
  const server = await testServer({
    login: "interactive",
    users: [{ sub: "alice" }],
    registration: { softwareStatementIssuers: [{ issuer, jwks: { keys: [{ ...await exportJWK(publicKey) }] } }] },
  });
  const software_statement = await new SignJWT({
    iss: issuer,
    client_name: "Signed",
    redirect_uris: publicClient.redirect_uris,
  })
    .setProtectedHeader({ alg: "ES256" }).sign(privateKey);
  const client = await register(server, { ...publicClient, software_statement });
  const at = { client_id: client.client_id, redirect_uri };
  const signed = await logIn(openBrowser(server), "alice", at);
  assertStringIncludes(signed.text.replaceAll(/\s+/g, " "), "Registered by the operator of this server.");
  const put = await manage(server, "PUT", client, { ...publicClient, client_id: client.client_id });
  assertEquals((await put.json()).software_statement, undefined);
  const unsigned = await logIn(openBrowser(server), "alice", at);
  assertStringIncludes(unsigned.text.replaceAll(/\s+/g, " "), "the client itself chose");
});

const realHost: LatchkeyOptions = {
  issuer: "https://auth.company.com",
  login: "interactive",
  users: [{ sub: "alice" }],
  insecure: ["open-login", "open-registration"],
  registration: { mode: "open", initialAccessTokens: ["an-initial-access-token"] },
};

test("[AR-11] on a real host, an error for a client that registered itself is a page with a link to it", async () => {
  const server = await testServer(realHost);
  const { client_id } = await register(server);
  const faulty = { client_id, redirect_uri, scope: "unknown" };
  const response = await server.authorize(faulty);
  assertEquals([response.status, response.headers.get("location")], [400, null]);
  const html = await response.text();
  assertStringIncludes(html, "Unknown scope: unknown");
  const [, href = ""] =
    /<a href="(https:\/\/app\.example[^"]*)" rel="noreferrer">Continue to app\.example<\/a>/.exec(html) ??
      [];
  const link = new URL(href.replaceAll("&amp;", "&"));
  assertEquals(link.origin + link.pathname, redirect_uri);
  assertEquals([link.searchParams.get("error"), link.searchParams.get("state")], ["invalid_scope", "st4te"]);
  assertEquals(link.searchParams.get("iss"), "https://auth.company.com");
  // A response by form_post has no link, only the host.
  const form = await (await server.authorize({ ...faulty, response_mode: "form_post" })).text();
  assertStringIncludes(form, "app.example");
  assert(!/<form|<a href="https:\/\/app/.test(form));
});

test("[AR-11] the link to the login page that a posted request leads to shows the error too", async () => {
  const server = await testServer(realHost);
  const { client_id } = await register(server);
  const posted = await authorizeByPost(server, { client_id, redirect_uri, prompt: "none" });
  const { pathname, search } = new URL(posted.headers.get("location")!, "https://auth.company.com");
  assertEquals(pathname, "/oauth2/login");
  // Another browser opens the link.
  const response = await server.get(pathname + search);
  assertEquals([response.status, response.headers.get("location")], [400, null]);
  assertStringIncludes(await response.text(), "Continue to app.example");
});

test("[AR-11, PA-06] an error that is shown before it is sent uses up a pushed request", async () => {
  const server = await testServer(realHost);
  const { client_id } = await register(server);
  await forEachCase(["query", "form_post"], async (response_mode) => {
    const request_uri = await pushed(server, { client_id, redirect_uri, response_mode, prompt: "none" });
    const html = await (await refer(server, request_uri, { client_id })).text();
    assertStringIncludes(html, response_mode === "query" ? "error=login_required" : "login_required");
    await assertInvalidRequestUri(server, await refer(server, request_uri, { client_id }));
  });
});

test("[AR-11] errors redirect for trusted clients, on the user's device, after the login, and on test hosts", async () => {
  const server = await testServer(realHost);
  const open = await register(server);
  const device = await register(server, { ...publicClient, redirect_uris: ["http://127.0.0.1/cb"] });
  const trusted = await register(server, publicClient, { authorization: "Bearer an-initial-access-token" });
  const cases = [
    { client_id: "spa", redirect_uri: "https://spa.example/cb" },
    { client_id: trusted.client_id, redirect_uri },
    { client_id: device.client_id, redirect_uri: "http://127.0.0.1/cb" },
  ];
  await forEachCase(cases, async (fields) => {
    const response = await server.authorize({ ...fields, scope: "unknown" });
    assertMatch(response.headers.get("location") ?? "", /[?&]error=invalid_scope/);
  });
  // A browser without a session gets a page for prompt=none, too.
  const silent = await server.authorize({ client_id: open.client_id, redirect_uri, prompt: "none" });
  assertEquals([silent.status, silent.headers.get("location")], [400, null]);

  const automatic = await testServer({ ...realHost, login: "auto", insecure: ["auto-login", "open-registration"] });
  const { client_id: id } = await register(automatic);
  const cookie = (await automatic.authorize({ client_id: id, redirect_uri })).headers.get("set-cookie")!.split(";")[0]!;
  const faulty = { client_id: id, redirect_uri, scope: "unknown" };
  assertEquals((await automatic.authorize(faulty)).status, 400);
  const loggedIn = await automatic.authorize(faulty, { headers: { cookie } });
  assertMatch(loggedIn.headers.get("location") ?? "", /[?&]error=invalid_scope/);

  const onTestHost = await testServer();
  const { client_id } = await register(onTestHost);
  const response = await onTestHost.authorize({ client_id, redirect_uri, scope: "unknown" });
  assertAuthorizationResponse(response, { uri: redirect_uri });
});
