/** Requests that break one rule, sent to a server in this process: what it rejects is shown on the page of the rule. */

import { STATUS_CODES } from "node:http";
import { logging } from "../../src/cli/operating/mod.ts";
import { testLatchkey } from "../../src/testing/mod.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../../src/testing/mod.ts";

/** A rejected request, as text. */
export interface Rejection {
  readonly request: string;
  readonly response: string;
  /** What the terminal of the server shows. */
  readonly explanation: string;
}

type Pairs = readonly (readonly [name: string, value: string])[];

/** A request in parts, so that each part can be changed. */
interface Draft {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Parameters of the query of a GET, of the form of a POST. */
  readonly params: Pairs;
  /** Replaces the form. */
  readonly json?: unknown;
}

/** Makes a request that the server accepts. */
type MakeDraft = (as: TestLatchkey) => Draft | Promise<Draft>;

/** A change that breaks a rule. It may send requests of its own before. */
type Change = (draft: Draft, as: TestLatchkey) => Draft | Promise<Draft>;

const issuer = "http://localhost:9000";
const redirect_uri = "https://shop.example/callback";
const basic = (id: string, secret: string) => `Basic ${btoa(`${id}:${secret}`)}`;
const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"; // RFC 7636, Appendix B

const authorize: MakeDraft = () => ({
  method: "GET",
  path: "/oauth2/authorize",
  params: Object.entries({
    ...{ response_type: "code", client_id: "spa", redirect_uri, scope: "openid read", state: "af0ifjsldkj" },
    ...{ code_challenge, code_challenge_method: "S256" },
  }),
});

async function authorizationCode(as: TestLatchkey, client_id = "spa"): Promise<string> {
  const { params, ...draft } = await authorize(as);
  const query = set({ ...draft, params }, "client_id", client_id);
  const response = await as.fetch(toRequest(query), { redirect: "manual" });
  return new URL(response.headers.get("location")!).searchParams.get("code")!;
}

const form = (path: string, params: Readonly<Record<string, string>>, headers?: Draft["headers"]): Draft => ({
  ...{ method: "POST", path, params: Object.entries(params) },
  ...headers && { headers },
});

const exchange: MakeDraft = async (as) =>
  form("/oauth2/token", {
    ...{ grant_type: "authorization_code", code: await authorizationCode(as), redirect_uri, client_id: "spa" },
    code_verifier: verifier,
  });

const confidentialExchange: MakeDraft = async (as) =>
  form("/oauth2/token", {
    ...{ grant_type: "authorization_code", code: await authorizationCode(as, "web"), redirect_uri },
    code_verifier: verifier,
  }, { authorization: basic("web", "web-secret") });

const refresh: MakeDraft = async (as) =>
  form("/oauth2/token", {
    grant_type: "refresh_token",
    refresh_token: await as.mint.refreshToken({ client: "spa", scope: "read" }),
    client_id: "spa",
  });

const clientCredentials: MakeDraft = () =>
  form("/oauth2/token", { grant_type: "client_credentials", scope: "read" }, {
    authorization: basic("web", "web-secret"),
  });

const userinfo: MakeDraft = async (as) => ({
  method: "GET",
  path: "/oauth2/userinfo",
  params: [],
  headers: { authorization: `Bearer ${await as.mint.accessToken({ client: "spa", scope: "openid" })}` },
});

const tokenRequest = (path: string): MakeDraft => async (as) =>
  form(path, { token: await as.mint.refreshToken({ client: "web" }) }, { authorization: basic("web", "web-secret") });

const pushed: MakeDraft = async (as) => ({ ...await authorize(as), method: "POST", path: "/oauth2/par" });

const device: MakeDraft = () => form("/oauth2/device_authorization", { client_id: "spa", scope: "read" });

const devicePoll: MakeDraft = async (as) => {
  const response = await as.fetch(toRequest(await device(as)));
  const { device_code } = await response.json();
  return form("/oauth2/token", {
    grant_type: "urn:ietf:params:oauth:grant-type:device_code",
    ...{ device_code, client_id: "spa" },
  });
};

const register: MakeDraft = () => ({
  method: "POST",
  path: "/oauth2/register",
  params: [],
  json: { client_name: "Shop", redirect_uris: [redirect_uri] },
});

const logout: MakeDraft = () => ({ method: "GET", path: "/oauth2/logout", params: [["client_id", "spa"]] });

const set = (draft: Draft, name: string, value: string): Draft => ({
  ...draft,
  params: [...draft.params.filter(([other]) => other !== name), [name, value]],
});
const add = (name: string, value: string): Change => (draft) => ({
  ...draft,
  params: [...draft.params, [name, value]],
});
const replace = (name: string, value: string | undefined): Change => (draft) => ({
  ...draft,
  params: draft.params.flatMap(([other, old]) =>
    other !== name ? [[other, old] as const] : value === undefined ? [] : [[other, value] as const]
  ),
});
const header = (name: string, value: string): Change => (draft) => ({
  ...draft,
  headers: { ...draft.headers, [name]: value },
});
const json = (json: unknown): Change => (draft) => ({ ...draft, json });

/** Sends the request once before. */
const twice: Change = async (draft, as) => {
  await (await as.fetch(toRequest(draft))).body?.cancel();
  return draft;
};

/** Lets time pass before the request. */
const after = (seconds: number): Change => (draft, as) => {
  as.clock.advance(seconds);
  return draft;
};

/** The changes that show their rule best; the first one that a rule rejects is shown. */
const attempts: readonly (readonly [MakeDraft, Change, TestLatchkeyOptions?])[] = [
  [authorize, replace("client_id", "shop")],
  [authorize, replace("redirect_uri", `${redirect_uri}/`)],
  [authorize, replace("redirect_uri", undefined)],
  [authorize, replace("response_type", "token")],
  [authorize, replace("scope", "raed")],
  [authorize, replace("scope", 'read"x')],
  [authorize, (draft) => ({
    ...draft,
    params: draft.params.filter(([name]) => !name.startsWith("code_challenge")),
  })],
  [authorize, replace("code_challenge", undefined)],
  [authorize, replace("code_challenge_method", "plain")],
  [authorize, replace("code_challenge", "too-short")],
  [authorize, add("response_mode", "fragment")],
  [authorize, add("prompt", "none login")],
  [authorize, add("max_age", "an hour")],
  [authorize, add("resource", "https://api.example/#top")],
  [authorize, add("request", "eyJhbGciOiJub25lIn0.e30.")],
  [authorize, add("request_uri", "urn:ietf:params:oauth:request_uri:unknown")],
  [authorize, add("claims", "{")],
  [authorize, add("login_hint", "mallory@example.com")],
  [authorize, add("id_token_hint", "not a token")],
  [authorize, add("dpop_jkt", "short")],
  [exchange, replace("redirect_uri", `${redirect_uri}/`)],
  [exchange, replace("redirect_uri", undefined)],
  [exchange, replace("code_verifier", "another-verifier-of-at-least-forty-three-characters")],
  [exchange, replace("code_verifier", undefined)],
  [exchange, replace("code_verifier", "short")],
  [exchange, replace("code", "unknown")],
  [exchange, twice],
  [exchange, after(301)],
  [exchange, replace("client_id", "cli")],
  [exchange, replace("grant_type", "password")],
  [exchange, add("resource", "https://api.example")],
  [exchange, header("authorization", basic("spa", "secret"))],
  [exchange, json({ grant_type: "authorization_code" })],
  [exchange, (draft) => ({ ...draft, method: "GET" })],
  [exchange, (draft) => ({ ...draft, path: `${draft.path}?client_secret=secret` })],
  [exchange, header("dpop", "not a proof")],
  [exchange, header("content-encoding", "gzip")],
  [confidentialExchange, header("authorization", "Basic !")],
  [confidentialExchange, add("client_secret", "web-secret")],
  [refresh, twice],
  [refresh, replace("refresh_token", "unknown")],
  [refresh, add("scope", "write")],
  [refresh, replace("client_id", "cli")],
  [clientCredentials, replace("scope", "openid")],
  [userinfo, header("authorization", "Bearer unknown")],
  [pushed, add("request_uri", "urn:ietf:params:oauth:request_uri:unknown")],
  [device, replace("client_id", "cli")],
  [devicePoll, twice, { login: "interactive" }],
  [devicePoll, after(3600), { login: "interactive" }],
  [register, json({ redirect_uris: ["/callback"] })],
  [register, json([])],
  [register, json({ redirect_uris: [redirect_uri] }), {
    registration: { initialAccessTokens: ["secret-of-the-team"] },
  }],
  [logout, add("id_token_hint", "not a token")],
  [logout, add("post_logout_redirect_uri", "https://shop.example/bye")],
];

/** Requests whose parts are left out, repeated and changed one after the other. */
const drafts: readonly MakeDraft[] = [
  ...[authorize, exchange, confidentialExchange, refresh, clientCredentials, userinfo, pushed, device, devicePoll],
  ...[tokenRequest("/oauth2/introspect"), tokenRequest("/oauth2/revoke"), register, logout],
];

/** Every change of a single part. */
function changesOf({ params, method, headers }: Draft): Change[] {
  return [
    ...params.flatMap(([name, value]) => [
      replace(name, undefined),
      add(name, value),
      replace(name, `${value}x`),
      replace(name, "\u0000"),
    ]),
    ...headers?.authorization === undefined ? [] : [header("authorization", "Basic"), header("authorization", "x y")],
    (draft) => ({ ...draft, method: method === "GET" ? "POST" : "GET" }),
    (draft) => ({ ...draft, method: "DELETE" }),
    header("content-type", "text/plain"),
    header("origin", "https://other.example"),
    header("host", "other.example"),
  ];
}

/** A server with three clients. The same options result in the same codes and tokens. */
async function createServer(options: TestLatchkeyOptions): Promise<TestLatchkey> {
  const as = await testLatchkey({ seed: "rules", issuer, ...options });
  const redirect_uris = [redirect_uri];
  const forUsers = ["authorization_code", "refresh_token"];
  const clients = {
    spa: { grant_types: [...forUsers, "urn:ietf:params:oauth:grant-type:device_code"] },
    cli: {},
    web: { client_secret: "web-secret", grant_types: [...forUsers, "client_credentials"] },
  };
  for (const [client_id, metadata] of Object.entries(clients)) {
    as.clients.set({ client_id, redirect_uris, ...metadata });
  }
  return as;
}

/** For each rule that rejects one of the requests, the first one. */
export async function rejectedRequests(): Promise<ReadonlyMap<string, Rejection>> {
  const found = new Map<string, Rejection>();
  const attempt = async (make: MakeDraft, change: Change, options: TestLatchkeyOptions = {}) => {
    const terminal: string[] = [];
    const log = logging({ write: (text) => terminal.push(text), format: "text" });
    const as = await createServer({ ...options, plugins: [log] });
    const draft = await change(await make(as), as);
    terminal.length = 0;
    const response = await as.fetch(toRequest(draft), { redirect: "manual" });
    const body = await response.text();
    const rule = as.log.exchanges.at(-1)?.rejection?.explanation.rule;
    await as.close();
    if (rule === undefined || found.has(rule)) return;
    found.set(rule, {
      request: printRequest(draft),
      response: printResponse(response, body),
      explanation: terminal.join("").slice(terminal.join("").indexOf("✗")).replaceAll(/^ {14}/gm, "  ")
        .replace(/^ +request +\w+$/m, "").trimEnd(),
    });
  };
  for (const [make, change, options] of attempts) await attempt(make, change, options);
  for (const make of drafts) {
    const as = await createServer({});
    const changes = changesOf(await make(as));
    await as.close();
    for (const change of changes) await attempt(make, change);
  }
  return found;
}

const contentType = (draft: Draft) =>
  draft.json === undefined ? "application/x-www-form-urlencoded" : "application/json";

function toRequest(draft: Draft): Request {
  const { method, path, headers, params, json } = draft;
  const url = new URL(path, issuer);
  const hasBody = method !== "GET" && method !== "DELETE";
  if (!hasBody) { for (const [name, value] of params) url.searchParams.append(name, value); }
  return new Request(url, {
    method,
    headers: { ...hasBody && { "content-type": contentType(draft) }, ...headers },
    ...hasBody &&
      { body: json === undefined ? `${new URLSearchParams(params.map(([...pair]) => pair))}` : JSON.stringify(json) },
  });
}

const headerName = (name: string) =>
  name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace("Www", "WWW")
    .replace("Dpop", "DPoP");

/** The request as it travels, but each parameter in a line of its own. */
function printRequest(draft: Draft): string {
  const { method, path, headers, params, json } = draft;
  const hasBody = method !== "GET" && method !== "DELETE";
  const encoded = params.map(([name, value]) => `${new URLSearchParams([[name, value]])}`);
  const query = hasBody || encoded.length === 0 ? "" : `?${encoded.join("\n  &")}`;
  const lines = Object.entries({
    host: new URL(issuer).host,
    ...hasBody && { "content-type": contentType(draft) },
    ...headers,
  }).map(([name, value]) => `${headerName(name)}: ${value}`);
  const body = !hasBody ? [] : ["", json === undefined ? encoded.join("\n&") : JSON.stringify(json, null, 2)];
  return [`${method} ${path}${query} HTTP/1.1`, ...lines, ...body].join("\n");
}

/** The headers that explain the response. */
const shownHeaders = ["location", "content-type", "www-authenticate", "allow", "retry-after"];

/** The response, without the page for the user. */
function printResponse({ status, headers }: Response, body: string): string {
  const lines = shownHeaders.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [`${headerName(name)}: ${value.replaceAll(/(?<=[?&])(?=\w+=)/g, "\n  ").trim()}`];
  });
  const isJson = headers.get("content-type")?.includes("json") === true && body !== "";
  const text = isJson ? ["", JSON.stringify(JSON.parse(body), null, 2)] : [];
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, ...text].join("\n");
}
