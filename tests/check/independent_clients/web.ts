/** A web application: it logs users in at one server, and keeps its sessions in memory. */

import { createLocalJWKSet, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import type { TestClientOptions } from "../../../src/testing/clients.ts";
import { type Finished, type Login, type Protocol, protocolClient, type Site, type Tokens } from "./protocol.ts";
import { assert, type Members, randomText } from "./requests.ts";

export const origin = "https://shop.test";
export const webClient: TestClientOptions & { readonly client_secret: string } = {
  client_id: "shop",
  client_secret: "the secret of the shop, which is long",
  redirect_uris: [`${origin}/callback`],
  post_logout_redirect_uris: [`${origin}/`],
  backchannel_logout_uri: `${origin}/logout-token`,
  token_endpoint_auth_method: "client_secret_post",
};

/** What the application keeps. */
interface Stores {
  /** Logins by browser and state. */
  readonly logins: Map<string, Login>;
  readonly sessions: Map<string, Session>;
  /** Accounts by what the application knows users by. */
  readonly accounts: Map<string, Account>;
}

interface Account {
  readonly sub: string;
  readonly claims: Members;
}

interface Session {
  readonly account: Account;
  readonly idToken: Finished["idToken"];
  tokens: Tokens;
  refreshing?: Promise<void>;
}

/** The steps of the application. */
export interface Pages {
  /** The attributes of cookies. */
  readonly cookie: string;
  /** The method of authorization responses. */
  readonly callbackMethod: "GET" | "POST";
  redirectUri(request: Request): string;
  /** Where the user wants to go after the login. */
  returnTo(request: Request): string;
  keepLogin(stores: Stores, browser: string, login: Login): void;
  /** Finds the login of a response, which waits no longer. */
  takeLogin(stores: Stores, browser: string, params: URLSearchParams): Login | undefined;
  accountKey(claims: Members): string;
  newSessionId(request: Request): string;
  /** The response to a login. */
  landing(request: Request, login: Login, tokens: Tokens, cookies: readonly string[]): Response;
  errorPage(request: Request, error: Error, params: URLSearchParams): Response;
  home(session: Session | undefined): Response;
  refresh(session: Session, refresh: () => Promise<void>, end: () => void): Promise<void>;
  checkLogoutToken(claims: Members): void;
  /** Other pages of the application. */
  other(request: Request, stores: Stores): Response | Promise<Response> | undefined;
}

const cookieOf = ({ headers }: Request, name: string): string | undefined =>
  headers.get("cookie")?.split("; ").find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);

export function respond(
  status: number,
  headers: Record<string, string> = {},
  cookies: readonly string[] = [],
  body = "",
) {
  const response = new Response(body === "" ? null : body, {
    status,
    headers: { "cache-control": "no-store", "referrer-policy": "no-referrer", ...headers },
  });
  for (const cookie of cookies) response.headers.append("set-cookie", cookie);
  return response;
}

export const redirect = (location: string, cookies: readonly string[] = []) => respond(303, { location }, cookies);

const htmlPage = (status: number, html: string, cookies: readonly string[] = []) =>
  respond(status, { "content-type": "text/html; charset=utf-8" }, cookies, `<!doctype html><title>Shop</title>${html}`);

const escape = (text: unknown) => String(text).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

export const correctPages: Pages = {
  cookie: "Path=/; HttpOnly; Secure; SameSite=Lax",
  callbackMethod: "GET",
  redirectUri: () => `${origin}/callback`,
  returnTo({ url }) {
    const target = new URL(url).searchParams.get("next") ?? "/";
    return URL.canParse(target, origin) && new URL(target, origin).origin === origin && !target.includes("\\")
      ? new URL(target, origin).pathname.replace(/^\/+/, "/")
      : "/";
  },
  keepLogin: ({ logins }, browser, login) => void logins.set(`${browser} ${login.state}`, login),
  takeLogin({ logins }, browser, params) {
    const key = `${browser} ${params.get("state")}`;
    const login = logins.get(key);
    logins.delete(key);
    return login;
  },
  accountKey: ({ iss, sub }) => JSON.stringify([iss, sub]),
  newSessionId: () => randomText(),
  landing: (_, { target = "/" }, __, cookies) => redirect(target, cookies),
  errorPage: (_, error) => htmlPage(403, `<h1>The login failed</h1><p>${escape(error.message.slice(0, 200))}</p>`),
  home(session) {
    if (session === undefined) return htmlPage(200, `<a href="/login">Log in</a>`);
    const { name, email } = session.account.claims;
    const logout = `<form method="post" action="/logout"><button>Log out</button></form>`;
    return htmlPage(200, `<p>Hello ${escape(name ?? session.account.sub)} (${escape(email ?? "")})</p>${logout}`);
  },
  async refresh(session, refresh, end) {
    try {
      await (session.refreshing ??= refresh().finally(() => session.refreshing = undefined));
    } catch (error) {
      if ((error as { code?: string }).code === "invalid_grant") end();
      throw error;
    }
  },
  checkLogoutToken({ events, nonce }) {
    const event = (events as Members | undefined)?.["http://schemas.openid.net/event/backchannel-logout"];
    assert(typeof event === "object" && event !== null && !Array.isArray(event), "the token is no logout token");
    assert(nonce === undefined, "a logout token has no nonce");
  },
  other: () => undefined,
};

/** The application as a function from requests to responses. */
export function createShop(protocol: Protocol, pages: Pages, site: Site): (request: Request) => Promise<Response> {
  const client = protocolClient(protocol);
  const stores: Stores = { logins: new Map(), sessions: new Map(), accounts: new Map() };
  const { sessions, accounts } = stores;
  const seenLogoutTokens = new Set<unknown>();
  const browserCookie = "__Host-browser";
  const sessionCookie = "__Host-session";

  async function startLogin(request: Request): Promise<Response> {
    const browser = cookieOf(request, browserCookie) ?? randomText();
    const own = { ...site, redirectUri: pages.redirectUri(request) };
    const { url, login } = await client.start(own, { target: pages.returnTo(request) });
    pages.keepLogin(stores, browser, login);
    return redirect(url, [`${browserCookie}=${browser}; ${pages.cookie}`]);
  }

  async function endLogin(request: Request): Promise<Response> {
    const params = request.method === "POST"
      ? new URLSearchParams(await request.text())
      : new URL(request.url).searchParams;
    try {
      const login = pages.takeLogin(stores, cookieOf(request, browserCookie) ?? "", params);
      assert(login !== undefined, "no login of this browser waits for this response");
      const { idToken, claims, tokens } = await client.finish(site, login, params);
      const key = pages.accountKey(claims);
      if (!accounts.has(key)) accounts.set(key, { sub: String(claims.sub), claims });
      sessions.delete(cookieOf(request, sessionCookie) ?? "");
      const id = pages.newSessionId(request);
      sessions.set(id, { account: accounts.get(key)!, idToken, tokens });
      return pages.landing(request, login, tokens, [`${sessionCookie}=${id}; ${pages.cookie}`]);
    } catch (error) {
      return pages.errorPage(request, error as Error, params);
    }
  }

  async function refresh(id: string): Promise<Response> {
    const session = sessions.get(id);
    if (session === undefined) return respond(401);
    const send = async () => void (session.tokens = await client.refresh(site, session.tokens, session.idToken));
    try {
      await pages.refresh(session, send, () => void sessions.delete(id));
      return respond(204);
    } catch (error) {
      return respond(502, {}, [], (error as Error).message);
    }
  }

  async function endByToken(request: Request): Promise<Response> {
    try {
      const token = new URLSearchParams(await request.text()).get("logout_token") ?? "";
      const metadata = await client.discover(site);
      const claims = await verifyLogoutToken(site, await protocol.getKeys(site, metadata, false), token);
      pages.checkLogoutToken(claims);
      assert(!seenLogoutTokens.has(claims.jti), "the logout token was used before");
      seenLogoutTokens.add(claims.jti);
      for (const [id, { idToken }] of sessions) {
        const isMeant = claims.sid === undefined ? claims.sub === idToken.sub : claims.sid === idToken.sid;
        if (isMeant) sessions.delete(id);
      }
      return respond(200);
    } catch (error) {
      return respond(400, {}, [], (error as Error).message);
    }
  }

  return async (request) => {
    const { pathname } = new URL(request.url);
    const id = cookieOf(request, sessionCookie) ?? "";
    const session = sessions.get(id);
    const other = await pages.other(request, stores);
    if (other !== undefined) return other;
    try {
      switch (`${request.method} ${pathname}`) {
        case "GET /login":
          return await startLogin(request);
        case `${pages.callbackMethod} /callback`:
          return await endLogin(request);
        case "GET /me":
          return session === undefined
            ? respond(401)
            : respond(200, { "content-type": "application/json" }, [], JSON.stringify({ user: session.account.sub }));
        case "GET /refresh":
          return await refresh(id);
        case "POST /logout":
          assert(isOwn(request), "the form is that of another site");
          sessions.delete(id);
          return redirect("/");
        case "POST /logout-token":
          return await endByToken(request);
        case "GET /":
          return pages.home(session);
        default:
          return htmlPage(404, "<h1>No such page</h1>");
      }
    } catch (error) {
      return htmlPage(500, `<p>${escape((error as Error).message.slice(0, 200))}</p>`);
    }
  };
}

async function verifyLogoutToken({ issuer, clientId, alg, now }: Site, keys: JSONWebKeySet, token: string) {
  const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
    ...{ issuer, audience: clientId, algorithms: [alg], currentDate: new Date(now()), clockTolerance: 30 },
    requiredClaims: ["iat", "jti", "exp"],
  });
  const { typ } = decodeProtectedHeader(token);
  assert(typ === undefined || typ.toLowerCase() === "logout+jwt", "the token is no logout token");
  assert(payload.sub !== undefined || payload.sid !== undefined, "the logout token names no user");
  return payload;
}

const isOwn = ({ headers }: Request) => [origin, null].includes(headers.get("origin"));
