/**
 * Plays the requests of `requests.ts` at the servers of `servers.ts`, and writes each exchange as a line of JSON into
 * a file. Clock, chance and keys are fixed, so the same source always writes the same file. It calls the public API
 * alone, so that it runs beside the source of another commit.
 */

import { Buffer } from "node:buffer";
import process from "node:process";
import { createWriteStream } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { importJWK, SignJWT } from "jose";
import {
  accepts,
  type Authentication,
  authentication,
  authentications,
  bodies,
  contentTypes,
  endpoints,
  type Fields,
  form,
  logins,
  methods,
  otherHeaders,
  type RecordedEndpoint,
  type RecordedRequest,
  registrations,
  verifier,
} from "./requests.ts";
import { clientKey, type Recorded, type ServerDescription, serverKey, servers } from "./servers.ts";

/** A request, its response, and the types of the events between them. */
export interface Exchange {
  readonly server: string;
  readonly name: string;
  readonly request: string;
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly events: readonly string[];
}

const start = Date.UTC(2030, 0, 1);
let time = start;
let state = 0;

/** Makes chance start again: the same name gives the same values. */
function seed(name: string): void {
  state = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) state = Math.imul(state ^ name.charCodeAt(i), 0x01000193);
}

/** The generator mulberry32. */
function randomByte(): number {
  state = state + 0x6d2b79f5 | 0;
  let mixed = Math.imul(state ^ state >>> 15, state | 1);
  mixed ^= mixed + Math.imul(mixed ^ mixed >>> 7, mixed | 61);
  return (mixed ^ mixed >>> 14) & 255;
}

const randomBytes = (count: number) => Uint8Array.from({ length: count }, randomByte);

crypto.getRandomValues = (<T extends ArrayBufferView>(view: T) => {
  new Uint8Array(view.buffer, view.byteOffset, view.byteLength).set(randomBytes(view.byteLength));
  return view;
}) as typeof crypto.getRandomValues;

const generateKey = crypto.subtle.generateKey.bind(crypto.subtle) as (...values: unknown[]) => Promise<unknown>;
crypto.subtle.generateKey = (async (...[algorithm, extractable, uses]: [{ name?: string }, boolean, KeyUsage[]]) => {
  if ((algorithm.name ?? algorithm) !== "Ed25519") return await generateKey(algorithm, extractable, uses);
  const { d: _private, ...publicJwk } = serverKey;
  return {
    privateKey: await crypto.subtle.importKey("jwk", serverKey, "Ed25519", extractable, ["sign"]),
    publicKey: await crypto.subtle.importKey("jwk", publicJwk, "Ed25519", true, ["verify"]),
  };
}) as typeof crypto.subtle.generateKey;

/** What the URL of an endpoint follows from. */
type EndpointUrl = Pick<RecordedEndpoint, "metadata" | "path">;

/** A browser's cookies by name. */
type Cookies = Map<string, string>;

const output = createWriteStream(process.argv[2]!);
let count = 0;

async function open(description: ServerDescription): Promise<Player> {
  seed(description.name);
  const events: string[] = [];
  const trace = (event: { readonly type: string }) => void events.push(describeEvent(event));
  const server = await description.create({ now: () => time, randomBytes, trace });
  const { issuer = description.issuer! } = server as { readonly issuer?: string };
  return await new Player(description.name, server, issuer === "from-host" ? "http://localhost:9000" : issuer, events)
    .readMetadata();
}

/** The type of an event, and the rules that it names. */
function describeEvent(event: { readonly type: string }): string {
  const rules = [...new Set(JSON.stringify(event).match(/\b[A-Z]{2}-\d{2}\b/g) ?? [])];
  return [event.type, ...rules].join(" ");
}

/** Plays requests at one server. */
class Player {
  readonly #name: string;
  readonly #server: Recorded;
  readonly #base: string;
  readonly #issuer: string;
  readonly #events: string[];
  #metadata: Record<string, string> = {};

  constructor(name: string, server: Recorded, issuer: string, events: string[]) {
    this.#name = name;
    this.#server = server;
    this.#issuer = issuer;
    this.#base = issuer.replace(/\/$/, "");
    this.#events = events;
  }

  async readMetadata(): Promise<this> {
    const response = await this.#server.fetch(new Request(`${this.#base}/.well-known/openid-configuration`));
    if (response.ok) this.#metadata = await response.json();
    return this;
  }

  /** The URL of an endpoint. */
  #url({ metadata, path }: EndpointUrl): string {
    return (metadata === undefined ? undefined : this.#metadata[metadata]) ?? this.#base + path;
  }

  async playAll(isFull: boolean): Promise<void> {
    for (const endpoint of endpoints) await this.#playEndpoint(endpoint, isFull);
    if (this.#metadata.registration_endpoint !== undefined) await this.#playRegistrations();
    for (const client of isFull ? Object.keys(logins) : ["spa", "keyed"]) await this.#playFlow(client);
    if (this.#metadata.device_authorization_endpoint !== undefined) await this.#playDevice();
  }

  async #playEndpoint(endpoint: RecordedEndpoint, isFull: boolean): Promise<void> {
    for (const [i, request] of endpoint.requests.entries()) {
      const name = `${endpoint.name}, ${request.name}`;
      const play = (what: string, changed: Partial<RecordedRequest>, auth?: Authentication) =>
        this.#play(`${name}: ${what}`, endpoint, { ...request, ...changed }, auth);
      await play("as it is", {});
      if (endpoint.metadata === undefined ? !isFull : this.#metadata[endpoint.metadata] === undefined) return;
      const isLong = endpoint.metadata !== undefined && endpoint.name !== "par";
      if (isFull && (i === 0 || endpoint.name !== "authorize")) {
        for (const [what, fields] of variations(request, endpoint, isLong && i === 0 ? "long" : "short")) {
          await play(what, { fields });
        }
      }
      if (i > 0) continue;
      if (endpoint.authenticates && (isFull || endpoint.name === "token")) {
        for (const one of authentications) await play(one.name, {}, one);
      }
      if (endpoint.inBrowser) {
        const cookies: Cookies = new Map();
        await this.#logIn(`${name}: session`, logins.web!, cookies);
        const inSession = (what: string, fields: Fields) =>
          this.#play(`${name}: session, ${what}`, endpoint, { ...request, fields }, undefined, new Map(cookies));
        await inSession("as it is", request.fields);
        if (isFull && endpoint.metadata !== undefined) {
          for (const [what, fields] of variations(request, endpoint, "short")) await inSession(what, fields);
        }
      }
      if (!isFull && endpoint.name !== "token") continue;
      const method = async (method: string, accept: string | undefined) =>
        await this.#play(`${name}: ${method}, accept ${accept}`, { ...endpoint, method }, {
          ...request,
          headers: { ...request.headers, ...accept !== undefined && { accept } },
        });
      for (const one of methods) await method(one, accepts[0]);
      for (const accept of accepts.slice(1)) await method(endpoint.method, accept);
      if (!isFull || endpoint.metadata === undefined) continue;
      for (const headers of otherHeaders) {
        await play(`headers ${JSON.stringify(headers)}`, { headers: { ...request.headers, ...headers } });
      }
      for (const type of contentTypes) {
        await this.#play(`${name}: content type ${type}`, { ...endpoint, method: "POST" }, {
          ...request,
          headers: { ...request.headers, "content-type": type ?? "absent" },
        });
      }
      for (const [j, body] of bodies.entries()) {
        await this.#send(`${name}: body ${j}`, { ...endpoint, method: "POST" }, {}, {
          body,
          headers: { "content-type": form, ...authentication.web!.headers },
        });
      }
    }
  }

  /** Sends a request of the list, and records the exchange. */
  async #play(
    name: string,
    endpoint: Omit<RecordedEndpoint, "method"> & { readonly method: string },
    request: RecordedRequest,
    auth: Authentication | undefined = endpoint.authenticates ? authentication[request.client] : undefined,
    cookies?: Cookies,
  ): Promise<Response> {
    const known = new Map<string, string>();
    const fill = async (text: string) => await this.#fill(name, text, request.client, endpoint, known);
    const fields: Record<string, string | string[]> = {};
    for (const [field, value] of Object.entries({ ...request.fields, ...auth?.fields })) {
      const filled: string[] = [];
      for (const one of [value].flat()) filled.push(await fill(one));
      fields[field] = typeof value === "string" ? filled[0]! : filled;
    }
    const headers: Record<string, string> = {};
    for (const [header, value] of Object.entries({ ...request.headers, ...auth?.headers })) {
      headers[header] = await fill(value);
    }
    return await this.#send(name, endpoint, fields, { headers, cookies });
  }

  async #send(
    name: string,
    endpoint: EndpointUrl & { readonly method: string },
    fields: Fields,
    { headers = {}, body, cookies }: {
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
      readonly cookies?: Cookies;
    },
  ): Promise<Response> {
    const encoded = body ?? encode(fields);
    const isInQuery = endpoint.method === "GET" || endpoint.method === "HEAD";
    const url = this.#url(endpoint) + (isInQuery && encoded !== "" ? `?${encoded}` : "");
    const all = new Headers(headers);
    const type = all.get("content-type");
    if (!isInQuery && type === null) all.set("content-type", form);
    if (type === "absent") all.delete("content-type");
    const init = { method: endpoint.method, headers: all, body: isInQuery ? undefined : encoded };
    return await this.#exchange(name, url, init, cookies);
  }

  /** Sends a request with the cookies of a browser. `name` is undefined for one that is not recorded. */
  async #exchange(name: string, url: string, init: RequestInit, cookies?: Cookies, isRecorded = true) {
    seed(name);
    const headers = new Headers(init.headers);
    // A body of text would set a type.
    const body = typeof init.body === "string" ? new TextEncoder().encode(init.body) : init.body;
    if (cookies !== undefined && cookies.size > 0) {
      headers.set("cookie", [...cookies].map(([cookie, value]) => `${cookie}=${value}`).join("; "));
    }
    this.#events.length = 0;
    const response = await this.#server.fetch(new Request(url, { ...init, headers, body, redirect: "manual" }));
    const text = await response.text();
    await setImmediate();
    for (const line of response.headers.getSetCookie()) {
      const [pair = ""] = line.split(";");
      const at = pair.indexOf("=");
      if (/max-age=0|=;/i.test(line)) cookies?.delete(pair.slice(0, at));
      else cookies?.set(pair.slice(0, at), pair.slice(at + 1));
    }
    if (isRecorded) {
      const exchange: Exchange = {
        server: this.#name,
        name,
        request: `${init.method ?? "GET"} ${url} ${init.body ?? ""}`.slice(0, 3000),
        status: response.status,
        headers: [...response.headers].sort(),
        body: text,
        events: [...this.#events],
      };
      output.write(`${JSON.stringify(exchange)}\n`);
      count++;
    }
    return new Response(response.status === 204 || response.status === 304 ? null : text, response);
  }

  /** Replaces what is in braces. */
  async #fill(
    name: string,
    text: string,
    client: string,
    endpoint: EndpointUrl,
    known: Map<string, string>,
  ): Promise<string> {
    let filled = text;
    for (
      const [whole, kind, of = client, changes = ""] of text.matchAll(/\{(\w+)(?::([\w-]+))?((?:,\w+=[^},]*)*)\}/g)
    ) {
      if (!Object.hasOwn(this.#makers, kind!)) continue;
      if (!known.has(whole)) {
        const made = await this.#makers[kind!]!(`${name} ${whole}`, of, changes, endpoint, known);
        known.set(whole, made ?? "none");
      }
      filled = filled.replace(whole, known.get(whole)!);
    }
    return filled;
  }

  readonly #makers: Readonly<
    Record<
      string,
      (
        name: string,
        client: string,
        changes: string,
        endpoint: EndpointUrl,
        known: Map<string, string>,
      ) => Promise<string | undefined>
    >
  > = {
    code: async (name, client) => await this.#code(name, client),
    used_code: async (name, client) => {
      const code = await this.#code(name, client);
      await this.#exchangeCode(name, client, code);
      return code;
    },
    ...Object.fromEntries(
      ["access_token", "refresh_token", "id_token"].map((member) => [
        member,
        async (name: string, client: string, _changes: string, _endpoint: EndpointUrl, known: Map<string, string>) => {
          const tokens: Record<string, string> = JSON.parse(
            known.get(`tokens ${client}`) ?? JSON.stringify(await this.#tokens(name, client)),
          );
          known.set(`tokens ${client}`, JSON.stringify(tokens));
          return tokens[member];
        },
      ]),
    ),
    used_refresh_token: async (name, client) => {
      const { refresh_token = "none" } = await this.#tokens(name, client);
      await this.#post(name, "token", client, { grant_type: "refresh_token", refresh_token });
      return refresh_token;
    },
    device_code: async (name, client) => (await this.#post(name, "device", client, { scope: "openid" })).device_code,
    auth_req_id: async (name, client) =>
      (await this.#post(name, "ciba", client, { scope: "openid", login_hint: "alice" })).auth_req_id,
    request_uri: async (name, client) => (await this.#post(name, "par", client, logins[client] ?? {})).request_uri,
    assertion: async (name, client, changes) =>
      await this.#jwt(name, changes, { iss: client, sub: client, aud: this.#issuer, exp: 60, iat: 0 }),
    request_object: async (name, client, changes) =>
      await this.#jwt(name, changes, { ...logins[client], iss: client, aud: this.#issuer, exp: 60, nbf: 0 }, {
        typ: "oauth-authz-req+jwt",
      }),
    grant_assertion: async (name, _client, changes) =>
      await this.#jwt(name, changes, {
        iss: "https://other.example",
        sub: "alice",
        aud: this.#issuer,
        exp: 60,
        iat: 0,
      }),
    proof: async (name, method, changes, endpoint) => {
      const { d: _private, kid: _kid, ...jwk } = clientKey;
      const claims = { htm: method, htu: this.#url(endpoint), iat: 0 };
      return await this.#jwt(name, changes, claims, { typ: "dpop+jwt", jwk });
    },
  };

  /** A JWT of the client's key. Times are seconds from now; an empty value removes a claim. */
  async #jwt(name: string, changes: string, claims: Record<string, unknown>, header: object = {}): Promise<string> {
    seed(name);
    const all: Record<string, unknown> = { jti: Buffer.from(randomBytes(12)).toString("base64url"), ...claims };
    for (const [, claim, value] of changes.matchAll(/,(\w+)=([^,]*)/g)) all[claim!] = value === "" ? undefined : value;
    for (const claim of ["exp", "nbf", "iat"]) {
      if (all[claim] !== undefined) all[claim] = Math.floor(time / 1000) + Number(all[claim]);
    }
    const kid = "jwk" in header ? undefined : clientKey.kid;
    return await new SignJWT(JSON.parse(JSON.stringify(all)))
      .setProtectedHeader({ alg: "EdDSA", ...kid !== undefined && { kid }, ...header })
      .sign(await importJWK(clientKey, "EdDSA"));
  }

  /** Posts a correct form of a client, without a record, and returns the JSON. */
  async #post(name: string, endpointName: string, client: string, fields: Fields): Promise<Record<string, string>> {
    const endpoint = endpoints.find((one) => one.name === endpointName)!;
    const auth = authentication[client];
    const filled = Object.entries(auth?.fields ?? {}).map(async ([field, value]) =>
      [field, await this.#fill(`${name} ${endpointName}`, String(value), client, endpoint, new Map())] as const
    );
    const init = {
      method: "POST",
      headers: { "content-type": form, ...auth?.headers },
      body: encode({ ...fields, ...Object.fromEntries(await Promise.all(filled)) }),
    };
    const response = await this.#exchange(`${name} ${endpointName}`, this.#url(endpoint), init, undefined, false);
    return await response.json().catch(() => ({}));
  }

  async #tokens(name: string, client: string): Promise<Record<string, string>> {
    if (logins[client] === undefined) {
      return await this.#post(name, "token", client, { grant_type: "client_credentials" });
    }
    return await this.#exchangeCode(name, client, await this.#code(name, client));
  }

  async #exchangeCode(name: string, client: string, code: string): Promise<Record<string, string>> {
    const { redirect_uri } = logins[client]!;
    return await this.#post(name, "token", client, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirect_uri!,
      code_verifier: verifier,
    });
  }

  async #code(name: string, client: string): Promise<string> {
    const to = await this.#logIn(name, logins[client] ?? { ...logins.spa, client_id: client }, new Map());
    return to?.searchParams.get("code") ?? "none";
  }

  /**
   * Logs in as a user does, with every page, and returns the redirect to the client.
   *
   * @param isRecorded Default: it is not recorded.
   */
  async #logIn(name: string, fields: Fields, cookies: Cookies, isRecorded = false): Promise<URL | undefined> {
    const request_uri = this.#metadata.require_pushed_authorization_requests
      ? (await this.#post(name, "par", String(fields.client_id), fields)).request_uri
      : undefined;
    const sent = request_uri === undefined ? fields : { client_id: fields.client_id!, request_uri };
    let url = `${this.#url(endpoints[0]!)}?${encode(sent)}`;
    let init: RequestInit = { headers: { accept: "text/html" } };
    for (let step = 1; step <= 6; step++) {
      const response = await this.#exchange(`${name} step ${step}`, url, init, cookies, isRecorded);
      const location = response.headers.get("location");
      if (location !== null) {
        const to = new URL(location, url);
        if (to.searchParams.has("code") || to.searchParams.has("error") || to.origin !== new URL(url).origin) return to;
        [url, init] = [to.href, { headers: { accept: "text/html" } }];
        continue;
      }
      const next = readForm(await response.text(), url);
      if (next === undefined) return undefined;
      if (next.fields.has("code") || next.fields.has("error")) return new URL(`${next.action}?${next.fields}`);
      url = next.action;
      init = { method: "POST", headers: { "content-type": form, accept: "text/html" }, body: String(next.fields) };
    }
    return undefined;
  }

  /** A login with all that follows it, each step recorded. */
  async #playFlow(client: string): Promise<void> {
    const name = `flow of ${client}`;
    const cookies: Cookies = new Map();
    const login: Fields = { ...logins[client]!, nonce: "n0nce" };
    const endpointOf = (wanted: string) => endpoints.find((one) => one.name === wanted)!;
    const post = async (what: string, endpoint: string, fields: Fields): Promise<Record<string, string>> => {
      const request = { name: what, client, fields };
      return await (await this.#play(`${name}: ${what}`, endpointOf(endpoint), request)).json().catch(() => ({}));
    };
    const to = await this.#logIn(name, login, cookies, true);
    const code = to?.searchParams.get("code") ?? "none";
    const exchanged = {
      grant_type: "authorization_code",
      code,
      redirect_uri: String(login.redirect_uri),
      code_verifier: verifier,
    };
    const tokens = await post("code", "token", exchanged);
    const use = async (what: string, { access_token = "none", refresh_token = "none" }: Record<string, string>) => {
      const headers = { authorization: `Bearer ${access_token}` };
      const userinfo = endpointOf("userinfo");
      await this.#play(`${name}: userinfo ${what}`, userinfo, { name, client, fields: {}, headers });
      await post(`introspect the access token ${what}`, "introspect", { token: access_token });
      await post(`introspect the refresh token ${what}`, "introspect", { token: refresh_token });
    };
    const refresh = async (what: string, { refresh_token = "none" }: Record<string, string>) =>
      await post(what, "token", { grant_type: "refresh_token", refresh_token });
    await use("at first", tokens);
    const second = await refresh("refresh", tokens);
    const third = await refresh("refresh with a smaller scope", { ...tokens, ...second });
    await use("after refreshing", { ...tokens, ...second, ...third });
    await refresh("refresh with the first token again", tokens);
    await use("after the first token again", { ...tokens, ...second, ...third });
    await this.#logIn(`${name}: silent`, { ...login, prompt: "none" }, cookies, true);
    await this.#logIn(`${name}: again`, { ...login, scope: "openid read write" }, cookies, true);
    await this.#logIn(`${name}: login`, { ...login, prompt: "login" }, cookies, true);
    await this.#logIn(`${name}: consent`, { ...login, prompt: "consent" }, cookies, true);
    await this.#logIn(`${name}: other user`, { ...login, prompt: "select_account" }, cookies, true);
    await post("code again", "token", exchanged);
    await use("after the code again", tokens);
    const fresh = await this.#tokens(`${name}: fresh`, client);
    await post("revoke the refresh token", "revoke", { token: fresh.refresh_token ?? "none" });
    await use("after revocation", fresh);
    const late = await this.#code(`${name}: late`, client);
    time += 601_000;
    await post("expired code", "token", { ...exchanged, code: late });
    await this.#logIn(`${name}: old session`, { ...login, max_age: "60" }, cookies, true);
    await this.#logIn(`${name}: old session, silent`, { ...login, max_age: "60", prompt: "none" }, cookies, true);
    const old = await this.#tokens(`${name}: old`, client);
    time += 3601_000;
    await use("after an hour", old);
    await refresh("refresh after an hour", old);
    const out = `${this.#url(endpointOf("logout"))}?${encode({ id_token_hint: old.id_token ?? "none" })}`;
    const page = await this.#exchange(`${name}: logout`, out, { headers: { accept: "text/html" } }, cookies);
    const confirm = readForm(await page.text(), out);
    if (confirm !== undefined) {
      const init = { method: "POST", headers: { "content-type": form }, body: String(confirm.fields) };
      await this.#exchange(`${name}: confirm the logout`, confirm.action, init, cookies);
    }
    await this.#logIn(`${name}: silent after logout`, { ...login, prompt: "none" }, cookies, true);
    time += 31 * 24 * 3600_000;
    await refresh("refresh after a month", old);
  }

  /** A login on a device: its page, and the token requests before and after. */
  async #playDevice(): Promise<void> {
    const request = { name: "device", client: "web", fields: { scope: "openid read" } };
    const device = endpoints.find(({ name }) => name === "device")!;
    const token = endpoints.find(({ name }) => name === "token")!;
    const started = await (await this.#play("device flow: start", device, request)).json().catch(() => ({}));
    const { device_code = "none", verification_uri_complete } = started as Record<string, string | undefined>;
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const poll = async (what: string) =>
      await this.#play(`device flow: ${what}`, token, { ...request, fields: { grant_type, device_code } });
    await poll("too early");
    await poll("too often");
    const cookies: Cookies = new Map();
    let url = verification_uri_complete;
    let init: RequestInit = { headers: { accept: "text/html" } };
    for (let step = 1; step <= 6 && url !== undefined; step++) {
      const response: Response = await this.#exchange(`device flow: page ${step}`, url, init, cookies);
      const location: string | null = response.headers.get("location");
      const next: ReturnType<typeof readForm> = location === null ? readForm(await response.text(), url) : undefined;
      url = location === null ? next?.action : new URL(location, url).href;
      init = next === undefined
        ? { headers: { accept: "text/html" } }
        : { method: "POST", headers: { "content-type": form, accept: "text/html" }, body: String(next.fields) };
    }
    time += 60_000;
    await poll("approved");
    await poll("again");
  }

  /** Registrations, and reading, changing and removing the client of each. */
  async #playRegistrations(): Promise<void> {
    const url = this.#metadata.registration_endpoint ?? `${this.#base}/oauth2/register`;
    const type = { "content-type": "application/json" };
    for (const [i, body] of registrations.entries()) {
      const name = `registration ${i}`;
      const response = await this.#exchange(name, url, { method: "POST", headers: type, body });
      const { registration_client_uri, registration_access_token, ...metadata } = await response.json().catch(
        () => ({}),
      );
      if (typeof registration_client_uri !== "string") continue;
      const headers = { ...type, authorization: `Bearer ${registration_access_token}` };
      const manage = async (what: string, init: RequestInit) =>
        await this.#exchange(`${name}: ${what}`, registration_client_uri, { headers, ...init });
      await manage("without a token", { headers: type });
      await manage("read", {});
      const { client_id_issued_at: _issued, client_secret_expires_at: _expires, ...kept } = metadata;
      await manage("unchanged", { method: "PUT", body: JSON.stringify(kept) });
      await manage("another name", { method: "PUT", body: JSON.stringify({ ...kept, client_name: "Other" }) });
      await manage("remove", { method: "DELETE" });
      await manage("read again", {});
    }
  }
}

function encode(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([field, value]) => [value].flat().map((one) => [field, one]));
  return String(new URLSearchParams(pairs as string[][]));
}

/** The first form of a page that posts, as a user fills it in: the first user, and the first button. */
function readForm(
  html: string,
  url: string,
): { readonly action: string; readonly fields: URLSearchParams } | undefined {
  const [, attributes = "", content] = /<form\b([^>]*method="post"[^>]*)>([\s\S]*?)<\/form>/i.exec(html) ?? [];
  if (content === undefined) return undefined;
  const read = (text: string, name: string) =>
    new RegExp(`\\s${name}="([^"]*)"`).exec(text)?.[1]?.replaceAll("&amp;", "&").replaceAll("&quot;", '"');
  const fields = new URLSearchParams();
  let pressed = false;
  for (const [tag] of content.matchAll(/<(?:input|button)\b[^>]*>/gi)) {
    const [name, type, value = ""] = [read(tag, "name"), read(tag, "type"), read(tag, "value")];
    const isButton = tag.startsWith("<button") || type === "submit";
    if (name === undefined || isButton && pressed) continue;
    if (isButton) pressed = true;
    if (type === "radio" && fields.has(name)) continue;
    if (name === "username" || name === "login") fields.set(name, value || "alice");
    else if (type === "password") fields.set(name, "alice-password");
    else if (type === "checkbox") fields.append(name, value || "on");
    else fields.set(name, value);
  }
  return { action: new URL(read(attributes, "action") ?? "", url).href, fields };
}

/** How many wrong forms of each parameter: its wrong values, or everything. */
type Length = "short" | "long";

/** Each wrong form of each parameter: its name, and all fields. */
function* variations(
  { fields, optional = {} }: RecordedRequest,
  { wrong = {} }: RecordedEndpoint,
  length: Length,
): Generator<readonly [string, Fields]> {
  for (const [field, valid] of Object.entries({ ...optional, ...fields })) {
    const value = String(valid);
    const change = (what: string, changed: string | readonly string[]) =>
      [`${field} ${what}`, { ...fields, [field]: changed }] as const;
    const { [field]: _removed, ...others } = fields;
    yield field in fields ? [`${field} missing`, others] : change("added", value);
    for (const one of wrong[field] ?? []) yield change(one.slice(0, 80), one);
    if (length === "short") continue;
    yield change("empty", "");
    yield change("twice", [value, value]);
    yield change("twice, different", [value, "other"]);
    yield change("long", "x".repeat(5000));
    yield change("with a control character", `${value}\u0001`);
    yield change("with a line break", `${value}\r\nx: y`);
    yield change("with a space", ` ${value}`);
    yield change("with other letters", `${value}é`);
    yield change("in capitals", value.toUpperCase());
  }
}

for (const description of servers) await (await open(description)).playAll(description.extent === "full");
await new Promise((resolve) => output.end(resolve));
console.log(count);
process.exit(0);
