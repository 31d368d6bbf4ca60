/** Two issuers in one process, and what each makes that the other must not know. */

import { assertEquals, assertMatch } from "@std/assert";
import type { Client, ClientMetadata, Host, LatchkeyOptions, User } from "../../src/mod.ts";
import type { Repository } from "../../src/server/extension.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { type TestControl, testControl } from "../../src/testing/mod.ts";
import { withSecretLeakCheck } from "../secret_leak_check.ts";
import { basic, encode, type Fields, goodRequest, verifier } from "../kit.ts";

const secret = "web-secret-web-secret";
/** Each app knows a client of this name and secret, so that only the isolation rejects. */
export const web: ClientMetadata = {
  client_id: "web",
  client_secret: secret,
  redirect_uris: ["https://web.example/cb"],
  grant_types: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
};
/** An authorization request of the client. */
export const webRequest: Fields = { ...goodRequest, client_id: "web", redirect_uri: "https://web.example/cb" };
/** Options of each app. */
export const common: LatchkeyOptions = { alg: "EdDSA", clients: [web], throttle: true };

/** One of two issuers, with its mock. */
export interface Side extends Requests {
  readonly app: {
    readonly issuer: string;
    readonly clients: Repository<ClientMetadata, Client>;
    readonly users: Repository<User, User>;
  };
  readonly control: TestControl;
}

/** Requests to an issuer. */
interface Requests {
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Response>;
  readonly post: (path: string, fields: Fields, headers?: Record<string, string>) => Promise<Response>;
}

/** Adds an issuer to a host. */
export async function addSide(server: Host, where: LatchkeyOptions): Promise<Side> {
  const control = testControl();
  const plugins = [control.plugin, inspector()];
  const app = await server.app(withSecretLeakCheck({ ...common, login: "interactive", plugins, ...where }));
  return { app, control, ...requests(server.fetch, app) };
}

/** Requests that the host assigns to an app by their URL. */
export function requests(
  fetch: (request: Request) => Promise<Response>,
  { issuer }: { readonly issuer: string },
): Requests {
  const send = (path: string, init: RequestInit) => fetch(new Request(issuer + path, { redirect: "manual", ...init }));
  return {
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, fields, headers = basic("web", secret)) =>
      send(path, {
        method: "POST",
        body: encode(fields),
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      }),
  };
}

/** What an issuer makes, how an issuer responds to it, and the responses of the same issuer and of another one. */
interface Subject {
  readonly make: (own: Side) => Promise<(at: Side) => Promise<unknown>>;
  readonly own: unknown;
  readonly other: unknown;
}

/** The status of a response, or its error. */
export async function outcome(response: Response | Promise<Response>): Promise<unknown> {
  const { status, headers } = await response;
  const location = headers.get("location");
  if (location === null) return status === 400 ? (await (await response).json()).error : status;
  return new URL(location, "http://relative").searchParams.get("error") ?? status;
}

let names = 0;
/** A name that is sent to one issuer only. */
const unique = () => `only-here-${++names}`;

const subjects: Readonly<Record<string, Subject>> = {
  "authorization code": {
    async make({ control }) {
      const redirect_uri = "https://web.example/cb";
      const code = await control.mint.code({ client: "web", verifier, redirectUri: redirect_uri });
      const fields = { grant_type: "authorization_code", code, redirect_uri, code_verifier: verifier };
      return ({ post }) => outcome(post("/oauth2/token", fields));
    },
    ...{ own: 200, other: "invalid_grant" },
  },
  "refresh token": {
    async make({ control }) {
      const refresh_token = await control.mint.refreshToken({ client: "web" });
      return ({ post }) => outcome(post("/oauth2/token", { grant_type: "refresh_token", refresh_token }));
    },
    ...{ own: 200, other: "invalid_grant" },
  },
  "access token at userinfo": {
    async make({ control }) {
      const token = await control.mint.accessToken({ client: "web", scope: "openid" });
      return async ({ get }) => (await get("/oauth2/userinfo", { authorization: `Bearer ${token}` })).status;
    },
    ...{ own: 200, other: 401 },
  },
  "introspected access token": {
    async make({ control }) {
      const token = await control.mint.accessToken({ client: "web", scope: "openid" });
      return async ({ post }) => (await (await post("/oauth2/introspect", { token })).json()).active;
    },
    ...{ own: true, other: false },
  },
  "introspected refresh token": {
    async make({ control }) {
      const token = await control.mint.refreshToken({ client: "web" });
      return async ({ post }) => (await (await post("/oauth2/introspect", { token })).json()).active;
    },
    ...{ own: true, other: false },
  },
  "client": {
    async make({ app }) {
      await app.clients.set({ client_id: "late", redirect_uris: ["https://late.example/cb"] });
      const query = encode({ ...goodRequest, client_id: "late", redirect_uri: "https://late.example/cb" });
      return async ({ get }) => (await get(`/oauth2/authorize?${query}`)).status;
    },
    ...{ own: 302, other: 400 },
  },
  "user": {
    async make({ app }) {
      await app.users.set({ sub: "carol" });
      return async ({ app }) => (await app.users.list()).some(({ sub }) => sub === "carol");
    },
    ...{ own: true, other: false },
  },
  "signing key": {
    async make({ get }) {
      const readKids = async (read: Side["get"]): Promise<string[]> =>
        (await (await read("/oauth2/jwks")).json()).keys.map(({ kid }: { kid: string }) => kid);
      const [kid] = await readKids(get);
      return async ({ get }) => (await readKids(get)).includes(kid!);
    },
    ...{ own: true, other: false },
  },
  "session": {
    async make({ control }) {
      const query = encode({ ...webRequest, prompt: "none" });
      const browser = control.browser();
      await control.logIn(web, { browser });
      const cookie = browser.storageState().cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
      assertMatch(cookie, /session/);
      return async ({ get }) => await outcome(get(`/oauth2/authorize?${query}`, { cookie }));
    },
    ...{ own: "consent_required", other: "login_required" },
  },
  "flow of the inspector": {
    async make({ get }) {
      const scope = unique();
      const query = encode({ ...webRequest, scope });
      await get(`/oauth2/authorize?${query}`);
      return async ({ get }) => (await (await get("/flows.json")).text()).includes(scope);
    },
    ...{ own: true, other: false },
  },
  "exchange of the log": {
    async make({ get }) {
      const client = unique();
      await get(`/oauth2/authorize?client_id=${client}`);
      return ({ control }) => Promise.resolve(JSON.stringify(control.log.exchanges).includes(client));
    },
    ...{ own: true, other: false },
  },
  "pushed request": {
    async make({ post }) {
      const { request_uri } = await (await post("/oauth2/par", webRequest)).json();
      return async ({ get }) => (await get(`/oauth2/authorize?${encode({ client_id: "web", request_uri })}`)).status;
    },
    ...{ own: 302, other: 400 },
  },
  "device code": {
    async make({ post }) {
      const { device_code } = await (await post("/oauth2/device_authorization", { scope: "read" })).json();
      const fields = { grant_type: "urn:ietf:params:oauth:grant-type:device_code", device_code };
      return ({ post }) => outcome(post("/oauth2/token", fields));
    },
    ...{ own: "authorization_pending", other: "invalid_grant" },
  },
  "clock": {
    make({ control }) {
      control.clock.freeze();
      return Promise.resolve(({ control }) => Promise.resolve(control.clock.frozen));
    },
    ...{ own: true, other: false },
  },
  "rate limit": {
    async make({ post }) {
      const guess = async (send: Side["post"]) =>
        (await send("/oauth2/token", { grant_type: "client_credentials" }, basic("web", "wrong"))).status;
      for (let i = 0; i < 10; i++) await guess(post);
      return ({ post }) => guess(post);
    },
    ...{ own: 429, other: 401 },
  },
};

/** Walks through all subjects, except for some, in both directions. */
export async function assertIsolated(one: Side, other: Side, except: readonly string[] = []): Promise<void> {
  assertEquals(except.filter((subject) => subjects[subject] === undefined), []);
  for (const [own, foreign] of [[one, other], [other, one]] as const) {
    for (const [subject, { make, ...expected }] of Object.entries(subjects)) {
      if (except.includes(subject)) continue;
      const probe = await make(own);
      // The foreign issuer first, because some subjects can be used once.
      const received = { other: await probe(foreign), own: await probe(own) };
      assertEquals({ subject, ...received }, { subject, own: expected.own, other: expected.other });
    }
    own.control.clock.resume();
    // The limit of guesses ends.
    own.control.clock.advance(3600);
    await own.app.clients.delete("late");
    await own.app.users.delete("carol");
  }
}
