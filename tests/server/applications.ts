/** Applications that log their users in with a library, and the browser of a user: what both do around the server. */

import { assert, assertEquals } from "@std/assert";
import { Auth, type AuthConfig, skipCSRFCheck } from "@auth/core";

/** A browser with one session, which is sent to the server and says where it is sent from there. */
export function openBrowser(): (url: string | URL) => Promise<Response> {
  let cookie = "";
  return async (url) => {
    const response = await fetch(url, { redirect: "manual", headers: { cookie } });
    for (const line of response.headers.getSetCookie()) cookie = line.includes("Max-Age=0") ? "" : line.split(";")[0]!;
    return response;
  };
}

/** Redirect target of a response; fails without one. */
export async function getRedirectLocation(response: Response): Promise<string> {
  const body = await response.text();
  const location = response.headers.get("location");
  assert(location !== null, `no redirect: ${response.status} ${body}`);
  return location;
}

/** An application with Auth.js, and one browser in front of it, which keeps its cookies. */
export interface AuthJsApplication {
  /** Presses the button of a provider, which leads back to `/home`; returns the redirect target. */
  begin(provider?: string): Promise<string>;
  visit(url: string, init?: RequestInit): Promise<Response>;
  /** A whole login by a provider; returns the user of the session. */
  logIn(provider?: string): Promise<Record<string, unknown>>;
}

/** Sets Auth.js up at `https://app.example/auth`, as its documentation has it. */
export function authJsApplication(
  providers: AuthConfig["providers"],
  callbacks: NonNullable<AuthConfig["callbacks"]> = {},
): AuthJsApplication {
  const config: AuthConfig = {
    basePath: "/auth",
    secret: "the secret of the application itself",
    trustHost: true,
    skipCSRFCheck,
    logger: { error() {}, warn() {} },
    providers,
    callbacks,
  };
  const cookies = new Map<string, string>();
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await Auth(new Request(url, { ...init, headers: { ...init.headers as object, cookie } }), config);
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name!, value!);
    }
    return response;
  };
  const self: AuthJsApplication = {
    begin: async (provider = "latchkey") =>
      await getRedirectLocation(
        await send(`https://app.example/auth/signin/${provider}`, {
          method: "POST",
          body: "callbackUrl=https%3A%2F%2Fapp.example%2Fhome",
          headers: { "content-type": "application/x-www-form-urlencoded" },
        }),
      ),
    visit: send,
    async logIn(provider) {
      const back = await getRedirectLocation(await openBrowser()(await self.begin(provider)));
      assertEquals(await getRedirectLocation(await send(back)), "https://app.example/home");
      return (await (await send("https://app.example/auth/session")).json()).user;
    },
  };
  return self;
}

/** What came of a Passport strategy: it redirects, succeeds, fails or has an error. */
export type Outcome =
  | { readonly redirect: string }
  | { readonly user: Record<string, unknown> }
  | { readonly failure: unknown }
  | { readonly error: Error };

/** Runs a strategy as Passport would inside Express, for one request of one browser. */
function runStrategy(strategy: object, session: object, url: string): Promise<Outcome> {
  return new Promise((resolve) => {
    const request = { url, query: Object.fromEntries(new URL(url).searchParams), session, headers: {}, method: "GET" };
    const instance = Object.assign(Object.create(strategy), {
      redirect: (redirect: string) => resolve({ redirect }),
      success: (user: Record<string, unknown>) => resolve({ user }),
      fail: (failure: unknown) => resolve({ failure }),
      error: (error: Error) => resolve({ error }),
    });
    instance.authenticate(request, {});
  });
}

/** A whole login by Passport: to the server, back (the URL may be changed), and what the strategy makes of it. */
export async function loginWithPassport(strategy: object, change: (url: URL) => void = () => {}): Promise<Outcome> {
  const session = {};
  const started = await runStrategy(strategy, session, "https://app.example/login");
  assert("redirect" in started, JSON.stringify(started));
  const callbackUrl = new URL(await getRedirectLocation(await openBrowser()(started.redirect)));
  change(callbackUrl);
  return await runStrategy(strategy, session, callbackUrl.href);
}
