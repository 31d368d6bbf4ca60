/** The service of oauth2-mock-server: its events and its endpoints, in front of a mock. */

import { EventEmitter } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { HttpRequest } from "../../core/http/message.ts";
import { ConnectionDropped } from "../../platform/http/dropped_connection.ts";
import { type TestLatchkey, testLatchkey } from "../test_latchkey.ts";
import type { AppChanges } from "../../server/hosting/options.ts";
import { type OAuth2Issuer, signToken, tokenLifetime } from "./issuer.ts";
import { exchangeEvents } from "./exchange.ts";
import { issuedTokenList, type IssuedTokens } from "./issued_tokens.ts";
import { augmentRequest, findTokens, sendResponse, splitTarget, toRequest } from "./node_messages.ts";
import { boundedCache } from "../../platform/bounded_cache.ts";
import { printable } from "../../core/http/quote_value.ts";
import { lenientForm } from "./lenient_form.ts";
import { mockPlugin } from "./plugin.ts";
import {
  type AugmentedRequest,
  Events,
  type HttpMethod,
  type OAuth2Endpoints,
  type OAuth2EndpointsInput,
  type RouteHandler,
  type ScopesOrTransform,
  supportedHttpMethods,
} from "./types.ts";
import { createLocalJWKSet, jwtVerify } from "jose";
import type { Mint } from "../mint.ts";

/** Maximum number of different lines on stderr. */
const maxReported = 200;

const defaultEndpoints: OAuth2Endpoints = {
  wellKnownDocument: "/.well-known/openid-configuration",
  token: "/token",
  jwks: "/jwks",
  authorize: "/authorize",
  userinfo: "/userinfo",
  revoke: "/revoke",
  endSession: "/endsession",
  introspect: "/introspect",
};

/** The endpoints, with an event for each: {@link Events}. */
export class OAuth2Service extends EventEmitter {
  readonly #issuer: OAuth2Issuer;
  readonly #endpoints: OAuth2Endpoints;
  readonly #routes = new Map<string, RouteHandler>();
  readonly #tokens: IssuedTokens;
  readonly #requests = new WeakMap<HttpRequest, AugmentedRequest>();
  readonly #fixes = new WeakMap<AugmentedRequest, string>();
  readonly #clientsByCode = boundedCache<string>(1000);
  /** The lines on stderr: each once. */
  readonly #reported = new Set<string>();
  #mock: Promise<TestLatchkey> | undefined;
  #moveTo: AppChanges["moveTo"] | undefined;

  /**
   * Creates a service.
   *
   * @param issuer The issuer of the tokens.
   * @param endpoints Paths that differ from their defaults. Default: none.
   * @throws {Error} If a path does not begin with a slash.
   */
  constructor(issuer: OAuth2Issuer, endpoints: OAuth2EndpointsInput = {}) {
    super();
    for (const [name, path] of Object.entries(endpoints)) assertPath(`endpoints.${name}`, path);
    this.#issuer = issuer;
    this.#tokens = issuedTokenList(() => issuer.now());
    this.#endpoints = { ...defaultEndpoints, ...endpoints };
  }

  /** The issuer of the tokens. */
  get issuer(): OAuth2Issuer {
    return this.#issuer;
  }

  /** Handles requests of a server of `node:http`. */
  get requestHandler(): RequestListener {
    return (incoming, outgoing) => void this.#respond(incoming, outgoing);
  }

  /** Signs a token, with the event `beforeTokenSigning`; see {@link OAuth2Issuer.buildToken}. */
  async buildToken(
    request: IncomingMessage,
    expiresIn: number = tokenLifetime,
    scopesOrTransform?: ScopesOrTransform,
  ): Promise<string> {
    return await signToken(this.#issuer, { expiresIn, scopesOrTransform }, (token) => {
      this.#issuer.emit("beforeSigning", token);
      this.emit(Events.BeforeTokenSigning, token, request);
    });
  }

  /**
   * Adds a route of a test, which replaces an endpoint at the same path.
   *
   * @throws {Error} If the method is unknown, the path does not begin with a slash, or the route exists.
   */
  addRoute(method: HttpMethod, path: string, handler: RouteHandler): void {
    if (!supportedHttpMethods.includes(method)) throw new Error(`Invalid HTTP method: ${method}`);
    assertPath("path", path);
    if (this.#routes.has(`${method} ${path}`)) throw new Error(`Route already exists: '${method} ${path}'`);
    this.#routes.set(`${method} ${path}`, handler);
  }

  /**
   * The mock behind the endpoints: its log, faults, users and clock.
   *
   * @param issuer The issuer of the mock from now on. Default: the one that it has; `http://localhost` at first.
   */
  async mock(issuer?: string): Promise<TestLatchkey> {
    const mock = await (this.#mock ??= this.#createMock(issuer ?? "http://localhost"));
    if (issuer !== undefined && issuer !== mock.issuer) this.#moveTo!(issuer);
    return mock;
  }

  /** Ends the mock. The next request starts another one. */
  async close(): Promise<void> {
    const mock = this.#mock;
    this.#mock = undefined;
    await (await mock)?.close();
  }

  async #createMock(issuer: string): Promise<TestLatchkey> {
    const { authorize, token, jwks, userinfo, revoke, introspect, endSession } = this.#endpoints;
    const mock = await testLatchkey({
      issuer,
      ...{ clients: "any", redirectUris: "any", scopes: "any", unknownLoginHint: "default" },
      insecure: ["http-redirect-uris"],
      users: [{ sub: "johndoe" }],
      lifetimes: { access_token: tokenLifetime, id_token: tokenLifetime },
      paths: {
        authorization_endpoint: authorize,
        token_endpoint: token,
        jwks_uri: jwks,
        userinfo_endpoint: userinfo,
        revocation_endpoint: revoke,
        introspection_endpoint: introspect,
        end_session_endpoint: endSession,
      },
      trace: (event) => {
        if (event.type !== "rejected") return;
        const { rule, reason, expected, received, fix } = event.explanation;
        const parts = [`rejected ${event.endpoint}: ${event.error}: ${reason} [${rule}]`];
        if (expected !== undefined) parts.push(`expected ${expected}; received ${received}`);
        if (fix !== undefined) parts.push(fix);
        this.#report(parts.join(". "));
      },
      plugins: [
        { setup: (_app, { moveTo }) => void (this.#moveTo = moveTo) },
        mockPlugin((...options) => this.buildToken(...options), this.#tokens, this.#requests, this.#fixes),
      ],
    });
    this.#issuer.now = mock.clock.now;
    return mock;
  }

  #report(line: string): void {
    if (this.#reported.has(line) || this.#reported.size >= maxReported) return;
    this.#reported.add(line);
    console.error(`Latchkey ${printable(line)}`);
  }

  /** Remembers the client of a code, for a token request that names none. */
  #rememberClient({ headers }: Response, { query: { client_id } }: AugmentedRequest): void {
    const location = headers.get("location") ?? "";
    const code = URL.canParse(location) ? new URL(location).searchParams.get("code") : null;
    if (code !== null && typeof client_id === "string") this.#clientsByCode.set(code, client_id);
  }

  async #respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    try {
      const { request, text } = await augmentRequest(incoming);
      const { path } = splitTarget(incoming);
      const route = this.#routes.get(`${incoming.method} ${path}`);
      if (route !== undefined) return await route(request, outgoing);
      // The only method that cannot be a Request.
      if (incoming.method === "TRACE") return void outgoing.writeHead(501).end();
      const mock = await this.mock();
      for (const token of findTokens(request)) {
        await adoptToken(token, this.#issuer, { mint: mock.mint, tokens: this.#tokens });
      }
      const isToken = path === this.#endpoints.token;
      const isForm = isToken || path === this.#endpoints.introspect || path === this.#endpoints.revoke;
      const form = isForm && incoming.method === "POST"
        ? lenientForm(request, text, isToken, (code) => this.#clientsByCode.get(code))
        : { text, warnings: [] };
      for (const warning of form.warnings) this.#report(`accepted ${path}: ${warning}`);
      if (form.warnings.length > 0) incoming.headers["content-type"] = "application/x-www-form-urlencoded";
      const translated = toRequest(request, form.text, {
        origin: new URL(mock.issuer).origin,
        // The path of metadata is fixed by OpenID Connect Discovery.
        path: path === this.#endpoints.wellKnownDocument ? defaultEndpoints.wellKnownDocument : path,
        tokens: this.#tokens,
      });
      this.#requests.set(translated, request);
      const response = await mock.fetch(translated);
      this.#rememberClient(response, request);
      // As the original does (RFC 6749 §5.1).
      if (isToken) outgoing.setHeader("pragma", "no-cache");
      await sendResponse(
        outgoing,
        await exchangeEvents(response, request, {
          ...{ path, mock, endpoints: this.#endpoints, issuer: this.#issuer, fix: this.#fixes.get(request) },
          emit: (...event) => void this.emit(...event),
        }),
      );
    } catch (error) {
      if (error instanceof ConnectionDropped) return void incoming.socket.destroy();
      console.error("A listener of the test, or a route, has thrown:", error);
      if (!outgoing.headersSent) outgoing.statusCode = 500;
      outgoing.end();
    }
  }
}

function assertPath(name: string, path: string): void {
  if (!path.startsWith("/")) throw new Error(`${name}: expected a path that begins with a slash, received ${path}`);
}

/** The client of tokens without a `client_id`. */
const anyClient = "unknown";

/** Mints a token of the mock for a valid token of `buildToken`. Ignores other tokens, such as expired ones. */
async function adoptToken(
  token: string,
  issuer: OAuth2Issuer,
  { mint, tokens }: { readonly mint: Mint; readonly tokens: IssuedTokens },
): Promise<void> {
  if (tokens.has(token) || token.split(".").length !== 3) return;
  const verified = await jwtVerify(token, createLocalJWKSet({ keys: issuer.keys.toJSON() }), {
    issuer: issuer.url,
    currentDate: new Date(issuer.now()),
  }).catch(() => undefined);
  if (verified === undefined) return;
  const { client_id = anyClient } = verified.payload;
  tokens.set(token, { own: await mint.accessToken({ client: String(client_id), scope: "openid" }) });
}
