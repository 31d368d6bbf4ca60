/** A whole login in one call: authorization request, login, consent, callback and token request, as a good client makes them. */

import { urlOf } from "../app/endpoint.ts";
import { splitScope } from "../oauth/authorize/scope.ts";
import { digest, drawName, drawSecret } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import type { TokenResponse } from "../oauth/tokens/issuer.ts";
import { veil } from "../oauth/trace.ts";
import { decodeBase64url } from "../runtime/base64url.ts";
import { proveClient } from "./client_proof.ts";
import type { ClientCredentials } from "./client_proof.ts";
import { announced } from "./fetch.ts";
import { LogInError } from "./login_error.ts";
import type { Explain, Told } from "./login_error.ts";
import type { Person } from "./persona.ts";
import { encode } from "./browser/test_browser.ts";
import type { Callback, Parameters, UserAgent } from "./browser/test_browser.ts";

/** What a login may be told. */
export interface LogInOptions extends Person {
  /** Space-separated. Default: `openid profile email`, as far as the client may ask for it. */
  readonly scope?: string;
  /** What the access token is for (RFC 8707). */
  readonly resource?: string | readonly string[];
  /** `login`, `none`, `consent`, `select_account`. */
  readonly prompt?: string;
  /** The browser. Default: a new one. */
  readonly agent?: UserAgent;
  /** Further parameters of the authorization request; they replace those drawn here, `undefined` removes one. */
  readonly authorization?: Parameters;
  /** Further parameters of the token request; they replace those drawn here, `undefined` removes one. */
  readonly token?: Parameters;
}

/** A login that came to its end. */
export interface LogIn {
  /** What the token endpoint answered. */
  readonly tokens: TokenResponse;
  /** The claims of the id token, decoded; absent where none was issued. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** What the redirect URI received. */
  readonly callback: Callback;
  /** The authorization code, which has been redeemed. */
  readonly code: string;
  /** The code verifier. */
  readonly verifier: string;
  /** The state that was sent; where none was, the one that was drawn. */
  readonly state: string;
  /** The nonce that was sent; where none was, the one that was drawn. */
  readonly nonce: string;
  /** The authorization request, as the browser was sent to it. */
  readonly request: URL;
}

/** What logins are made with. */
export interface LogInsOptions {
  /** The server as it is at the moment; draws verifier, state and nonce from its dice. */
  readonly server: () => Server;
  /** Sends one request to the server and follows no redirect. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** Opens a browser without cookies. */
  readonly browser: () => UserAgent;
  /** Says why a request was refused, for the errors thrown here. */
  readonly explain?: Explain;
}

/** A good client, whoever it is. */
export interface LogIns {
  /**
   * A whole login.
   *
   * @throws {LogInError} Where the server refuses, or where a good client would not go on: `state` or `iss` is wrong.
   */
  logIn(client: ClientCredentials, options?: LogInOptions): Promise<LogIn>;
  /** A token request of the client, authenticated by its method. @throws {LogInError} When it is refused. */
  token(client: ClientCredentials, params: Parameters): Promise<TokenResponse>;
  /** Exchanges a refresh token. @throws {LogInError} When it is refused. */
  refresh(client: ClientCredentials, refreshToken: string, params?: Parameters): Promise<TokenResponse>;
}

/** Makes logins at one server. */
export function logIns({ server, fetch, browser, explain }: LogInsOptions): LogIns {
  const self: LogIns = {
    async logIn(client, options = {}) {
      const { issuer } = server();
      const { verifier, state, nonce, params } = await drawRequest(server(), client, options);
      const request = new URL(`${urlOf(issuer, "/oauth2/authorize")}?${encode(params)}`);
      const sent = (name: string) => request.searchParams.get(name) ?? undefined;
      const callback = await (options.agent ?? browser()).authorize(request, options);
      refuseCallback(callback, request, issuer, client);
      const code = callback.code!;
      const tokens = await self.token(client, {
        grant_type: "authorization_code",
        code,
        redirect_uri: sent("redirect_uri"),
        code_verifier: sent("code_challenge") === undefined ? undefined : verifier,
        ...options.token,
      });
      const claims = tokens.id_token === undefined ? undefined : claimsIn(tokens.id_token);
      return {
        tokens,
        claims,
        callback,
        code,
        verifier,
        state: sent("state") ?? state,
        nonce: sent("nonce") ?? nonce,
        request,
      };
    },

    async token(client, params) {
      const { headers, params: proof } = await proveClient(server(), client);
      const body = encode({ ...proof, ...params });
      const init = {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
        body,
      };
      const request = announced(new Request(urlOf(server().issuer, "/oauth2/token"), init), body);
      const response = await fetch(request);
      return await readTokens(response, client, explain?.(request));
    },

    refresh: (client, refreshToken, params = {}) =>
      self.token(client, { grant_type: "refresh_token", refresh_token: refreshToken, ...params }),
  };
  return self;
}

/** What a client asks for that names nothing. */
const usualScope = ["openid", "profile", "email"];

async function drawRequest(server: Server, client: ClientCredentials, options: LogInOptions) {
  const known = server.clients.find(client.client_id);
  const verifier = drawSecret(server.random);
  const state = drawName(server.random);
  const nonce = drawName(server.random);
  const scope = options.scope ?? (usualScope.filter((token) => known?.scope.includes(token)).join(" ") || undefined);
  const params: Parameters = {
    response_type: "code",
    client_id: client.client_id,
    redirect_uri: client.redirect_uri ?? known?.redirectUris[0],
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

/** Throws where a good client would not go on to the token endpoint. */
function refuseCallback(callback: Callback, request: URL, issuer: string, { client_id }: ClientCredentials): void {
  const { error, errorDescription, why, mishap } = callback;
  const state = request.searchParams.get("state") ?? undefined;
  for (const [name, expected, received] of [["state", state, callback.state], ["iss", issuer, callback.iss]] as const) {
    if (expected === received) continue;
    const facts = `expected: ${expected ?? "none"}\n  received: ${received ?? "none"}`;
    throw new LogInError(`The callback is not an answer to this request: ${name} is wrong\n  ${facts}`, { callback });
  }
  if (error !== undefined) {
    const sentence = `The authorization endpoint said no to client ${client_id}: ${error}, ${errorDescription}`;
    throw new LogInError(sentence, { error, why, mishap, callback });
  }
  if (callback.code === undefined) throw new LogInError("The callback holds neither a code nor an error", { callback });
}

async function readTokens(
  response: Response,
  { client_id }: ClientCredentials,
  told: Told = {},
): Promise<TokenResponse> {
  const { status } = response;
  const text = await response.text();
  const body = readObject(text);
  if (body === undefined) {
    const found = veil(text.slice(0, 200));
    throw new LogInError(`The token endpoint answered ${status} with something that is no JSON object: ${found}`, {
      ...told,
      status,
    });
  }
  if (response.ok) return body as unknown as TokenResponse;
  const { error, error_description } = body;
  const sentence = `The token endpoint said no to client ${client_id}: ${status} ${error}, ${error_description}`;
  throw new LogInError(sentence, { ...told, status, error: typeof error === "string" ? error : undefined });
}

function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** What a JWT claims, whoever signed it. */
function claimsIn(jwt: string): Readonly<Record<string, unknown>> {
  return JSON.parse(new TextDecoder().decode(decodeBase64url(jwt.split(".")[1] ?? "")));
}
