/** Clients at the endpoints they post forms to: refreshing, revoking, introspecting, and what all of these refuse. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { ClientMetadata, LatchkeyOptions } from "../../src/mod.ts";
import { basic, clients, each, encode, outcome, refusals, tokensOf, webRequest, webToken } from "./harness.ts";
import type { Bench, Fields, TokenAnswer } from "./harness.ts";

/** What the token endpoint answers a client that is registered for refresh tokens. */
export interface Tokens extends TokenAnswer {
  readonly refresh_token: string;
}

const renewing = { grant_types: ["authorization_code", "refresh_token"] };

/** Public, with the redirect URI of `spa`. */
export function publicClient(client_id: string, more: Partial<ClientMetadata> = {}): ClientMetadata {
  return { client_id, redirect_uris: ["https://spa.example/cb"], ...renewing, ...more };
}

/** Confidential, with the redirect URI of `web` and a secret that is `<id>-secret`. */
export function confidentialClient(client_id: string, more: Partial<ClientMetadata> = {}): ClientMetadata {
  const redirect_uris = ["https://web.example/cb"];
  return { client_id, client_secret: `${client_id}-secret`, redirect_uris, ...renewing, ...more };
}

/**
 * The clients of the bench, all registered for refresh tokens; `other` and `web2`, which differ from `spa` and `web` in
 * nothing but their names; `named`, which names its method; `machine`, which acts for itself; and `api`, which serves the default audience.
 */
export const crowd: LatchkeyOptions & { readonly clients: readonly ClientMetadata[] } = {
  clients: [
    ...clients.map((client) => ({ ...client, ...renewing })),
    publicClient("other"),
    publicClient("brief", { grant_types: ["authorization_code"] }),
    confidentialClient("web2"),
    confidentialClient("named", { token_endpoint_auth_method: "client_secret_basic" }),
    { client_id: "machine", client_secret: "machine-secret", grant_types: ["client_credentials"] },
    { client_id: "api", client_secret: "api-secret", grant_types: ["client_credentials"], serves: ["https://as.test"] },
  ],
  users: [{ sub: "alice", name: "Alice Adams" }, { sub: "bob", name: "Bob Brown" }],
};

/** The Basic header of a client of the crowd. */
export function as(client_id: string): Record<string, string> {
  return basic(client_id, `${client_id}-secret`);
}

/** Posts fields as a form. */
export function post(b: Bench, path: string, fields: Fields, headers: Record<string, string> = {}): Promise<Response> {
  return b.get(path, {
    method: "POST",
    body: encode(fields),
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
  });
}

/** Tokens of a public client, `spa` unless the authorization request names another one. */
export async function publicTokens(b: Bench, fields: Fields = {}): Promise<Tokens> {
  const { client_id = "spa" } = fields;
  return await tokensOf(await b.token({ code: await b.code(fields), client_id })) as Tokens;
}

/** Tokens of a client with Basic, `web` unless another one is named. */
export async function webTokens(b: Bench, client_id = "web", fields: Fields = {}): Promise<Tokens> {
  const code = await b.code({ ...webRequest, client_id, ...fields });
  return await tokensOf(await b.token({ ...webToken, code }, { headers: as(client_id) })) as Tokens;
}

/** POST /oauth2/token with a refresh token: as `spa`, or as whoever the fields and headers name. */
export function refresh(
  b: Bench,
  refresh_token: string | undefined,
  fields: Fields = {},
  headers: Record<string, string> = {},
): Promise<Response> {
  const client_id = "authorization" in headers ? undefined : "spa";
  return post(b, "/oauth2/token", { grant_type: "refresh_token", client_id, refresh_token, ...fields }, headers);
}

/** The tokens of a refresh that must succeed. */
export async function refreshed(...request: Parameters<typeof refresh>): Promise<Tokens> {
  return await tokensOf(await refresh(...request)) as Tokens;
}

/** What the introspection endpoint says of a token, to `api` unless to another client. */
export async function introspected(b: Bench, token: string, caller = "api"): Promise<Record<string, unknown>> {
  const response = await post(b, "/oauth2/introspect", { token }, as(caller));
  const text = await response.text();
  assertEquals(response.status, 200, text);
  assertMatch(response.headers.get("content-type") ?? "", /^application\/json\b/);
  assertEquals(response.headers.get("cache-control"), "no-store");
  return JSON.parse(text);
}

/** Whether a resource server may still take an access token. */
export async function isActive(b: Bench, token: string): Promise<boolean> {
  return (await introspected(b, token)).active === true;
}

/** GET /oauth2/userinfo. */
export function userinfo(b: Bench, token: string): Promise<Response> {
  return b.get("/oauth2/userinfo", { headers: { authorization: `Bearer ${token}` } });
}

/** How often each outcome was seen. */
export async function count(answers: readonly Response[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const one of await Promise.all(answers.map(outcome))) counts[one] = (counts[one] ?? 0) + 1;
  return counts;
}

/** The families that were ended, in that order. */
export function endedFamilies({ events }: Bench): string[] {
  return events.flatMap((event) => event.type === "family_ended" ? [event.family] : []);
}

/** The rule that the newest refusal names to the operator. */
export function lastRule({ events }: Bench): string | undefined {
  return refusals(events).at(-1)?.why.rule;
}

/** The cookie that keeps the session of an answer, as the browser sends it back. */
export function cookieOf(response: Response): string {
  return response.headers.get("set-cookie")!.split(";")[0]!;
}

/** A request that an endpoint for clients answers with 200. */
export interface GoodRequest {
  readonly path: string;
  readonly fields: Fields;
  readonly headers: Record<string, string>;
}

/** Asserts that a client endpoint takes POST alone, from a form alone, of bounded size, in an encoding that is whole. */
export async function readsFormsAlone(b: Bench, { path, fields, headers }: GoodRequest): Promise<void> {
  const form = "application/x-www-form-urlencoded";
  const body = encode(fields);
  await each(["GET", "PUT", "PATCH", "DELETE"], async (method) => {
    const response = await b.get(`${path}?${body}`, { method, headers });
    assertMatch(response.headers.get("allow") ?? "", /^POST\b/);
    assertMatch(await outcome(response), /^405 /);
  });
  await each<[string | undefined, string | Uint8Array<ArrayBuffer>, RegExp]>([
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
    assertMatch(await outcome(await b.get(path, { method: "POST", body: sent, headers: all })), expected);
  });
  const packed = { ...headers, "content-type": form, "content-encoding": "gzip" };
  assertMatch(await outcome(await b.get(path, { method: "POST", body, headers: packed })), /^41[35] |^400 /);
  for (const type of [`${form};charset=UTF-8`, "Application/X-WWW-Form-Urlencoded"]) {
    assertEquals(await outcome(await post(b, path, fields, { ...headers, "content-type": type })), "200");
  }
}

/**
 * Asserts that a client endpoint refuses a known parameter given twice and credentials in the address, and that nothing
 * else in query or body, however it is spelt, changes what is answered.
 */
export async function readsParametersOnce(b: Bench, { path, fields, headers }: GoodRequest): Promise<void> {
  const answer = async (more: Fields, query = "") => await post(b, path + query, { ...fields, ...more }, headers);
  const names = [...Object.keys(fields), "token_type_hint", "client_id", "client_secret", "client_assertion", "scope"];
  await each([...new Set(names)], async (name) => {
    const value = fields[name] as string | undefined ?? "x";
    for (const pair of [[value, value], [value, "y"], ["y", value], [value, ""], ["", ""]]) {
      assertEquals(await outcome(await answer({ [name]: pair })), "400 invalid_request");
    }
  });
  await each([
    ...["token=x", "client_secret=x", "client_assertion=x", "refresh_token=x", "code=x", "foo=1&token=x"],
    ...["t%6Fken=x", "client%5Fsecret=x", "token", "token=", "token=a&token=b"],
  ], async (query) => assertEquals(await outcome(await answer({}, `?${query}`)), "400 invalid_request"));
  const expected = Object.keys(await (await answer({})).json());
  await each<[Fields, string?]>([
    [{ foo: "1", bar: ["1", "2"], "token[]": ["a", "b"], "token ": "x", TOKEN: "x", "": "x" }],
    [{ constructor: "1", toString: ["1", "2"], hasOwnProperty: "1", valueOf: "x" }],
    [Object.fromEntries([["__proto__", "x"], ["__proto__[token]", "x"], ["prototype", "x"]])],
    [{ client_secret: "", client_assertion: "", client_assertion_type: "", scope: "", token_type_hint: "" }],
    [{}, "?foo=1&client_id=nobody&grant_type=password&scope=admin&__proto__=x&constructor=x&&="],
  ], async ([more, query]) => {
    const response = await answer(more, query);
    assertEquals(response.status, 200, await response.clone().text());
    assertEquals(Object.keys(await response.json()), expected);
  });
}

/** Asserts that nobody gets past the authentication of a client endpoint who is not the client they say they are. */
export async function refusesStrangers(b: Bench, { path, fields }: GoodRequest): Promise<void> {
  const bare = { ...fields, client_id: undefined };
  await each<[Fields, Record<string, string>, string?]>([
    [{}, {}],
    [{ client_id: "nobody" }, {}],
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
    [{}, basic("nobody", "web-secret")],
    [{}, basic("spa", "")],
    [{}, basic("poster", "poster-secret")],
    [{}, { authorization: "Basic" }],
    [{}, { authorization: "Basic !" }],
    [{ client_id: "spa" }, { authorization: "Bearer x" }],
    [{ client_id: "poster", client_secret: "poster-secret" }, { authorization: "Digest x" }, "400 invalid_request"],
    [{ client_secret: "web-secret" }, as("web"), "400 invalid_request"],
    [{ client_id: "web2" }, as("web"), "400 invalid_request"],
    [{ client_id: "spa" }, as("web"), "400 invalid_request"],
  ], async ([change, headers, expected = "401 invalid_client"]) => {
    assertEquals(await outcome(await post(b, path, { ...bare, ...change }, headers)), expected);
  });
}

/** Asserts that an answer, and a preflight, are open to scripts of every origin. */
export async function isForScripts(b: Bench, { path, fields, headers }: GoodRequest): Promise<void> {
  const origin = { origin: "https://elsewhere.example" };
  const answers = [
    await post(b, path, fields, { ...headers, ...origin }),
    await post(b, path, {}, { ...basic("web", "guess"), ...origin }),
    await b.get(path, { method: "DELETE", headers: origin }),
    await b.get(path, {
      method: "OPTIONS",
      headers: {
        ...origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
      },
    }),
  ];
  assertEquals(answers.map(({ status }) => status), [200, 401, 405, 204]);
  for (const { headers } of answers) {
    assertEquals(headers.get("access-control-allow-origin"), "*");
    assertEquals(headers.get("access-control-allow-credentials"), null);
  }
  const { headers: preflight } = answers.at(-1)!;
  assert(preflight.get("access-control-allow-methods")!.split(", ").includes("POST"));
  assertMatch(preflight.get("access-control-allow-headers")!, /authorization, content-type/);
}
