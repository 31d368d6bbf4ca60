/** A login in one call: authorization request, login, consent, callback and token request of a correct client. */

import { flag, object, text } from "../oauth/config/field.ts";
import { parseJsonObject } from "../http/message.ts";
import { splitScope } from "../oauth/authorize/scope_token.ts";
import { digest, randomId, randomToken } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import type { TokenResponse } from "../oauth/tokens/token_response.ts";
import { redactText } from "../oauth/trace.ts";
import { decodeBase64url } from "../runtime/base64url.ts";
import { authenticateClient, type ClientCredentials } from "./client_authentication.ts";
import { withContentLength } from "./fetch.ts";
import { type ExplainRejection, LoginError, type RejectionDetails } from "./login_error.ts";
import { anyOption, assertOptions, objectOption } from "./options.ts";
import { type Persona, personaField, toPersona } from "./persona.ts";
import { encodeParameters, type RequestParameters, type TestBrowser } from "./browser/test_browser.ts";
import type { Callback } from "./browser/callback.ts";

/** Options of a login. */
export interface LoginOptions extends Persona {
  /** Space-separated. Default: `openid profile email`, as far as the client is registered for them. */
  readonly scope?: string;
  /** The resource indicator of the access token (RFC 8707). Default: none. */
  readonly resource?: string | readonly string[];
  /** `login`, `none`, `consent` or `select_account`. Default: none. */
  readonly prompt?: string;
  /** Whether the client pushes the authorization request (RFC 9126). Default: only if its metadata demands it. */
  readonly par?: boolean;
  /** The browser. Default: a new one. */
  readonly browser?: TestBrowser;
  /** Further parameters of the authorization request; they replace generated ones, and `undefined` removes one. */
  readonly authorization?: RequestParameters;
  /** Further parameters of the token request; they replace generated ones, and `undefined` removes one. */
  readonly token?: RequestParameters;
}

/** The description of {@link LoginOptions}. */
const loginField = object<LoginOptions>("LoginOptions", {
  ...personaField.members,
  scope: text(["openid profile"]),
  resource: anyOption,
  prompt: text(["login"]),
  par: flag(),
  browser: objectOption,
  authorization: objectOption,
  token: objectOption,
}, {});

/** The result of a login. */
export interface LoginResult {
  /** The token response. */
  readonly tokens: TokenResponse;
  /** The claims of the ID token, decoded and not verified; absent without an ID token. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** What the redirect URI received. */
  readonly callback: Callback;
  /** The authorization code, which has been redeemed. */
  readonly code: string;
  /** The code verifier. */
  readonly verifier: string;
  /** The state that was sent, or the generated one if none was sent. */
  readonly state: string;
  /** The nonce that was sent, or the generated one if none was sent. */
  readonly nonce: string;
  /** The URL of the authorization request. */
  readonly request: URL;
}

/** The dependencies of a login client. */
interface LoginClientOptions {
  /** The server at this moment; verifier, state and nonce come from its random source. */
  readonly server: () => Server;
  /** Returns the URL of an endpoint by its name. */
  readonly endpointUrl: (name: string) => string;
  /** Sends one request to the server and follows no redirect. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Opens a browser without cookies. */
  readonly browser: () => TestBrowser;
  /** Explains rejections in errors. Default: errors have no explanation. */
  readonly explain?: ExplainRejection;
}

/** A correct client, for the credentials of any client. */
export interface LoginClient {
  /**
   * Logs in: authorization request, login, consent, callback and token request.
   *
   * @throws {LoginError} If the server rejects a request, or a correct client must stop: `state` or `iss` is wrong.
   */
  logIn(client: ClientCredentials, options?: LoginOptions): Promise<LoginResult>;
  /** Sends a token request, authenticated by the method of the client. @throws {LoginError} If it is rejected. */
  token(client: ClientCredentials, params: RequestParameters): Promise<TokenResponse>;
  /** Refreshes tokens. @throws {LoginError} If the request is rejected. */
  refresh(client: ClientCredentials, refreshToken: string, params?: RequestParameters): Promise<TokenResponse>;
}

export function loginClient({ server, endpointUrl, fetch, browser, explain }: LoginClientOptions): LoginClient {
  /** Sends a form, authenticated by the method of the client. */
  async function post(
    endpoint: string,
    title: string,
    client: ClientCredentials,
    params: RequestParameters,
  ): Promise<Readonly<Record<string, unknown>>> {
    const { headers, params: authentication } = await authenticateClient(server(), client);
    const body = encodeParameters({ ...authentication, ...params });
    const init = {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body,
    };
    const request = withContentLength(new Request(endpointUrl(endpoint), init), body);
    const response = await fetch(request);
    return await parseResponse(response, title, client, explain?.(request));
  }

  async function push(client: ClientCredentials, params: RequestParameters): Promise<string> {
    const title = "pushed authorization request endpoint";
    const { request_uri } = await post("par", title, client, params);
    return encodeParameters({ client_id: client.client_id, request_uri: String(request_uri) });
  }

  const self: LoginClient = {
    async logIn(client, options = {}) {
      assertOptions("logIn", loginField, options);
      const { issuer } = server();
      const { verifier, state, nonce, params } = await createRequest(server(), client, options);
      const sent = new URLSearchParams(encodeParameters(params));
      const getSent = (name: string) => sent.get(name) ?? undefined;
      const registered = server().clients.findCached(client.client_id);
      const isPushed = options.par ?? (registered?.requirePushedRequests || server().requirePushedRequests);
      const query = isPushed ? await push(client, params) : sent;
      const request = new URL(`${endpointUrl("authorize")}?${query}`);
      const callback = await (options.browser ?? browser()).authorize(request, toPersona(options));
      assertCallback(callback, getSent("state"), issuer, client);
      const code = callback.code!;
      const tokens = await self.token(client, {
        grant_type: "authorization_code",
        code,
        redirect_uri: getSent("redirect_uri"),
        code_verifier: getSent("code_challenge") === undefined ? undefined : verifier,
        ...options.token,
      });
      const claims = tokens.id_token === undefined ? undefined : decodeClaims(tokens.id_token);
      return {
        tokens,
        claims,
        callback,
        code,
        verifier,
        state: getSent("state") ?? state,
        nonce: getSent("nonce") ?? nonce,
        request,
      };
    },

    async token(client, params) {
      return await post("token", "token endpoint", client, params) as unknown as TokenResponse;
    },

    refresh: (client, refreshToken, params = {}) =>
      self.token(client, { grant_type: "refresh_token", refresh_token: refreshToken, ...params }),
  };
  return self;
}

/** The scope of a login without the option `scope`. */
const defaultScopeValues = ["openid", "profile", "email"];

async function createRequest(server: Server, client: ClientCredentials, options: LoginOptions) {
  const registered = server.clients.findCached(client.client_id);
  const verifier = randomToken(server.randomBytes);
  const state = randomId(server.randomBytes);
  const nonce = randomId(server.randomBytes);
  // A metadata document may not have been fetched yet.
  const knownScope = registered?.scope ?? server.scopes;
  const scope = options.scope ??
    (defaultScopeValues.filter((token) => knownScope.includes(token)).join(" ") || undefined);
  const params: RequestParameters = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: client.redirect_uri ?? registered?.redirectUris[0],
    scope,
    state,
    nonce: splitScope(scope ?? "").includes("openid") ? nonce : undefined,
    code_challenge: await digest(verifier),
    code_challenge_method: "S256",
    resource: options.resource,
    prompt: options.prompt,
    ...options.authorization,
  };
  return { verifier, state, nonce, params };
}

/** Throws if a correct client must not continue with the token request. */
function assertCallback(
  callback: Callback,
  state: string | undefined,
  issuer: string,
  { client_id }: ClientCredentials,
): void {
  const { error, errorDescription, explanation, internalError } = callback;
  for (const [name, expected, received] of [["state", state, callback.state], ["iss", issuer, callback.iss]] as const) {
    if (expected === received) continue;
    const facts = `expected: ${expected ?? "none"}\n  received: ${received ?? "none"}`;
    throw new LoginError(`The callback does not belong to this request: ${name} is wrong\n  ${facts}`, { callback });
  }
  if (error !== undefined) {
    const sentence = `The authorization endpoint rejected client ${client_id}: ${error}, ${errorDescription}`;
    throw new LoginError(sentence, { error, explanation, internalError, callback });
  }
  if (callback.code === undefined) throw new LoginError("The callback has neither a code nor an error", { callback });
}

async function parseResponse(
  response: Response,
  title: string,
  { client_id }: ClientCredentials,
  details: RejectionDetails = {},
): Promise<Readonly<Record<string, unknown>>> {
  const { status } = response;
  const text = await response.text();
  const body = parseJsonObject(text);
  if (body === undefined) {
    const excerpt = redactText(text.slice(0, 200));
    throw new LoginError(`The ${title} responded ${status} with a body that is not a JSON object: ${excerpt}`, {
      ...details,
      status,
    });
  }
  if (response.ok) return body;
  const { error, error_description } = body;
  const sentence = `The ${title} rejected client ${client_id}: ${status} ${error}, ${error_description}`;
  throw new LoginError(sentence, { ...details, status, error: typeof error === "string" ? error : undefined });
}

/** The claims of a JWT, not verified. */
function decodeClaims(jwt: string): Readonly<Record<string, unknown>> {
  return JSON.parse(new TextDecoder().decode(decodeBase64url(jwt.split(".")[1] ?? "")));
}
