/**
 * A small web application: openid-client, jose and cookies, as a function or on a socket; legal variants of it, and
 * copies with one mistake each.
 */

import { createLocalJWKSet, createRemoteJWKSet, customFetch, errors, jwtVerify, type JWTVerifyGetKey } from "jose";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as openid from "openid-client";
import { correctPages, escapeHtml, type PageDecisions, type PageTokens } from "./broken_applications.ts";

/** A mistake of a copy. */
export type ApplicationMistake =
  | "refreshes as any user"
  | "does not verify the ID token"
  | "accepts unknown keys"
  | "fetches the JWKS once"
  | "believes any userinfo"
  | "keeps a failed discovery"
  | "shows no login"
  | "starts a new login after every error"
  | "stops at a wrong state"
  | "stops after a login of mallory"
  | "hangs at a wrong nonce"
  | "logs no user in after a wrong nonce"
  | "ends the session when a refresh fails";

/** What a correct copy does in another way. */
export type ApplicationVariant =
  | "starts one new login after an error"
  | "shows a page without a user"
  | "shows a redirect without a user"
  | "sends no nonce"
  | "discards userinfo that is not valid"
  | "requests userinfo for each page"
  | "shows a failed refresh with status 200"
  | "asks after the login"
  | "keeps five logins"
  | "allows thirty logins";

/** The application as a function. */
export interface WebApplication {
  /** `/login` starts a login, `/me` responds with 401 without one, `/refresh` and `/api` use the tokens. */
  respond(request: Request): Promise<Response>;
  /** Forgets everything, like a restart. */
  restart(): Promise<void>;
}

/** A running application. */
export interface SmallWebApplication extends AsyncDisposable {
  /** Its origin. */
  readonly url: string;
  /** Forgets everything, like a restart. */
  restart(): Promise<void>;
  /** Resolves when it hangs. */
  readonly hangs: Promise<void>;
}

/** What the application is configured with. */
export interface Configuration {
  readonly issuer: string;
  readonly clientId: string;
  /** How it authenticates. Default: as a public client. */
  readonly authentication?: openid.ClientAuth;
  /** Signs its authorization requests. Default: they are not signed. */
  readonly requestKey?: openid.PrivateKey;
  /** The algorithm of ID tokens. Default: RS256. */
  readonly alg?: "RS256" | "EdDSA";
  readonly mistake?: ApplicationMistake;
  /** Default: none. */
  readonly variants?: readonly ApplicationVariant[];
  /** Whether it discovers the metadata at its start, and does not start without it. Default: at the first login. */
  readonly discoversAtStart?: boolean;
  /** The period in which it allows thirty logins. Default: its whole time. */
  readonly loginPeriod?: () => number;
  /** What its pages show of the userinfo of a session. Default: the page `/me` the sub, and the last page the name. */
  readonly userPage?: (info: openid.UserInfoResponse) => string;
  /** What it decides about browsers and pages. Default: as a correct one. */
  readonly pages?: PageDecisions;
  /** How long it fetches no keys again after it has not found one, in milliseconds. Default: 60,000. */
  readonly keyPauseMs?: number;
  /** Sends its requests. Default: the global fetch. */
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

/** A login that waits for its response. */
interface PendingLogin {
  readonly verifier: string;
  readonly state: string;
  readonly nonce?: string;
  /** Where the browser goes after the login. */
  readonly target?: string;
}

/** The session of a user. */
interface Session {
  readonly sub: string;
  readonly info: openid.UserInfoResponse;
  readonly tokens: PageTokens;
  refreshToken: string | undefined;
}

/** Creates the application at a URL. `stop`, `stopLater` (after the response) and `hang` are what its mistakes do. */
export function webApplicationAt(
  url: string,
  configuration: Configuration,
  { stop, stopLater, hang }: { readonly [Name in "stop" | "stopLater" | "hang"]?: () => void } = {},
): WebApplication {
  const {
    issuer,
    clientId,
    alg = "RS256",
    authentication = openid.None(),
    mistake,
    variants = [],
    userPage,
    pages = correctPages,
    keyPauseMs = 60_000,
    fetch = (...request) => globalThis.fetch(...request),
  } = configuration;
  let config: Promise<openid.Configuration> | undefined;
  let keys: JWTVerifyGetKey | undefined;
  let isLocked = false;
  const loginCounts = new Map<number | undefined, number>();
  const pending = new Map<string, PendingLogin>();
  const sessions = new Map<string, Session>();
  const loginCookie = (id: string) => `login=${id}; HttpOnly; SameSite=Lax`;

  async function discover(): Promise<openid.Configuration> {
    const discovered = openid.discovery(
      new URL(issuer),
      clientId,
      { id_token_signed_response_alg: alg },
      authentication,
      { execute: [openid.allowInsecureRequests], timeout: 60, [openid.customFetch]: fetch as openid.CustomFetch },
    );
    config ??= discovered;
    if (mistake !== "keeps a failed discovery") discovered.catch(() => config = undefined);
    return await config;
  }

  /**
   * The published keys. They are fetched again for an unknown key, but for a while not after a fetch that has not found
   * it.
   */
  function keysOf(uri: string): JWTVerifyGetKey {
    const fetched = createRemoteJWKSet(new URL(uri), { cooldownDuration: 0, [customFetch]: fetch });
    let notFoundAt = -Infinity;
    return async (header, token) => {
      const kept = performance.now() - notFoundAt < keyPauseMs ? fetched.jwks() : undefined;
      if (kept === undefined) notFoundAt = performance.now();
      const key = await (kept === undefined ? fetched : createLocalJWKSet(kept))(header, token);
      notFoundAt = -Infinity;
      return key;
    };
  }

  async function verifyIdToken(token: string, metadata: openid.ServerMetadata): Promise<void> {
    if (mistake === "does not verify the ID token") return;
    keys ??= mistake === "fetches the JWKS once"
      ? createLocalJWKSet(await (await fetch(metadata.jwks_uri!, {})).json())
      : keysOf(metadata.jwks_uri!);
    await jwtVerify(token, keys, { issuer, audience: clientId, algorithms: [alg] }).catch((error) => {
      const isUnknown = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknown || mistake !== "accepts unknown keys") throw error;
    });
  }

  async function logIn(request: Request) {
    const id = cookieOf(request, "login") ?? "";
    const login = pending.get(id);
    pending.delete(id);
    if (login === undefined) throw new Error("no login has begun in this browser");
    const server = await (config ?? discover());
    const received = new URL(request.url).searchParams.get("state");
    const isOwn = pages.isState(received, login.state);
    const tokens = await openid.authorizationCodeGrant(server, new URL(request.url), {
      pkceCodeVerifier: login.verifier,
      expectedState: isOwn ? received! : login.state,
      expectedNonce: login.nonce,
      idTokenExpected: true,
    });
    await verifyIdToken(tokens.id_token!, server.serverMetadata());
    const { sub, azp = clientId } = tokens.claims()!;
    if (sub === "") throw new Error("sub is empty");
    if (azp !== clientId) throw new Error("azp is another client");
    const info = variants.includes("requests userinfo for each page")
      ? { sub }
      : await fetchUserinfo(tokens.access_token, sub)
        .catch((error) => variants.includes("discards userinfo that is not valid") ? { sub } : Promise.reject(error));
    const landing = login.target ?? pages.landing(tokens, request);
    return { sub: info.sub, info, tokens, landing, refreshToken: tokens.refresh_token };
  }

  async function fetchUserinfo(accessToken: string, sub: string): Promise<openid.UserInfoResponse> {
    const believesUserinfo = mistake === "believes any userinfo" || mistake === "stops after a login of mallory";
    const expected = believesUserinfo ? openid.skipSubjectCheck : sub;
    return await openid.fetchUserInfo(await (config ?? discover()), accessToken, expected);
  }

  async function refresh(session: { readonly sub: string; refreshToken: string | undefined }): Promise<void> {
    const tokens = await openid.refreshTokenGrant(await (config ?? discover()), session.refreshToken!);
    if (tokens.id_token !== undefined) await verifyIdToken(tokens.id_token, (await discover()).serverMetadata());
    const isOwn = mistake === "refreshes as any user" || [undefined, session.sub].includes(tokens.claims()?.sub);
    if (!isOwn) throw new Error("the ID token is about another user");
    session.refreshToken = tokens.refresh_token ?? session.refreshToken;
  }

  async function startLogin(request: Request): Promise<Response> {
    if (isLocked) throw new Error("no login works any more");
    const period = configuration.loginPeriod?.();
    const loginCount = (loginCounts.get(period) ?? 0) + 1;
    loginCounts.set(period, loginCount);
    if (variants.includes("allows thirty logins") && loginCount > 30) {
      return new Response("Too many logins", { status: 429 });
    }
    const server = await (config ?? discover());
    const verifier = openid.randomPKCECodeVerifier();
    const [state, id] = [pages.state(openid.randomState(), verifier), openid.randomState()];
    const nonce = variants.includes("sends no nonce") ? undefined : openid.randomNonce();
    const returnTo = pages.target(request);
    const target = returnTo !== null && pages.isOwnTarget(returnTo, url) ? returnTo : undefined;
    pending.set(id, { verifier, state, nonce, target });
    const oldest = variants.includes("keeps five logins") ? [...pending.keys()].slice(0, -5) : [];
    for (const old of oldest) pending.delete(old);
    const parameters = {
      redirect_uri: `${pages.redirectOrigin(request, url)}/callback`,
      scope: "openid profile email offline_access",
      state,
      ...nonce !== undefined && { nonce },
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    const { requestKey } = configuration;
    const location = requestKey === undefined
      ? openid.buildAuthorizationUrl(server, parameters)
      : await openid.buildAuthorizationUrlWithJAR(server, parameters, requestKey);
    return redirect(location.href, loginCookie(id));
  }

  async function endLogin(request: Request): Promise<Response> {
    const id = pages.sessionId(cookieOf(request, "login") ?? "");
    try {
      const session = await logIn(request);
      sessions.set(id, session);
      const cookies = [`session=${id}; ${pages.cookieAttributes}`, ...pages.cookies(session.tokens)];
      if (variants.includes("asks after the login")) {
        const field = `<input type="hidden" name="session" value="${id}">`;
        return htmlPage(200, `<form method="post" action="/accept">${field}<button>Accept the terms</button></form>`);
      }
      if (pages.endsAtCallback) return showHome(session, cookies);
      return redirect(session.landing, ...cookies, "login=; Max-Age=0; Path=/", "failed=; Max-Age=0");
    } catch (error) {
      const isFirst = cookieOf(request, "failed") === undefined;
      const mayRetry = isFirst && variants.includes("starts one new login after an error");
      if (!mayRetry && mistake !== "starts a new login after every error") throw error;
      return redirect("/login", "failed=1");
    }
  }

  /** A session that did not begin with a login. */
  const sessionOf = (sub: string | undefined): Session | undefined =>
    sub === undefined ? undefined : { sub, info: { sub }, tokens: { access_token: "" }, refreshToken: undefined };

  function showUser(session: Session | undefined, headers: Readonly<Record<string, string>>): Response {
    const { sub: user, info } = session ?? {};
    if (mistake === "shows no login") return new Response("Hello");
    if (variants.includes("shows a redirect without a user")) return redirect(user === undefined ? "/start" : "/home");
    if (user === undefined && pages.loginPage !== undefined) return redirect(pages.loginPage);
    if (user === undefined) return Response.json({}, { status: 401 });
    if (userPage !== undefined) return new Response(userPage(info!));
    return variants.includes("shows a page without a user")
      ? new Response("Welcome")
      : Response.json({ user, ...pages.data(session!.tokens) }, { headers });
  }

  function showHome(session: Session | undefined, cookies: readonly string[] = []): Response {
    if (session === undefined) return htmlPage(200, `<a href="/login">Log in</a>`);
    const name = userPage?.(session.info) ?? pages.show(session.info.name ?? session.sub, "name");
    const logout = pages.logoutMethods.length === 0
      ? ""
      : pages.logoutMethods[0] === "GET"
      ? `<a href="/logout?from=home">Log out</a>`
      : `<form method="post" action="/logout"><button>Log out</button></form>`;
    return htmlPage(
      200,
      `<p>Hello ${name}</p>${pages.claims(session.info)}${logout}${pages.page(session.tokens)}`,
      cookies,
    );
  }

  async function respond(request: Request): Promise<Response> {
    const id = cookieOf(request, "session") ?? "";
    const session = sessions.get(id) ?? sessionOf(pages.userOf(request));
    const user = session?.sub;
    switch (new URL(request.url).pathname) {
      case "/login":
        return await startLogin(request);
      case "/callback":
        return await endLogin(request);
      case "/me":
        if (user === "mallory" && mistake === "stops after a login of mallory") stopLater?.();
        return showUser(session, pages.headers(request));
      case "/logout":
        if (!pages.logoutMethods.some((method) => method === request.method)) return new Response("", { status: 405 });
        if (pages.endsSession) sessions.delete(id);
        return redirect("/", `session=; Max-Age=0; ${pages.cookieAttributes}`);
      case "/accept": {
        const accepted = new URLSearchParams(await request.text()).get("session");
        return redirect("/", `session=${accepted}; ${pages.cookieAttributes}`);
      }
      case "/api":
        if (session === undefined) return new Response("", { status: 401 });
        await fetchUserinfo(session.tokens.access_token, session.sub);
        return new Response("Fetched.");
      case "/hello":
        return new Response(`Hello ${session?.info.name}`, { status: user === undefined ? 401 : 200 });
      case "/refresh": {
        let failed = false;
        await refresh(session!).catch((error) => {
          if (mistake === "ends the session when a refresh fails") sessions.clear();
          if (!variants.includes("shows a failed refresh with status 200")) throw error;
          failed = true;
        });
        return new Response(failed ? "The refresh failed." : "Refreshed.");
      }
      case "/restart":
        await restart();
        return new Response(null, { status: 204 });
      default:
        return showHome(
          session !== undefined && variants.includes("requests userinfo for each page")
            ? { ...session, info: await fetchUserinfo(session.tokens.access_token, session.sub) }
            : session,
        );
    }
  }

  async function restart(): Promise<void> {
    config = keys = undefined;
    isLocked = false;
    pending.clear();
    sessions.clear();
    if (configuration.discoversAtStart) await discover();
  }

  return {
    restart,
    respond: (request) =>
      respond(request).catch(async (error) => {
        const isAtStart = new URL(request.url).pathname === "/login";
        if (isAtStart && mistake === "starts a new login after every error") return redirect("/login");
        const target = pages.failedTarget(request);
        if (target !== null) return redirect(target);
        const errorText = `${error?.message} ${error?.cause?.message}`;
        const isStateWrong = mistake === "stops at a wrong state" && errorText.includes("state");
        if (isStateWrong) stop?.();
        isLocked ||= mistake === "logs no user in after a wrong nonce" && errorText.includes("nonce");
        if (mistake === "hangs at a wrong nonce" && errorText.includes("nonce")) {
          hang?.();
          await new Promise(() => {});
        }
        const message = String(error?.cause?.message ?? error?.message ?? error);
        const { searchParams } = new URL(request.url);
        // A state that no login waits for is no secret.
        const isForeign = /state/.test(message);
        const names = ["error", "error_description", ...isForeign ? ["state" as const] : []] as const;
        const texts = names.map((name) => pages.show((searchParams.get(name) ?? "").slice(0, 200), name));
        const tokenError = pages.show(String(error?.error_description ?? ""), "token error");
        const link = pages.link(searchParams.get("error_uri") ?? "");
        const paragraphs = [escapeHtml(message.slice(0, 200)), ...texts, tokenError, link];
        return htmlPage(502, `<h1>Login failed</h1><p>${paragraphs.join("</p><p>")}</p>`);
      }),
  };
}

/** Starts an application on a socket; `configure` receives its URL, and registers the client. Port 0 is a free one. */
export async function startWebApplication(
  configure: (url: string) => Configuration,
  port = 0,
): Promise<SmallWebApplication> {
  const server = createServer(async (incoming, outgoing) => {
    outgoing.on("close", () => isStopping && close());
    const response = await application.respond(await toRequest(incoming, url));
    outgoing.writeHead(response.status, [...response.headers].flat()).end(await response.text());
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { promise: hangs, resolve: hang } = Promise.withResolvers<void>();
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  let isStopping = false;
  const application = webApplicationAt(url, configure(url), {
    stop: () => void close(),
    stopLater: () => void (isStopping = true),
    hang,
  });
  await application.restart();
  return { url, restart: application.restart, hangs, [Symbol.asyncDispose]: close };
}

async function toRequest(incoming: IncomingMessage, url: string): Promise<Request> {
  const { method = "GET", headers: { cookie = "", referer = "", "content-type": type = "" } } = incoming;
  const body = method === "POST" ? await text(incoming) : undefined;
  return new Request(new URL(incoming.url!, url), { method, body, headers: { cookie, referer, "content-type": type } });
}

function redirect(location: string, ...cookies: string[]): Response {
  return new Response(null, { status: 302, headers: [["location", location], ...setCookies(cookies)] });
}

function htmlPage(status: number, html: string, cookies: readonly string[] = []): Response {
  return new Response(html, { status, headers: [["content-type", "text/html"], ...setCookies(cookies)] });
}

const setCookies = (cookies: readonly string[]) => cookies.map((cookie) => ["set-cookie", cookie] as [string, string]);

function cookieOf({ headers }: Request, name: string): string | undefined {
  return new RegExp(`(?:^|; )${name}=([^;]+)`).exec(headers.get("cookie") ?? "")?.[1];
}
