/** A driver of Auth.js (`@auth/core`). */

import type { Callback } from "../../../../src/testing/browser/callback.ts";
import type { ClientDriver, ClientJourney, ClientSession } from "../../../../src/check/driver.ts";
import * as authJs from "@auth/core";
import { type DriverOptions, methodOf, scope } from "./options.ts";

const origin = "https://client.test";
const home = `${origin}/home`;
const callbackPath = "/auth/callback/latchkey";

/**
 * Drives [Auth.js](https://authjs.dev) in an application at `https://client.test`, with an OIDC provider that requests
 * userinfo, and sessions in a cookie. The user is the `providerAccountId` of the account.
 */
export function authJsDriver({ client: registration }: DriverOptions = {}): ClientDriver {
  /** The application in one journey: it starts logins and receives responses. */
  function application({ issuer, client, browser: { cookies }, fetch }: ClientJourney) {
    const errors: Error[] = [];
    const config = {
      basePath: "/auth",
      secret: "the secret of the application itself",
      trustHost: true,
      skipCSRFCheck: authJs.skipCSRFCheck,
      logger: { error: (error: Error) => void errors.push(error), warn() {}, debug() {} },
      callbacks: {
        jwt: ({ token, account }: JwtParameters) => account ? { ...token, sub: account.providerAccountId } : token,
        session: ({ session, token }: SessionParameters) => ({ ...session, user: { ...session.user, id: token.sub } }),
      },
      providers: [{
        id: "latchkey",
        name: "Latchkey",
        type: "oidc",
        issuer,
        clientId: client.client_id,
        clientSecret: client.client_secret,
        client: { token_endpoint_auth_method: methodOf("authJsDriver", client) },
        authorization: { params: { scope } },
        idToken: false,
        checks: ["pkce", "state", "nonce"],
        [authJs.customFetch]: fetch,
      }],
    };

    async function visit(url: string, form?: URLSearchParams): Promise<Response> {
      const headers = { cookie: cookies.headerFor(url) ?? "" };
      const request = new Request(url, { method: form === undefined ? "GET" : "POST", body: form, headers });
      const response = await authJs.Auth(request, config as never) as Response;
      cookies.storeFrom(url, response.headers);
      return response;
    }

    /** The URL that the application redirects the browser to. */
    async function redirectOf(url: string, form?: URLSearchParams): Promise<string> {
      const location = (await visit(url, form)).headers.get("location") ?? "";
      const error = errors.at(-1);
      if (error !== undefined) throw (error.cause as { readonly err?: unknown } | undefined)?.err ?? error;
      return location;
    }

    async function readSession(): Promise<SessionParameters["session"] | null> {
      return await (await visit(`${origin}/auth/session`)).json();
    }

    return {
      begin: () => redirectOf(`${origin}/auth/signin/latchkey`, new URLSearchParams({ callbackUrl: home })),

      async receive({ url, method, params }: Callback): Promise<ClientSession> {
        const location = await redirectOf(url, method === "POST" ? params : undefined);
        if (location !== home) throw new Error(`Auth.js redirects to ${location}`);
        const { id: sub, ...claims } = (await readSession())?.user ?? {};
        if (sub === undefined) throw new Error("Auth.js has no session");
        return { sub, claims: { ...claims, sub }, location, currentUser: async () => (await readSession())?.user?.id };
      },
    };
  }

  return {
    name: "Auth.js",
    client: { redirect_uri: `${origin}${callbackPath}`, ...registration },
    async logIn(journey) {
      const { begin, receive } = application(journey);
      return await receive(await journey.authorize(await begin()));
    },
    receiveCallback: (journey, callback) => application(journey).receive(callback),
  };
}

interface JwtParameters {
  readonly token: Readonly<Record<string, unknown>>;
  readonly account?: { readonly providerAccountId: string } | null;
}

interface SessionParameters {
  readonly session: { readonly user?: { readonly id?: string; readonly name?: string; readonly email?: string } };
  readonly token: { readonly sub?: string };
}
