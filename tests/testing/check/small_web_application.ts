/** A small web application on a socket: node:http, openid-client and cookies; and copies of it with one mistake each. */

import { createLocalJWKSet, createRemoteJWKSet, jwtVerify, type JWTVerifyGetKey } from "jose";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import * as openid from "openid-client";

/** A mistake of a copy. */
export type ApplicationMistake =
  | "does not compare state"
  | "does not verify the ID token"
  | "fetches the JWKS once"
  | "believes any userinfo"
  | "keeps a failed discovery"
  | "stores the refresh response as it is"
  | "shows no login";

/** A running application. */
export interface SmallWebApplication extends AsyncDisposable {
  /** Its origin: `/login` starts a login, `/me` responds with 401 without one, `/refresh` refreshes the tokens. */
  readonly url: string;
  /** Forgets everything, like a restart. */
  restart(): Promise<void>;
}

/** What the application is configured with. */
interface Configuration {
  readonly issuer: string;
  readonly clientId: string;
  readonly mistake?: ApplicationMistake;
  /** Whether it discovers the metadata at its start, and does not start without it. Default: at the first login. */
  readonly discoversAtStart?: boolean;
}

/** Starts an application; `configure` receives its URL, and registers the client. Port 0 is a free one. */
export async function startWebApplication(
  configure: (url: string) => Configuration,
  port = 0,
): Promise<SmallWebApplication> {
  const server = createServer((request, response) => {
    respond(request, response).catch((error) => {
      const text = String(error?.cause?.message ?? error?.message ?? error);
      response.writeHead(502, { "content-type": "text/html" }).end(`<h1>Login failed</h1><p>${text.slice(0, 200)}</p>`);
    });
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { issuer, clientId, mistake, discoversAtStart } = configure(url);

  let config: Promise<openid.Configuration> | undefined;
  let keys: JWTVerifyGetKey | undefined;
  const pending = new Map<string, { readonly verifier: string; readonly state: string; readonly nonce: string }>();
  const sessions = new Map<
    string,
    { readonly sub: string; readonly name?: string; refreshToken: string | undefined }
  >();

  async function discover(): Promise<openid.Configuration> {
    const discovered = openid.discovery(new URL(issuer), clientId, {}, openid.None(), {
      execute: [openid.allowInsecureRequests],
      timeout: 60,
    });
    config ??= discovered;
    if (mistake !== "keeps a failed discovery") discovered.catch(() => config = undefined);
    return await config;
  }

  async function verifyIdToken(token: string, metadata: openid.ServerMetadata): Promise<void> {
    if (mistake === "does not verify the ID token") return;
    keys ??= mistake === "fetches the JWKS once"
      ? createLocalJWKSet(await (await fetch(metadata.jwks_uri!)).json())
      : createRemoteJWKSet(new URL(metadata.jwks_uri!), { cooldownDuration: 1000 });
    await jwtVerify(token, keys, { issuer, audience: clientId, algorithms: ["RS256"] });
  }

  async function logIn(request: IncomingMessage) {
    const id = cookieOf(request, "login") ?? "";
    const login = pending.get(id);
    pending.delete(id);
    if (login === undefined) throw new Error("no login has begun in this browser");
    const configuration = await (config ?? discover());
    const tokens = await openid.authorizationCodeGrant(configuration, new URL(request.url!, url), {
      pkceCodeVerifier: login.verifier,
      expectedState: mistake === "does not compare state" ? openid.skipStateCheck : login.state,
      expectedNonce: login.nonce,
      idTokenExpected: true,
    });
    await verifyIdToken(tokens.id_token!, configuration.serverMetadata());
    const { sub } = tokens.claims()!;
    if (sub === "") throw new Error("sub is empty");
    const expected = mistake === "believes any userinfo" ? openid.skipSubjectCheck : sub;
    const info = await openid.fetchUserInfo(configuration, tokens.access_token, expected);
    return { sub: info.sub, name: info.name, refreshToken: tokens.refresh_token };
  }

  async function refresh(session: { readonly sub: string; refreshToken: string | undefined }): Promise<void> {
    const tokens = await openid.refreshTokenGrant(await (config ?? discover()), session.refreshToken!);
    if ((tokens.claims()?.sub ?? session.sub) !== session.sub) throw new Error("the ID token is about another user");
    session.refreshToken = mistake === "stores the refresh response as it is"
      ? tokens.refresh_token
      : tokens.refresh_token ?? session.refreshToken;
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const session = sessions.get(cookieOf(request, "session") ?? "");
    const user = session?.sub;
    switch (new URL(request.url!, url).pathname) {
      case "/login": {
        const configuration = await (config ?? discover());
        const [verifier, state, nonce, id] = [
          openid.randomPKCECodeVerifier(),
          openid.randomState(),
          openid.randomNonce(),
          openid.randomState(),
        ];
        pending.set(id, { verifier, state, nonce });
        const location = openid.buildAuthorizationUrl(configuration, {
          redirect_uri: `${url}/callback`,
          scope: "openid profile offline_access",
          state,
          nonce,
          code_challenge: await openid.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        }).href;
        return void response.writeHead(302, { location, "set-cookie": `login=${id}; HttpOnly; SameSite=Lax` }).end();
      }
      case "/callback": {
        const id = openid.randomState();
        sessions.set(id, await logIn(request));
        return void response.writeHead(302, {
          location: "/",
          "set-cookie": [`session=${id}; HttpOnly; Path=/`, "login=; Max-Age=0; Path=/"],
        }).end();
      }
      case "/me":
        if (mistake === "shows no login") return void response.writeHead(200).end("Hello");
        return void response.writeHead(user === undefined ? 401 : 200, { "content-type": "application/json" })
          .end(JSON.stringify({ user }));
      case "/hello":
        return void response.writeHead(user === undefined ? 401 : 200).end(`Hello ${session?.name}`);
      case "/refresh":
        await refresh(session!);
        return void response.writeHead(204).end();
      case "/restart":
        await restart();
        return void response.writeHead(204).end();
      default:
        response.writeHead(200, { "content-type": "text/html" })
          .end(user === undefined ? `<a href="/login">Log in</a>` : `<p>Hello ${user}</p>`);
    }
  }

  async function restart(): Promise<void> {
    config = keys = undefined;
    pending.clear();
    sessions.clear();
    if (discoversAtStart) await discover();
  }

  if (discoversAtStart) await discover();
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, restart, [Symbol.asyncDispose]: close };
}

function cookieOf({ headers }: IncomingMessage, name: string): string | undefined {
  return new RegExp(`(?:^|; )${name}=([^;]+)`).exec(headers.cookie ?? "")?.[1];
}
