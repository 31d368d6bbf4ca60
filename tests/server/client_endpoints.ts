/** Clients at the form endpoints: refresh, revocation, introspection, and common rejections. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ClientMetadata } from "../../src/mod.ts";
import {
  assertTokenResponse,
  basic,
  clients,
  encode,
  forEachCase,
  getOutcome,
  getRejections,
  webRequest,
  webToken,
} from "../kit.ts";
import type { Fields, ListedOptions, TestServer, TokenResponseBody } from "../kit.ts";

/** Token response of a client registered for refresh tokens. */
export interface Tokens extends TokenResponseBody {
  readonly refresh_token: string;
}

const refreshGrant = { grant_types: ["authorization_code", "refresh_token"] };

/** Public, with the redirect URI of `spa`. */
export function publicClient(client_id: string, more: Partial<ClientMetadata> = {}): ClientMetadata {
  return { client_id, redirect_uris: ["https://spa.example/cb"], ...refreshGrant, ...more };
}

/** Confidential, with the redirect URI of `web` and a secret that is `<id>-secret`. */
export function confidentialClient(client_id: string, more: Partial<ClientMetadata> = {}): ClientMetadata {
  const redirect_uris = ["https://web.example/cb"];
  return { client_id, client_secret: `${client_id}-secret`, redirect_uris, ...refreshGrant, ...more };
}

/**
 * The clients of the bench, all registered for refresh tokens; `other` and `web2`, which differ from `spa` and `web` in
 * nothing but their names; `named`, which names its method; `machine`, which acts for itself; and `api`, which serves
 * the default audience.
 */
export const testClients: ListedOptions & { readonly clients: readonly ClientMetadata[] } = {
  clients: [
    ...clients.map((client) => ({ ...client, ...refreshGrant })),
    publicClient("other"),
    publicClient("brief", { grant_types: ["authorization_code"] }),
    confidentialClient("web2"),
    confidentialClient("named", { token_endpoint_auth_method: "client_secret_basic" }),
    { client_id: "machine", client_secret: "machine-secret", grant_types: ["client_credentials"] },
    { client_id: "api", client_secret: "api-secret", grant_types: ["client_credentials"], serves: ["https://as.test"] },
  ],
  users: [{ sub: "alice", name: "Alice Adams" }, { sub: "bob", name: "Bob Brown" }],
};

/** Basic header of a test client. */
export function basicHeader(client_id: string): Record<string, string> {
  return basic(client_id, `${client_id}-secret`);
}

/** Tokens of a public client, `spa` unless the authorization request names another one. */
export async function publicTokens(server: TestServer, fields: Fields = {}): Promise<Tokens> {
  const { client_id = "spa" } = fields;
  return await assertTokenResponse(await server.token({ code: await server.code(fields), client_id })) as Tokens;
}

/** Tokens of a client with Basic, `web` unless another one is named. */
export async function webTokens(server: TestServer, client_id = "web", fields: Fields = {}): Promise<Tokens> {
  const code = await server.code({ ...webRequest, client_id, ...fields });
  return await assertTokenResponse(
    await server.token({ ...webToken, code }, { headers: basicHeader(client_id) }),
  ) as Tokens;
}

/** POST /oauth2/token with a refresh token: as `spa`, or as the client of the fields and headers. */
export function refresh(
  server: TestServer,
  refresh_token: string | undefined,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const client_id = "authorization" in headers ? undefined : "spa";
  return server.post("/oauth2/token", { grant_type: "refresh_token", client_id, refresh_token, ...fields }, headers);
}

/** The tokens of a refresh that must succeed. */
export async function refreshTokens(...request: Parameters<typeof refresh>): Promise<Tokens> {
  return await assertTokenResponse(await refresh(...request)) as Tokens;
}

/** What the introspection endpoint says of a token, to `api` unless to another client. */
export async function fetchIntrospection(
  server: TestServer,
  token: string,
  caller = "api",
): Promise<Record<string, unknown>> {
  const response = await server.post("/oauth2/introspect", { token }, basicHeader(caller));
  const text = await response.text();
  assertEquals(response.status, 200, text);
  assertMatch(response.headers.get("content-type") ?? "", /^application\/json\b/);
  assertEquals(response.headers.get("cache-control"), "no-store");
  return JSON.parse(text);
}

/** Whether a resource server may still take an access token. */
export async function isActive(server: TestServer, token: string): Promise<boolean> {
  return (await fetchIntrospection(server, token)).active === true;
}

/** GET /oauth2/userinfo. */
export function userinfo(server: TestServer, token: string): Promise<Response> {
  return server.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });
}

/** How often each outcome was seen. */
export async function countOutcomes(responses: readonly Response[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.all(responses.map(getOutcome))) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** The revoked grants, in order. */
export function getRevokedGrants({ events }: TestServer): string[] {
  return events.flatMap((event) => event.type === "grant_revoked" ? [event.grantId] : []);
}

/** Rule of the latest rejection in the trace. */
export function findLastRule({ events }: TestServer): string | undefined {
  return getRejections(events).at(-1)?.explanation.rule;
}

/** Session cookie of a response, as the browser sends it. */
export function getSessionCookie(response: Response): string {
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

/** A request to which an endpoint for clients responds with 200. */
export interface GoodRequest {
  readonly path: string;
  readonly fields: Fields;
  readonly headers: Record<string, string>;
}

/**
 * Asserts that a client endpoint takes POST alone, from a form alone, of bounded size, in an encoding that is whole.
 */
export async function assertAcceptsFormsOnly(
  server: TestServer,
  { path, fields, headers }: GoodRequest,
): Promise<void> {
  const form = "application/x-www-form-urlencoded";
  const body = encode(fields);
  await forEachCase(["GET", "PUT", "PATCH", "DELETE"], async (method) => {
    const response = await server.get(`${path}?${body}`, { method, headers });
    assertMatch(response.headers.get("allow") ?? "", /^POST\b/);
    assertMatch(await getOutcome(response), /^405 /);
  });
  await forEachCase<[string | undefined, string | Uint8Array<ArrayBuffer>, RegExp]>([
    ["application/json", JSON.stringify(fields), /^400 invalid_request/],
    ["text/plain", body, /^400 invalid_request/],
    [
      "multipart/form-data; boundary=x",
      `--x\r\ncontent-disposition: form-data; name="token"\r\n\r\na\r\n--x--`,
      /^400 /,
    ],
    [`${form}ed`, body, /^400 invalid_request/],
    [`text/plain, ${form}`, body, /^400 invalid_request/],
    [undefined, new TextEncoder().encode(body), /^400 invalid_request/],
    [form, `${body}&x=${"a".repeat(70_000)}`, /^413 invalid_request/],
    [form, `${body}&x=%zz`, /^400 invalid_request/],
    [form, `${body}&x=%ff`, /^400 invalid_request/],
    [form, new Uint8Array([...new TextEncoder().encode(`${body}&x=`), 0xff]), /^400 invalid_request/],
    [form, "", /^40[01] /],
  ], async ([type, sent, expected]) => {
    const all = { ...headers, ...type !== undefined && { "content-type": type } };
    assertMatch(await getOutcome(await server.get(path, { method: "POST", body: sent, headers: all })), expected);
  });
  const compressed = { ...headers, "content-type": form, "content-encoding": "gzip" };
  assertMatch(
    await getOutcome(await server.get(path, { method: "POST", body, headers: compressed })),
    /^41[35] |^400 /,
  );
  for (const type of [`${form};charset=UTF-8`, "Application/X-WWW-Form-Urlencoded"]) {
    assertEquals(await getOutcome(await server.post(path, fields, { ...headers, "content-type": type })), "200");
  }
}

/**
 * Asserts that a client endpoint rejects a repeated known parameter and credentials in the URL, and that nothing else
 * in query or body changes the response.
 */
export async function assertParametersOnce(server: TestServer, { path, fields, headers }: GoodRequest): Promise<void> {
  const send = async (more: Fields, query = "") => await server.post(path + query, { ...fields, ...more }, headers);
  const names = [...Object.keys(fields), "token_type_hint", "client_id", "client_secret", "client_assertion", "scope"];
  await forEachCase([...new Set(names)], async (name) => {
    const value = fields[name] as string | undefined ?? "x";
    for (const pair of [[value, value], [value, "y"], ["y", value], [value, ""], ["", ""]]) {
      assertEquals(await getOutcome(await send({ [name]: pair })), "400 invalid_request");
    }
  });
  await forEachCase([
    ...["token=x", "client_secret=x", "client_assertion=x", "refresh_token=x", "code=x", "foo=1&token=x"],
    ...["t%6Fken=x", "client%5Fsecret=x", "token", "token=", "token=a&token=b"],
  ], async (query) => assertEquals(await getOutcome(await send({}, `?${query}`)), "400 invalid_request"));
  const expected = Object.keys(await (await send({})).json());
  await forEachCase<[Fields, string?]>([
    [{ foo: "1", bar: ["1", "2"], "token[]": ["a", "b"], "token ": "x", TOKEN: "x", "": "x" }],
    [{ constructor: "1", toString: ["1", "2"], hasOwnProperty: "1", valueOf: "x" }],
    [Object.fromEntries([["__proto__", "x"], ["__proto__[token]", "x"], ["prototype", "x"]])],
    [{ client_secret: "", client_assertion: "", client_assertion_type: "", scope: "", token_type_hint: "" }],
    [{}, "?foo=1&client_id=unknown&grant_type=password&scope=admin&__proto__=x&constructor=x&&="],
  ], async ([more, query]) => {
    const response = await send(more, query);
    assertEquals(response.status, 200, await response.clone().text());
    assertEquals(Object.keys(await response.json()), expected);
  });
}

/** Asserts that a client endpoint rejects every client that does not authenticate correctly. */
export async function assertAuthenticatesClients(server: TestServer, { path, fields }: GoodRequest): Promise<void> {
  const bare = { ...fields, client_id: undefined };
  await forEachCase<[Fields, Record<string, string>, string?]>([
    [{}, {}],
    [{ client_id: "unknown" }, {}],
    [{ client_id: "web" }, {}],
    [{ client_id: "__proto__" }, {}],
    [{ client_id: "constructor" }, {}],
    [{ client_id: "spa\0" }, {}],
    [{ client_id: "named", client_secret: "named-secret" }, {}],
    [{ client_id: "web", client_secret: "guess" }, {}],
    [{ client_id: "spa", client_secret: "guess" }, {}],
    [{ client_id: "poster", client_secret: "guess" }, {}],
    [{}, basic("web", "guess")],
    [{}, basic("web", "")],
    [{}, basic("unknown", "web-secret")],
    [{}, basic("poster", "poster-secret")],
    [{}, { authorization: "Basic" }],
    [{}, { authorization: "Basic !" }],
    [{ client_id: "spa" }, { authorization: "Bearer x" }],
    [{ client_id: "poster", client_secret: "poster-secret" }, { authorization: "Digest x" }, "400 invalid_request"],
    [{ client_secret: "web-secret" }, basicHeader("web"), "400 invalid_request"],
    [{ client_id: "web2" }, basicHeader("web"), "400 invalid_request"],
    [{ client_id: "spa" }, basicHeader("web"), "400 invalid_request"],
  ], async ([change, headers, expected]) => {
    const isChallenged = path === "/oauth2/introspect" || "authorization" in headers ||
      Object.keys(change).length === 0;
    expected ??= isChallenged ? "401 invalid_client" : "401 invalid_client";
    assertEquals(await getOutcome(await server.post(path, { ...bare, ...change }, headers)), expected);
  });
}

/**
 * Asserts that a response, and a preflight, are open to scripts of other origins: on a test host, of other test hosts.
 */
export async function assertCors(server: TestServer, { path, fields, headers }: GoodRequest): Promise<void> {
  const origin = { origin: "https://elsewhere.test" };
  const responses = [
    await server.post(path, fields, { ...headers, ...origin }),
    await server.post(path, {}, { ...basic("web", "guess"), ...origin }),
    await server.get(path, { method: "DELETE", headers: origin }),
    await server.get(path, {
      method: "OPTIONS",
      headers: {
        ...origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    }),
  ];
  assertEquals(responses.map(({ status }) => status), [200, 401, 405, 204]);
  for (const { headers } of responses) {
    assertEquals(headers.get("access-control-allow-origin"), "*");
    assertEquals(headers.get("access-control-allow-credentials"), null);
  }
  const { headers: preflight } = responses.at(-1)!;
  assert(preflight.get("access-control-allow-methods")!.split(", ").includes("POST"));
  assertMatch(preflight.get("access-control-allow-headers")!, /authorization, content-type/);
}
