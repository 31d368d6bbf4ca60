/**
 * What the authorization endpoint makes of a request, by GET and POST (groups AZ and JR).
 *
 * @extensions step_up
 */

import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { test } from "node:test";
import { type Approver, memoryStore, OAuthError, type Store } from "../../../src/mod.ts";
import { maxStateLength } from "../../../src/core/authorize/response.ts";
import {
  assertAuthorizationResponse,
  assertPage,
  authorizeByPost,
  basic,
  challenge,
  decodeClaims,
  encode,
  forEachCase,
  getRejections,
  goodRequest,
  testServer,
} from "../../kit.ts";
import type { Fields, TestServer } from "../../kit.ts";
import { codesIssued, granted } from "../code_exchange.ts";

/** GET /oauth2/authorize with a query as it stands. */
function ask({ get }: TestServer, query: string): Promise<Response> {
  return get(`/oauth2/authorize?${query}`);
}

/** The good request without some of its fields, as a query to which others can be added. */
function queryWithout(...names: readonly string[]): string {
  return encode({ ...goodRequest, ...Object.fromEntries(names.map((name) => [name, undefined])) });
}

/** What is written to the console while `run` runs. */
async function consoleDuring(run: () => Promise<void>): Promise<string> {
  const names = ["debug", "error", "info", "log", "trace", "warn"] as const;
  const originals = names.map((name) => console[name]);
  const lines: string[] = [];
  for (const name of names) console[name] = (...values: unknown[]) => void lines.push(values.map(String).join(" "));
  try {
    await run();
  } finally {
    for (const [i, name] of names.entries()) console[name] = originals[i]!;
  }
  return lines.join("\n");
}

const foreign = "https://evil.example/cb";
const markup = `"><script>alert(1)</script>`;

test("[AZ-01] an unknown client with an invalid scope gets an error page", async () => {
  const server = await testServer();
  await assertPage(await server.authorize({ client_id: "unknown", scope: "no such scope" }));
  assertEquals(getRejections(server.events).map(({ explanation }) => explanation.rule), ["AZ-02"]);
});

test("[AZ-01] a known client with a foreign redirect_uri and no response_type gets an error page", async () => {
  const server = await testServer();
  await assertPage(await server.authorize({ redirect_uri: foreign, response_type: undefined }));
  assertEquals(getRejections(server.events).map(({ explanation }) => explanation.rule), ["RU-01"]);
});

test("[AZ-01] a rejection on a page names only registered clients in the trace", async () => {
  const server = await testServer();
  await server.authorize({ redirect_uri: foreign });
  await server.authorize({ client_id: "unknown" });
  await server.authorize({ client_id: ["spa", "web"] });
  await server.authorize({ client_id: undefined });
  assertEquals(getRejections(server.events).map(({ client }) => client), ["spa", undefined, undefined, undefined]);
});

test("[AZ-01] every error after redirect_uri is a redirect, with GET and POST", async () => {
  const faults: readonly Fields[] = [
    { response_type: undefined },
    { response_type: "token" },
    { response_mode: "bogus" },
    { scope: "bogus" },
    { scope: `re"ad` },
    { code_challenge: undefined },
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge: "short" },
    { code_challenge_method: "plain" },
    { nonce: ["1", "2"] },
    { request: "x" },
    { request_uri: "https://evil.example/r" },
  ];
  const server = await testServer();
  await forEachCase(faults, async (fields) => {
    assert("error" in assertAuthorizationResponse(await server.authorize(fields)));
    assert("error" in assertAuthorizationResponse(await authorizeByPost(server, fields)));
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-01, HT-01] another method gets an error page before any parameter is read", async () => {
  const server = await testServer();
  await forEachCase(["PUT", "PATCH", "DELETE", "OPTIONS"], async (method) => {
    const good = await server.authorize({}, { method });
    await assertPage(good, 405);
    assertEquals(good.headers.get("allow"), "GET, HEAD, POST");
    await assertPage(await server.authorize({ client_id: "unknown", redirect_uri: foreign }, { method }), 405);
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-01, HT-07, HT-08] a request that is too large gets an error page, even if it is valid", async () => {
  const server = await testServer();
  await assertPage(await server.authorize({ padding: "a".repeat(17_000) }), 414);
  await assertPage(await authorizeByPost(server, { padding: "a".repeat(70_000) }), 413);
  assertEquals(codesIssued(server), 0);
});

test("[AZ-01, HT-10] a request that cannot be decoded gets an error page", async () => {
  const broken = ["%", "%z", "%zz", "%ff", "%c3", "%c3%28", "%c0%af", "%ed%a0%80", "%f4%90%80%80", "ok%"];
  const server = await testServer();
  await forEachCase(
    ["client_id", "redirect_uri", "scope", "state", "code_challenge"],
    (name) =>
      forEachCase(broken, async (value) => {
        await assertPage(await ask(server, `${queryWithout(name)}&${name}=${value}`));
        await assertPage(
          await server.post("/oauth2/authorize", `${queryWithout(name)}&${name}=${value}`),
        );
      }),
  );
  assertEquals(codesIssued(server), 0);
});

test("[AZ-02] a missing or empty client_id gets an error page, with any redirect_uri", async () => {
  const server = await testServer();
  await forEachCase(["https://spa.example/cb", foreign, "", undefined], async (redirect_uri) => {
    await assertPage(await server.authorize({ client_id: undefined, redirect_uri }));
    await assertPage(await server.authorize({ client_id: "", redirect_uri }));
    await assertPage(await authorizeByPost(server, { client_id: undefined, redirect_uri }));
    await assertPage(await authorizeByPost(server, { client_id: "", redirect_uri }));
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-02, HT-11, HT-19] a client_id that only resembles a registered one is unknown and gets an error page", async () => {
  const unknown = [
    ...["unknown", "SPA", "Spa", " spa", "spa ", "spa,web", "spa web", "spa\t", "spa\n", "spa\r\n", "spa\0"],
    ...["\0spa", "s\u0440a", "ｓｐａ", "\ufeffspa", "spa\u200b", "spa\u0301", "%73pa", "spa%00", "*", "spa*"],
    ...["s?a", "undefined", "__proto__", "constructor", "toString", "hasOwnProperty", "null", "NaN"],
    ...["[object Object]", "0", "-1"],
    ...["a".repeat(10_000), "spa".padEnd(4_000, "\0"), `spa' or '1'='1`, markup, "../spa", "{{7*7}}"],
  ];
  const server = await testServer();
  await forEachCase(unknown, async (client_id) => {
    await assertPage(await server.authorize({ client_id }), 400, markup);
    await assertPage(await authorizeByPost(server, { client_id }), 400, markup);
    await assertPage(await server.authorize({ client_id, redirect_uri: foreign }), 400, markup);
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-03] POST with a form has the same outcome as GET with a query", async () => {
  const server = await testServer();
  const success = await authorizeByPost(server);
  assertEquals(success.status, 303);
  const { code } = assertAuthorizationResponse(success);
  assertEquals((await server.token({ code })).status, 200);
  const rejection = await authorizeByPost(server, { scope: "bogus" });
  assertEquals(rejection.status, 303);
  assertEquals(
    assertAuthorizationResponse(rejection),
    assertAuthorizationResponse(await server.authorize({ scope: "bogus" })),
  );
  await assertPage(await authorizeByPost(server, { client_id: "unknown" }));
});

test("[AZ-03] parameters in the query of a POST are ignored", async () => {
  const server = await testServer();
  const query = (fields: Fields) => `?${encode(fields)}`;
  await assertPage(await authorizeByPost(server, { client_id: undefined }, query({ client_id: "spa" })));
  const uri = "https://spa.example/cb";
  await assertPage(await authorizeByPost(server, { redirect_uri: undefined }, query({ redirect_uri: uri })));
  assertAuthorizationResponse(await authorizeByPost(server, { state: undefined }, query({ state: "st4te" })), {
    state: null,
  });
  const { error } = assertAuthorizationResponse(
    await authorizeByPost(server, { code_challenge: undefined }, query({ code_challenge: challenge })),
  );
  assertEquals(error, "invalid_request");
  const response = await server.authorize({}, {
    method: "POST",
    body: "",
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  await assertPage(response);
});

test("[AZ-03] a parameter in both query and body of a POST has the body's value", async () => {
  const server = await testServer();
  const fields = {
    client_id: "unknown",
    redirect_uri: foreign,
    state: "other",
    scope: "bogus",
    response_type: "token",
  };
  const { code } = assertAuthorizationResponse(await authorizeByPost(server, {}, `?${encode(fields)}`));
  assert(code);
  await assertPage(await authorizeByPost(server, { redirect_uri: foreign }, `?${encode(goodRequest)}`));
  const { error } = assertAuthorizationResponse(
    await authorizeByPost(server, { scope: "bogus" }, `?${encode(goodRequest)}`),
  );
  assertEquals(error, "invalid_scope");
});

test("[AZ-03] a POST without a form body gets an error page", async () => {
  const server = await testServer();
  const types = [
    "application/json",
    "multipart/form-data; boundary=x",
    "text/plain",
    "application/x-www-form-urlencodedx",
  ];
  await forEachCase(types, async (type) => {
    const init = { method: "POST", body: encode(goodRequest), headers: { "content-type": type } };
    await assertPage(await server.get("/oauth2/authorize", init));
    await assertPage(await server.authorize({}, init));
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-03, HT-02] HEAD has no body and no Location, and issues nothing", async () => {
  const server = await testServer();
  await forEachCase([{}, { scope: "bogus" }, { client_id: "unknown" }], async (fields) => {
    const response = await server.authorize(fields, { method: "HEAD" });
    assertEquals([response.headers.get("location"), await response.text()], [null, ""]);
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-04, HT-19] unknown parameters are ignored and not returned", async () => {
  const unknown = [
    ...["foo=bar", "foo=1&foo=2", "utm_source=x", "foo", "=", "=x", "&&", "__proto__=1", "constructor=1", "a[b]=1"],
    ...["code[]=1", "client_id[]=web", "redirect_uri[]=https://evil.example/cb", "scope[]=write", "%00=1"],
    ...["%F0%9F%94%91=1", "iss=https://evil.example", "error=access_denied", "error_uri=https://evil.example"],
    ...["access_token=stolen", "response=x", `${encodeURIComponent(markup)}=1`, `foo=${"a".repeat(10_000)}`],
  ];
  await forEachCase(unknown, async (more) => {
    const server = await testServer();
    const { code } = assertAuthorizationResponse(await ask(server, `${encode(goodRequest)}&${more}`));
    assertEquals((await server.token({ code })).status, 200);
    assertAuthorizationResponse(await ask(server, `${more}&${encode(goodRequest)}`));
    const { error } = assertAuthorizationResponse(
      await ask(server, `${encode({ ...goodRequest, scope: "bogus" })}&${more}`),
    );
    assertEquals(error, "invalid_scope");
  });
});

test("[AZ-05] an empty value counts as absent", async () => {
  const server = await testServer();
  assertAuthorizationResponse(await server.authorize({ state: "" }), { state: null });
  await forEachCase([authorizeByPost.bind(undefined, server), server.authorize], async (send) => {
    assertEquals(assertAuthorizationResponse(await send({ code_challenge: "" })).error, "invalid_request");
    assertEquals(assertAuthorizationResponse(await send({ response_type: "" })).error, "invalid_request");
    assert(
      assertAuthorizationResponse(
        await send({ response_mode: "", request: "", request_uri: "", nonce: "", login_hint: "" }),
      ).code,
    );
    await assertPage(await send({ client_id: "" }));
    await assertPage(await send({ redirect_uri: "" }));
  });
  assertEquals(await granted(server, { scope: "" }), new Set(["read"]));
  assertEquals(
    assertAuthorizationResponse(await ask(server, `${queryWithout("state")}&state`), { state: null }).error,
    undefined,
  );
  const strict = await testServer({ scopes: ["write"] });
  assertEquals(assertAuthorizationResponse(await strict.authorize({ scope: "" })).error, "invalid_scope");
});

test("[AZ-06] a repeated client_id gets an error page, in any order and with one valid value", async () => {
  const server = await testServer();
  const pairs = [
    ...["client_id=spa&client_id=unknown", "client_id=unknown&client_id=spa", "client_id=spa&client_id=web"],
    ...["client_id=web&client_id=spa", "client_id=spa&client_id=spa", "client_id=spa&client_id="],
    ...["client_id=&client_id=spa", "client_id=spa&client_id", "client_id=spa&client%5Fid=spa"],
    "%63lient_id=spa&client_id=spa",
  ];
  await forEachCase(pairs, async (pair) => {
    await assertPage(await ask(server, `${queryWithout("client_id")}&${pair}`));
    const [one, two] = pair.split("&");
    await assertPage(await ask(server, `${one}&${queryWithout("client_id")}&${two}`));
  });
  await assertPage(await authorizeByPost(server, { client_id: ["spa", "unknown"] }));
  await assertPage(await authorizeByPost(server, { client_id: ["unknown", "spa"] }));
  assertEquals(codesIssued(server), 0);
});

test("[AZ-06] a repeated redirect_uri gets an error page, in any order and with one valid value", async () => {
  const server = await testServer();
  const good = encodeURIComponent("https://spa.example/cb");
  const bad = encodeURIComponent(foreign);
  const pairs = [
    ...[`redirect_uri=${good}&redirect_uri=${bad}`, `redirect_uri=${bad}&redirect_uri=${good}`],
    ...[`redirect_uri=${good}&redirect_uri=${good}`, `redirect_uri=${good}&redirect_uri=`],
    ...[`redirect_uri=&redirect_uri=${good}`, `redirect_uri=${good}&redirect%5Furi=${bad}`],
    ...[`%72edirect_uri=${bad}&redirect_uri=${good}`, "redirect_uri=&redirect_uri="],
  ];
  await forEachCase(pairs, async (pair) => {
    await assertPage(await ask(server, `${queryWithout("redirect_uri")}&${pair}`));
    await assertPage(await ask(server, `${queryWithout("redirect_uri", "scope")}&${pair}`));
  });
  await assertPage(await authorizeByPost(server, { redirect_uri: ["https://spa.example/cb", foreign] }));
  await assertPage(await authorizeByPost(server, { redirect_uri: [foreign, "https://spa.example/cb"] }));
  assertEquals(codesIssued(server), 0);
});

test("[AZ-07] any other repeated parameter is invalid_request, equal and empty values included", async () => {
  const names = [
    ...["response_type", "scope", "code_challenge", "code_challenge_method", "response_mode", "nonce", "login_hint"],
    ...["prompt", "max_age", "display", "ui_locales", "id_token_hint", "acr_values", "claims"],
  ];
  const server = await testServer();
  await forEachCase(names, (name) => {
    const good = goodRequest[name] as string | undefined ?? "x";
    return forEachCase(
      [[good, good], [good, "other"], ["other", good], [good, ""], ["", good], ["", ""]],
      async (values) => {
        const { error } = assertAuthorizationResponse(await server.authorize({ [name]: values }));
        assertEquals(error, "invalid_request");
        assertEquals(
          assertAuthorizationResponse(await authorizeByPost(server, { [name]: values })).error,
          "invalid_request",
        );
      },
    );
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-07] resource may be repeated", async () => {
  const server = await testServer();
  const resource = ["https://api.example/a", "https://api.example/b"];
  assert(assertAuthorizationResponse(await server.authorize({ resource })).code);
  assert(assertAuthorizationResponse(await authorizeByPost(server, { resource })).code);
});

test("[AZ-08] a repeated state is invalid_request without state", async () => {
  const server = await testServer();
  await forEachCase([["a", "b"], ["b", "a"], ["a", "a"], ["a", ""], ["", "a"], ["", ""]], async (state) => {
    await forEachCase(
      [{}, { scope: "bogus" }, { scope: ["read", "read"] }, { response_type: undefined }],
      async (fields) => {
        const result = assertAuthorizationResponse(await server.authorize({ ...fields, state }), { state: null });
        assertEquals(result.error, "invalid_request");
      },
    );
    assertEquals(
      assertAuthorizationResponse(await authorizeByPost(server, { state }), { state: null }).error,
      "invalid_request",
    );
  });
});

test("[AZ-09] a request without response_type is invalid_request", async () => {
  const server = await testServer();
  assertEquals(
    assertAuthorizationResponse(await server.authorize({ response_type: undefined })).error,
    "invalid_request",
  );
  assertEquals(
    assertAuthorizationResponse(await authorizeByPost(server, { response_type: undefined })).error,
    "invalid_request",
  );
});

test("[AZ-09] an unsupported response_type is unsupported_response_type, and no token is issued", async () => {
  const server = await testServer();
  await forEachCase(
    ["token", "id_token", "id_token token", "none", "device", "bogus", markup],
    async (response_type) => {
      const response = await server.authorize({ response_type, nonce: "n" });
      assertEquals(assertAuthorizationResponse(response).error, "unsupported_response_type");
      assertNotMatch(response.headers.get("location")!, /#|token=|code=/);
    },
  );
  assertEquals(codesIssued(server), 0);
});

test("[AZ-10] response_type is compared case-sensitively, as a set of words", async () => {
  const server = await testServer();
  const types = [
    ...["Code", "CODE", "cODE", "id_token code", "code id_token", "code token", "token code", "code id_token token"],
    ...["code,token", "code+token", "codex", "xcode", "code\0", "code\n", "code\ttoken", "code Code", "ｃode"],
    ...["constructor", "__proto__", "code".repeat(2_500)],
    ...[" code", "code ", " code ", "  code", "code  ", " ", "code code", "code\u00a0"],
  ];
  await forEachCase(types, async (response_type) => {
    assertEquals(
      assertAuthorizationResponse(await server.authorize({ response_type })).error,
      "unsupported_response_type",
    );
  });
  const metadata = await (await server.get("/.well-known/openid-configuration")).json();
  assertEquals(metadata.response_types_supported, ["code"]);
  assertEquals(codesIssued(server), 0);
});

test("[AZ-11] a client without the authorization_code grant type is unauthorized_client", async () => {
  const redirect_uris = ["https://worker.example/cb"];
  const server = await testServer({
    clients: [
      { client_id: "worker", client_secret: "s", redirect_uris, grant_types: ["client_credentials"] },
      { client_id: "device", redirect_uris, grant_types: ["refresh_token"] },
      { client_id: "idle", redirect_uris, grant_types: [] },
    ],
  });
  await forEachCase(["worker", "device", "idle"], async (client_id) => {
    const response = await server.authorize({ client_id, redirect_uri: redirect_uris[0] });
    assertEquals(assertAuthorizationResponse(response, { uri: redirect_uris[0] }).error, "unauthorized_client");
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-12] state is optional, and returned unchanged with success and with errors", async () => {
  const server = await testServer();
  assertAuthorizationResponse(await server.authorize({ state: undefined }), { state: null });
  assertAuthorizationResponse(await server.authorize({ state: undefined, scope: "bogus" }), { state: null });
  await forEachCase(["", "&scope=bogus", "&response_type=token", "&code_challenge_method=plain"], async (fault) => {
    const rest = queryWithout("state", ...fault === "" ? [] : [/\w+/.exec(fault)![0]]) + fault;
    const result = assertAuthorizationResponse(await ask(server, `${rest}&state=a%20b%2Bc%26d`), { state: "a b+c&d" });
    assertEquals("error" in result, fault !== "");
    assertAuthorizationResponse(await ask(server, `state=a+b%2Bc%26d&${rest}`), { state: "a b+c&d" });
  });
});

test("[AZ-13] a state of any length up to the maximum is returned complete", async () => {
  const server = await testServer();
  await forEachCase([1, 255, 256, 1023, 1024, 1025, maxStateLength], async (length) => {
    const state = "0123456789abcdef".repeat(maxStateLength).slice(0, length);
    assert(assertAuthorizationResponse(await server.authorize({ state }), { state }).code);
    assertAuthorizationResponse(await server.authorize({ state, scope: "bogus" }), { state });
    assertAuthorizationResponse(await authorizeByPost(server, { state }), { state });
  });
  const state = "€".repeat(1024);
  assertAuthorizationResponse(await server.authorize({ state }), { state });
});

test("[AZ-13] a longer state is invalid_request without state", async () => {
  const server = await testServer();
  await forEachCase([maxStateLength + 1, 10_000], async (length) => {
    const state = "s".repeat(length);
    assertEquals(
      assertAuthorizationResponse(await server.authorize({ state }), { state: null }).error,
      "invalid_request",
    );
    assertAuthorizationResponse(await server.authorize({ state, scope: "bogus" }), { state: null });
    assertEquals(
      assertAuthorizationResponse(await authorizeByPost(server, { state }), { state: null }).error,
      "invalid_request",
    );
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-13] the fix of a value that is too long is about its parameter, and says why no setting allows more", async () => {
  const server = await testServer();
  for (
    const [name, fix] of [["state", /short random state/], ["claims", /fewer claims/], [
      "nonce",
      /short random nonce/,
    ]] as const
  ) {
    await server.authorize({ [name]: "x".repeat(5000) });
    const { explanation } = getRejections(server.events).at(-1)!;
    assertEquals(explanation.rule, "AZ-13");
    assertMatch(explanation.fix!, fix);
    assertMatch(explanation.fix!, /No setting allows more, because/);
  }
});

test("[AZ-14] state accepts every character from 0x20 to 0x7E", async () => {
  const server = await testServer();
  const ascii = Array.from({ length: 0x5F }, (_, i) => String.fromCharCode(0x20 + i));
  await forEachCase(
    [...ascii, ascii.join(""), "  ", " a ", "%41", "%2541", "a=b&state=c#d?e", markup],
    async (state) => {
      assert(assertAuthorizationResponse(await server.authorize({ state }), { state }).code);
      assertAuthorizationResponse(await server.authorize({ state, scope: "bogus" }), { state });
    },
  );
});

test("[AZ-14] other characters in state are returned percent-encoded", async () => {
  const server = await testServer();
  const controls = Array.from({ length: 0x20 }, (_, i) => String.fromCharCode(i));
  const others = [
    ...["\x7F", "\x80", "é", "e\u0301", "€", "🔑", "\u2028", "\ufeff", "\ufeffa", "\u202e", "\ufffd", "\uffff"],
    "\u{10FFFF}",
  ];
  await forEachCase([...controls, ...others, "a\0b", "\r\n\r\n<html>"], async (state) => {
    assert(assertAuthorizationResponse(await server.authorize({ state }), { state }).code);
    assert(assertAuthorizationResponse(await authorizeByPost(server, { state }), { state }).code);
    assertAuthorizationResponse(await server.authorize({ state, scope: "bogus" }), { state });
  });
});

test("[AZ-14] a state with a line break yields one Location line and no other header", async () => {
  const server = await testServer();
  await forEachCase(
    ["%0d%0aSet-Cookie:x", "%0aSet-Cookie:x", "%0dSet-Cookie:x=1", "%E5%98%8A%E5%98%8DSet-Cookie:x"],
    async (state) => {
      const response = await ask(server, `${queryWithout("state")}&state=${state}`);
      assertAuthorizationResponse(response, { state: decodeURIComponent(state) });
      const names = [...response.headers.keys()].sort();
      assertEquals(names, ["cache-control", "location", "referrer-policy", "set-cookie", "strict-transport-security"]);
      assertMatch(response.headers.getSetCookie().join("\n"), /^__Host-latchkey_session=[^\n]*$/);
    },
  );
});

test("[AZ-15] scope is a set: order and repetition have no effect", async () => {
  const server = await testServer();
  const both = new Set(["read", "write"]);
  await forEachCase(
    ["read write", "write read", "read write read", "  read   write ", "write write read"],
    async (scope) => {
      assertEquals(await granted(server, { scope }), both);
    },
  );
});

test("[AZ-15] scope values are case-sensitive", async () => {
  const server = await testServer();
  await forEachCase(
    ["Read", "READ", "read Write", "readx", "rea", "read,write", "read+write", "ｒead"],
    async (scope) => {
      assertEquals(assertAuthorizationResponse(await server.authorize({ scope })).error, "invalid_scope");
    },
  );
  assertEquals(assertAuthorizationResponse(await server.authorize({ scope: "OpenID bogus" })).error, "invalid_scope");
});

test("[AZ-15, HT-11] any other character in scope is invalid_scope, with openid too", async () => {
  const server = await testServer();
  const strange = [
    ...[`"`, "\\", "\t", "\n", "\r", "\0", "\x1f", "\x7f", "\x80", "\xa0", "é", "€", "🔑", "\u2003", "\ufeff"],
    "\u200b",
  ];
  await forEachCase(
    strange,
    (character) =>
      forEachCase(
        [`read${character}x`, `read${character}`, `${character}read`, `read${character}write`, character],
        async (scope) => {
          assertEquals(assertAuthorizationResponse(await server.authorize({ scope })).error, "invalid_scope");
          assertEquals(
            assertAuthorizationResponse(await server.authorize({ scope: `openid ${scope}` })).error,
            "invalid_scope",
          );
        },
      ),
  );
  assertEquals(
    assertAuthorizationResponse(await ask(server, `${queryWithout("scope")}&scope=read%22x`)).error,
    "invalid_scope",
  );
  assertEquals(codesIssued(server), 0);
});

test("[AZ-15] every allowed character may occur in a scope value", async () => {
  const word = Array.from({ length: 0x5E }, (_, i) => String.fromCharCode(0x21 + i)).join("").replace(/["\\]/g, "");
  const server = await testServer({ scopes: [word, "x"] });
  assertEquals(await granted(server, { scope: word }), new Set([word]));
});

test("[AZ-16] without scope the configured default is granted and returned in the token response", async () => {
  assertEquals(await granted(await testServer(), { scope: undefined }), new Set(["read"]));
  const own = await testServer({ scopes: ["a", "b", "c"], defaultScope: "b a" });
  assertEquals(await granted(own, { scope: undefined }), new Set(["a", "b"]));
  assertEquals(await granted(own, { scope: "c" }), new Set(["c"]));
});

test("[AZ-16] the default scope `read` is kept if custom scopes include it", async () => {
  const own = await testServer({ scopes: ["openid", "read", "orders"] });
  assertEquals(await granted(own, { scope: undefined }), new Set(["read"]));
});

test("[AZ-16] without scope and without a configured default the error is invalid_scope", async () => {
  await forEachCase([{ scopes: ["a", "b"] }, { scopes: ["a"], defaultScope: "" }], async (options) => {
    const server = await testServer(options);
    assertEquals(assertAuthorizationResponse(await server.authorize({ scope: undefined })).error, "invalid_scope");
    assertEquals(
      assertAuthorizationResponse(await authorizeByPost(server, { scope: undefined })).error,
      "invalid_scope",
    );
    assertEquals(await granted(server, { scope: "a" }), new Set(["a"]));
  });
});

test("[AZ-16] if the client may not request the default scope, the rejection reports that scope is missing", async () => {
  const redirect_uri = "https://writer.example/cb";
  const writer = { client_id: "writer", redirect_uris: [redirect_uri], scope: "openid write" };
  const server = await testServer({ clients: [writer] });
  const response = await server.authorize({ client_id: "writer", redirect_uri, scope: undefined });
  const { error, error_description } = assertAuthorizationResponse(response, { uri: redirect_uri });
  assertEquals(error, "invalid_scope");
  assertEquals(
    error_description,
    "scope is missing, and client writer may not request the default scope: read [AZ-16]",
  );
  const { explanation } = getRejections(server.events)[0]!;
  assertEquals(explanation.reason, "scope is missing, and client writer may not request the default scope: read");
  assertEquals(explanation.expected, "some of: openid write");
  assertEquals(explanation.received, "no scope");
});

test("[AZ-17] the rejection of an unknown value lists what the client may request", async () => {
  const redirect_uri = "https://writer.example/cb";
  const server = await testServer({
    clients: [{ client_id: "writer", redirect_uris: [redirect_uri], scope: "openid write" }],
  });
  for (const scope of ["openid wrte", "wrte"]) {
    await server.authorize({ client_id: "writer", redirect_uri, scope });
  }
  const output = server.events.flatMap((event) =>
    "explanation" in event && event.explanation.rule === "AZ-17" ? [event.explanation.expected] : []
  );
  assertEquals(output, ["some of: openid write", "some of: openid write"]);
});

test("[AZ-17] an unknown scope value is invalid_scope without openid, and ignored with it", async () => {
  const server = await testServer();
  const unknown = [
    ...["bogus", "admin", "__proto__", "constructor", "toString", "includes", "*", "read:*"],
    "a".repeat(10_000),
  ];
  await forEachCase(unknown, async (word) => {
    assertEquals(assertAuthorizationResponse(await server.authorize({ scope: word })).error, "invalid_scope");
    assertEquals(assertAuthorizationResponse(await server.authorize({ scope: `read ${word}` })).error, "invalid_scope");
    assertEquals(assertAuthorizationResponse(await server.authorize({ scope: `${word} read` })).error, "invalid_scope");
    assertEquals(await granted(server, { scope: `openid ${word} read` }), new Set(["openid", "read"]));
    assertEquals(await granted(server, { scope: `${word} openid` }), new Set(["openid"]));
  });
});

test("[AZ-17] a known scope value that the client may not request is invalid_scope, with openid too", async () => {
  const redirect_uri = "https://reader.example/cb";
  const reader = { client_id: "reader", redirect_uris: [redirect_uri] };
  const at = { uri: redirect_uri };
  const plain = await testServer({ clients: [{ ...reader, scope: "read" }] });
  await forEachCase(["write", "read write", "openid", "openid read", "openid write", "openid bogus"], async (scope) => {
    const result = assertAuthorizationResponse(await plain.authorize({ client_id: "reader", redirect_uri, scope }), at);
    assertEquals(result.error, "invalid_scope");
  });
  assert(
    assertAuthorizationResponse(await plain.authorize({ client_id: "reader", redirect_uri, scope: "read" }), at).code,
  );
  const openid = await testServer({ clients: [{ ...reader, scope: "openid read" }] });
  const wide = await openid.authorize({ client_id: "reader", redirect_uri, scope: "openid read write" });
  assertEquals(assertAuthorizationResponse(wide, at).error, "invalid_scope");
});

test("[AZ-17] an empty remaining scope is invalid_scope", async () => {
  const server = await testServer();
  assertEquals(assertAuthorizationResponse(await server.authorize({ scope: " " })).error, "invalid_scope");
  assertEquals(assertAuthorizationResponse(await server.authorize({ scope: "     " })).error, "invalid_scope");
  const uri = "https://bare.example/cb";
  const bare = await testServer({ clients: [{ client_id: "bare", redirect_uris: [uri], scope: "" }] });
  await forEachCase([undefined, "read", "openid"], async (scope) => {
    const result = assertAuthorizationResponse(await bare.authorize({ client_id: "bare", redirect_uri: uri, scope }), {
      uri,
    });
    assertEquals(result.error, "invalid_scope");
  });
});

/** Lets the first user in, and grants what `choose` makes of the scope asked for. */
function granting(choose: (scope: readonly string[]) => readonly string[]): Approver {
  return ({ scope }, { users, now }) => ({
    user: [...users.known().values()][0]!,
    scope: choose(scope),
    authTime: now(),
  });
}

test("[AZ-18] if the approver grants less, code and tokens have only what was granted", async () => {
  const server = await testServer({ approver: granting((scope) => scope.filter((word) => word === "read")) });
  const response = await server.token({ code: await server.code({ scope: "openid read write" }) });
  const body = await response.json();
  assertEquals([response.status, body.scope, decodeClaims(body.access_token).scope], [200, "read", "read"]);
  assertEquals("id_token" in body, false);
  const scopes = server.events.flatMap((event) => event.type === "code_issued" ? [event.scope] : []);
  assertEquals(scopes, [["read"]]);
});

test("[AZ-18] if the approver grants more, only what was requested is granted", async () => {
  const server = await testServer({ approver: granting(() => ["admin", "write", "read", "openid"]) });
  assertEquals(await granted(server, { scope: "read" }), new Set(["read"]));
  const other = await testServer({ approver: granting(() => ["admin"]) });
  assertEquals(assertAuthorizationResponse(await other.authorize()).error, "access_denied");
  assertEquals(codesIssued(other), 0);
});

test("[AZ-19] a response_mode missing from metadata is rejected in the query", async () => {
  const server = await testServer();
  const metadata = await (await server.get("/.well-known/oauth-authorization-server")).json();
  assertEquals(metadata.response_modes_supported, ["query", "form_post"]);
  const modes = [
    ...["bogus", "fragment", "form-post", "web_message", "jwt", "query.jwt", "Query", "query ", "query fragment"],
    "\0",
    markup,
  ];
  await forEachCase(modes, async (response_mode) => {
    assertEquals(assertAuthorizationResponse(await server.authorize({ response_mode })).error, "invalid_request");
    assertEquals(
      assertAuthorizationResponse(await authorizeByPost(server, { response_mode })).error,
      "invalid_request",
    );
  });
  assert(assertAuthorizationResponse(await server.authorize({ response_mode: "query" })).code);
});

test("[AZ-19] with fragment in the setting, code and error are sent in the fragment alone", async () => {
  const server = await testServer({ responseModes: ["query", "fragment"] });
  for (const [fields, name] of [[{}, "code"], [{ scope: "bogus" }, "error"]] as const) {
    const response = await server.authorize({ ...fields, response_mode: "fragment", state: "st4te" });
    const url = new URL(response.headers.get("location")!);
    const params = new URLSearchParams(url.hash.slice(1));
    assertEquals([url.search, params.get("state"), params.has(name)], ["", "st4te", true]);
  }
});

test("[AZ-21] if the approver denies, immediately or later, the error is access_denied with the state", async () => {
  const denial = () => new OAuthError("access_denied", "the user denied the request", { rule: "AZ-21" });
  const approvers: Record<string, Approver> = {
    throws: () => {
      throw denial();
    },
    rejects: () => Promise.reject(denial()),
  };
  await forEachCase(Object.keys(approvers), async (name) => {
    const server = await testServer({ approver: approvers[name] });
    const state = "a b&c";
    assertEquals(assertAuthorizationResponse(await server.authorize({ state }), { state }).error, "access_denied");
    assertEquals(
      assertAuthorizationResponse(await authorizeByPost(server, { state }), { state }).error,
      "access_denied",
    );
    assertAuthorizationResponse(await server.authorize({ state: undefined }), { state: null });
    assertEquals(codesIssued(server), 0);
    assertEquals(getRejections(server.events).at(-1)!.error, "access_denied");
  });
});

test("[AZ-21] automatic login denies if the server has no users", async () => {
  const server = await testServer({ users: [] });
  assertEquals(assertAuthorizationResponse(await server.authorize()).error, "access_denied");
  assertEquals(getRejections(server.events).at(-1)!.explanation.fix, "Add a user to the setting users.");
});

test("[AZ-22] an internal error after the redirect URI is known is a redirect without details", async () => {
  const secret = "disk /var/lib/latchkey/secret.db is full";
  const explode = (): never => {
    throw new Error(secret);
  };
  const storeThat = (put: Store["put"]): Store => ({ ...memoryStore(), put });
  const failures: Readonly<Record<string, Parameters<typeof testServer>[0]>> = {
    "the store rejects": { store: storeThat(() => Promise.reject(new Error(secret))) },
    "the store throws": { store: storeThat(explode) },
    "the store rejects with a text": { store: storeThat(() => Promise.reject(secret)) },
    "the store rejects with nothing": { store: storeThat(() => Promise.reject()) },
    "the random source throws": { randomBytes: explode },
    "the approver throws": { approver: explode },
    "the approver rejects": { approver: () => Promise.reject(new TypeError(secret)) },
    "the approver returns nothing": { approver: (() => undefined) as unknown as Approver },
  };
  await forEachCase(Object.keys(failures), async (name) => {
    const server = await testServer(failures[name]);
    await forEachCase([server.authorize, authorizeByPost.bind(undefined, server)], async (send) => {
      const response = await send({});
      const { error, error_description } = assertAuthorizationResponse(response);
      assertMatch(error, /^(server_error|temporarily_unavailable)$/);
      const result = `${error_description} ${[...response.headers].join()} ${await response.text()}`;
      assertNotMatch(result, /disk|secret|latchkey\/|TypeError|undefined|\.ts|\bat \S+:\d/);
    });
    assertEquals(server.events.filter((event) => event.type === "internal_error").length, 2);
    assertEquals(codesIssued(server), 0);
  });
});

test("[AZ-23] parameter names are case-sensitive", async () => {
  const server = await testServer();
  await forEachCase(["Client_ID", "CLIENT_ID", "client_Id", "client-id", "clientId"], async (name) => {
    await assertPage(await ask(server, `${queryWithout("client_id")}&${name}=spa`));
    assert(assertAuthorizationResponse(await ask(server, `${encode(goodRequest)}&${name}=web`)).code);
  });
  const uri = encodeURIComponent("https://spa.example/cb");
  await assertPage(await ask(server, `${queryWithout("redirect_uri")}&Redirect_URI=${uri}`));
  assert(
    assertAuthorizationResponse(await ask(server, `${encode(goodRequest)}&REDIRECT_URI=${encodeURIComponent(foreign)}`))
      .code,
  );
  assertAuthorizationResponse(await ask(server, `${queryWithout("state")}&State=st4te`), { state: null });
  const { error } = assertAuthorizationResponse(
    await ask(server, `${queryWithout("response_type")}&Response_Type=code`),
  );
  assertEquals(error, "invalid_request");
});

test("[AZ-23] parameter values are case-sensitive", async () => {
  const server = await testServer();
  await assertPage(await server.authorize({ client_id: "SPA" }));
  await assertPage(await server.authorize({ redirect_uri: "https://spa.example/CB" }));
  assertEquals(
    assertAuthorizationResponse(await server.authorize({ code_challenge_method: "s256" })).error,
    "invalid_request",
  );
  assertEquals(
    assertAuthorizationResponse(await server.authorize({ response_mode: "Query" })).error,
    "invalid_request",
  );
});

test("[AZ-24] a secret in the request neither authenticates nor changes the outcome", async () => {
  const server = await testServer();
  const web = { client_id: "web", redirect_uri: "https://web.example/cb" };
  await forEachCase(["web-secret", "wrong", "x"], async (client_secret) => {
    const code = await server.code({ ...web, client_secret });
    assertEquals((await server.token({ ...web, code })).status, 401);
    const init = { headers: basic("web", "web-secret") };
    assertEquals((await server.token({ ...web, code, client_id: undefined }, init)).status, 200);
    assert(assertAuthorizationResponse(await server.authorize({ client_secret })).code);
    assertEquals(
      assertAuthorizationResponse(await server.authorize({ client_secret, scope: "bogus" })).error,
      "invalid_scope",
    );
    await assertPage(await server.authorize({ client_secret, client_id: "unknown" }));
  });
  const strict = await testServer({ pkce: { requireForConfidential: true } });
  const bare = { ...web, client_secret: "web-secret", code_challenge: undefined, code_challenge_method: undefined };
  assertEquals(
    assertAuthorizationResponse(await strict.authorize(bare), { uri: web.redirect_uri }).error,
    "invalid_request",
  );
});

test("[AZ-24, HT-15] a secret or token in the request appears in no log, trace event or response", async () => {
  const names = [
    ...["client_secret", "client_assertion", "code_verifier", "code", "access_token", "refresh_token", "token"],
    ...["password", "id_token_hint", "assertion", "subject_token"],
  ];
  const value = "do-not-log-7c1f";
  const outcomes: readonly Fields[] = [
    {},
    { scope: "bogus" },
    { response_type: "token" },
    { code_challenge: undefined },
    { client_id: "unknown" },
    { redirect_uri: foreign },
    { redirect_uri: ["a", "b"] },
  ];
  await forEachCase(names, async (name) => {
    const server = await testServer();
    const responses: string[] = [];
    const logged = await consoleDuring(async () => {
      for (const fields of outcomes) {
        for (const send of [server.authorize, authorizeByPost.bind(undefined, server)]) {
          for (const sent of [value, [value, value]]) {
            const response = await send({ ...fields, [name]: sent });
            responses.push(`${[...response.headers].join()} ${await response.text()}`);
          }
        }
      }
    });
    for (const text of [logged, JSON.stringify(server.events), ...responses]) assert(!text.includes(value), text);
  });
});

const signed = { request: "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2V2aWwuZXhhbXBsZS9jYiJ9." };
const byReference = { request_uri: "https://evil.example/request.jwt" };
const rejected: readonly (readonly [Fields, string])[] = [
  [signed, "request_not_supported"],
  [{ request: "x" }, "request_not_supported"],
  [byReference, "request_uri_not_supported"],
  [{ ...signed, ...byReference }, "invalid_request"],
];

test("[JR-01] request and request_uri are rejected by redirect if the query has a registered redirect URI", async () => {
  const server = await testServer({
    clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb", "http://127.0.0.1/cb"] }],
  });
  await forEachCase(rejected, async ([fields, error]) => {
    assertEquals(assertAuthorizationResponse(await server.authorize(fields)).error, error);
    assertEquals(assertAuthorizationResponse(await authorizeByPost(server, fields)).error, error);
    assertAuthorizationResponse(await server.authorize({ ...fields, state: undefined }), { state: null });
    const uri = "http://127.0.0.1:50123/cb";
    assertEquals(
      assertAuthorizationResponse(await server.authorize({ ...fields, redirect_uri: uri }), { uri }).error,
      error,
    );
  });
  assertEquals(codesIssued(server), 0);
});

test("[JR-01] request and request_uri are rejected on a page if the query has no registered redirect URI", async () => {
  const server = await testServer();
  await forEachCase(rejected, async ([fields, error]) => {
    for (const redirect_uri of [foreign, undefined, "", ["https://spa.example/cb", foreign]]) {
      for (const scope of ["openid read", "read", undefined]) {
        const response = await server.authorize({ ...fields, redirect_uri, scope });
        await assertPage(response);
        assertEquals(getRejections(server.events).at(-1)!.error, error);
        await assertPage(await authorizeByPost(server, { ...fields, redirect_uri, scope }));
      }
    }
    await assertPage(await server.authorize({ ...fields, client_id: "unknown" }));
    assertEquals(getRejections(server.events).at(-1)!.explanation.rule, "AZ-02");
  });
  assertEquals(codesIssued(server), 0);
});

test("[AZ-01, JR-01] a signed request is rejected before any check after the redirect URI", async () => {
  const server = await testServer();
  const faults: readonly Fields[] = [
    { response_type: undefined },
    { response_type: "token" },
    { response_mode: "bogus" },
    { scope: "bogus" },
    { scope: ["read", "read"] },
    { code_challenge: undefined },
  ];
  await forEachCase(rejected, ([fields, error]) =>
    forEachCase(faults, async (fault) => {
      assertEquals(assertAuthorizationResponse(await server.authorize({ ...fields, ...fault })).error, error);
    }));
});

test("[JR-01] a request_uri is never fetched", async () => {
  const original = globalThis.fetch;
  let fetched = 0;
  globalThis.fetch = () => {
    fetched++;
    return Promise.reject(new Error("no network here"));
  };
  try {
    const server = await testServer();
    for (const [fields] of rejected) {
      for (const redirect_uri of ["https://spa.example/cb", foreign]) {
        await server.authorize({ ...fields, redirect_uri });
      }
    }
  } finally {
    globalThis.fetch = original;
  }
  assertEquals(fetched, 0);
});
