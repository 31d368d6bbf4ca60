/**
 * Redirect URIs at registration, at the authorization endpoint, and in whatever else a browser is shown (group RU).
 *
 * @extensions all
 */

import { assert, assertEquals, assertMatch, assertNotMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { assertThrows } from "@std/assert";
import { test } from "node:test";
import { type ClientMetadata, ConfigurationError, type LatchkeyOptions } from "../../../src/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  authorizeByPost,
  basic,
  encode,
  forEachCase,
  getRejections,
  goodRequest,
  testServer,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { sample } from "../../sample.ts";

/** A server with one client, `c`, that has these redirect URIs. */
function serverWith(redirect_uris: readonly string[], more: Partial<ClientMetadata> = {}): Promise<TestServer> {
  return testServer({ clients: [{ client_id: "c", redirect_uris, ...more }] });
}

/** Requests each of these redirect URIs for `c`, by GET and by POST, and asserts that none is visited. */
async function assertPages(server: TestServer, uris: readonly string[]): Promise<void> {
  const issued = () => server.events.filter((event) => event.type === "code_issued").length;
  const before = issued();
  await forEachCase(uris, async (redirect_uri) => {
    await assertPage(await server.authorize({ client_id: "c", redirect_uri }));
    await assertPage(await authorizeByPost(server, { client_id: "c", redirect_uri }));
    await assertPage(await server.authorize({ client_id: "c", redirect_uri, scope: "bogus" }));
  });
  assertEquals(issued(), before);
}

/** Requests each of these redirect URIs for `c`, and asserts a redirect with a code and with an error. */
async function assertResponded(server: TestServer, uris: readonly string[]): Promise<void> {
  await forEachCase(uris, async (redirect_uri) => {
    assert(
      assertAuthorizationResponse(await server.authorize({ client_id: "c", redirect_uri }), { uri: redirect_uri }).code,
    );
    assert(
      assertAuthorizationResponse(await authorizeByPost(server, { client_id: "c", redirect_uri }), {
        uri: redirect_uri,
      }).code,
    );
    const rejection = await server.authorize({ client_id: "c", redirect_uri, scope: "bogus" });
    assertEquals(assertAuthorizationResponse(rejection, { uri: redirect_uri }).error, "invalid_scope");
  });
}

/** Asserts that no server starts with any of these URIs, and that it says where the wrong one stands. */
async function assertUnregistrable(uris: readonly string[], options: LatchkeyOptions = {}): Promise<void> {
  await forEachCase(uris, async (uri) => {
    const clients = [
      { client_id: "good", redirect_uris: ["https://good.example/cb"] },
      { client_id: "c", redirect_uris: ["https://c.example/ok", uri] },
    ];
    const rejection = await assertRejects(() => testServer({ ...options, clients }), ConfigurationError);
    assertEquals(rejection.issues.map(({ path }) => path), ["clients[1].redirect_uris[1]"]);
    assertStringIncludes(rejection.message, "clients[1].redirect_uris[1]");
    for (const text of [rejection.issues[0]!.expected, rejection.issues[0]!.hint]) assertMatch(text, /\w{3}/);
  });
}

/** Asserts that each of these URIs is registrable, and gets responses. */
async function assertRegistrable(uris: readonly string[], options: LatchkeyOptions = {}): Promise<void> {
  await forEachCase(uris, async (uri) => {
    const server = await testServer({ ...options, clients: [{ client_id: "c", redirect_uris: [uri] }] });
    await assertResponded(server, [uri]);
  });
}

const evil = "https://evil.example/cb";
const cb = "https://c.example/cb";

test("[RU-01] the requested URI equals a registered one character for character", async () => {
  const server = await serverWith([cb, "https://c.example/other", "https://c.example/a%20b%2f", "https://c.example"]);
  await assertResponded(server, [cb, "https://c.example/other", "https://c.example/a%20b%2f", "https://c.example"]);
});

test("[RU-01, HT-11, HT-19] whatever does not match gets an error page", async () => {
  await assertPages(await serverWith([cb, "http://127.0.0.1/cb"]), [
    ...[
      `${cb}/`,
      "https://c.example:443/cb",
      "https:\\\\c.example\\cb",
      "https://c.example\\@evil.example",
      "__proto__",
    ],
    ...[`\t${cb}`, `${cb}\0.evil.example`, `${cb}\n${evil}`, "https://c.exam\u2028ple/cb", "https://ｃ.example/cb"],
    ...["http://127.0.0.1:65536/cb", "http://[::1:80/cb", `http://127.0.0.1:${"1".repeat(10_000)}/cb`, cb.repeat(400)],
  ]);
});

test("[RU-01] another client's redirect URI gets an error page", async () => {
  const server = await testServer();
  await assertPage(await server.authorize({ redirect_uri: "https://web.example/cb" }));
  await assertPage(await server.authorize({ client_id: "web" }));
});

test("[RU-02] a missing required redirect URI gets an error page", async () => {
  const several = await serverWith([cb, "https://c.example/other"]);
  await assertPage(await several.authorize({ client_id: "c", redirect_uri: undefined }));
  const none = await serverWith([], { grant_types: ["client_credentials"] });
  await assertPage(await none.authorize({ client_id: "c", redirect_uri: undefined, scope: "read" }));
  await assertPage(await none.authorize({ client_id: "c", redirect_uri: cb }));
});

test("[RU-02] an unparsable redirect URI gets an error page", async () => {
  await assertPages(await serverWith([cb]), [
    ...["https://", "https", ":", "://", "not a uri", "http://[::1", "https://c.example:99999/cb", "https://%/cb"],
    ...["#", "?", "https://\u{10FFFF}/cb", "é", "\ufffd"],
  ]);
});

test("[RU-02] a foreign redirect URI is shown escaped, never as a link or a target", async () => {
  const server = await serverWith([cb]);
  const hostile = [
    ...[evil, "//evil.example", "/\\evil.example", "javascript:alert(1)", "data:text/html,<script>alert(1)</script>"],
    ...[`https://evil.example/"><script>alert(1)</script>`, `'><img src=x onerror=alert(1)>`, `" onload="alert(1)`],
    ...[`</code></dd><meta http-equiv="refresh" content="0;url=//evil.example">`, "<base href=//evil.example>"],
    ...["<a href=https://evil.example>continue</a>", "<!--", "]]>", "&lt;script&gt;", "<svg/onload=alert(1)>"],
  ];
  await forEachCase(hostile, async (redirect_uri) => {
    const raw = /[<&]/.test(redirect_uri) ? [redirect_uri] : [];
    await assertPage(await server.authorize({ client_id: "c", redirect_uri }), 400, ...raw);
    await assertPage(await authorizeByPost(server, { client_id: "c", redirect_uri }), 400, ...raw);
    await assertPage(await server.authorize({ client_id: redirect_uri, redirect_uri }), 400, ...raw);
  });
});

test("[RU-03] with https the port varies only where the issuer is on a test host, and the page says so", async () => {
  const registered = "https://127.0.0.1:3000/cb";
  const sent = "https://127.0.0.1:40917/cb";
  await assertResponded(await serverWith([registered], { client_secret: "s" }), [registered, sent]);
  const real = await latchkey({
    issuer: "https://auth.example.com",
    login: "interactive",
    insecure: ["open-login"],
    clients: [{ client_id: "c", redirect_uris: [registered] }],
  });
  const query = encode({ ...goodRequest, client_id: "c", redirect_uri: sent });
  const { status } = await real.fetch(new Request(`https://auth.example.com/oauth2/authorize?${query}`));
  assertEquals(status, 400);
});

test("[RU-03, TK-15] the code is bound to the requested port", async () => {
  const server = await serverWith(["http://127.0.0.1/cb"]);
  const mine = { client_id: "c", redirect_uri: "http://127.0.0.1:51004/cb" };
  const code = await server.code(mine);
  assertEquals((await server.token({ ...mine, code, redirect_uri: "http://127.0.0.1/cb" })).status, 400);
  assertEquals((await server.token({ ...mine, code, redirect_uri: "http://127.0.0.1:51005/cb" })).status, 400);
  assertEquals((await server.token({ ...mine, code })).status, 200);
});

test("[RU-04] on localhost any port matches for public and native clients", async () => {
  await forEachCase([{}, { client_secret: "s", application_type: "native" as const }], async (kind) => {
    const server = await serverWith(["http://localhost:3000/cb"], kind);
    await assertResponded(server, ["http://localhost:3000/cb", "http://localhost:9999/cb", "http://localhost/cb"]);
    await assertPages(server, ["http://localhost:9999/other", "http://LOCALHOST:9999/cb", "https://localhost:9999/cb"]);
  });
});

test("[RU-04] on localhost the port must match for a confidential client that is not native", async () => {
  const server = await serverWith(["http://localhost:3000/cb"], { client_secret: "s" });
  await assertResponded(server, ["http://localhost:3000/cb"]);
  await assertPages(server, ["http://localhost:9999/cb", "http://localhost/cb"]);
});

test("[RU-06] a client with several redirect URIs must send one", async () => {
  const server = await serverWith([cb, "http://127.0.0.1/cb"]);
  await forEachCase(["read", "openid", undefined], async (scope) => {
    await assertPage(await server.authorize({ client_id: "c", redirect_uri: undefined, scope }));
    await assertPage(await server.authorize({ client_id: "c", redirect_uri: "", scope }));
    await assertPage(await authorizeByPost(server, { client_id: "c", redirect_uri: undefined, scope }));
  });
  assertEquals(getRejections(server.events)[0]!.explanation.rule, "RU-06");
  await assertResponded(server, [cb, "http://127.0.0.1:4000/cb"]);
});

test("[RU-07] a client with one redirect URI may omit it, and gets the response at the registered one", async () => {
  await forEachCase(
    [cb, "http://127.0.0.1/cb", "http://localhost:3000/cb", "com.example.app:/cb", `${cb}?a=1%202&b`],
    async (uri) => {
      const server = await serverWith([uri]);
      for (const left of [undefined, ""]) {
        const fields = { client_id: "c", redirect_uri: left, scope: "read" };
        const { code } = assertAuthorizationResponse(await server.authorize(fields), { uri });
        assertEquals((await server.token({ client_id: "c", redirect_uri: uri, code })).status, 200);
        assert(assertAuthorizationResponse(await authorizeByPost(server, fields), { uri }).code);
        assert(assertAuthorizationResponse(await server.authorize({ ...fields, scope: undefined }), { uri }).code);
        assertEquals(
          assertAuthorizationResponse(await server.authorize({ ...fields, scope: "bogus" }), { uri }).error,
          "invalid_scope",
        );
      }
    },
  );
});

test("[RU-07] with openid in scope the only redirect URI must be sent too", async () => {
  const server = await serverWith([cb]);
  await forEachCase(
    ["openid", "openid read", "read openid", "read openid write", "openid openid", "bogus openid"],
    async (scope) => {
      await assertPage(await server.authorize({ client_id: "c", redirect_uri: undefined, scope }));
      await assertPage(await server.authorize({ client_id: "c", redirect_uri: "", scope }));
      await assertPage(await authorizeByPost(server, { client_id: "c", redirect_uri: undefined, scope }));
    },
  );
  assertEquals(getRejections(server.events)[0]!.explanation.rule, "RU-07");
});

test("[RU-08] a relative redirect URI is rejected at startup with its path", () =>
  assertUnregistrable([
    ...["/cb", "cb", "./cb", "../cb", "//c.example/cb", "?a=1", "c.example/cb", "https://", "https:///", "http://"],
    ...["://c.example", "https:c.example/cb", "https:/c.example/cb", "https:///c.example/cb", ""],
  ]));

test("[RU-08] a redirect URI with a fragment, even an empty one, is rejected at startup", () =>
  assertUnregistrable([
    ...["https://c.example/cb#x", "https://c.example/cb#", "https://c.example#", "https://c.example/cb?a=1#"],
    ...["https://c.example/##", "com.example.app:/cb#", "http://127.0.0.1/cb#x"],
  ]));

test("[RU-08] a redirect URI with userinfo, even empty, is rejected at startup", () =>
  assertUnregistrable([
    ...["https://user:pass@c.example/cb", "https://user@c.example/cb", "https://:pass@c.example/cb"],
    ...["https://@c.example/cb", "https://:@c.example/cb", "https://evil.example\\@c.example/cb"],
    ...["https://c.example%2f@evil.example/cb", "http://127.0.0.1:80@evil.example/cb", "http://user@127.0.0.1/cb"],
    ...["HTTPS://user@c.example/cb", "com.example.app://user@host/cb"],
  ]));

test("[RU-08] a redirect URI with a wildcard is rejected at startup", () =>
  assertUnregistrable([
    ...["https://*.example/cb", "https://c.example/*", "https://c.example/cb?*", "https://c.example:*/cb", "*"],
    ...["*://c.example/cb", "http://127.0.0.1:*/cb", "com.example.*:/cb", "https://*"],
  ]));

test("[RU-08] a redirect URI with characters outside printable ASCII is rejected at startup", () =>
  assertUnregistrable([
    ...["https://é.example/cb", "https://c.example/é", "https://c.example/cb?ü=1", "https://c.example/\u202e"],
    ...["https://c.example/🔑", "https://c.example/c b", " https://c.example/cb", "https://c.example/cb "],
    ...["https://c.example/cb\n", "\thttps://c.example/cb", "https://c.exam\tple/cb", "https://c.example/cb\0"],
    ...["https://c.example/\x7f", "https://c.example/\ud800", "\ufeffhttps://c.example/"],
  ]));

test("[RU-08] a redirect URI with a character that no URI contains is rejected at startup", () =>
  assertUnregistrable([
    ...[...'"<>^`{|}'].flatMap((
      character,
    ) => [`https://c.example/${character}cb`, `https://c.example/?a=${character}`]),
    'com.example.app:/"',
  ]));

test("[RU-08] a URI of a client that pages show or that is fetched has no space around it and no other excluded character", async () => {
  const members = [
    ...["client_uri", "logo_uri", "policy_uri", "tos_uri", "jwks_uri", "sector_identifier_uri"] as const,
    ...["backchannel_logout_uri", "initiate_login_uri"] as const,
  ];
  const faulty = [" https://c.example/x", "https://c.example/x ", "https://c.example/\n", 'https://c.example/"x'];
  await forEachCase(members.flatMap((name) => faulty.map((uri) => [name, uri] as const)), async ([name, uri]) => {
    const client = { client_id: "c", redirect_uris: [cb], token_endpoint_auth_method: "private_key_jwt" as const };
    const keys = name === "jwks_uri" ? {} : { jwks_uri: "https://c.example/jwks" };
    const clients = [{ ...client, ...keys, [name]: uri }];
    const { issues } = await assertRejects(() => testServer({ clients }), ConfigurationError);
    assertEquals(issues.map(({ path }) => path), [`clients[0].${name}`]);
  });
});

test("[RU-08] all invalid redirect URIs are reported together", async () => {
  const clients = [
    { client_id: "a", redirect_uris: ["/cb", cb, "https://c.example/#"] },
    { client_id: "b", redirect_uris: [cb, "https://*.example"] },
  ];
  const { issues } = await assertRejects(() => testServer({ clients }), ConfigurationError);
  assertEquals(issues.map(({ path }) => path), [
    "clients[0].redirect_uris[0]",
    "clients[0].redirect_uris[2]",
    "clients[1].redirect_uris[1]",
  ]);
});

test("[RU-08, RU-09, RU-10] a client added at run time follows the same rules", async () => {
  const { as, authorize } = await serverWith([cb]);
  await forEachCase(
    ["/cb", `${cb}#`, "https://*.example/cb", "http://app.example.com/cb", "javascript:alert(1)"],
    async (uri) => {
      assertThrows(() => as.clients.set({ client_id: "late", redirect_uris: [uri] }), ConfigurationError);
      assertEquals(as.clients.find("late"), undefined);
      await assertPage(await authorize({ client_id: "late", redirect_uri: uri }));
    },
  );
});

test("[RU-09] https, and http on loopback hosts and reserved test names, are registrable", () =>
  assertRegistrable([
    ...[cb, "https://app.example.com/cb", "https://app.example.com:8443/cb", "https://203.0.113.7/cb"],
    "https://[2001:db8::1]/cb",
    ...["http://127.0.0.1/cb", "http://127.0.0.1:3000/cb", "http://[::1]/cb", "http://localhost/cb"],
    ...["http://localhost:3000", "http://app.test/cb", "http://app.example/cb", "http://app.localhost/cb"],
    ...["http://app.invalid/cb", "http://a.b.test:81/", "https://xn--bcher-kva.example/cb", "http://127.0.0.2/cb"],
    ...["https://c.example/%C3%A9", "https://app.corp.internal/cb"],
    ...["http://app/cb", "http://web-1:3000/cb", "HTTPS://APP.example:443/cb", "http://host.docker.internal:3000/cb"],
    ...["http://gateway.docker.internal/cb", "http://host.containers.internal/cb", "http://host.lima.internal/cb"],
    ...["http://host.testcontainers.internal:8080/cb", "http://host.minikube.internal/cb", "http://app.traefik.me/cb"],
  ]));

test("[RU-09] http on any other host is rejected at startup", () =>
  assertUnregistrable([
    ...["http://app.example.com/cb", "http://example.com/cb", "http://app.example.com:3000/cb"],
    ...["HTTP://app.example.com/cb", "http://test.com/cb", "http://mytest.com/cb", "http://localhost.com/cb"],
    ...["http://app.localhost.evil.com/cb", "http://notlocalhost.com/cb", "http://127.0.0.1.evil.com/cb"],
    ...["http://10.0.0.1/cb", "http://192.168.0.1/cb", "http://0.0.0.0/cb", "http://[::]/cb"],
    ...["http://[2001:db8::1]/cb", "http://internal.com/cb", "http://app.internal/cb", "http://app.corp.internal/cb"],
    ...["http://docker.internal/cb", "http://my.host.docker.internal/cb", "http://internal.host.docker.internal/cb"],
    ...["http://app./cb", "http://app.test./cb", "http://host.docker.internal./cb", "http://167772161/cb"],
    ...["http://0xa000001/cb", "http://10.1/cb", "http://[::ffff:10.0.0.1]/cb", "http://app.auth.svc/cb"],
    ...["http://idp.lan/cb", "http://host.aws.internal/cb", "http://0a000001.nip.io/cb"],
  ]));

test("[RU-09] if the issuer is a real host, http is allowed only for hosts that always resolve to the same machine", async () => {
  const options = {
    issuer: "https://auth.corp.com",
    insecure: ["auto-login"] as const,
  };
  for (
    const uri of ["http://localhost:3000/cb", "http://127.0.0.9/cb", "http://a.localhost/cb", "http://app.test/cb"]
  ) {
    await (await testServer({ ...options, clients: [{ client_id: "c", redirect_uris: [uri] }] })).as.close();
  }
  await assertUnregistrable(
    ["http://app/cb", "http://host.docker.internal/cb", "http://app.corp.internal/cb", "http://app.corp.com/cb"],
    options,
  );
});

test("[RU-09] http-redirect-uris of the setting insecure allows http on any host", async () => {
  const uris = ["http://app.example.com/cb", "http://10.0.0.1:3000/cb"];
  await assertRegistrable(uris, { insecure: ["http-redirect-uris"] });
  await assertUnregistrable(uris, { insecure: [] });
  await assertUnregistrable(["http://app.example.com/cb#", "http://u@app.example.com/cb", "http://*.example.com/cb"], {
    insecure: ["http-redirect-uris"],
  });
});

test("[RU-10] schemes that lead to no client are never registrable, in any case", () => {
  const uris = [
    ...["javascript:alert(1)", "javascript://c.example/%0aalert(1)", "data:text/html,x", "data:,"],
    ...["vbscript:msgbox(1)", "file:///etc/passwd", "file://c.example/x", "blob:https://c.example/0", "about:blank"],
    ...["view-source:https://c.example/", "ws://c.example/cb", "wss://c.example/cb", "ftp://c.example/cb"],
    "mailto:a@c.example",
  ];
  const capitals = uris.map((uri) => uri.replace(/^[^:]+/, (scheme) => scheme.toUpperCase()));
  const mixed = uris.map((uri) => `${uri[0]!.toUpperCase()}${uri.slice(1)}`);
  const spelt = ["java\tscript:alert(1)", " javascript:alert(1)", "javascript\n:alert(1)", "\x01javascript:alert(1)"];
  return assertUnregistrable([...uris, ...capitals, ...mixed, ...spelt], {
    insecure: ["http-redirect-uris", "http-issuer", "auto-login", "demo-clients"],
  });
});

test("[RU-11] a private-use scheme with a dot is registrable and gets responses", async () => {
  await assertRegistrable(["com.example.app:/cb", "com.example.app://cb", "com.example.app:/cb?a=1", "com.example:cb"]);
  const server = await serverWith(["com.example.app:/cb"]);
  await assertPages(server, [
    ...["com.example.app:/CB", "COM.EXAMPLE.APP:/cb", "com.example.app:/cb/", "com.example.app://cb"],
    ...["com.example.app:cb", "com.example.app.evil:/cb", "com.example.app:/cb?", "com.example.app:/cb#"],
  ]);
});

/** Schemes without a dot, most of them of real products. */
const undotted = [
  ...["myapp:/cb", "myapp://cb", "myapp:cb", "MyApp:/cb", "my-app:/cb", "my+app:/cb", "exp://127.0.0.1:8081/cb"],
  ...["cursor://anysphere.cursor-retrieval/oauth/callback", "vscode://vscode.github-authentication/did-authenticate"],
  ...["windsurf://codeium.windsurf/cb", "raycast://oauth?package_name=x", "obsidian://cb", "zed://cb", "slack://cb"],
  "warp://mcp/oauth2callback",
];

test("[RU-11] a private-use scheme without a dot is registrable on a test host, and each request warns", async () => {
  await assertRegistrable(undotted);
  await forEachCase(undotted, async (redirect_uri) => {
    const registered = await serverWith([redirect_uri]);
    const anyUri = await testServer({ redirectUris: "any" });
    const anyClient = await testServer({ clients: "any" });
    for (
      const [b, client_id] of [[registered, "c"], [anyUri, "spa"], [anyClient, "unknown"]] as const
    ) {
      assert(await b.code({ client_id, redirect_uri }));
      const warned = b.events.filter((event) => event.type === "warning" && event.explanation.rule === "RU-11");
      assertEquals(warned.length, 1);
    }
  });
});

test("[RU-11] a private-use scheme without a dot is not registrable on a real host", () =>
  assertUnregistrable(undotted, { issuer: "https://login.widgets.com", insecure: ["auto-login"] }));

test("[RU-10] a scheme that does not lead to an app is not registrable", () =>
  assertUnregistrable([
    ...["com..app:/cb", "com.app.:/cb", "com.:/cb", "a..:/cb"],
    ...["intent://c.example/#", "intent:x", "chrome:/x", "urn:ietf:wg:oauth:2.0:oob", "localhost:3000/cb"],
    ...["tel:+1234", "sms:+1234", "jar:https://c.example/x", "filesystem:https://c.example/x"],
    ...["feed:https://c.example/x", "mhtml:x", "livescript:x", "resource:/x", "ms-msdt:/x", "search-ms:query=x"],
    ...["microsoft-edge:https://c.example/x", "googlechrome://c.example/x", "googlechromes://c.example/x"],
    ...["android-app://c.example/x", "web+evil:cb", "WEB+com.example:cb"],
  ]));

test("[RU-09, RU-11, PF-05] the hint of a redirect URI that settings reject has a sentence for the tester, which works", async () => {
  const uris = ["cursor://cb", "com.example.app:/cb", "http://localhost/cb", "http://app.company.com/cb"];
  const policies: readonly LatchkeyOptions[] = [
    { issuer: "https://login.widgets.com", insecure: ["auto-login"] },
    ...[{ profile: "mcp" }, { profile: "oidc" }, { profile: "fapi2-security" }] as const,
    {},
  ];
  const jwks = { keys: [{ kty: "OKP", crv: "Ed25519", x: "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }] };
  let rejected = 0;
  for (const policy of policies) {
    await forEachCase(uris, async (uri) => {
      const client = { client_id: "c", redirect_uris: [uri], jwks, token_endpoint_auth_method: "private_key_jwt" };
      const clients = [client as ClientMetadata];
      const error = await testServer({ ...policy, clients }).then(() => undefined, (error) => error);
      if (error === undefined) return;
      rejected++;
      assert(error instanceof ConfigurationError);
      const { hint } = error.issues[0]!;
      assertMatch(hint, /\. (?:To test with a product that|For a test without TLS, add "http-redirect-uris")/);
      const isHttp = hint.includes("http-redirect-uris");
      await testServer({ ...isHttp && { insecure: ["http-redirect-uris"] }, clients });
    });
  }
  assert(rejected > 9, `${rejected}`);
});

test("[RU-12] the query of a registered URI stays unchanged, followed by the response", async () => {
  const uris: Readonly<Record<string, string>> = {
    "https://c.example/cb?a=1%202&b": "https://c.example/cb?a=1%202&b&",
    "https://c.example/cb?a=1+2&a=3": "https://c.example/cb?a=1+2&a=3&",
    "https://c.example/cb?%7e=%C3%A9;x=/?": "https://c.example/cb?%7e=%C3%A9;x=/?&",
    "https://c.example/cb?=": "https://c.example/cb?=&",
    "https://c.example?a": "https://c.example?a&",
    "http://127.0.0.1/cb?a=1": "http://127.0.0.1/cb?a=1&",
    "com.example.app:/cb?a=%20": "com.example.app:/cb?a=%20&",
  };
  await forEachCase(Object.entries(uris), async ([uri, begin]) => {
    const server = await serverWith([uri]);
    const location = (await server.authorize({ client_id: "c", redirect_uri: uri })).headers.get("location")!;
    assert(location.startsWith(`${begin}code=`), location);
    const rejection = await server.authorize({ client_id: "c", redirect_uri: uri, scope: "bogus" });
    assert(rejection.headers.get("location")!.startsWith(`${begin}error=`));
    await assertResponded(server, [uri]);
    await assertPages(server, [uri.replace(/\?.*/, ""), `${uri}&c=1`, decodeURIComponent(uri).replace("+", " ") + "&"]);
  });
});

test("[RU-13] a query with the name of a response parameter is rejected at registration", () => {
  const names = [
    ...["code", "state", "error", "error_description", "error_uri", "iss", "id_token", "access_token", "response"],
  ];
  return forEachCase(names, async (name) => {
    const encoded = `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`;
    await assertUnregistrable([
      ...[`${cb}?${name}=x`, `${cb}?${name}=`, `${cb}?${name}`, `${cb}?a=1&${name}=x`, `${cb}?${encoded}=x`],
      ...[`${cb}?&${name}`, `com.example.app:/cb?${name}=x`, `http://127.0.0.1/cb?${name}=x`],
      `https://c.example?${name}=x`,
    ]);
  });
});

test("[RU-13] a query whose names only resemble response parameters is registrable", () =>
  assertRegistrable([
    ...[`${cb}?codes=1`, `${cb}?Code=1`, `${cb}?xstate=1`, `${cb}?a=code`, `${cb}?a=code=1`, `${cb}?issuer=1`],
    ...[`${cb}?%2563ode=1`, "https://c.example/code?x=1", "https://code.example/state"],
  ]));

/** Asserts that a response leads only to this origin: `Location` and all links. */
async function assertStays(response: Response): Promise<void> {
  const location = response.headers.get("location");
  if (location !== null) assertMatch(location, /^\/(?![/\\])/);
  assertEquals(response.headers.get("refresh"), null);
  assertEquals(response.headers.get("link"), null);
  if (response.headers.get("content-type")?.startsWith("text/html")) await assertPage(response, response.status);
}

const targets = [
  ...["https://evil.example", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)"],
];
const names = [
  ...["return_to", "next", "redirect_uri", "error_uri", "url", "continue", "rd", "goto", "target", "redirect"],
  ...["post_logout_redirect_uri", "iss", "state", "code", "error", "error_description", "login_hint", "client_uri"],
  "logo_uri",
];

test("[RU-14] no parameter of a page or endpoint redirects or links to another origin", async () => {
  const paths = [
    ...["/", "/start", "/authorized", "/authorized?error=access_denied", "/authorized?code=x", "/nowhere"],
    ...["/static/nothing", "/oauth2/authorize", "/oauth2/authorize?client_id=unknown", "/oauth2/token"],
    ...["/oauth2/jwks", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"],
  ];
  const servers = [
    { get: (await testServer()).get, sent: targets },
    { get: (await testServer({ clients: undefined })).get, sent: targets.slice(0, 1) },
  ];
  for (const { get, sent } of servers) {
    await forEachCase(
      paths,
      (path) =>
        forEachCase(sample(names, 3, paths.indexOf(path)), (name) =>
          forEachCase(sent, async (target) => {
            const query = encode({ [name]: target });
            await assertStays(await get(`${path}${path.includes("?") ? "&" : "?"}${query}`));
            await assertStays(
              await get(path, {
                method: "POST",
                body: query,
                headers: { "content-type": "application/x-www-form-urlencoded" },
              }),
            );
          })),
    );
  }
});

test("[RU-14] with a valid redirect URI no other parameter changes the target", async () => {
  const server = await testServer();
  await forEachCase(
    names.filter((name) => name !== "redirect_uri" && name !== "state"),
    (name) =>
      forEachCase(targets, async (target) => {
        const response = await server.authorize({ [name]: target });
        assertAuthorizationResponse(response);
        assertNotMatch(response.headers.get("location")!, /evil\.example|javascript/);
        assertAuthorizationResponse(await server.authorize({ [name]: target, scope: "bogus" }));
      }),
  );
});

test("[RU-14, HT-16] no path and no host of a request redirects to another origin", async () => {
  const { as } = await testServer({ clients: undefined });
  const paths = [
    ...["//evil.example", "//evil.example/", "//evil.example/%2e%2e", "/\\evil.example", "/%2F%2Fevil.example"],
    ...["/%5Cevil.example", "/authorized//evil.example", "/start//evil.example", "/.//evil.example"],
    ...["/https://evil.example", "/authorized/", "/start", "/", "/authorized"],
  ];
  await forEachCase(
    ["https://as.test", "https://evil.example", "http://evil.example:81"],
    (origin) =>
      forEachCase(paths, async (path) => {
        const headers = { "x-forwarded-host": "evil.example", forwarded: "host=evil.example" };
        await assertStays(await as.fetch(new Request(origin + path, { headers, redirect: "manual" })));
      }),
  );
});

test("[RU-15] the parameter is decoded once and compared", async () => {
  const server = await serverWith([cb, "https://c.example/a%20b", "https://c.example/a+b"]);
  const rest = encode({ ...goodRequest, client_id: "c", redirect_uri: undefined } as Fields);
  const ask = (uri: string) => server.get(`/oauth2/authorize?${rest}&redirect_uri=${uri}`);
  const right: Readonly<Record<string, string>> = {
    "https://c.example/cb": cb,
    "https%3A%2F%2Fc.example%2Fcb": cb,
    "%68%74%74%70%73%3a%2f%2f%63%2e%65%78%61%6d%70%6c%65%2f%63%62": cb,
    "https%3A%2F%2Fc.example%2Fa%2520b": "https://c.example/a%20b",
    "https%3A%2F%2Fc.example%2Fa%2Bb": "https://c.example/a+b",
  };
  await forEachCase(
    Object.entries(right),
    async ([sent, uri]) => assert(assertAuthorizationResponse(await ask(sent), { uri }).code),
  );
  const wrong = [
    ...["https%253A%252F%252Fc.example%252Fcb", "https%25253A%25252F%25252Fc.example%25252Fcb"],
    ...["https%3A%2F%2Fc.example%2Fa%20b", "https%3A%2F%2Fc.example%2Fa+b", "https%3A%2F%2Fc.example%2Fa%252520b"],
    ...["https%3A%2F%2Fc.example%2F%2563b", "https%3A%2F%2Fc.example%2Fcb%00", "https%3A%2F%2Fc.example%2Fcb%0A"],
    ...["https&#58;//c.example/cb", "https\\u003a//c.example/cb"],
  ];
  await forEachCase(wrong, async (sent) => {
    await assertPage(await ask(sent));
    await assertPage(
      await server.post("/oauth2/authorize", `${rest}&redirect_uri=${sent}`),
    );
  });
});

test("[RU-15] a confidential client's URI is decoded once at the token endpoint too", async () => {
  const server = await serverWith(["https://c.example/a%20b"], { client_secret: "s" });
  const redirect_uri = "https://c.example/a%20b";
  const code = await server.code({ client_id: "c", redirect_uri });
  const init = { headers: basic("c", "s") };
  const exchangeCode = (uri: string) => server.token({ client_id: undefined, code, redirect_uri: uri }, init);
  assertEquals((await exchangeCode("https://c.example/a b")).status, 400);
  assertEquals((await exchangeCode("https://c.example/a%2520b")).status, 400);
  assertEquals((await exchangeCode(redirect_uri)).status, 200);
});
