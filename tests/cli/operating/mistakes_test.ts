/**
 * The typical mistakes of a client: for each, the sentence on the wire, the block in the terminal, the page, and the
 * link that leads from each of them to the step of the flow.
 */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { logging } from "../../../src/cli/operating/mod.ts";
import {
  basic,
  challenge,
  type Fields,
  forEachCase,
  realHost,
  type TestServer,
  testServer,
  verifier,
} from "../../kit.ts";

const issuer = "http://localhost:9666";
const spaCallback = "https://spa.example/cb";
const webCallback = "https://web.example/cb";
const grant_types = ["authorization_code", "refresh_token"];

interface Watched extends TestServer {
  /** What the terminal shows. */
  readonly lines: string[];
}

async function watched(options: LatchkeyOptions = {}): Promise<Watched> {
  const lines: string[] = [];
  const server = await testServer({
    issuer,
    clients: [
      { client_id: "spa", redirect_uris: [spaCallback], grant_types, scope: "openid profile read" },
      {
        client_id: "web",
        client_secret: "web-secret",
        token_endpoint_auth_method: "client_secret_basic",
        redirect_uris: [webCallback],
        grant_types: [...grant_types, "client_credentials"],
      },
      {
        client_id: "poster",
        client_secret: "poster-secret",
        token_endpoint_auth_method: "client_secret_post",
        redirect_uris: [webCallback],
      },
    ],
    ...options,
    plugins: [logging({ write: (line) => lines.push(line), format: "text" }), inspector()],
  });
  return { ...server, lines };
}

/** A mistake, and what the server says about it. */
interface Mistake {
  readonly send: (server: Watched) => Promise<Response>;
  /** Status and error code of the response. */
  readonly outcome: string;
  readonly rule: string;
  /** The sentence in `error_description`, in the terminal and on the page. */
  readonly sentence: string;
  readonly expected?: string | RegExp;
  readonly received?: string | RegExp;
  readonly fix: RegExp;
  /** The fix on pages that propose a value. Default: `fix`. */
  readonly pageFix?: RegExp;
  /** What happened before. Default: not compared. */
  readonly earlier?: string;
  /** Default: `spa`. */
  readonly client?: string;
  readonly options?: LatchkeyOptions;
}

const hash = (text: string, encoding: "base64" | "base64url" | "hex") =>
  createHash("sha256").update(text).digest(encoding);

const form = (server: Watched, path: string, fields: Fields, headers: Record<string, string> = {}) =>
  server.post(path, fields, headers);

const webCode = (server: Watched) => server.code({ client_id: "web", redirect_uri: webCallback });

async function webToken(server: Watched, fields: Fields, headers?: Record<string, string>): Promise<Response> {
  const code = await webCode(server);
  const good = { grant_type: "authorization_code", redirect_uri: webCallback, code_verifier: verifier, code };
  return form(server, "/oauth2/token", { ...good, ...fields }, headers);
}

const userinfo = (server: Watched, token: string) =>
  server.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });

const tokens = async (server: TestServer, fields: Fields = {}) =>
  await (await server.token({ code: await server.code(fields) })).json();

/** The tokens of a code that was used twice. */
async function tokensOfReusedCode(server: TestServer): Promise<Record<string, string>> {
  const code = await server.code();
  const response = await (await server.token({ code })).json();
  await server.token({ code });
  return response;
}

const asProgram = { headers: { accept: "application/json" } };
const unauthenticated = { outcome: "401 invalid_client", rule: "CA-07" } as const;
const wrongPath = (received: string, expected: string) => ({
  ...{ outcome: "404 invalid_request", rule: "HT-01", client: "", fix: /Check the URL/ },
  sentence: `This address does not exist. Did you mean ${issuer}${expected}?`,
  ...{ expected: issuer + expected, received: issuer + received },
});
const wrongMethod = {
  ...{ outcome: "405 invalid_request", rule: "HT-01", client: "", fix: /Send POST; a browser that opens the address/ },
  ...{ sentence: "This address allows only POST, OPTIONS", expected: "POST, OPTIONS", received: "GET" },
};
const wrongMediaType = {
  ...{ outcome: "400 invalid_request", rule: "TK-02", client: "", fix: /Send the parameters as a form/ },
  sentence: "The body must be application/x-www-form-urlencoded",
  expected: "application/x-www-form-urlencoded",
};
const wrongVerifier = { outcome: "400 invalid_grant", rule: "PK-09" } as const;
const wrongToken = { outcome: "401 invalid_token", rule: "BR-02", client: "" } as const;
const wrongRedirectUri = { outcome: "400 invalid_request", rule: "RU-01" } as const;

const mistakes: Readonly<Record<string, Mistake>> = {
  "a scope value that the server does not know, without openid": {
    send: (server) => server.authorize({ scope: "read admin" }),
    outcome: "302 invalid_scope",
    rule: "AZ-17",
    sentence: "unknown scope: admin",
    expected: "some of: openid profile read",
    received: "read admin",
    fix: /Remove the value from scope/,
  },
  "a misspelt scope value": {
    send: (server) => server.authorize({ scope: "raed" }),
    outcome: "302 invalid_scope",
    rule: "AZ-17",
    sentence: "unknown scope: raed. Did you mean read?",
    expected: "some of: openid profile read",
    received: "raed",
    fix: /Correct the scope of the application/,
  },
  "misspelt scope values of client credentials": {
    send: (server) =>
      form(
        server,
        "/oauth2/token",
        { grant_type: "client_credentials", scope: "Read wirte" },
        basic("web", "web-secret"),
      ),
    client: "web",
    outcome: "400 invalid_scope",
    rule: "AZ-17",
    sentence: "unknown scope: Read wirte. Did you mean read write?",
    expected: "some of: openid profile",
    received: "Read wirte",
    fix: /Correct the scope of the application/,
  },
  "a scope value that the client may not have": {
    send: (server) => server.authorize({ scope: "openid email" }),
    outcome: "302 invalid_scope",
    rule: "AZ-17",
    sentence: "scope contains a value that this client may not request: email",
    expected: "some of: openid profile read",
    received: "openid email",
    fix: /register it for the client/,
  },
  "no scope where the server has no default": {
    send: (server) => server.authorize({ scope: undefined }),
    options: { defaultScope: "" },
    outcome: "302 invalid_scope",
    rule: "AZ-16",
    sentence: "scope is missing, and this server has no default scope",
    expected: "some of: openid profile read",
    received: "no scope",
    fix: /Send scope, or configure a defaultScope/,
  },
  "a scope without a value": {
    send: (server) => server.authorize({ scope: " " }),
    outcome: "302 invalid_scope",
    rule: "AZ-17",
    sentence: "scope contains no value that this client may request",
    expected: "some of: openid profile read",
    received: "no scope value",
    fix: /register it for the client/,
  },
  "no code_challenge": {
    send: (server) => server.authorize({ code_challenge: undefined, code_challenge_method: undefined }),
    outcome: "302 invalid_request",
    rule: "PK-01",
    sentence: "a public client must send a code_challenge",
    expected: /^code_challenge=BASE64URL\(SHA-256\(code_verifier\)\)/,
    received: "no code_challenge",
    fix: /Use PKCE: generate a code_verifier for each login/,
  },
  "neither code_challenge nor nonce": {
    send: (server) =>
      server.authorize({
        client_id: "web",
        redirect_uri: webCallback,
        code_challenge: undefined,
        code_challenge_method: undefined,
      }),
    options: { profile: "oauth2.1" },
    client: "web",
    outcome: "302 invalid_request",
    rule: "PK-02",
    sentence: "the configuration requires PKCE of this confidential client, by the profile oauth2.1",
    expected: /^code_challenge=BASE64URL/,
    received: "no code_challenge",
    fix: /generate a code_verifier/,
  },
  "code_challenge_method=plain": {
    send: (server) => server.authorize({ code_challenge_method: "plain" }),
    outcome: "302 invalid_request",
    rule: "PK-04",
    sentence: "code_challenge_method is not supported, only S256 is",
    expected: "code_challenge_method=S256",
    received: "code_challenge_method=plain",
    fix: /SHA-256 digest of the verifier, not the verifier itself/,
  },
  "code_challenge in standard base64": {
    send: (server) => server.authorize({ code_challenge: hash(verifier, "base64") }),
    outcome: "302 invalid_request",
    rule: "PK-07",
    sentence: "code_challenge is not an S256 challenge of 43 base64url characters",
    expected: /^43 characters/,
    received: "44 characters of standard base64",
    fix: /not standard base64, without padding/,
  },
  "code_challenge in hexadecimal": {
    send: (server) => server.authorize({ code_challenge: hash(verifier, "hex") }),
    outcome: "302 invalid_request",
    rule: "PK-07",
    sentence: "code_challenge is not an S256 challenge of 43 base64url characters",
    expected: /^43 characters/,
    received: "64 hexadecimal digits",
    fix: /not hexadecimal/,
  },
  "the verifier sent as code_challenge": {
    send: async (server) => server.token({ code: await server.code({ code_challenge: verifier }) }),
    ...wrongVerifier,
    sentence: "code_verifier equals code_challenge: the challenge is the unhashed verifier, as for plain",
    expected: "the code_verifier of this code_challenge",
    received: "another code_verifier",
    fix: /Send BASE64URL\(SHA-256\(code_verifier\)\) as code_challenge/,
  },
  "the challenge of a JSON-encoded verifier": {
    send: async (server) =>
      server.token({ code: await server.code({ code_challenge: hash(JSON.stringify(verifier), "base64url") }) }),
    ...wrongVerifier,
    sentence: "code_challenge is the hash of the verifier as JSON, with quotation marks",
    expected: "the code_verifier of this code_challenge",
    received: "another code_verifier",
    fix: /Hash the characters of code_verifier as they are sent/,
  },
  "the challenge of a verifier that echo wrote": {
    send: async (server) =>
      server.token({ code: await server.code({ code_challenge: hash(`${verifier}\n`, "base64url") }) }),
    ...wrongVerifier,
    sentence: "code_challenge is the hash of the verifier and a line break",
    expected: "the code_verifier of this code_challenge",
    received: "another code_verifier",
    fix: /printf %s/,
  },
  "a code_verifier in standard base64": {
    send: async (server) => server.token({ code: await server.code(), code_verifier: "a+b/".repeat(11) + "=" }),
    outcome: "400 invalid_request",
    rule: "PK-08",
    sentence: "code_verifier is not 43 to 128 unreserved characters",
    expected: /^43 to 128 characters of A-Z/,
    received: "45 characters, some of standard base64: + / =",
    fix: /Encode 32 random bytes as base64url/,
  },
  "a URL without quotation marks in a shell": {
    send: (server) => server.get("/oauth2/authorize?response_type=code"),
    outcome: "400 invalid_request",
    rule: "AZ-02",
    client: "",
    sentence: "client_id is missing",
    expected: "client_id of a registered client",
    received: "no client_id",
    fix: /In a shell, put the URL in quotation marks/,
  },
  "the verifier of another tab": {
    send: async (server) => {
      const other = "x".repeat(43);
      await server.code({ code_challenge: hash(other, "base64url") });
      return server.token({ code: await server.code(), code_verifier: other });
    },
    ...wrongVerifier,
    sentence: "code_verifier belongs to another authorization request of this client, such as one in a second tab",
    expected: `code_challenge ${challenge}`,
    received: `code_challenge ${hash("x".repeat(43), "base64url")}, computed from code_verifier`,
    fix: /Store the code_verifier of each login with its state/,
  },
  "another verifier": {
    send: async (server) => server.token({ code: await server.code(), code_verifier: "y".repeat(43) }),
    ...wrongVerifier,
    sentence: "code_verifier does not match the code_challenge of the authorization request",
    expected: `code_challenge ${challenge}`,
    received: `code_challenge ${hash("y".repeat(43), "base64url")}, computed from code_verifier`,
    fix: /a second tab, a reload or a second call may have replaced it/,
  },
  "no verifier": {
    send: async (server) => server.token({ code: await server.code(), code_verifier: undefined }),
    outcome: "400 invalid_grant",
    rule: "PK-10",
    sentence: "code_verifier is missing",
    expected: "the code_verifier of the code_challenge in the authorization request",
    received: "no code_verifier",
    fix: /Send the code_verifier/,
  },
  "the secret by POST where Basic is registered": {
    send: (server) => webToken(server, { client_id: "web", client_secret: "web-secret" }),
    ...unauthenticated,
    client: "web",
    sentence: "client web must use client_secret_basic; this request used client_secret_post",
    expected: "client_secret_basic",
    received: "client_secret_post",
    fix: /in the header Authorization: Basic.* Or register it with token_endpoint_auth_method: "client_secret_post"/,
  },
  "the secret by Basic where POST is registered": {
    send: (server) => webToken(server, {}, basic("poster", "poster-secret")),
    ...unauthenticated,
    client: "poster",
    sentence: "client poster must use client_secret_post; this request used client_secret_basic",
    expected: "client_secret_post",
    received: "client_secret_basic",
    fix:
      /in the body, and no header Authorization\. Or register it with token_endpoint_auth_method: "client_secret_basic"/,
  },
  "a secret of a public client": {
    send: (server) => webToken(server, { client_id: "spa", client_secret: "guess" }),
    ...unauthenticated,
    sentence: "client spa is public and has no secret; this request used client_secret_post",
    expected: "none",
    received: "client_secret_post",
    fix: /Send client_id in the body, and no secret/,
  },
  "no secret": {
    send: (server) => webToken(server, { client_id: "web" }),
    ...unauthenticated,
    client: "web",
    sentence: "client web is confidential and must authenticate",
    expected: "client_secret_basic",
    received: "client_id without authentication",
    fix: /in the header Authorization: Basic/,
  },
  "a wrong secret": {
    send: (server) => webToken(server, {}, basic("web", "another")),
    ...unauthenticated,
    client: "web",
    sentence: "the secret of client web is wrong; this request used client_secret_basic",
    fix: /Copy client_secret from the registration/,
  },
  "an assertion where Basic is registered": {
    send: (server) =>
      webToken(server, {
        client_id: "web",
        client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
        client_assertion: `${btoa('{"alg":"HS256"}')}.${btoa('{"iss":"web","sub":"web"}')}.c2lnbmF0dXJl`.replaceAll(
          "=",
          "",
        ),
      }),
    ...unauthenticated,
    client: "web",
    sentence: "client web must use client_secret_basic; this request used client_secret_jwt",
    expected: "client_secret_basic",
    received: "client_secret_jwt",
    fix: /in the header Authorization: Basic.* Or register it with token_endpoint_auth_method: "client_secret_jwt"/,
  },
  "introspection by a public client": {
    send: (server) => server.post("/oauth2/introspect", { token: "any", client_id: "spa" }),
    outcome: "401 invalid_client",
    rule: "CA-07",
    sentence: "introspection requires client authentication",
    expected: "a confidential client",
    received: "spa, which is public",
    fix: /Use a client that authenticates.*: spa is public/,
  },
  "prompt=none without a session": {
    send: (server) => server.authorize({ scope: "openid", prompt: "none" }),
    outcome: "302 login_required",
    rule: "OI-03",
    sentence: "this browser has no session",
    expected: "a session of this browser that the request may use",
    received: "this browser has no session",
    fix: /showing a login button.*automatic login/,
  },
  "an unknown client at the token endpoint": {
    send: (server) => webToken(server, { client_id: "webb" }),
    ...unauthenticated,
    client: "",
    sentence: "the client is unknown. Did you mean web?",
    expected: "web or spa or poster",
    received: "webb",
    fix: /Send the client_id of a registered client/,
  },
  "an unknown client at the authorization endpoint": {
    send: (server) => server.authorize({ client_id: "postr" }),
    outcome: "400 invalid_request",
    rule: "AZ-02",
    client: "",
    sentence: "client_id is not registered. Did you mean poster?",
    expected: "poster",
    received: "postr",
    fix: /Send the client_id of a registered client, or register this one/,
    pageFix: /Send client_id=poster\. If postr is another application, register it\./,
  },
  "a client_id that resembles none": {
    send: (server) => server.authorize({ client_id: "storefront" }),
    outcome: "400 invalid_request",
    rule: "AZ-02",
    client: "",
    sentence: "client_id is not registered",
    expected: "spa or web or poster",
    received: "storefront",
    fix: /Send the client_id of a registered client, or register this one/,
  },
  "client_id twice": {
    send: (server) => server.authorize({ client_id: ["spa", "web"] }),
    outcome: "400 invalid_request",
    rule: "AZ-02",
    client: "",
    sentence: "client_id was sent more than once",
    expected: "client_id once",
    received: "client_id more than once",
    fix: /Send client_id once/,
  },
  "a relative resource": {
    send: (server) => server.authorize({ resource: "/api" }),
    outcome: "302 invalid_target",
    rule: "RI-01",
    sentence: "resource is not an absolute URI without a fragment",
    expected: "an absolute URI without a fragment",
    received: "/api",
    fix: /Send an absolute URI without a fragment, such as https:\/\/api\.example/,
  },
  "a resource with http on a real host": {
    send: (server) => server.authorize({ resource: "http://api.widgets.com" }),
    outcome: "302 invalid_target",
    rule: "RI-01",
    sentence: "the server issues no tokens for this resource",
    expected: "an absolute URI, http only on a test host",
    received: "http://api.widgets.com",
    fix: /Use https/,
  },
  "a resource that is not in the setting": {
    send: (server) => server.authorize({ resource: "https://api.example/v2" }),
    options: { resources: [{ uri: "https://api.example/v1" }] },
    outcome: "302 invalid_target",
    rule: "RI-01",
    sentence: "resource is not a resource of this server",
    expected: "https://api.example/v1",
    received: "https://api.example/v2",
    fix: /add this one to the setting resources/,
  },
  "/authorize": {
    send: (server) => server.get("/authorize?client_id=spa", { headers: { accept: "text/html" } }),
    ...wrongPath("/authorize", "/oauth2/authorize"),
  },
  "/token": {
    send: (server) => form(server, "/token", { grant_type: "authorization_code" }, { accept: "*/*" }),
    ...wrongPath("/token", "/oauth2/token"),
  },
  "a slash at the end of the discovery URL": {
    send: (server) => server.get("/.well-known/openid-configuration/", asProgram),
    ...wrongPath("/.well-known/openid-configuration/", "/.well-known/openid-configuration"),
  },
  "discovery below /oauth2": {
    send: (server) => server.get("/oauth2/.well-known/openid-configuration", asProgram),
    ...wrongPath("/oauth2/.well-known/openid-configuration", "/.well-known/openid-configuration"),
  },
  "GET at the token endpoint": {
    send: (server) => server.get("/oauth2/token", asProgram),
    ...wrongMethod,
  },
  "GET at the token endpoint in a browser": {
    send: (server) => server.get("/oauth2/token", { headers: { accept: "text/html" } }),
    ...wrongMethod,
  },
  "a JSON body": {
    send: (server) =>
      server.get("/oauth2/token", {
        method: "POST",
        body: JSON.stringify({ grant_type: "authorization_code" }),
        headers: { "content-type": "application/json" },
      }),
    ...wrongMediaType,
    received: "application/json",
  },
  "a form with another content type": {
    send: (server) => form(server, "/oauth2/token", { grant_type: "x" }, { "content-type": "text/plain" }),
    ...wrongMediaType,
    received: "text/plain",
  },
  "another redirect_uri in the second request": {
    send: async (server) => server.token({ code: await server.code(), redirect_uri: `${spaCallback}/` }),
    outcome: "400 invalid_grant",
    rule: "TK-15",
    sentence: "redirect_uri does not match the authorization request",
    expected: spaCallback,
    received: `${spaCallback}/`,
    fix: /Send the redirect_uri of the authorization request, character for character/,
  },
  ...Object.fromEntries(
    [`${spaCallback}/`, "http://spa.example/cb", "https://spa.example:8443/cb"].map((uri): [string, Mistake] => [
      `redirect_uri ${uri}, which is not registered`,
      {
        send: (server) => server.authorize({ redirect_uri: uri }),
        ...wrongRedirectUri,
        sentence: "redirect_uri is not registered for this client",
        expected: spaCallback,
        received: uri,
        fix: /Send a registered redirect URI, character for character, or register the URI that was sent/,
      },
    ]),
  ),
  ...Object.fromEntries(
    ([["missing", undefined, "no code"], ["empty", "", "an empty code"]] as const).map((
      [state, code, received],
    ): [string, Mistake] => [`a code that is ${state}`, {
      send: (server) => server.token({ code }),
      outcome: "400 invalid_request",
      rule: "TK-16",
      sentence: "code is missing or empty",
      expected: "the parameter code that redirect_uri received",
      received,
      fix: /its value, without its name\. If redirect_uri received the parameter error instead, the login failed/,
    }]),
  ),
  "a code used twice": {
    send: async (server) => {
      const code = await server.code();
      await server.token({ code });
      return server.token({ code });
    },
    outcome: "400 invalid_grant",
    rule: "CI-06",
    sentence: "authorization code used twice",
    expected: "each code once",
    received: "a code that was used before",
    fix: /Look for a callback that runs twice/,
  },
  "an expired code": {
    send: async (server) => {
      const code = await server.code();
      server.advance(300);
      return server.token({ code });
    },
    outcome: "400 invalid_grant",
    rule: "CI-02",
    sentence: "the code has expired",
    expected: "before 2026-01-01T00:05:00.000Z",
    received: "2026-01-01T00:05:00.000Z",
    fix: /Exchange the code immediately\. lifetimes\.code sets its lifetime/,
  },
  "a code that expired an hour ago": {
    send: async (server) => {
      const code = await server.code();
      server.advance(3900);
      return server.token({ code });
    },
    outcome: "400 invalid_grant",
    rule: "TK-16",
    sentence: "the code is unknown or has expired",
    expected: "a code that this server issued less than 300 seconds ago",
    received: "an unknown or expired code",
    fix: /Exchange the code of the callback immediately and unchanged/,
  },
  "the code of another client": {
    send: async (server) => server.token({ code: await webCode(server) }),
    outcome: "400 invalid_grant",
    rule: "CI-05",
    sentence: "the code belongs to another client",
    expected: "client web",
    received: "client spa",
    fix: /Exchange the code with the client that requested it/,
  },
  "a misspelt scope value at a refresh": {
    async send(server) {
      const { refresh_token } = await tokens(server);
      const fields = { grant_type: "refresh_token", refresh_token, client_id: "spa", scope: "raed" };
      return await form(server, "/oauth2/token", fields);
    },
    outcome: "400 invalid_scope",
    rule: "RT-06",
    sentence: "scope is more than was granted. Did you mean read?",
    expected: "some of: openid read",
    received: "raed",
    fix: /Request the granted scope or less/,
  },
  "a refresh token used twice": {
    send: async (server) => {
      const { refresh_token } = await tokens(server);
      const fields = { grant_type: "refresh_token", refresh_token, client_id: "spa" };
      await form(server, "/oauth2/token", fields);
      server.advance(60);
      return form(server, "/oauth2/token", fields);
    },
    outcome: "400 invalid_grant",
    rule: "RT-04",
    sentence: "refresh token used twice",
    expected: "the newest refresh token of the grant",
    received: "an older refresh token",
    fix: /Store the refresh token of each response instead of the previous one/,
  },
  "an expired access token": {
    send: async (server) => {
      const { access_token } = await tokens(server);
      server.advance(3600);
      return userinfo(server, access_token);
    },
    ...wrongToken,
    sentence: "the access token has expired",
    expected: "before 2026-01-01T01:00:00.000Z",
    received: "2026-01-01T01:00:00.000Z",
    fix: /Request a new access token/,
  },
  "an access token for another resource": {
    send: async (server) => {
      const resource = "https://api.example";
      const fields = { grant_type: "client_credentials", scope: "read", resource };
      const response = await form(server, "/oauth2/token", fields, basic("web", "web-secret"));
      return userinfo(server, (await response.json()).access_token);
    },
    options: { resources: [{ uri: "https://api.example" }] },
    ...wrongToken,
    sentence: "the access token is for another resource",
    expected: `a token for ${issuer}`,
    received: "a token for https://api.example",
    fix: new RegExp(`request a token with resource=${issuer}\\.`),
  },
  "an access token without openid": {
    send: async (server) => userinfo(server, (await tokens(server, { scope: "read" })).access_token),
    outcome: "403 insufficient_scope",
    rule: "BR-02",
    client: "",
    sentence: "the access token lacks the required scope",
    expected: "openid",
    received: "read",
    fix: /Request openid in the scope of the authorization request/,
  },
  "an access token of another issuer": {
    send: async (server) =>
      userinfo(server, (await tokens(await testServer({ issuer: "http://localhost:9999" }))).access_token),
    ...wrongToken,
    sentence: "the access token is from another issuer",
    expected: `iss ${issuer}`,
    received: "iss http://localhost:9999",
    fix: /Send the token to the server that issued it/,
  },
  "a JWT without issuer as access token": {
    send: (server) => userinfo(server, `${btoa('{"alg":"none"}').replace(/=+$/, "")}.e30.`),
    ...wrongToken,
    sentence: "the access token is from another issuer",
    expected: `iss ${issuer}`,
    received: "iss absent",
    fix: /configure this issuer in the client/,
  },
  "an access token from before a restart": {
    send: async (server) => userinfo(server, (await tokens(await testServer({ issuer }))).access_token),
    ...wrongToken,
    sentence: "no key of this server verifies the signature of the access token",
    expected: "a signature by a key of the jwks_uri",
    received: "another signature",
    fix: /has new keys after a restart/,
  },
  "an ID token as access token": {
    send: async (server) => userinfo(server, (await tokens(server)).id_token),
    ...wrongToken,
    sentence: "the token is not an access token",
    expected: "typ at+jwt",
    received: "typ JWT",
    fix: /The ID token is for the client only/,
  },
  "a revoked access token": {
    send: async (server) => {
      const { access_token: token } = await tokens(server);
      await form(server, "/oauth2/revoke", { client_id: "spa", token });
      return userinfo(server, token);
    },
    ...wrongToken,
    sentence: "the access token is not valid any more",
    expected: "a token that is not revoked, of a client and a user that exist",
    received: "a token, but the token was revoked",
    fix: /Request a new access token/,
  },
  "an access token whose code was used twice": {
    send: async (server) => userinfo(server, (await tokensOfReusedCode(server)).access_token),
    ...wrongToken,
    sentence: "the access token is not valid any more",
    expected: "a token that is not revoked, of a client and a user that exist",
    received: "a token, but its grant was revoked",
    earlier: "revoked at 2026-01-01T00:00:00.000Z: authorization code used twice",
    fix: /Start a new login/,
  },
  "a refresh token whose code was used twice": {
    async send(server) {
      const { refresh_token } = await tokensOfReusedCode(server);
      return await form(server, "/oauth2/token", { grant_type: "refresh_token", refresh_token, client_id: "spa" });
    },
    outcome: "400 invalid_grant",
    rule: "RT-04",
    sentence: "the grant was revoked",
    expected: "a grant that is not revoked",
    received: "a revoked grant",
    earlier: "revoked at 2026-01-01T00:00:00.000Z: authorization code used twice",
    fix: /Start a new login/,
  },
  "a token that is no token": {
    send: (server) => userinfo(server, "undefined"),
    ...wrongToken,
    sentence: "the access token is unknown, expired or revoked",
    expected: "an access token of this server",
    received: "a token that is not a JWT",
    fix: /Send access_token of the token response/,
  },
  "response_type=token": {
    send: (server) => server.authorize({ response_type: "token" }),
    outcome: "302 unsupported_response_type",
    rule: "AZ-09",
    sentence: "response_type is not supported; use code",
    expected: "response_type=code",
    received: "response_type=token",
    fix: /OAuth 2\.1 has no implicit grant/,
  },
  "grant_type=password": {
    send: (server) =>
      form(server, "/oauth2/token", { grant_type: "password", client_id: "spa", username: "alice", password: "x" }),
    outcome: "400 unsupported_grant_type",
    rule: "TK-05",
    sentence: "grant_type is not supported by this server",
    expected: /^authorization_code or /,
    received: "password",
    fix: /OAuth 2\.1 has no password grant: log users in by authorization_code with PKCE/,
  },
};

/** Sentences on the wire that differ: they do not repeat the request. */
const onWire: Readonly<Record<string, string>> = {
  "a public client must send a code_challenge": "code_challenge is missing, and this client must send one",
  "the configuration requires PKCE of this confidential client, by the profile oauth2.1":
    "code_challenge is missing, and this client must send one, by the profile oauth2.1",
  "this browser has no session": "login is required, but prompt=none forbids it",
};

/** The text of a page's main part, and its links. */
function readPage(html: string): { readonly text: string; readonly html: string } {
  const text = html.replace(/^[^]*<main|<wbr\/>/g, "").replace(/<\/?(?:mark|bdi|time)\b[^>]*>/g, "").replace(
    /<(?:"[^"]*"|[^>"])*>/g,
    " ",
  );
  return { text: text.replaceAll("&quot;", '"').replaceAll("&amp;", "&").replace(/\s+/g, " "), html };
}

const source = (text: string | RegExp = "") =>
  typeof text === "string" ? escapeRegExp(text) : text.source.replace("^", "");
const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/** The error on the wire, or the text of the page. */
async function readError(response: Response): Promise<Record<string, string | null>> {
  const location = response.headers.get("location");
  if (location !== null) return Object.fromEntries(new URL(location).searchParams);
  const body = await response.text();
  return body.startsWith("{") ? JSON.parse(body) : { page: body };
}

test("[UI-19, FL-02] each typical mistake is named on the wire, in the terminal and on the page, with expected, received and fix, and the link leads to its step", async () => {
  await forEachCase(Object.entries(mistakes), async ([, mistake]) => {
    const { outcome, rule, sentence, expected, received, earlier = "", fix, client = "spa" } = mistake;
    const { pageFix = fix } = mistake;
    const server = await watched(mistake.options);
    const response = await mistake.send(server);
    const [status, code] = outcome.split(" ");
    const { error, error_description, error_uri, page } = await readError(response);

    const block = server.lines.at(-1)!;
    const [heading, ...rest] = block.split("\n").map((line) => line.trim());
    const link = rest.at(-1)!.replace("→ ", "");
    assertMatch(
      heading!,
      new RegExp(`^[\\d:.]+Z ✗ (GET|POST) /\\S+ {2}${outcome}${client && ` {2}${client}`} {2}${rule}$`),
    );
    assertEquals(rest[0], sentence);
    // A wrong secret has no value to compare.
    if (expected === undefined || received === undefined) assertNotMatch(block, /\n +(?:expected|received) /);
    else assertMatch(block, new RegExp(`\n +expected {2}${source(expected)}.*\n +received {2}${source(received)}`));
    assertStringIncludes(rest.join(" "), earlier);
    const advice = rest.findLast((line) => !line.startsWith("→"));
    assertMatch(advice!, new RegExp(`^fix {7}.*${fix.source}`));
    assertMatch(link, new RegExp(`^${issuer}/flows/of/\\d+$`));

    if (page) {
      const { text, html } = readPage(page);
      assertEquals(response.status, Number(status));
      for (const part of [sentence, expected, received, pageFix]) assertMatch(text, new RegExp(source(part), "i"));
      assertStringIncludes(html, ` href="${link.replace(issuer, "")}">See the whole flow</a>`);
    } else {
      assertEquals([response.status, error], [Number(status), code]);
      assertEquals(error_description, `${onWire[sentence] ?? sentence} [${rule}]`.replaceAll('"', "'"));
      assertEquals(error_uri, link);
    }
    if (code === "invalid_token") {
      assertStringIncludes(response.headers.get("www-authenticate")!, link);
    }

    const step = (await server.get(link.replace(issuer, ""))).headers.get("location")!;
    assertMatch(step, /\/flows\/\d+(\?step=\d+)?$/);
    const flow = readPage(await (await server.get(step.replace(issuer, ""))).text());
    assertMatch(flow.html, /<section class="step" id="step-\d+"/);
    const pageEarlier = earlier.replace(/T([\d:]+)\.\d+Z/, " $1 UTC");
    for (const part of [sentence, expected, received, pageEarlier, pageFix]) {
      assertMatch(flow.text, new RegExp(source(part)));
    }
  });
});

test("[AZ-17] an unknown scope value beside openid is a warning everywhere, and no part of its flow is marked as good", async () => {
  const server = await watched();
  const { access_token } = await tokens(server, { scope: "openid admin read" });
  assertEquals((await userinfo(server, access_token)).status, 200);
  assertEquals(server.lines.length, 1);
  assertMatch(
    server.lines[0]!,
    /! warning {2}spa {2}AZ-17\n +unknown scope was dropped: admin\n +expected {2}some of: openid profile read\n +received {2}openid admin read\n +fix {7}Remove .*\n +→ http:\/\/localhost:9666\/flows\/of\/1$/,
  );
  const step = (await server.get("/flows/of/1")).headers.get("location")!;
  const { text } = readPage(await (await server.get(step.replace(issuer, ""))).text());
  assertMatch(text, /Claims returned, with a warning ! warning .*Flow 1 /);
  assertMatch(text, /1 Authorization request ! code issued, with a warning/);
  assertMatch(text, /Unknown scope was dropped: admin\./);
  const [, list] = (await (await server.get("/flows")).text()).split('id="flows"');
  assertMatch(list!, /with a warning/);
  assert(!list!.includes("✓"));
});

test("[AZ-17] a misspelt scope value beside openid is a warning with the scope value that was probably meant", async () => {
  const server = await watched();
  assertEquals((await tokens(server, { scope: "openid raed" })).scope, "openid");
  assertMatch(server.lines[0]!, /! warning {2}spa {2}AZ-17\n +unknown scope was dropped: raed\. Did you mean read\?\n/);
  assertMatch(server.lines[0]!, /fix {7}Correct the scope of the application\./);
  const step = (await server.get("/flows/of/1")).headers.get("location")!;
  const { text, html } = readPage(await (await server.get(step.replace(issuer, ""))).text());
  assertMatch(text, /Unknown scope was dropped: raed\. Did you mean read\?(?!\.)/);
  assert(!html.includes("knows every scope value"));
});

test("[AZ-17] a real host does not repeat an unknown scope value", async () => {
  const server = await testServer(realHost);
  const { searchParams } = new URL((await server.authorize({ scope: "raed" })).headers.get("location")!);
  assertEquals(searchParams.get("error_description"), "scope contains an unknown value [AZ-17]");
});

test("metadata that is requested by another name of the host: the terminal says once which issuer to use", async () => {
  const server = await watched();
  for (let i = 0; i < 2; i++) {
    const response = await server.get("/.well-known/openid-configuration", { headers: { host: "127.0.0.1:9666" } });
    assertEquals((await response.json()).issuer, issuer);
  }
  assertEquals(server.lines.length, 1);
  assertMatch(
    server.lines[0]!,
    /! warning {2}issuer: .*from 127\.0\.0\.1:9666, but the issuer is http:\/\/localhost:9666\. .*configure this issuer/,
  );
});

interface Surprise {
  /** Two logins of one client, with these fields. */
  readonly fields: Fields;
  readonly note: RegExp;
  readonly fix: RegExp;
  readonly options?: LatchkeyOptions;
}

/** The notes in the terminal. Each login repeats the code_challenge of the one before, which is a warning. */
const notesOf = ({ lines }: Watched) => lines.filter((line) => !line.includes("PK-14"));

const surprises: Readonly<Record<string, Surprise>> = {
  "no openid": {
    fields: { scope: "read" },
    note: /scope lacks openid, so the client receives no ID token and cannot call userinfo/,
    fix: /Add openid to scope/,
  },
  "a nonce without openid": {
    fields: { scope: "read", nonce: "n-0S6_WzA2Mj" },
    options: { clients: [{ client_id: "spa", redirect_uris: [spaCallback], scope: "read" }] },
    note: /scope lacks openid, so the client receives no ID token and cannot call userinfo/,
    fix: /Add openid to scope/,
  },
  "no scope": {
    fields: { scope: undefined },
    options: { clients: [{ client_id: "spa", redirect_uris: [spaCallback] }] },
    note: /scope is missing, so the default scope applies: read/,
    fix: /Send scope/,
  },
  "prompt=create": {
    fields: { prompt: "create" },
    note: /prompt=create asks for sign-up, which this server does not have, and was ignored/,
    fix: /Send create only to a server whose prompt_values_supported has it/,
  },
  audience: {
    fields: { audience: "https://api.example" },
    note: /audience is a parameter of other servers, and was ignored/,
    fix: /Send resource with the URI of the API/,
  },
  "a slash at the end of resource": {
    fields: { resource: "https://api.example/" },
    note: /the slash at the end of resource is dropped: aud of the access token is https:\/\/api\.example$/,
    fix: /Compare aud with the URI without the slash/,
  },
};

test("[RI-04, FL-02, OI-04] a surprise of a valid request is a note: once for each client in the terminal, always in the flow, and no warning", async () => {
  await forEachCase(Object.entries(surprises), async ([, { fields, note, fix, options }]) => {
    const server = await watched(options);
    for (let login = 1; login <= 2; login++) {
      assertEquals((await server.token({ code: await server.code(fields) })).status, 200);
      assertEquals(notesOf(server).length, 1);
      const [heading, reason, advice, link] = notesOf(server)[0]!.split("\n").map((line) => line.trim());
      assertMatch(heading!, /^[\d:.]+Z i note {2}spa$/);
      assertMatch(reason!, note);
      assertMatch(advice!, new RegExp(`^fix {7}${fix.source}`));
      assertEquals(link, `→ ${issuer}/flows/of/1`);
      const { text } = readPage(await (await server.get(`/flows/${login}`)).text());
      assertMatch(text, new RegExp(`i ${note.source.replace("$", "")}`, "i"));
      if (login === 1) assert(!text.includes("with a warning"));
    }
  });
});

test("[RT-01, FL-02] a login without offline_access gets a note if only offline_access would bring a refresh token", async () => {
  const refresh = { onlyOffline: true };
  const client = { client_id: "spa", redirect_uris: [spaCallback], scope: "openid offline_access" };
  const logIn = async (server: Watched, scope: string) => "refresh_token" in await tokens(server, { scope });
  const server = await watched({ refresh, clients: [{ ...client, grant_types }] });
  assertEquals([await logIn(server, "openid offline_access"), notesOf(server)], [true, []]);
  assertEquals(await logIn(server, "openid"), false);
  assertEquals(notesOf(server).length, 1);
  const [, reason, ...facts] = notesOf(server)[0]!.split("\n").map((line) => line.trim());
  assertEquals(reason, "scope lacks offline_access, so the client receives no refresh token");
  assertEquals(facts.slice(0, 2), ["expected  offline_access", "received  openid"]);
  assertMatch(facts[2]!, /^fix {7}Add offline_access to scope if the client must refresh its tokens, or turn/);
  const { text } = readPage(await (await server.get("/flows/2")).text());
  assertMatch(text, /i Scope lacks offline_access, so the client receives no refresh token\. Add offline_access/);

  const lenient = await watched({ clients: [{ ...client, grant_types }] });
  assertEquals([await logIn(lenient, "openid"), notesOf(lenient)], [true, []]);
  const other = await watched({ refresh, clients: [client] });
  assertEquals([await logIn(other, "openid"), notesOf(other)], [false, []]);
});

/** Ids and secrets whose form encoding has other characters than they have themselves. */
const encodedCredentials: readonly (readonly [id: string, secret: string])[] = [
  ["web", "hV7-kq93nf+LwPz0aYtRbX2mC8dGsJ5uE4oW"],
  ["web", "correct%20horse%41battery"],
  ["web", "hundred-per-cent-100%"],
  ["my+web", "web-secret-of-an-awkward-id"],
];

test("[CA-02, FL-02] id and secret without form encoding are accepted with a note, which does not repeat the secret", async () => {
  await forEachCase(encodedCredentials, async ([id, secret]) => {
    const clients = [{ client_id: id, client_secret: secret, grant_types: ["client_credentials"], scope: "read" }];
    const logIn = async (server: TestServer, encodeHalf: (half: string) => string) => {
      const headers = { authorization: `Basic ${btoa(`${encodeHalf(id)}:${encodeHalf(secret)}`)}` };
      const fields = { grant_type: "client_credentials", client_id: undefined };
      assertEquals((await server.token(fields, { headers })).status, 200);
    };
    const server = await watched({ clients });
    await logIn(server, encodeURIComponent);
    assertEquals(server.lines, []);
    for (let times = 0; times < 2; times++) await logIn(server, (half) => half);
    assertEquals(server.lines.length, 1);
    const [heading, reason, advice] = server.lines[0]!.split("\n").map((line) => line.trim());
    assert(heading!.endsWith(`i note  ${id}  CA-04`), heading);
    assertMatch(reason!, /^HTTP Basic has client_id and client_secret without form encoding/);
    assertMatch(advice!, /^fix {7}Form-encode each of the two before the colon joins them: % as %25, \+ as %2B/);
    const { text, html } = readPage(await (await server.get("/flows/2")).text());
    assertMatch(text, /i HTTP Basic has client_id and client_secret without form encoding.* Form-encode each/);
    assert(!html.includes(secret) && !JSON.stringify([server.events, server.lines]).includes(secret));
    const onRealHost = await testServer({ ...realHost, clients });
    await logIn(onRealHost, (half) => half);
    assertEquals(onRealHost.events.filter(({ type }) => type === "note"), []);
  });
});

test("[CL-06] a client that reads only the ID token gets a note about the claims of its scope; one that calls userinfo gets none", async () => {
  const logIn = (server: Watched) => tokens(server, { scope: "openid profile" });
  const server = await watched();
  await logIn(server);
  assertEquals(notesOf(server), []);
  await logIn(server);
  const [note, ...others] = notesOf(server);
  assertMatch(note!, /i note {2}spa\n +the ID token has no claims of profile, and the client has not called userinfo/);
  assertMatch(note!, /fix {7}Call userinfo with the access token, or set idTokenClaims to "like-userinfo"\./);
  assertEquals(others, []);
  const reading = await watched();
  for (let i = 0; i < 3; i++) await userinfo(reading, (await logIn(reading)).access_token);
  const complete = await watched({ idTokenClaims: "like-userinfo" });
  for (let i = 0; i < 3; i++) await logIn(complete);
  assertEquals([...notesOf(reading), ...notesOf(complete)], []);
});

test("[DV-01] a device that requests no scope gets the note, too", async () => {
  const grant_types = ["urn:ietf:params:oauth:grant-type:device_code"];
  const server = await watched({ clients: [{ client_id: "tv", grant_types }] });
  await form(server, "/oauth2/device_authorization", { client_id: "tv" });
  assertMatch(notesOf(server).join(), /i note {2}tv\n +scope is missing, so the default scope applies: read/);
});

test("a real host traces no notes, and a request that expects nothing else causes none", async () => {
  const server = await testServer({ ...realHost, resources: [{ uri: "https://api.example/" }] });
  for (const { fields } of Object.values(surprises)) await server.code(fields);
  const test = await watched({ resources: [{ uri: "https://api.example/" }] });
  await tokens(test, { scope: "read", resource: "https://api.example/" });
  await tokens(test);
  assertEquals([...server.events.filter(({ type }) => type === "note"), ...notesOf(test)], []);
});
