/** Servers that accept what is not registered: `"any"` as the value of clients, redirectUris, scopes and users. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, type LatchkeyOptions } from "../../src/mod.ts";
import type { App } from "../../src/server/app.ts";
import type { Plugin } from "../../src/server/hosting/options.ts";
import { latchkey } from "../secret_leak_check.ts";
import { openBrowser } from "./browser.ts";
import { basic, encode, forEachCase, getRedirectParams, getRejections, type TestServer, testServer } from "../kit.ts";

const any = "any";
const unknown = { client_id: "shop", redirect_uri: "https://shop.example/cb" };
const withoutChallenge = { code_challenge: undefined, code_challenge_method: undefined };

const warnings = ({ events }: TestServer) =>
  events.flatMap((event) => event.type === "warning" ? [[event.explanation.rule, event.explanation.reason]] : []);

test("[OP-11] clients any: an unknown client logs in with the redirect URI that it sends, and each use is a warning", async () => {
  const b = await testServer({ clients: any });
  const code = await b.code(unknown);
  const tokens = await (await b.token({ ...unknown, code })).json();
  assertEquals(tokens.token_type, "Bearer");
  assertEquals(warnings(b).map(([rule]) => rule), ["AZ-02", "CA-07"]);
  assertMatch(warnings(b)[0]![1]!, /^client_id is not registered; it was accepted, because clients is "any"$/);
  assertEquals(b.as.clients.count(), 0);
});

test("[OP-11, RU-01, LO-03] a URI that no client may register is rejected with its cause, also where any is accepted", async () => {
  const uri = "http://example.com/callback";
  for (const options of [{ clients: any }, { redirectUris: any }] as const) {
    const client_id = "clients" in options ? "shop" : "spa";
    const b = await testServer(options);
    const id_token = (await (await b.token({ client_id, code: await b.code({ client_id, scope: "openid" }) })).json())
      .id_token;
    const requests = [
      ["RU-01", () => b.authorize({ client_id, redirect_uri: uri })],
      ["LO-03", () => b.get(`/oauth2/logout?${encode({ id_token_hint: id_token, post_logout_redirect_uri: uri })}`)],
    ] as const;
    for (const [rule, request] of requests) {
      assertEquals((await request()).status, 400);
      const { explanation } = getRejections(b.events).at(-1)!;
      assertEquals([explanation.rule, explanation.received], [rule, uri]);
      assertMatch(explanation.expected!, /^https, or http on a test host/);
      assertMatch(explanation.fix!, /http-redirect-uris/);
    }
    const allowed = await testServer({ ...options, insecure: ["http-redirect-uris"] });
    assert(await allowed.code({ client_id, redirect_uri: uri }));
  }
});

test("[OP-11, RU-01, LO-03] an endpoint of the server itself is accepted only if it is registered, except /authorized", async () => {
  for (const options of [{ clients: any }, { redirectUris: any }] as const) {
    for (const issuer of ["http://localhost:9000", "http://localhost:9000/a"]) {
      let app: App | undefined;
      const plugins = [{ setup: (assembled: App) => void (app = assembled) }];
      const b = await testServer({ ...options, issuer, plugins });
      const client_id = "clients" in options ? "shop" : "spa";
      const tokens = await (await b.token({ client_id, code: await b.code({ client_id, scope: "openid" }) })).json();
      const requests = [
        ["RU-01", (uri: string) => b.authorize({ client_id, redirect_uri: uri, response_mode: "form_post" })],
        [
          "LO-03",
          (uri: string) =>
            b.get(`/oauth2/logout?${encode({ id_token_hint: tokens.id_token, post_logout_redirect_uri: uri })}`),
        ],
      ] as const;
      const paths = app!.endpoints.map(({ path }) => path.replace(/\*+$/, "x"));
      const own = paths.filter((path) => !path.endsWith("/authorized"));
      assert(own.length > 10);
      const isRejected = async (uri: string) => {
        for (const [rule, request] of requests) {
          b.events.length = 0;
          const { status } = await request(uri);
          const rejected = getRejections(b.events).map(({ explanation }) => [explanation.rule, explanation.received]);
          assertEquals(rejected, status === 400 ? [[rule, uri]] : [], uri);
          if (status !== 400) return false;
        }
        return true;
      };
      // The names of this machine are those of the server, and another issuer of the host has the same endpoints.
      const others = ["127.0.0.1:9000", "[::1]:9000", "app.localhost:9000"].map((host) => host + own[0]);
      if (issuer.endsWith("/a")) others.push(`localhost:9000${own[0]!.replace("/a/", "/b/")}`);
      await forEachCase([...own.map((path) => `localhost:9000${path}`), ...others], async (uri) => {
        assert(await isRejected(`http://${uri}?login_hint=bob`));
      });
      const application = [
        `${issuer}/authorized`,
        `${issuer}/callback`,
        "http://localhost:9000/callback",
        `http://localhost:3000${own.at(-1)}`,
      ];
      await forEachCase(application, async (uri) => assert(!await isRejected(uri)));
    }
  }
});

test("[OP-11] clients any: codes, challenges and the equality of both requests stay strict", async () => {
  const b = await testServer({ clients: any });
  const outcome = async (authorization: object, token: object) => {
    const response = await b.token({ ...unknown, code: await b.code({ ...unknown, ...authorization }), ...token });
    return response.ok ? "tokens" : (await response.json()).error_description.match(/\[(.*)\]/)[1];
  };
  assertEquals(await outcome({}, {}), "tokens");
  assertEquals(await outcome({}, { client_id: "other" }), "CI-05");
  assertEquals(await outcome({}, { redirect_uri: "https://shop.example/cb/" }), "TK-15");
  assertEquals(await outcome({}, { code_verifier: undefined }), "PK-10");
  assertEquals(await outcome({}, { code_verifier: "x".repeat(43) }), "PK-09");
  assertEquals(await outcome(withoutChallenge, { code_verifier: undefined }), "tokens");
  assertEquals(await outcome(withoutChallenge, {}), "PK-11");
  const code = await b.code(unknown);
  await b.token({ ...unknown, code });
  assertEquals((await b.token({ ...unknown, code })).status, 400);
});

test("[OP-11, LO-03] clients any: logout continues at the URI that an unknown client sends with its ID token", async () => {
  const b = await testServer({ clients: any });
  const logOut = async (uri: string) => {
    const browser = openBrowser(b);
    const { id_token } = await browser.login({ ...unknown, scope: "openid" });
    const query = encode({ id_token_hint: id_token, post_logout_redirect_uri: uri });
    return (await browser.get(`/oauth2/logout?${query}`)).headers.get("location");
  };
  assertEquals(await logOut("https://shop.example/bye"), "https://shop.example/bye");
  assertEquals(await logOut("javascript:alert(1)"), null);
  assert(warnings(b).some(([rule]) => rule === "LO-03"));
});

test("[OP-11] clients any: a setting that requires challenges of confidential clients requires them of unknown ones", async () => {
  const b = await testServer({ clients: any, pkce: { requireForConfidential: true } });
  const response = await b.authorize({ ...unknown, ...withoutChallenge });
  assertEquals(getRedirectParams(response).get("error"), "invalid_request");
});

test("[OP-11] clients any: refresh tokens of an unknown client rotate, and a second use is rejected", async () => {
  const b = await testServer({ clients: any });
  const first = await (await b.token({ ...unknown, code: await b.code(unknown) })).json();
  const refresh = (refresh_token: string, client_id = "shop") =>
    b.token({ grant_type: "refresh_token", client_id, refresh_token, ...without("redirect_uri", "code_verifier") });
  assertEquals((await refresh(first.refresh_token, "other")).status, 400);
  const second = await (await refresh(first.refresh_token)).json();
  assert(second.refresh_token !== first.refresh_token);
  assertEquals((await refresh(first.refresh_token)).status, 400);
  // A secret that is not verified does not end the rotation.
  const { redirect_uri } = unknown;
  const third = await (await b.token({ redirect_uri, client_id: "shop", code: await b.code(unknown) })).json();
  const invented = { client_id: "shop", client_secret: "invented", ...without("redirect_uri", "code_verifier") };
  const used = { grant_type: "refresh_token", refresh_token: third.refresh_token, ...invented };
  const fourth = await (await b.token(used)).json();
  assert(fourth.refresh_token !== third.refresh_token);
  assertEquals((await b.token(used)).status, 400);
});

test("[OP-11] clients any: an unknown client authenticates with any secret; a registered one with its own", async () => {
  const b = await testServer({ clients: any });
  await b.as.clients.set({ client_id: "web", client_secret: "web-secret", redirect_uris: [unknown.redirect_uri] });
  const request = { grant_type: "client_credentials", scope: "read", client_id: undefined };
  const machine = (id: string, secret: string) =>
    b.token({ ...request, ...without("redirect_uri", "code_verifier") }, { headers: basic(id, secret) });
  assertEquals((await machine("job", "whatever")).status, 200);
  assertEquals((await machine("web", "whatever")).status, 401);
  const posted = { client_id: "job", client_secret: "whatever", redirect_uri: unknown.redirect_uri };
  const code = await b.code({ ...posted, client_secret: undefined });
  assertEquals((await b.token({ ...posted, code })).status, 200);
  assertEquals(
    (await b.token({ ...request, client_id: "job", ...without("redirect_uri", "code_verifier") })).status,
    400,
  );
});

test("[OP-11, CA-07] clients any: a reading of HTTP Basic that names a registered client counts before any secret", async () => {
  const b = await testServer({ clients: any });
  await b.as.clients.set({ client_id: "a+b", client_secret: "c+d", grant_types: ["client_credentials"] });
  const send = (secret: string) =>
    b.token(
      { grant_type: "client_credentials", client_id: undefined, ...without("redirect_uri", "code_verifier") },
      { headers: basic("a+b", secret) },
    );
  assertEquals((await send("c+d")).status, 200);
  const issued = b.events.find((event) => event.type === "tokens_issued");
  assertEquals(issued?.type === "tokens_issued" && issued.client, "a+b");
  assertEquals((await send("e+f")).status, 401);
});

test("[OP-11] any: a check of what is not registered has not passed", async () => {
  const passed: string[] = [];
  const record: Plugin = {
    onPassed: (rule) => void passed.push(rule),
  };
  const rules = ["AZ-02", "RU-01", "CA-07"];
  const outcome = async (options: LatchkeyOptions, request: Record<string, string>) => {
    const b = await testServer({ ...options, plugins: [record] });
    passed.length = 0;
    assertEquals((await b.token({ ...request, code: await b.code(request) })).status, 200);
    return passed.filter((rule) => rules.includes(rule));
  };
  assertEquals(await outcome({ clients: any }, unknown), []);
  assertEquals(await outcome({ redirectUris: any }, { redirect_uri: unknown.redirect_uri }), ["AZ-02", "CA-07"]);
  assertEquals(await outcome({ redirectUris: any }, {}), rules);
});

test("[UI-30] neither an unknown client nor an unregistered redirect URI gives a page of another site a code", async () => {
  const site = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document", referer: "https://evil.widgets.com/" };
  const requests: readonly [LatchkeyOptions, Record<string, string>][] = [
    [{ clients: any }, { client_id: "shop" }],
    [{ redirectUris: any }, { client_id: "spa" }],
  ];
  const uris = ["https://evil.widgets.com/cb", "x-browser:https://evil.widgets.com", "Browser://evil.widgets.com/cb"];
  for (const [options, client, redirect_uri] of requests.flatMap((one) => uris.map((uri) => [...one, uri] as const))) {
    const b = await testServer({ ...options, issuer: "http://localhost:9000" });
    const fields = { ...client, redirect_uri };
    const error = getRedirectParams(await b.authorize(fields, { headers: { ...site, host: "localhost:9000" } })).get(
      "error",
    );
    assertEquals(error, "interaction_required");
    assert((await b.authorize(fields)).headers.get("location")?.includes("code="));
  }
});

test("[OP-11] redirectUris any: a registered client may use another redirect URI, and each use is a warning", async () => {
  const b = await testServer({ redirectUris: any });
  const redirect_uri = "http://localhost:4321/cb";
  assertEquals((await b.token({ redirect_uri, code: await b.code({ redirect_uri }) })).status, 200);
  assertEquals(warnings(b).map(([rule]) => rule), ["RU-01"]);
  assertMatch(warnings(b)[0]![1]!, /because redirectUris is "any"$/);
  assertEquals((await b.authorize({ redirect_uri: "javascript:alert(1)" })).status, 400);
  assertEquals((await b.token({ code: await b.code({ redirect_uri }) })).status, 400);
  assertEquals((await b.authorize({ client_id: "shop" })).status, 400);
});

test("[OP-11] a client with a profile of its own stays strict where redirectUris and scopes are any", async () => {
  const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"], profile: "oauth2.1" as const }];
  const b = await testServer({ clients, redirectUris: any, scopes: any });
  assertEquals((await b.authorize({ redirect_uri: "https://spa.example/other" })).status, 400);
  assertEquals(getRedirectParams(await b.authorize({ scope: "read other" })).get("error"), "invalid_scope");
});

test("[OP-11] scopes any: unknown scope values are granted with a warning, and survive a refresh", async () => {
  const b = await testServer({
    scopes: any,
    clients: [
      {
        client_id: "spa",
        redirect_uris: ["https://spa.example/cb"],
        grant_types: ["authorization_code", "refresh_token"],
      },
      { client_id: "narrow", redirect_uris: ["https://spa.example/cb"], scope: "read" },
    ],
  });
  const scope = "orders:read custom";
  const tokens = await (await b.token({ code: await b.code({ scope }) })).json();
  assertEquals(tokens.scope ?? scope, scope);
  assertEquals(warnings(b).map(([rule]) => rule), ["AZ-17"]);
  const { refresh_token } = tokens;
  const refreshed = await b.token({
    ...{ grant_type: "refresh_token", refresh_token },
    ...without("code", "redirect_uri", "code_verifier"),
  });
  assertEquals((await refreshed.json()).scope ?? scope, scope);
  assertEquals(getRedirectParams(await b.authorize({ client_id: "narrow", scope })).get("error"), "invalid_scope");
  assertEquals(getRedirectParams(await b.authorize({ scope: 'a"b' })).get("error"), "invalid_scope");
});

test("[OI-06] users any: a login_hint that names no user makes the user, with a warning", async () => {
  const b = await testServer({ users: any });
  await b.code({ login_hint: "carol" });
  await b.code({ login_hint: "carol" });
  await b.code({ login_hint: "alice" });
  assertEquals(warnings(b).map(([rule]) => rule).filter((rule) => rule !== "PK-14"), ["OI-06"]);
  assertEquals(b.as.users.list().map(({ sub }) => sub), ["alice", "bob", "carol"]);
});

test("[OP-11] any is for test hosts, and for no profile", async () => {
  const real: LatchkeyOptions = {
    issuer: "https://login.widgets.com",
    login: "interactive",
    insecure: ["open-login"],
  };
  await forEachCase(["clients", "redirectUris", "scopes", "users"] as const, async (name) => {
    await assertRejects(() => latchkey({ ...real, clients: [], [name]: any }), ConfigurationError, name);
    await assertRejects(() => latchkey({ profile: "oauth2.1", [name]: any }), ConfigurationError, "profile");
    await assertRejects(() => latchkey({ [name]: "all" as typeof any }), ConfigurationError, "any");
  });
});

const without = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, undefined]));
