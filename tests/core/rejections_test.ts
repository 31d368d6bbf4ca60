/** What the core rejects, as tables: what is sent, the error, and the rule. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { type CoreExtension, memoryStore, slot } from "../../src/core/mod.ts";
import {
  authorizeParameters,
  basic,
  callback,
  challenge,
  encode,
  type Parameters,
  startCore,
  verifier,
} from "./kit.ts";

/** What is changed in a correct request, the error, and the rule. */
type Row = readonly [changes: Parameters, error: string, rule: string];

/** Requests whose error is shown to the user, because the client or its redirect URI is not known. */
const shown: readonly Row[] = [
  [{ client_id: undefined }, "invalid_request", "AZ-02"],
  [{ client_id: "unknown" }, "invalid_request", "AZ-02"],
  [{ redirect_uri: `${callback}/` }, "invalid_request", "RU-01"],
  [{ redirect_uri: `${callback}?a=b` }, "invalid_request", "RU-01"],
  [{ redirect_uri: "https://spa.example.evil.example/cb" }, "invalid_request", "RU-01"],
  [{ redirect_uri: "HTTPS://spa.example/cb" }, "invalid_request", "RU-01"],
  [{ redirect_uri: "javascript:alert(1)" }, "invalid_request", "RU-01"],
  [{ client_id: "two", redirect_uri: undefined }, "invalid_request", "RU-07"],
];

/** Requests whose error is sent to the client by redirect. */
const redirected: readonly Row[] = [
  [{ response_type: undefined }, "invalid_request", "AZ-09"],
  [{ response_type: "token" }, "unsupported_response_type", "AZ-09"],
  [{ response_mode: "unknown" }, "invalid_request", "AZ-19"],
  [{ scope: "unknown" }, "invalid_scope", "AZ-17"],
  [{ scope: 'openid "' }, "invalid_scope", "AZ-15"],
  [{ code_challenge: undefined, code_challenge_method: undefined }, "invalid_request", "PK-01"],
  [{ code_challenge_method: "plain", code_challenge: verifier }, "invalid_request", "PK-04"],
  [{ code_challenge: undefined }, "invalid_request", "PK-06"],
  [{ code_challenge: `${challenge}=` }, "invalid_request", "PK-07"],
  [{ code_challenge: challenge.slice(1) }, "invalid_request", "PK-07"],
  [{ prompt: "none login" }, "invalid_request", "OI-03"],
  [{ max_age: "-1" }, "invalid_request", "OI-05"],
  [{ id_token_hint: "x.y.z" }, "invalid_request", "OI-07"],
  [{ request: "x.y.z" }, "request_not_supported", "JR-01"],
  [{ request_uri: "https://spa.example/r" }, "request_uri_not_supported", "JR-01"],
  [{ resource: "https://api.example" }, "invalid_target", "RI-01"],
  [{ nonce: "n".repeat(1025) }, "invalid_request", "AZ-13"],
  [{ response_mode: "form_post", state: "a\u0007b" }, "invalid_request", "FP-03"],
];

test("[AZ-02, RU-01, RU-07] no error is sent to an unknown redirect URI", async () => {
  const { authorize, lastRule } = await startCore();
  for (const [changes, error, rule] of shown) {
    const response = await authorize(changes);
    const text = await response.text();
    assertEquals([response.status, response.headers.get("location"), lastRule()], [400, null, rule], rule);
    assert(text.includes(error), text);
  }
});

test("[AZ-09, AZ-13, AZ-15, AZ-17, AZ-19, PK-01, PK-04, PK-06, PK-07, OI-03, OI-05, OI-07, JR-01, RI-01, FP-03] what the core rejects of an authorization request", async () => {
  const { authorize, lastRule, server } = await startCore();
  const table = server.server.requestChecks.flatMap(({ rule = "", otherRules = [] }) => [rule, ...otherRules]);
  for (const [changes, error, rule] of redirected) {
    assert(table.some((named) => named === rule), `${rule} is in no row of the table`);
    const response = await authorize(changes);
    if (changes.response_mode === "form_post") {
      assertEquals([response.status, lastRule()], [200, rule], JSON.stringify(changes));
      assert((await response.text()).includes(error));
      continue;
    }
    const { searchParams, origin, pathname } = new URL(response.headers.get("location") ?? "about:blank");
    const sent = [searchParams.get("error"), searchParams.get("state"), lastRule(), origin + pathname];
    assertEquals(sent, [error, "s1", rule, callback], JSON.stringify(changes));
    assertEquals(searchParams.get("code"), null);
  }
});

test("[AZ-17] the description names the values that the client may not request, if there are any", async () => {
  const clients = [{ client_id: "spa", redirect_uris: [callback], scope: "openid" }];
  const { authorize } = await startCore({ clients });
  for (
    const [scope, description] of [
      ["read openid", "scope contains a value that this client may not request: read"],
      [" ", "scope contains no value that this client may request"],
    ] as const
  ) {
    const { searchParams } = new URL((await authorize({ scope })).headers.get("location")!);
    assertEquals(searchParams.get("error_description")?.replace(/ \[.*/, ""), description);
  }
});

test("[AZ-06, AZ-07, TK-04] a repeated parameter is rejected, whatever its values", async () => {
  const { send, post, lastRule } = await startCore();
  const names = [...Object.keys(authorizeParameters), "nonce", "prompt"];
  for (const name of names) {
    for (const values of [["1", "1"], ["1", ""]]) {
      const parameters = new URLSearchParams(encode({ ...authorizeParameters, [name]: undefined }));
      for (const value of values) parameters.append(name, value);
      const response = await send(`/oauth2/authorize?${parameters}`);
      const location = response.headers.get("location");
      assert(location === null || new URL(location).searchParams.get("error") === "invalid_request", name);
      assert(lastRule() !== undefined, name);
    }
  }
  for (const name of ["code", "grant_type", "code_verifier", "redirect_uri"]) {
    const response = await post("/oauth2/token", `grant_type=authorization_code&client_id=spa&${name}=1&${name}=1`);
    assertEquals([response.status, (await response.json()).error, lastRule()], [400, "invalid_request", "TK-04"], name);
  }
});

test("[PK-08, PK-09, PK-10, TK-14, TK-15, CI-05, RI-01] what the core rejects of a token request for a code", async () => {
  const { code, exchange, lastRule } = await startCore();
  const rows: readonly Row[] = [
    [{ grant_type: undefined }, "invalid_request", "TK-05"],
    [{ grant_type: "password" }, "unsupported_grant_type", "TK-05"],
    [{ code: undefined }, "invalid_request", "TK-16"],
    [{ redirect_uri: undefined }, "invalid_request", "TK-14"],
    [{ redirect_uri: `${callback}/` }, "invalid_grant", "TK-15"],
    [{ code_verifier: undefined }, "invalid_grant", "PK-10"],
    [{ code_verifier: "short" }, "invalid_request", "PK-08"],
    [{ code_verifier: `${verifier}x` }, "invalid_grant", "PK-09"],
    [{ resource: "https://api.example" }, "invalid_target", "RI-01"],
    [{ client_id: "two" }, "invalid_grant", "CI-05"],
    [{ client_id: "unknown" }, "invalid_client", "CA-07"],
    [{ client_id: "web" }, "invalid_client", "CA-07"],
  ];
  for (const [changes, error, rule] of rows) {
    const response = await exchange(await code(), changes);
    assertEquals([(await response.json()).error, lastRule()], [error, rule], JSON.stringify(changes));
    assertEquals(response.headers.get("cache-control"), "no-store");
  }
});

test("[PK-09] every character of the code challenge counts", async () => {
  const { code, exchange, lastRule } = await startCore();
  assertEquals((await exchange(await code())).status, 200);
  for (let i = 0; i < challenge.length; i++) {
    // Each of them ends a challenge of 256 bits.
    const other = challenge[i] === "A" ? "E" : "A";
    const code_challenge = challenge.slice(0, i) + other + challenge.slice(i + 1);
    const response = await exchange(await code({ code_challenge }));
    assertEquals([response.status, lastRule()], [400, "PK-09"], code_challenge);
  }
});

test("[CI-02, CI-06] a code works once, for five minutes, and a second use revokes its tokens", async () => {
  const { code, exchange, advance, post, lastRule } = await startCore();
  const late = await code();
  advance(301);
  assertEquals([(await (await exchange(late)).json()).error, lastRule()], ["invalid_grant", "CI-02"]);
  const used = await code();
  const tokens = await (await exchange(used)).json();
  assertEquals([(await (await exchange(used)).json()).error, lastRule()], ["invalid_grant", "CI-06"]);
  const auth = basic("web", "web-secret");
  const inspected = await post("/oauth2/introspect", encode({ token: tokens.access_token }), auth);
  assertEquals(await inspected.json(), { active: false });
});

test("[RT-02, RT-04, RT-06, RT-07, RI-01] what the core rejects of a refresh request", async () => {
  const { code, exchange, token, lastRule } = await startCore();
  const { refresh_token } = await (await exchange(await code())).json();
  const refresh = async (changes: Parameters) => {
    const parameters = { grant_type: "refresh_token", client_id: "spa", refresh_token, ...changes };
    return [(await (await token(parameters)).json()).error, lastRule()];
  };
  assertEquals(await refresh({ refresh_token: undefined }), ["invalid_request", "RT-07"]);
  assertEquals(await refresh({ scope: "openid write" }), ["invalid_scope", "RT-06"]);
  assertEquals(await refresh({ resource: "https://api.example" }), ["invalid_target", "RI-01"]);
  assertEquals(await refresh({ client_id: "two" }), ["unauthorized_client", "TK-06"]);
  assertEquals(await refresh({}), [undefined, undefined]);
  assertEquals(await refresh({}), ["invalid_grant", "RT-04"], "the used one");
});

test("[RI-01] client credentials name no resource, and a rejected resource consumes neither code nor token", async () => {
  const { code, exchange, token, lastRule } = await startCore();
  const resource = "https://api.example";
  const rejected = async (response: Response) => {
    assertEquals([response.status, (await response.json()).error, lastRule()], [400, "invalid_target", "RI-01"]);
  };
  const machine = { grant_type: "client_credentials", scope: "read" };
  await rejected(await token({ ...machine, resource }, basic("web", "web-secret")));
  assertEquals((await token({ ...machine, resource: "" }, basic("web", "web-secret"))).status, 200);
  const issued = await code();
  await rejected(await exchange(issued, { resource }));
  const { refresh_token } = await (await exchange(issued)).json();
  const refresh = { grant_type: "refresh_token", client_id: "spa", refresh_token };
  await rejected(await token({ ...refresh, resource }));
  assertEquals((await token(refresh)).status, 200);
});

test("[RI-01, CI-11] an extension adds resources; a core without it rejects their codes on the same store", async () => {
  const store = memoryStore();
  const resource = "https://api.example";
  const granted = slot<string>("resources");
  const extension: CoreExtension = {
    name: "resources",
    requestChecks: [{
      place: { instead: "RI-01" },
      parameters: [{ name: "resource" }],
      read: ({ params }, request) => granted.put(request, params.get("resource")),
    }],
    steps: {
      accessTokenClaims: [{
        name: "aud",
        changes: ["aud"],
        run: (server, _claims, { grant }) => ({ aud: granted.of(grant) ?? server.audience }),
      }],
    },
  };
  const { code, exchange } = await startCore({ store, extensions: [extension] });
  const other = await startCore({ store });
  const issued = await code({ resource });
  const rejected = await other.exchange(issued);
  assertEquals([(await rejected.json()).error, other.lastRule()], ["invalid_grant", "CI-11"]);
  const audienceOf = async (response: Response) => {
    const { access_token } = await response.json();
    return JSON.parse(atob(access_token.split(".")[1])).aud;
  };
  assertEquals(await audienceOf(await exchange(issued, { resource })), resource);
  assertEquals(await audienceOf(await exchange(await code())), "http://localhost:9000");
});

test("[CA-04, CA-07, CA-09, TK-08] what the core rejects of client authentication", async () => {
  const { token, lastRule } = await startCore();
  const grant = { grant_type: "client_credentials" };
  const rows: readonly (readonly [Parameters, Record<string, string>, status: number, rule: string])[] = [
    [{}, {}, 401, "CA-07"],
    [{}, basic("web", "wrong"), 401, "CA-07"],
    [{}, basic("unknown", "web-secret"), 401, "CA-07"],
    [{}, { authorization: "Basic ?" }, 401, "CA-04"],
    [{ client_id: "web", client_secret: "web-secret" }, basic("web", "web-secret"), 400, "CA-09"],
    [{ client_id: "spa" }, basic("web", "web-secret"), 400, "TK-08"],
  ];
  for (const [parameters, headers, status, rule] of rows) {
    const response = await token({ ...grant, ...parameters }, headers);
    assertEquals([response.status, lastRule()], [status, rule], JSON.stringify([parameters, headers]));
  }
});

test("[BR-01, BR-02] what userinfo rejects", async () => {
  const { send, code, exchange, lastRule } = await startCore();
  const { access_token } = await (await exchange(await code({ scope: "read" }))).json();
  const rows: readonly (readonly [authorization: string | undefined, status: number, error: string | undefined])[] = [
    [undefined, 401, undefined],
    ["Bearer x", 401, "invalid_token"],
    [`Bearer ${access_token}x`, 401, "invalid_token"],
    [`Bearer ${access_token}`, 403, "insufficient_scope"],
  ];
  for (const [authorization, status, error] of rows) {
    const response = await send("/oauth2/userinfo", { headers: authorization === undefined ? {} : { authorization } });
    const challenge = response.headers.get("www-authenticate") ?? "";
    assertEquals([response.status, /error="(\w+)"/.exec(challenge)?.[1]], [status, error], authorization);
    assertEquals(lastRule(), "BR-02");
  }
});

test("[HT-01, HT-08, HT-16, HT-25] what the router rejects", async () => {
  const { send, lastRule } = await startCore();
  const rows: readonly (readonly [path: string, init: RequestInit, status: number])[] = [
    ["/nowhere", {}, 404],
    ["/oauth2/token", {}, 405],
    ["/oauth2/authorize", { method: "DELETE" }, 405],
    [`/oauth2/authorize?${"x".repeat(17_000)}`, {}, 414],
    ["/oauth2/userinfo", { headers: { authorization: "x".repeat(70_000) } }, 431],
  ];
  for (const [path, init, status] of rows) {
    assertEquals((await send(path, init)).status, status, path.slice(0, 40));
    assert(lastRule()?.startsWith("HT-"), path.slice(0, 40));
  }
});
