/** Microsoft's samples at the real origins: the application of the Node quick start, and an API that Entra protects. */

import { assertEquals } from "@std/assert";
import { type AccountInfo, ConfidentialClientApplication, CryptoProvider, ResponseMode } from "@azure/msal-node";
import axios from "axios";
import express from "express";
import { createRemoteJWKSet, jwtVerify } from "jose";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { httpsAgent } from "../../../../src/testing/node/mod.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../../../../src/testing/mod.ts";
import { testLatchkey } from "../../../testing/test_latchkey.ts";
import { redirectUri, secret } from "../provider_server.ts";
import { testSample } from "./sample.ts";

const tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee";
const api = "11112222-bbbb-3333-cccc-4444dddd5555";
const orders = `api://${api}/Orders.Read`;
const signedOutUri = "https://app.example/";

async function entra(options: TestLatchkeyOptions = {}): Promise<TestLatchkey> {
  const as = await testLatchkey({
    profile: "entra",
    scopes: ["openid", "profile", "email", "offline_access", "User.Read", orders],
    clients: [{
      ...{ client_id: "web", client_secret: secret, redirect_uris: [redirectUri] },
      grant_types: ["authorization_code", "refresh_token"],
      post_logout_redirect_uris: [signedOutUri],
    }],
    users: [{ sub: "alice", name: "Alice Adams", preferred_username: "alice@contoso.com", email: "alice@contoso.com" }],
    ...options,
  });
  as.installFetch({ origins: "real" });
  return as;
}

/**
 * The class of the quick start, for one session.
 * https://github.com/Azure-Samples/ms-identity-node/blob/main/App/auth/AuthProvider.js
 */
class AuthProvider {
  readonly authority: string;
  readonly #http;
  readonly #crypto = new CryptoProvider();
  #verifier = "";
  #cache = "";
  #metadata: { readonly cloudDiscoveryMetadata: string; readonly authorityMetadata: string } | undefined;
  account: AccountInfo | undefined;

  constructor(as: TestLatchkey, name: string) {
    this.authority = `https://login.microsoftonline.com/${name}`;
    this.#http = axios.create({ httpsAgent: httpsAgent(as), adapter: "http" });
  }

  async login(scopes: readonly string[]): Promise<string> {
    const [cloud, authority] = await Promise.all([
      this.#http.get("https://login.microsoftonline.com/common/discovery/instance", {
        params: { "api-version": "1.1", authorization_endpoint: `${this.authority}/oauth2/v2.0/authorize` },
      }),
      this.#http.get(`${this.authority}/v2.0/.well-known/openid-configuration`),
    ]);
    this.#metadata = {
      cloudDiscoveryMetadata: JSON.stringify(cloud.data),
      authorityMetadata: JSON.stringify(authority.data),
    };
    const { verifier, challenge } = await this.#crypto.generatePkceCodes();
    this.#verifier = verifier;
    return await this.#client().getAuthCodeUrl({
      ...{ scopes: [...scopes], redirectUri, responseMode: ResponseMode.FORM_POST, state: this.#state() },
      ...{ codeChallenge: challenge, codeChallengeMethod: "S256" },
    });
  }

  async handleRedirect(body: Readonly<Record<string, string>>, scopes: readonly string[]): Promise<string> {
    const client = this.#client();
    const request = { scopes: [...scopes], redirectUri, code: body.code!, codeVerifier: this.#verifier };
    const tokens = await client.acquireTokenByCode({ ...request, state: this.#state() }, { ...body, code: body.code! });
    this.#cache = client.getTokenCache().serialize();
    this.account = tokens.account!;
    return tokens.accessToken;
  }

  async acquireToken(scopes: readonly string[]): Promise<string> {
    const client = this.#client();
    client.getTokenCache().deserialize(this.#cache);
    const tokens = await client.acquireTokenSilent({ account: this.account!, scopes: [...scopes] });
    this.#cache = client.getTokenCache().serialize();
    return tokens.accessToken;
  }

  logout(): string {
    return `${this.authority}/oauth2/v2.0/logout?post_logout_redirect_uri=${signedOutUri}`;
  }

  #state(): string {
    return this.#crypto.base64Encode(JSON.stringify({ successRedirect: "/" }));
  }

  #client(): ConfidentialClientApplication {
    const auth = { clientId: "web", clientSecret: secret, authority: this.authority, ...this.#metadata };
    return new ConfidentialClientApplication({ auth });
  }
}

/** A response of express. */
interface ApiResponse {
  status(code: number): { send(text: string): void };
}

/**
 * The middleware of an API, with jose: the types of express-jwt and jwks-rsa bring `@types/node`, which changes the
 * global types of all tests.
 *
 * https://github.com/Azure-Samples/ms-identity-docs-code-javascript/blob/main/protect-api/app.js
 */
async function serveApi(): Promise<AsyncDisposable & { call(token: string): Promise<[number, string]> }> {
  const keys = createRemoteJWKSet(new URL(`https://login.microsoftonline.com/${tenant}/discovery/v2.0/keys`));
  const options = {
    audience: api,
    issuer: `https://login.microsoftonline.com/${tenant}/v2.0`,
    algorithms: ["RS256"],
  };
  const app = express();
  app.get("/", async (request: IncomingMessage, response: ApiResponse) => {
    const token = request.headers.authorization?.replace(/^Bearer /, "") ?? "";
    try {
      const { payload } = await jwtVerify(token, keys, options);
      const isAllowed = String(payload.scp).split(" ").includes("Orders.Read");
      response.status(isAllowed ? 200 : 403).send(isAllowed ? "Hello" : "Insufficient scope");
    } catch (error) {
      response.status(401).send((error as Error).message);
    }
  });
  const server = app.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    async call(token) {
      const response = await fetch(`http://127.0.0.1:${port}/`, { headers: { authorization: `Bearer ${token}` } });
      return [response.status, await response.text()];
    },
    async [Symbol.asyncDispose]() {
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

for (const authority of ["common", tenant]) {
  testSample(
    "entra",
    `@azure/msal-node at ${authority === tenant ? "a tenant" : authority}, axios, express`,
    "https://github.com/Azure-Samples/ms-identity-node",
    async (step) => {
      await using as = await entra();
      const browser = as.browser();
      const provider = new AuthProvider(as, authority);
      await step("log in", async () => {
        const { params } = await browser.authorize(await provider.login(["User.Read"]));
        const token = await provider.handleRedirect(Object.fromEntries(params), ["User.Read"]);
        assertEquals([provider.account?.username, provider.account?.tenantId], ["alice@contoso.com", tenant]);
        const me = await fetch("https://graph.microsoft.com/v1.0/me", {
          headers: { authorization: `Bearer ${token}` },
        });
        assertEquals((await me.json()).displayName, "Alice Adams");
      });
      const token = await step("second scope, silently", () => provider.acquireToken([orders]));
      await step("API verifies the token", async () => {
        await using protectedApi = await serveApi();
        assertEquals(await protectedApi.call(token), [200, "Hello"]);
        // The token of the login is for Microsoft Graph.
        const [status, message] = await protectedApi.call(await provider.acquireToken(["User.Read"]));
        assertEquals([status, message.includes('"aud"')], [401, true]);
      });
      await step("log out", async () => {
        const result = await browser.logOut(provider.logout());
        assertEquals(result?.url, signedOutUri);
      });
    },
  );
}
