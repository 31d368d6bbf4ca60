/** One login of each client library, with everything that follows from it. */

import type { ClientDriver } from "../../src/check/driver.ts";
import type { TestLatchkey } from "../../src/testing/mod.ts";
import { cookieJar } from "../../src/testing/browser/cookie_jar.ts";
import { authJsDriver } from "../check/drivers/libraries/auth_js.ts";
import { mcpSdkDriver } from "../check/drivers/libraries/mcp_sdk.ts";
import { oauth4webapiDriver } from "../check/drivers/libraries/oauth4webapi.ts";
import { oidcClientTsDriver } from "../check/drivers/libraries/oidc_client_ts.ts";
import { openidClientDriver } from "../check/drivers/libraries/openid_client.ts";
import { startExpressApplication } from "../check/drivers/express_application.ts";
import OAuth2Strategy from "passport-oauth2";
import OpenIDConnectStrategy from "passport-openidconnect";
import { webApplication } from "../../src/check/mod.ts";
import { loginWithPassport } from "../server/applications.ts";

/** Logs in, refreshes twice and reads userinfo, as far as the library does so. Throws what the library throws. */
export type LibraryLogin = (as: TestLatchkey) => Promise<void>;

let count = 0;

/** Logs in with a new driver, which has cached nothing. */
function withDriver(createDriver: () => ClientDriver): LibraryLogin {
  return async (as) => {
    const driver = createDriver();
    const client = as.client(driver.client ?? {});
    const resource = driver.requestResource === undefined
      ? ""
      : as.resource(`https://resource-${++count}.test/mcp`).url;
    const browser = as.browser();
    const journey = {
      ...{ issuer: as.issuer, client, redirectUri: client.redirect_uri, resource, fetch: as.fetch },
      browser: { cookies: cookieJar(as.clock.now), visits: [] },
      signal: new AbortController().signal,
      now: as.clock.now,
      authorize: (url: string | URL) => browser.authorize(url),
      endSession: (url: string | URL) => browser.logOut(url),
    };
    const session = await (driver.logIn ?? driver.requestResource)!(journey);
    if (!session.sub.includes("alice")) throw new Error(`expected alice, received ${session.sub}`);
    await session.refresh?.();
    await session.refresh?.();
    await session.request?.();
  };
}

/** Logs in over a socket with a strategy of Passport, which has no discovery. */
function withStrategy(createStrategy: (as: TestLatchkey, urls: PassportUrls) => object): LibraryLogin {
  return async (as) => {
    const metadata = await (await fetch(`${as.issuer}/.well-known/openid-configuration`)).json();
    const outcome = await loginWithPassport(createStrategy(as, {
      authorizationURL: metadata.authorization_endpoint,
      tokenURL: metadata.token_endpoint,
      userInfoURL: metadata.userinfo_endpoint,
      callbackURL: "https://app.example/cb",
    }));
    if (!("user" in outcome)) throw "error" in outcome ? outcome.error : new Error(JSON.stringify(outcome));
  };
}

interface PassportUrls {
  readonly authorizationURL: string;
  readonly tokenURL: string;
  readonly userInfoURL: string;
  readonly callbackURL: string;
}

function passportClient(as: TestLatchkey) {
  const { client_id: clientID, client_secret: clientSecret } = as.client({
    redirect_uri: "https://app.example/cb",
    confidential: true,
    token_endpoint_auth_method: "client_secret_post",
  });
  return { clientID, clientSecret };
}

type Done = (error: null, user: object) => void;

/** The libraries that need a server that listens. */
export const librariesOverSockets: Readonly<Record<string, LibraryLogin>> = {
  "passport-oauth2": withStrategy((as, urls) =>
    new OAuth2Strategy(
      { ...urls, ...passportClient(as), scope: ["read", "write"], state: true, pkce: true },
      (_access: string, _refresh: string, params: { token_type: string }, _profile: object, done: Done) =>
        done(null, params),
    )
  ),
  "passport-openidconnect": withStrategy((as, urls) =>
    new OpenIDConnectStrategy(
      { ...urls, ...passportClient(as), issuer: as.issuer, scope: "profile email", nonce: true, maxAge: 100 },
      (_issuer: string, profile: object, done: Done) => done(null, profile),
    )
  ),
  "express-openid-connect": async (as) => {
    await using application = await startExpressApplication(
      as.issuer,
      (url) => as.client({ redirect_uri: `${url}/callback`, confidential: true }),
    );
    const driver = webApplication(`${application.url}/login`, {
      loggedInUrl: `${application.url}/me`,
      loggedInText: '"sub":"alice"',
    });
    await withDriver(() => driver)(as);
  },
};

/** The libraries that take a fetch. */
export const libraries: Readonly<Record<string, LibraryLogin>> = {
  "openid-client": withDriver(() => openidClientDriver({ verifySignature: true })),
  oauth4webapi: withDriver(() => oauth4webapiDriver({ verifySignature: true })),
  "oidc-client-ts": withDriver(oidcClientTsDriver),
  "Auth.js": withDriver(authJsDriver),
  // It asks for no offline_access, and begins a new login if the server issued no refresh token.
  "MCP SDK": async (as) => {
    try {
      await withDriver(mcpSdkDriver)(as);
    } catch (error) {
      if ((error as Error).message !== "the SDK starts a new login") throw error;
    }
  },
};
