/** A styled client as a web application: redirects, cookies and a page that shows the user. */

import { cookieJar } from "../../src/testing/browser/cookie_jar.ts";
import type { TestClient } from "../../src/testing/mod.ts";
import type { Callback } from "../../src/testing/browser/callback.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { type ClientDriver, type ClientJourney, type ClientSession, unknownUser } from "../../src/check/mod.ts";

/** What the application is configured with. */
interface Configuration {
  readonly issuer: string;
  readonly client: TestClient;
  /** Sends its requests. */
  readonly fetch: Fetch;
}

/** Where a login goes: to the server, or to its end. */
type Step = { readonly url: string } | { readonly session: ClientSession };

/** A login that waits for a response. */
interface OpenLogin {
  /** Delivers the response. @throws What the client throws. */
  deliver(callback: Callback): Promise<Step>;
}

/** The application as a function: `/login` starts a login, `/me` responds with 401 without one. */
export function styledApplication(
  { logIn, receiveCallback }: ClientDriver,
  { issuer, client, fetch }: Configuration,
): (request: Request) => Promise<Response> {
  const { origin } = new URL(client.redirect_uri);
  const browsers = new Map<string, { readonly journey: ClientJourney; readonly open: OpenLogin[] }>();
  const sessions = new Map<string, ClientSession>();

  function browserOf(id: string) {
    const known = browsers.get(id);
    if (known !== undefined) return known;
    const journey: ClientJourney = {
      ...{ issuer, client, redirectUri: client.redirect_uri, resource: "", fetch, now: Date.now },
      browser: { cookies: cookieJar(Date.now), visits: [] },
      signal: new AbortController().signal,
      authorize: () => Promise.reject(new Error("no login has begun in this browser")),
      endSession: () => Promise.resolve(undefined),
    };
    const created = { journey, open: [] };
    browsers.set(id, created);
    return created;
  }

  /** Starts a login, and follows it to the server. */
  async function begin(id: string): Promise<Step> {
    const { journey, open } = browserOf(id);
    let opened = Promise.withResolvers<string>();
    let received = Promise.withResolvers<Callback>();
    const ended = logIn!({
      ...journey,
      authorize(url) {
        received = Promise.withResolvers();
        opened.resolve(String(url));
        return received.promise;
      },
    });
    const next = async (): Promise<Step> => {
      const step = await Promise.race([
        opened.promise.then((url) => ({ url })),
        ended.then((session) => ({ session })),
      ]);
      if ("url" in step) open.push(login);
      return step;
    };
    const login: OpenLogin = {
      deliver(callback) {
        opened = Promise.withResolvers();
        received.resolve(callback);
        return next();
      },
    };
    return await next();
  }

  /** Redirects to the server, or to the page after the login with the cookie of a new session. */
  function respondTo(step: Step, cookies: readonly string[] = []): Response {
    if ("url" in step) return redirect(step.url, cookies);
    const id = crypto.randomUUID();
    sessions.set(id, step.session);
    return redirect("/me", [`session=${id}; Path=/; HttpOnly; SameSite=Lax`]);
  }

  async function showUser(session: ClientSession | undefined): Promise<Response> {
    const user = session?.currentUser === undefined ? session?.sub : await session.currentUser();
    if (user === undefined) return Response.json({ error: "no login" }, { status: 401 });
    return Response.json({ user: user === unknownUser ? "a user" : user });
  }

  async function respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const session = sessions.get(cookieOf(request, "session") ?? "");
    if (pathname === "/login") {
      const id = cookieOf(request, "browser") ?? crypto.randomUUID();
      return respondTo(await begin(id), [`browser=${id}; Path=/; HttpOnly`]);
    }
    if (pathname === "/callback") {
      const { journey, open } = browserOf(cookieOf(request, "browser") ?? crypto.randomUUID());
      const callback = await callbackOf(request);
      const login = open.pop();
      return respondTo(await login?.deliver(callback) ?? { session: await receiveCallback!(journey, callback) });
    }
    if (pathname === "/refresh") {
      await session!.refresh!();
      return new Response(null, { status: 204 });
    }
    return await showUser(session);
  }

  return (request) =>
    respond(request).catch((error) =>
      new Response(`The login failed: ${error instanceof Error ? error.message.replace(/[<>&"]/g, " ") : ""}`, {
        status: 502,
        headers: { "content-type": "text/plain", "x-origin": origin },
      })
    );
}

async function callbackOf(request: Request): Promise<Callback> {
  const { method, url } = request;
  const params = method === "POST" ? new URLSearchParams(await request.text()) : new URL(url).searchParams;
  const one = (name: string) => params.get(name) ?? undefined;
  return { url, method, params, code: one("code"), error: one("error"), state: one("state") } as Callback;
}

function redirect(location: string, cookies: readonly string[]): Response {
  const lines = cookies.map((cookie) => ["set-cookie", cookie] as [string, string]);
  return new Response(null, { status: 302, headers: [["location", location], ...lines] });
}

function cookieOf({ headers }: Request, name: string): string | undefined {
  return new RegExp(`(?:^|; )${name}=([^;]+)`).exec(headers.get("cookie") ?? "")?.[1];
}
