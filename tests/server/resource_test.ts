/** Resource indicators: which resources may be named, and whom each access token is for (group RI). */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { type LatchkeyOptions, memoryStore } from "../../src/mod.ts";
import type { ResourceSettings } from "../../src/server/config/server_settings.ts";
import {
  assertTokenResponse,
  authorizeByPost,
  basic,
  clients,
  decodeClaims,
  forEachCase,
  getOutcome,
  getRedirectParams,
  type ListedOptions,
  testServer,
} from "../kit.ts";
import type { Fields, TestServer } from "../kit.ts";
import { type LoginTokens, openBrowser } from "./browser.ts";
import { refresh } from "./client_endpoints.ts";

const [api, mail, files] = ["https://api.example", "https://mail.example/v1", "https://files.example/a?b=c"] as const;

const severalUsers: ListedOptions = {
  clients: [
    ...clients.filter(({ client_id }) => client_id === "web"),
    {
      client_id: "spa",
      redirect_uris: ["https://spa.example/cb"],
      grant_types: ["authorization_code", "refresh_token"],
    },
    {
      client_id: "machine",
      client_secret: "machine-secret",
      grant_types: ["client_credentials", "authorization_code", "refresh_token"],
      redirect_uris: ["https://spa.example/cb"],
    },
    { client_id: "api", client_secret: "api-secret", grant_types: [], serves: [api] },
    { client_id: "shouting", client_secret: "s", grant_types: [], serves: ["HTTPS://API.Example/"] },
  ],
};
const listed: LatchkeyOptions = { ...severalUsers, resources: [api, mail, files].map((uri) => ({ uri })) };

const audienceOf = (token: string) => decodeClaims(token).aud;

/** The error of an authorization response, or `null`; a response with an error holds no code. */
async function rejection(response: Promise<Response>): Promise<string | null> {
  const result = getRedirectParams(await response);
  assertEquals([result.get("state"), result.get("iss"), result.has("code")], [
    "st4te",
    "https://as.test",
    !result.has("error"),
  ]);
  return result.get("error");
}

/** Exchanges a code of `spa` for these resources. */
async function granted(b: TestServer, resource: string | readonly string[] | undefined): Promise<LoginTokens> {
  return await openBrowser(b).login({ resource });
}

function machine({ token }: TestServer, fields: Fields): Promise<Response> {
  const form = { grant_type: "client_credentials", scope: "read", ...fields };
  const nothing = { client_id: undefined, redirect_uri: undefined, code_verifier: undefined };
  return token({ ...nothing, ...form }, { headers: basic("machine", "machine-secret") });
}

async function introspected(
  server: TestServer,
  token: string,
  id: string,
  secret: string,
): Promise<Record<string, unknown>> {
  const response = await server.post("/oauth2/introspect", { token }, basic(id, secret));
  assertEquals(response.status, 200);
  return await response.json();
}

const malformed = [
  ...[
    "x",
    "/api",
    "//api.example",
    "api.example",
    "https:",
    "https://",
    "https:///x",
    "https:api.example",
    "?",
    "#",
    "urn:",
    "urn:a b",
    "urn:a#b",
  ],
  ...[`${api}#`, `${api}#frag`, `${api}/#/x`, ` ${api}`, `${api} `, "https://a b.example"],
  ...["https://[::1", "https://api.example:99999", "https://%zz.example", `${api}\n`, "null", "spa"],
];

test("[RI-01] a resource that is no absolute URI without a fragment is invalid_target, by redirect and as JSON", async () => {
  for (const options of [severalUsers, listed]) {
    const b = await testServer(options);
    await forEachCase(malformed, async (resource) => {
      assertEquals(await rejection(b.authorize({ resource })), "invalid_target");
      assertEquals(await rejection(authorizeByPost(b, { resource: [api, resource] })), "invalid_target");
      assertEquals(await getOutcome(await machine(b, { resource })), "400 invalid_target");
    });
  }
});

test("[RI-01] a rejected resource does not consume code or refresh token", async () => {
  const b = await testServer(listed);
  const code = await b.code({ resource: api });
  for (const resource of ["x", `${api}#`, mail, "https://unknown.example", [api, mail], [api, "x"]]) {
    assertEquals(await getOutcome(await b.token({ code, resource })), "400 invalid_target");
  }
  const { refresh_token } = await assertTokenResponse(await b.token({ code })) as LoginTokens;
  for (const resource of ["x", mail, [api, mail]]) {
    assertEquals(await getOutcome(await refresh(b, refresh_token, { resource })), "400 invalid_target");
  }
  assertEquals(audienceOf((await assertTokenResponse(await refresh(b, refresh_token))).access_token), api);
});

test("[RI-01] with a list of resources only those are valid; without it https URIs and those on test hosts", async () => {
  const strict = await testServer(listed);
  const open = await testServer(severalUsers);
  const cases: [resource: string, listed: boolean, open: boolean][] = [
    [api, true, true],
    [mail, true, true],
    [files, true, true],
    ["https://unlisted.example", false, true],
    [`${api}/sub`, false, true],
    [`${mail}/`, false, true],
    ["https://api.example:443", false, true],
    ["https://api.example.evil.com", false, true],
    ["http://localhost:3000/mcp", false, true],
    ["http://api.test", false, true],
    ["urn:example:api", false, true],
    ["urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66", false, true],
    ["tag:example.com,2026:api", false, true],
    ["api://default", false, true],
    ["com.example.api:/orders", false, true],
    ["http://api:3000/mcp", false, true],
    ["http://api.corp.internal", false, false],
    ["http://api.:3000", false, false],
    ["http://api.company.com", false, false],
    ["http://127.0.0.1.company.com", false, false],
    ["http://example.com", false, false],
  ];
  await forEachCase(cases, async ([resource, isListed, isOpen]) => {
    for (const [b, good] of [[strict, isListed], [open, isOpen]] as const) {
      assertEquals(await rejection(b.authorize({ resource })), good ? null : "invalid_target");
      assertEquals(await getOutcome(await machine(b, { resource })), good ? "200" : "400 invalid_target");
    }
  });
  const none = await testServer({ ...severalUsers, resources: [] });
  assertEquals(await rejection(none.authorize({ resource: api })), "invalid_target");
});

test("[RI-01] a configured resource without a host, or with a fragment, is rejected at startup", async () => {
  await forEachCase(["x", "/api", `${api}#`, "", "https://", "https://a b"], async (uri) => {
    try {
      await testServer({ ...severalUsers, resources: [{ uri }] });
    } catch (error) {
      return assertMatch(String(error), /resources\[0\]\.uri/);
    }
    throw new Error("it was accepted");
  });
});

test("[RI-02, RI-03, AZ-05] several resources are all granted, each once; an empty one counts as absent", async () => {
  const b = await testServer(listed);
  const cases: [resource: string | string[] | undefined, aud: unknown][] = [
    [undefined, "https://as.test"],
    ["", "https://as.test"],
    [api, api],
    [[api, mail], [api, mail]],
    [[mail, api, files], [mail, api, files]],
    [[api, api], api],
    [[api, "https://API.example/", api], api],
    [["", api, ""], api],
  ];
  await forEachCase(cases, async ([resource, aud]) => {
    assertEquals(audienceOf((await granted(b, resource)).access_token), aud);
    const { access_token } = await assertTokenResponse(await machine(b, { resource }));
    assertEquals(audienceOf(access_token), aud);
  });
});

test("[RI-03] exchange and refresh may narrow the granted resources, and the refresh token keeps all", async () => {
  const b = await testServer(listed);
  const asked = [api, mail, files];
  const code = () => b.code({ resource: asked });
  await forEachCase([[api], [files, api], [mail], asked, undefined], async (resource) => {
    const expected = resource === undefined ? asked : resource.length === 1 ? resource[0] : resource;
    const first = await assertTokenResponse(await b.token({ code: await code(), resource })) as LoginTokens;
    assertEquals(audienceOf(first.access_token), expected);
    const narrow = await assertTokenResponse(await refresh(b, first.refresh_token, { resource: mail })) as LoginTokens;
    assertEquals(audienceOf(narrow.access_token), mail);
    const other = await assertTokenResponse(
      await refresh(b, narrow.refresh_token, { resource: [api, files] }),
    ) as LoginTokens;
    assertEquals(audienceOf(other.access_token), [api, files]);
    const all = await assertTokenResponse(await refresh(b, other.refresh_token)) as LoginTokens;
    assertEquals(audienceOf(all.access_token), asked);
  });
});

test("[RI-03] a grant without resources accepts no resource, not even the server's own audience", async () => {
  const b = await testServer({ ...listed, resources: [...listed.resources!, { uri: "https://as.test" }] });
  const code = await b.code();
  for (const resource of [api, "https://as.test"]) {
    assertEquals(await getOutcome(await b.token({ code, resource })), "400 invalid_target");
  }
  const { refresh_token, access_token } = await assertTokenResponse(await b.token({ code })) as LoginTokens;
  assertEquals(audienceOf(access_token), "https://as.test");
  assertEquals(await getOutcome(await refresh(b, refresh_token, { resource: api })), "400 invalid_target");
});

test("[RI-03, US-03] a token for other resources is rejected by userinfo and accepted by its resource", async () => {
  const b = await testServer(severalUsers);
  const status = async (resource: string | string[] | undefined) => {
    const { access_token } = await granted(b, resource);
    return (await b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${access_token}` } })).status;
  };
  assertEquals(await status(undefined), 200);
  assertEquals(await status("https://as.test"), 200);
  assertEquals(await status([api, "https://as.test"]), 200);
  for (const resource of [api, [api, mail], "https://as.test/other", "https://as.test.example"]) {
    assertEquals(await status(resource), 401);
  }
});

test("[RI-03, CI-09] the authorization request fixes the resources of a code; the token request adds none", async () => {
  const b = await testServer(severalUsers);
  const code = await b.code({ resource: api });
  assertEquals(await getOutcome(await b.token({ code, resource: [api, mail] })), "400 invalid_target");
  const { access_token, id_token } = await assertTokenResponse(await b.token({ code, resource: api }));
  assertEquals([audienceOf(access_token), audienceOf(id_token)], [api, "spa"]);
});

test("[RI-04] scheme and host may be in upper case and a trailing slash may follow; nothing else may differ", async () => {
  const b = await testServer(listed);
  for (
    const resource of ["HTTPS://api.example", "https://API.Example", "https://api.example/", "hTTps://API.EXAMPLE/"]
  ) {
    assertEquals(audienceOf((await granted(b, resource)).access_token), api);
  }
  for (const resource of ["https://MAIL.example/v1", "HTTPS://FILES.EXAMPLE/a?b=c"]) {
    assertMatch(String(audienceOf((await granted(b, resource)).access_token)), /^https:\/\/(?:mail|files)\.example\//);
  }
  await forEachCase([
    ...[
      "https://api.example//",
      "https://api.example/?",
      "https://api.example?",
      "https://api.example./",
      "https://api.example:443/",
    ],
    ...[
      "https://mail.example/V1",
      "https://mail.example/v1/",
      "https://mail.example/%761",
      "https://mail.example/x/../v1",
    ],
    ...[
      "https://mail.example",
      "https://files.example/a",
      "https://files.example/a?b=C",
      "https://files.example/a?b=c&",
    ],
    ...["http://api.example", "https://xn--pi-pla.example"],
  ], async (resource) => {
    assertEquals(await rejection(b.authorize({ resource })), "invalid_target");
  });
});

test("[RI-04] aud has the configured spelling at each endpoint, whatever the spelling of the request", async () => {
  const resources: ResourceSettings[] = [{ uri: "https://API.Example/" }, { uri: "HTTPS://mail.example/V1" }];
  const b = await testServer({ ...severalUsers, resources });
  for (const resource of ["https://api.example", "https://API.Example/", "https://api.example/"]) {
    const { access_token, refresh_token } = await granted(b, resource);
    assertEquals(audienceOf(access_token), "https://API.Example/");
    const again = await assertTokenResponse(await refresh(b, refresh_token, { resource: "HTTPS://api.EXAMPLE" }));
    assertEquals(audienceOf(again.access_token), "https://API.Example/");
    const { access_token: machines } = await assertTokenResponse(await machine(b, { resource }));
    assertEquals(audienceOf(machines), "https://API.Example/");
  }
  assertEquals(audienceOf((await granted(b, "https://MAIL.example/V1")).access_token), "HTTPS://mail.example/V1");
});

test("[RI-04, IN-02] a resource server may introspect its tokens, in any accepted spelling", async () => {
  const b = await testServer(listed);
  const { access_token } = await granted(b, [api, mail]);
  const { access_token: foreign } = await granted(b, mail);
  for (const [id, secret] of [["api", "api-secret"], ["shouting", "s"]] as const) {
    const { active, aud } = await introspected(b, access_token, id, secret);
    assertEquals([active, aud], [true, [api, mail]], id);
    assertEquals(await introspected(b, foreign, id, secret), { active: false });
  }
});

test("[JA-03] the audience of an access token is never a client, even if the client's id is a URI", async () => {
  const b = await testServer({
    clients: [...severalUsers.clients!, {
      client_id: "https://app.example",
      redirect_uris: ["https://app.example/cb"],
    }],
  });
  const result = getRedirectParams(await b.authorize({ resource: "https://app.example" }));
  assertEquals(result.get("error"), "invalid_target");
  assertEquals(await getOutcome(await machine(b, { resource: "https://app.example" })), "400 invalid_target");
});

test("[RI-01, RI-02] a dozen resources in one request are one audience each; more than the limit are rejected", async () => {
  const b = await testServer(severalUsers);
  const resource = Array.from({ length: 100 }, (_, i) => `https://r${i}.example`);
  assertEquals(audienceOf((await granted(b, resource.slice(0, 12))).access_token), resource.slice(0, 12));
  assertEquals(await rejection(b.authorize({ resource })), "invalid_target");
  assertEquals(await getOutcome(await machine(b, { resource })), "400 invalid_target");
});

test("[RI-05] exchange and refresh leave out a resource that is no longer registered", async () => {
  const store = memoryStore();
  const before = await testServer({ ...listed, store });
  const after = await testServer({
    ...severalUsers,
    resources: [{ uri: "HTTPS://API.example" }, { uri: files }],
    store,
  });
  const tokens = await granted(before, [api, mail]);
  const code = await before.code({ resource: [api, mail] });
  const exchanged = await assertTokenResponse(await after.token({ code })) as LoginTokens;
  // In the spelling of now (RI-04).
  assertEquals(audienceOf(exchanged.access_token), "HTTPS://API.example");
  const next = await assertTokenResponse(await refresh(after, tokens.refresh_token)) as LoginTokens;
  assertEquals(audienceOf(next.access_token), "HTTPS://API.example");
  assertEquals(await getOutcome(await refresh(after, next.refresh_token, { resource: mail })), "400 invalid_target");
  assertEquals(await getOutcome(await refresh(after, next.refresh_token, { resource: files })), "400 invalid_target");
  assertEquals((await refresh(after, next.refresh_token, { resource: api })).status, 200);
});

test("[RI-05] if no resource is left, the error is invalid_target, never the default audience, and nothing is consumed", async () => {
  const store = memoryStore();
  const before = await testServer({ ...listed, store });
  const after = await testServer({ ...severalUsers, resources: [{ uri: files }], store });
  const { refresh_token } = await granted(before, api);
  const code = await before.code({ resource: [api, mail] });
  for (const resource of [undefined, api, files]) {
    assertEquals(await getOutcome(await refresh(after, refresh_token, { resource })), "400 invalid_target");
    assertEquals(await getOutcome(await after.token({ code, resource })), "400 invalid_target");
  }
  assertEquals(audienceOf((await assertTokenResponse(await refresh(before, refresh_token))).access_token), api);
  assertEquals((await before.token({ code })).status, 200);
  // Grants for the default audience continue.
  const usual = await granted(before, undefined);
  assertEquals(
    audienceOf((await assertTokenResponse(await refresh(after, usual.refresh_token))).access_token),
    "https://as.test",
  );
});

test("[RI-05] a resource that becomes the id of a client is rejected", async () => {
  const b = await testServer(severalUsers);
  const { refresh_token } = await granted(b, api);
  b.as.clients.set({ client_id: api, redirect_uris: ["https://spa.example/cb"] });
  assertEquals(await getOutcome(await refresh(b, refresh_token)), "400 invalid_target");
});

test("[RI-01] a request has at most 16 resources, of at most 512 characters each and 2048 in total", async () => {
  const b = await testServer(severalUsers);
  const uri = (i: number, length: number) => `https://api.example/${i}/`.padEnd(length, "x");
  const uris = (count: number, length: number) => Array.from({ length: count }, (_, i) => uri(i, length));
  const audienceSize = async (resource: string[]) =>
    [audienceOf((await assertTokenResponse(await machine(b, { resource }))).access_token)].flat().length;
  for (const resource of [uris(16, 30), uris(1, 512), uris(4, 512)]) {
    assertEquals(await audienceSize(resource), resource.length);
  }
  for (const resource of [uris(17, 30), uris(1, 513), [...uris(3, 512), uri(3, 511), "https://a.example"]]) {
    assertEquals(await getOutcome(await machine(b, { resource })), "400 invalid_target");
  }
});
