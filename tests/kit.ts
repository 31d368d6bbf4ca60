/** What most tests need: a server with a virtual clock and recorded events, good requests, and assertions. */

import { assert, assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { createLocalJWKSet } from "jose";
import { type ClientMetadata, type LatchkeyOptions, memoryStore, type Store, type User } from "../src/mod.ts";
import type { TraceEvent } from "../src/server/trace.ts";
import { latchkey, type MemoryLatchkey } from "./secret_leak_check.ts";

/** RFC 7636 Appendix B. */
export const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
/** Its S256 challenge. */
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/** `spa` is public, `web` authenticates by Basic, `poster` by client_secret_post. */
export const clients = [
  { client_id: "spa", redirect_uris: ["https://spa.example/cb"] },
  { client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.example/cb"] },
  {
    client_id: "poster",
    client_secret: "poster-secret",
    token_endpoint_auth_method: "client_secret_post",
    redirect_uris: ["https://poster.example/cb"],
  },
] as const;

/** Options whose clients and users are lists. */
export interface ListedOptions extends LatchkeyOptions {
  readonly clients?: readonly ClientMetadata[];
  readonly users?: readonly User[];
}

/** Options of a server on a host that may be in production. */
export const realHost = { issuer: "https://login.widgets.com", insecure: ["auto-login"] } as const;

/** Fields of a request; `undefined` leaves a field out, an array repeats it. */
export type Fields = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A server under test. */
export interface TestServer {
  readonly as: MemoryLatchkey;
  readonly events: TraceEvent[];
  /** Moves the clock. */
  advance(seconds: number): void;
  /** GET /oauth2/authorize for `spa` with everything in order, changed by the fields given. */
  authorize(fields?: Fields, init?: RequestInit): Promise<Response>;
  /** A code for `spa`, with the same changes; throws when there is none. */
  code(fields?: Fields): Promise<string>;
  /** POST /oauth2/token as `spa` with everything in order, changed by the fields given. */
  token(fields: Fields, init?: RequestInit): Promise<Response>;
  /** Any request below the issuer. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** POST of a form. */
  post(path: string, form: Fields | string, headers?: HeadersInit): Promise<Response>;
}

/** The authorization request of `spa` that yields a code. */
export const goodRequest: Fields = {
  response_type: "code",
  client_id: "spa",
  redirect_uri: "https://spa.example/cb",
  scope: "openid read",
  state: "st4te",
  code_challenge: challenge,
  code_challenge_method: "S256",
};

/** Makes a server at `https://as.test` that signs with EdDSA and starts at 2026-01-01T00:00:00Z. */
export async function testServer(options: LatchkeyOptions = {}): Promise<TestServer> {
  let time = Date.UTC(2026, 0, 1);
  const events: TraceEvent[] = [];
  const as = await latchkey({
    issuer: "https://as.test",
    alg: "EdDSA",
    clients,
    now: () => time,
    trace: (event) => events.push(event),
    ...options,
  });
  const self: TestServer = {
    as,
    events,
    advance: (seconds) => void (time += seconds * 1000),
    get: (path, init) => as.fetch(new Request(as.issuer + path, { redirect: "manual", ...init })),
    post(path, form, headers) {
      const all = new Headers(headers);
      if (!all.has("content-type")) all.set("content-type", "application/x-www-form-urlencoded");
      // Of a copy with another `get`, that one.
      return this.get(path, { method: "POST", body: typeof form === "string" ? form : encode(form), headers: all });
    },
    authorize: (fields = {}, init) => self.get(`/oauth2/authorize?${encode({ ...goodRequest, ...fields })}`, init),
    async code(fields = {}) {
      const response = await self.authorize(fields);
      const code = new URL(response.headers.get("location") ?? "none:").searchParams.get("code");
      if (code === null) throw new Error(`no code: ${response.status} ${response.headers.get("location")}`);
      return code;
    },
    token: (fields, init) =>
      self.get("/oauth2/token", {
        method: "POST",
        body: encode({
          grant_type: "authorization_code",
          client_id: "spa",
          redirect_uri: "https://spa.example/cb",
          code_verifier: verifier,
          ...fields,
        }),
        ...init,
        headers: { "content-type": "application/x-www-form-urlencoded", ...init?.headers },
      }),
  };
  return self;
}

/** A memory store that counts as persistent and stays open, for several instances. */
export function sharedStore(): Store {
  return { ...memoryStore(), persistent: true, close: () => Promise.resolve() };
}

/** A memory store that counts as persistent, and its calls in order: `get client`. Empty the list before you use it. */
export function recordingStore(): { readonly store: Store; readonly asked: string[] } {
  const calls: string[] = [];
  const store = observedStore({ ...memoryStore(), persistent: true }, (verb, [kind]) => calls.push(`${verb} ${kind}`));
  return { store, asked: calls };
}

/** Form-encodes fields. */
export function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined).map((one) => [name, one])
  );
  return new URLSearchParams(pairs as string[][]).toString();
}

/** An HTTP Basic header with both halves as they stand. */
export function basic(id: string, secret: string): Record<string, string> {
  return { authorization: `Basic ${btoa(`${id}:${secret}`)}` };
}

/** The parameters of a redirect, read from its `Location`. */
export function getRedirectParams(response: Response): URLSearchParams {
  const location = response.headers.get("location");
  if (location === null) throw new Error(`no Location, status ${response.status}`);
  return new URLSearchParams(location.slice(location.indexOf("?") + 1));
}

/** Rejections among the events, newest last. */
export function getRejections(events: readonly TraceEvent[]): Extract<TraceEvent, { type: "rejected" }>[] {
  return events.filter((event) => event.type === "rejected");
}

/** The claims in a JWT, unverified. */
export function decodeClaims(jwt: string): Record<string, unknown> {
  const payload = jwt.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/");
  return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(payload), (byte) => byte.charCodeAt(0))));
}

/** POST /oauth2/authorize with the good request of `spa` in the body, changed by the fields given. */
export function authorizeByPost(server: TestServer, fields: Fields = {}, query = ""): Promise<Response> {
  return server.post(`/oauth2/authorize${query}`, { ...goodRequest, ...fields });
}

/** Runs a check for every case; fails once, naming each case whose check failed. */
export async function forEachCase<T>(cases: Iterable<T>, check: (one: T) => unknown): Promise<void> {
  const failures: string[] = [];
  for (const one of cases) {
    try {
      await check(one);
    } catch (error) {
      const name = JSON.stringify(one, (_, value) => value === undefined ? "absent" : value) ?? "absent";
      failures.push(`with ${name.slice(0, 100)}: ${error instanceof Error ? error.message : error}`);
    }
  }
  assert(failures.length === 0, `${failures.length} failed\n${failures.slice(0, 20).join("\n")}`);
}

/** OAuth 2.1 §4.1.2.1, OpenID Connect Core §3.1.2.6, OpenID Connect Unmet Authentication Requirements §2. */
const authorizationErrorCodes = [
  ...[
    "invalid_request",
    "unauthorized_client",
    "access_denied",
    "unsupported_response_type",
    "invalid_scope",
    "invalid_target",
    "invalid_authorization_details",
  ],
  ...["server_error", "temporarily_unavailable", "interaction_required", "login_required", "consent_required"],
  ...["account_selection_required", "invalid_request_uri", "invalid_request_object", "request_not_supported"],
  ...["request_uri_not_supported", "registration_not_supported", "unmet_authentication_requirements"],
];

/** What a redirect is expected to be. */
export interface ExpectedRedirect {
  /** What `Location` begins with, character for character. Default: the redirect URI of `spa`. */
  readonly uri?: string;
  /** `null`: there is none. Default: the one of {@link goodRequest}. */
  readonly state?: string | null;
  readonly issuer?: string;
}

/** Asserts a valid authorization response, a code or an error, and returns its parameters. */
export function assertAuthorizationResponse(
  response: Response,
  expectedRedirect: ExpectedRedirect = {},
): Readonly<Record<string, string>> {
  const { uri = "https://spa.example/cb", state = "st4te", issuer = "https://as.test" } = expectedRedirect;
  assertMatch(String(response.status), /^30[23]$/);
  const location = response.headers.get("location")!.replace(/#_$/, "");
  assertMatch(location, /^[\x21\x22\x24-\x7E]+$/, "Location is not a line of ASCII without a fragment");
  const prefix = uri + (!uri.includes("?") ? "?" : /^[^?]*\?$|&$/.test(uri) ? "" : "&");
  assert(location.startsWith(prefix), `Location is ${location}, not at ${prefix}`);
  const pairs = [...new URLSearchParams(location.slice(prefix.length))];
  const params: Record<string, string> = Object.fromEntries(pairs);
  const names = pairs.map(([name]) => name).sort();
  const expected = "error" in params
    ? ["error", ...["error_description", "error_uri"].filter((name) => name in params)]
    : ["code"];
  assertEquals(names, [...expected, "iss", ...state === null ? [] : ["state"]].sort());
  assertEquals(params.iss, issuer);
  if (state !== null) assertEquals(params.state, state);
  if ("error" in params) {
    assert(authorizationErrorCodes.includes(params.error), `${params.error} is no registered error`);
    assertMatch(params.error_description ?? "", /^[\x20\x21\x23-\x5B\x5D-\x7E]*$/);
  } else assertMatch(params.code, /^[A-Za-z0-9._~-]+$/);
  return params;
}

/** A link to a section of a specification: the only external link, without a referrer. */
const specification =
  /^<a href="https:\/\/(?:www\.rfc-editor\.org|datatracker\.ietf\.org|openid\.net|modelcontextprotocol\.io)\/[\w./#-]*" rel="noreferrer">$/;

/** The two forms of the home page, exactly: they add a client, and choose the user of automatic login. */
const homeForm =
  /^<form class="(?:form" id="connect" method="post" action="(?:\/\w+)?\/clients|ways" method="post" action="(?:\/\w+)?\/users)">$/;

/** The choice of a library on the page of a client, which changes nothing. */
export const libraryForm =
  /^<form class="ways" method="get" action="(?:\/\w+)?\/clients\/[^"]*#(?:settings|correct)">$/;

/** Asserts a page of this server without redirects, with `hostile` escaped, and returns its HTML. */
export async function assertPage(response: Response, status = 400, ...hostile: readonly string[]): Promise<string> {
  assertEquals(response.status, status);
  assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
  assertEquals([response.headers.get("location"), response.headers.get("refresh")], [null, null]);
  // A place where a line may break is no text.
  const html = (await response.text()).replaceAll("<wbr/>", "");
  for (const [written] of html.matchAll(/<[a-z](?:"[^"]*"|'[^']*'|[^>"'])*>/gi)) {
    // What a field contains is no attribute.
    const tag = written.replace(/ value="[^"]*"/, "");
    if (specification.test(tag)) continue;
    if (homeForm.test(tag) || libraryForm.test(tag)) continue;
    assertNotMatch(tag, /\shttp-equiv|^<(?:base|form|iframe|object|embed|frame|svg|math)\b/i);
    assertNotMatch(tag, /[\s"'/]on\w+\s*=/i);
    assertNotMatch(tag, /^<script(?![^>]* src=)/i);
    for (
      const [, target] of tag.matchAll(
        /[\s"'](?:href|src|srcset|action|formaction|poster|ping|data)\s*=\s*"?([^"\s>]*)/gi,
      )
    ) {
      assertMatch(target, /^(?:#|\/(?![/\\]))/, `${tag} leads off this origin`);
    }
  }
  for (const text of hostile) assert(!html.includes(text), `the page holds ${text} as it was sent`);
  return html;
}

/** Expected token response. */
export interface TokenResponseBody {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in: number;
  readonly scope: string;
  /** Present where `openid` was granted. */
  readonly id_token: string;
}

/** Asserts a valid token response (OAuth 2.1 §3.2.3), and returns its body. */
export async function assertTokenResponse(response: Response): Promise<TokenResponseBody> {
  const text = await response.text();
  assertEquals(response.status, 200, text);
  assertMatch(response.headers.get("content-type") ?? "", /^application\/json\b/);
  assertEquals(response.headers.get("cache-control"), "no-store");
  return JSON.parse(text);
}

/**
 * The outcome of a token request: `200`, or status and error code such as `400 invalid_grant`. Asserts that every
 * rejection is uncached JSON without a token, with a challenge only if it is a 401.
 */
export async function getOutcome(response: Response): Promise<string> {
  if (response.status === 200) return `${response.status}`;
  const text = await response.text();
  assertMatch(response.headers.get("content-type") ?? "", /^application\/json\b/);
  assertEquals(response.headers.get("cache-control"), "no-store");
  const challenge = response.headers.get("www-authenticate");
  if (challenge !== null) assertMatch(challenge, /^Basic realm="[^"]*"/);
  // A client that names itself in the body gets 401 without a challenge.
  if (response.status !== 401) assertEquals(challenge, null);
  const { error, error_description = "", error_uri = "", ...more } = JSON.parse(text);
  assertMatch(error, /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/);
  assertMatch(error_description, /^[\x20\x21\x23-\x5B\x5D-\x7E]*$/);
  assertMatch(error_uri, /^(?:\S+\/flows\/of\/\d+)?$/);
  assertEquals(more, {}, "a rejection has more than error, error_description and error_uri");
  return `${response.status} ${error}`;
}

/** Changes the good authorization request into one of `web`, without a code challenge. */
export const webRequest: Fields = {
  client_id: "web",
  redirect_uri: "https://web.example/cb",
  code_challenge: undefined,
  code_challenge_method: undefined,
};

/** Changes the good token request into the one that follows {@link webRequest}; its Basic header comes apart. */
export const webToken: Fields = {
  client_id: undefined,
  redirect_uri: "https://web.example/cb",
  code_verifier: undefined,
};

/** Wraps a store and reports every call; what the listener throws, the call rejects with. */
export function observedStore(store: Store, onCall: (verb: keyof Store, args: readonly unknown[]) => unknown): Store {
  return new Proxy(store, {
    get(target, verb: keyof Store) {
      const member = target[verb];
      if (typeof member !== "function") return member;
      return async (...args: unknown[]) => {
        await onCall(verb, args);
        return await (member as (...args: unknown[]) => unknown)(...args);
      };
    },
  });
}

/** The keys that a server publishes at this moment, as jose wants them for verifying. */
export async function fetchKeySet({ get }: TestServer): Promise<ReturnType<typeof createLocalJWKSet>> {
  return createLocalJWKSet(await (await get("/oauth2/jwks")).json());
}
