/** The configuration of mock-oauth2-server as one of this server. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { usersOfMappings } from "../../src/cli/mock_oauth2_config.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { ConfigurationError } from "../../src/mod.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { requestMappings } from "../../src/testing/request_mappings.ts";
import { basic, decodeClaims, encode, goodRequest, verifier } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";
import { noFiles } from "./command_runs.ts";

const config = {
  interactiveLogin: false,
  httpServer: "NettyWrapper",
  tokenCallbacks: [{
    issuerId: "issuer1",
    tokenExpiry: 120,
    requestMappings: [
      { requestParam: "scope", match: "api", claims: { sub: "subByScope", aud: ["audByScope"], groups: ["a", "b"] } },
      { requestParam: "code_verifier", match: "*", claims: { acr: "Level4" } },
    ],
  }],
};

async function read(content: unknown, issuer = "http://localhost:8080") {
  const env = { LATCHKEY_CONFIG_JSON: JSON.stringify(content), LATCHKEY_ISSUER: issuer };
  const read = await readConfiguration({ args: [], env, readTextFile: noFiles });
  assert(read.kind === "run");
  return read;
}

/** Sends token requests. */
function poster(as: { readonly issuer: string; fetch(request: Request): Promise<Response> }) {
  return async (fields: Readonly<Record<string, string>>, headers: HeadersInit = {}) => {
    const init = { method: "POST", headers, body: new URLSearchParams(fields) };
    return await (await as.fetch(new Request(`${as.issuer}/token`, init))).json();
  };
}

async function open(content: unknown = config, issuer?: string) {
  const { settings, requestMappings: mappings } = await read(content, issuer);
  const record = recorder();
  return await latchkey({ ...settings, plugins: [record, requestMappings(mappings!, record)] });
}

test("[OP-14] a configuration of mock-oauth2-server is read; a sentence names each part that is not carried over", async () => {
  const { settings, warnings } = await read(config);
  assertEquals(settings.login, "auto");
  assertEquals([settings.clients, settings.redirectUris, settings.scopes, settings.users], [
    "any",
    "any",
    "any",
    "any",
  ]);
  assertEquals([settings.lifetimes?.access_token, settings.paths?.token_endpoint], [120, "/token"]);
  assertEquals(warnings.map(({ path }) => path.replace(/^.*: /, "")), [
    "grant types",
    "httpServer",
  ]);
  assertEquals((await read({ interactiveLogin: true })).settings.login, "interactive");
  const { warnings: others } = await read({
    ...{ interactiveLogin: true, rotateRefreshToken: false },
    tokenProvider: { keyProvider: { algorithm: "PS256", initialKeys: "{}" }, systemTime: "2020-01-21T00:00:00Z" },
    tokenCallbacks: [{ tokenExpiry: 60, requestMappings: [{ requestParam: "a", match: "b", typeHeader: "at+jwt" }] }, {
      tokenExpiry: 90,
      requestMappings: [{ requestParam: "a", match: "c", claims: { sub: "${clientId}" } }],
    }],
  });
  assertEquals(others.map(({ path }) => path.replace(/^.*: /, "")), [
    "grant types",
    "rotateRefreshToken",
    "tokenProvider.keyProvider.algorithm",
    "tokenProvider.systemTime",
    "tokenProvider.keyProvider.initialKeys",
    "tokenCallbacks.tokenExpiry",
    "tokenCallbacks.requestMappings.typeHeader",
  ]);
});

test("[OP-14] a mapping by a parameter of authorization requests, or of a missing grant, is named at the start", async () => {
  const named = async (requestParam: string) => {
    const { warnings } = await read({
      tokenCallbacks: [{ requestMappings: [{ requestParam, match: "x", claims: {} }] }],
    });
    return warnings.some(({ path, message }) => path.endsWith("requestMappings[0]") && /matches/.test(message));
  };
  for (const name of ["login_hint", "acr_values", "nonce", "state", "prompt", "claims", "assertion", "subject_token"]) {
    assertEquals(await named(name), true, name);
  }
  for (const name of ["scope", "client_id", "audience", "resource", "code", "someparam", "subject"]) {
    assertEquals(await named(name), false, name);
  }
});

test("[OP-14] a configuration with any setting of mock-oauth2-server alone is recognized", async () => {
  for (
    const content of [{ httpServer: "NettyWrapper" }, { loginPagePath: "/login.html" }, { staticAssetsPath: "/x" }]
  ) {
    const { settings, warnings } = await read(content);
    assertEquals([settings.clients, warnings.length], ["any", 2]);
  }
  const { settings } = await read({ tokenProvider: { keyProvider: { algorithm: "ES256" } } });
  assertEquals(settings.alg, "ES256");
});

test("[OP-14] settings of this server in a configuration of mock-oauth2-server, or in a realm, have their effect", async () => {
  const realm = { realm: "shop", clients: [{ clientId: "web", redirectUris: ["http://localhost:3000/cb"] }] };
  for (const file of [config, realm]) {
    const { settings, control, maxInFlight, warnings } = await read({
      ...file,
      maxInFlight: 7,
      login: "interactive",
      control: true,
    });
    assertEquals([maxInFlight, settings.login, control], [7, "interactive", true]);
    assertEquals(warnings.filter(({ message }) => /maxInFlight|control\b.*Remove/.test(message)), []);
    const { message } = await assertRejects(() => read({ ...file, maxInFlight: "x" }), ConfigurationError);
    assertMatch(message, /LATCHKEY_CONFIG_JSON: maxInFlight/);
  }
});

test("[OP-14] an invalid configuration of mock-oauth2-server is reported with the place", async () => {
  const { message } = await assertRejects(
    () => read({ tokenCallbacks: [{ requestMappings: [{ requestParam: "scope", claims: [] }] }] }),
    ConfigurationError,
  );
  assertMatch(message, /LATCHKEY_CONFIG_JSON: tokenCallbacks\[0\]\.requestMappings\[0\]\.match/);
  assertMatch(message, /requestMappings\[0\]\.claims/);
});

test("[OP-14] request mappings add claims to the tokens of the requests that they match, and to userinfo", async () => {
  await using as = await open();
  const post = poster(as);
  const machine = await post({ grant_type: "client_credentials", scope: "api" }, basic("job", "any secret"));
  const { sub, aud, groups } = decodeClaims(machine.access_token);
  assertEquals([sub, aud, groups, machine.expires_in], ["subByScope", ["audByScope"], ["a", "b"], 120]);
  const other = await post({ grant_type: "client_credentials", scope: "other" }, basic("job", "any secret"));
  assertEquals(decodeClaims(other.access_token).sub, "job");

  const response = await as.fetch(new Request(`${as.issuer}/authorize?${encode(goodRequest)}`));
  const code = new URL(response.headers.get("location")!).searchParams.get("code")!;
  const { redirect_uri } = goodRequest;
  const login = { grant_type: "authorization_code", client_id: "spa", redirect_uri: String(redirect_uri), code };
  const tokens = await post({ ...login, code_verifier: verifier });
  const idToken = decodeClaims(tokens.id_token);
  assertEquals([idToken.sub, idToken.aud, idToken.acr], ["alice", "spa", "Level4"]);
  assertEquals(decodeClaims(tokens.access_token).acr, "Level4");
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const userinfo = await (await as.fetch(new Request(`${as.issuer}/userinfo`, { headers }))).json();
  assertEquals([userinfo.sub, userinfo.acr], ["alice", "Level4"]);
});

test("[OP-14] a mapping matches a whole value by a regular expression, and its templates have the parameters", async () => {
  const mapping = (requestParam: string, match: string, claims: object) => ({ requestParam, match, claims });
  await using as = await open({
    tokenCallbacks: [{
      issuerId: "default",
      requestMappings: [
        mapping("resource", "https://api\\.test/.*", {
          sub: "${clientId}-of-${resource}",
          list: [{ id: "${client_id}" }],
        }),
        mapping("scope", "a+", { kind: "expression", unknown: "${nothing}" }),
        mapping("scope", "b(", { kind: "text" }),
        mapping("client_id", "only", { sub: "by-client", aud: ["https://elsewhere.test"] }),
        mapping("subject", "ali.*", { sub: "by-user-${subject}", aud: ["https://elsewhere.test"] }),
      ],
    }],
  });
  const post = poster(as);
  const claimsOf = async (client: string, scope: string, more = {}) =>
    decodeClaims((await post({ grant_type: "client_credentials", scope, ...more }, basic(client, "x"))).access_token);
  assertEquals((await claimsOf("job", "aaa")).kind, "expression");
  assertEquals((await claimsOf("job", "aaa")).unknown, "${nothing}");
  assertEquals((await claimsOf("job", "xaaa")).kind, undefined);
  assertEquals((await claimsOf("job", "b(")).kind, "text");
  assertEquals((await claimsOf("only", "x")).sub, "by-client");

  const response = await as.fetch(new Request(`${as.issuer}/authorize?${encode(goodRequest)}`));
  const code = new URL(response.headers.get("location")!).searchParams.get("code")!;
  const login = { grant_type: "authorization_code", client_id: "spa", redirect_uri: String(goodRequest.redirect_uri) };
  const tokens = await post({ ...login, code, code_verifier: verifier });
  const { sub, aud } = decodeClaims(tokens.access_token);
  assertEquals([sub, aud], ["by-user-alice", ["https://elsewhere.test"]]);
  const headers = { authorization: `Bearer ${tokens.access_token}` };
  const userinfo = await (await as.fetch(new Request(`${as.issuer}/userinfo`, { headers }))).json();
  assertEquals(userinfo.sub, "by-user-alice");
});

test("[OP-14] an issuer with a path has the mappings of that path, and any other issuer has all", async () => {
  const callback = (issuerId: string) => ({
    issuerId,
    requestMappings: [{ requestParam: "grant_type", match: "*", claims: { sub: `user-of-${issuerId}` } }],
  });
  const content = { tokenCallbacks: [callback("google"), callback("github")] };
  const cases = [["/google", "google"], ["/github", "github"], ["", "google"]];
  for (const [path, expected] of cases) {
    await using as = await open(content, `http://localhost:9000${path}`);
    const { access_token } = await poster(as)({ grant_type: "client_credentials", scope: "x" }, basic("job", "x"));
    assertEquals(decodeClaims(access_token).sub, `user-of-${expected}`);
  }
});

test("[OP-14] SERVER_PORT is the port, and each other variable of mock-oauth2-server is named", async () => {
  const env = {
    LATCHKEY_CONFIG_JSON: JSON.stringify({ interactiveLogin: true }),
    ...{ SERVER_PORT: "8081", LOG_LEVEL: "DEBUG", SERVER_HOSTNAME: "0.0.0.0", LOGBACK_CONFIG: "/x.xml" },
  };
  const found = await readConfiguration({ args: [], env, readTextFile: noFiles });
  assert(found.kind === "run");
  assertEquals(found.port, 8081);
  assertEquals(found.warnings.map(({ path }) => path), [
    ...["LOG_LEVEL", "LOGBACK_CONFIG", "SERVER_HOSTNAME", "LATCHKEY_CONFIG_JSON: grant types"],
  ]);
  const own = await readConfiguration({ args: ["--port", "9100"], env, readTextFile: noFiles });
  assert(own.kind === "run" && own.port === 9100);
  const { LATCHKEY_CONFIG_JSON: _, ...others } = env;
  const without = await readConfiguration({ args: [], env: others, readTextFile: noFiles });
  assert(without.kind === "run");
  assertEquals([without.port, without.warnings], [9000, []]);
});

test("[OP-14] the port is that of mock-oauth2-server: SERVER_PORT, PORT, or 8080", async () => {
  const cases: readonly [Record<string, string>, number][] = [
    [{}, 8080],
    [{ PORT: "8081" }, 8081],
    [{ PORT: "8081", SERVER_PORT: "8082" }, 8082],
    [{ PORT: "tcp://10.0.0.1:80" }, 8080],
    [{ PORT: "8081", LATCHKEY_PORT: "8083" }, 8083],
  ];
  for (const [ports, expected] of cases) {
    const env = { LATCHKEY_CONFIG_JSON: `{"tokenCallbacks":[]}`, ...ports };
    const found = await readConfiguration({ args: [], env, readTextFile: () => Promise.reject() });
    assert(found.kind === "run");
    assertEquals([found.port, found.settings.issuer], [expected, undefined]);
  }
});

test("[OP-14] httpServer.ssl is a self-signed certificate, and a keystore is named", async () => {
  const issuer = "https://localhost:8080";
  const { tls, warnings } = await read({ httpServer: { type: "NettyWrapper", ssl: {} } }, issuer);
  assertEquals([tls, warnings.map(({ path }) => path.replace(/^.*: /, ""))], ["self-signed", ["grant types"]]);
  const keystore = await read({ httpServer: { ssl: { keystoreFile: "x.p12", keystorePassword: "p" } } }, issuer);
  assertEquals(keystore.warnings.map(({ path }) => path.replace(/^.*: /, "")), ["grant types", "httpServer.ssl"]);
  assertEquals((await read({ httpServer: { type: "NettyWrapper" } })).tls, undefined);
});

test("[OP-14] grants of mock-oauth2-server that this server does not have are named, and so is each mapping for them", async () => {
  const exchange = "urn:ietf:params:oauth:grant-type:token-exchange";
  const bearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
  const requestMappings = [
    ...[["grant_type", exchange], ["grant_type", bearer], ["grant_type", "password"], ["grant_type", ".*:jwt-bearer"]],
    ...[["requested_token_use", "on_behalf_of"], ["assertion", "*"], ["subject_token", "*"], ["username", "foo"]],
    // These match what is served too.
    ...[["grant_type", "*"], ["grant_type", "urn:.*"], ["grant_type", "authorization_code"], ["grant_type", ".*code"]],
    ...[["scope", "password"], ["audience", "*"], ["client_id", "username"], ["grant_type", "custom"]],
  ].map(([requestParam, match]) => ({ requestParam, match, claims: {} }));
  const { warnings } = await read({ tokenCallbacks: [{}, { issuerId: "aad", requestMappings }] });
  assertEquals(warnings.map(({ path }) => path.replace(/^.*: /, "")), [
    "grant types",
    ...Array.from({ length: 8 }, (_, j) => `tokenCallbacks[1].requestMappings[${j}]`),
  ]);
  for (const name of ["jwt-bearer", "token-exchange", "password"]) assertStringIncludes(warnings[0]!.message, name);
  await using as = await open({ tokenCallbacks: [] });
  for (const grant_type of [exchange, bearer, "password"]) {
    assertEquals((await poster(as)({ grant_type, client_id: "a" })).error, "unsupported_grant_type");
  }
});

test("[OP-14] the users of mappings of subject are users, and patterns are none", () => {
  const mappings = ["carol", "carol", "dave@app.example", "a.*", "*", "b|c"].map((match) => ({
    ...{ requestParam: "subject", match },
  }));
  assertEquals(usersOfMappings([...mappings, { requestParam: "scope", match: "erin" }]).map(({ sub }) => sub), [
    ...["carol", "dave@app.example"],
  ]);
});
