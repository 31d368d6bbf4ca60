/** A login in one call: authorization request, login, consent, callback and token request of a correct client. */

import { metadataOf, type ResponseMode, responseModeNames } from "../server/config/client_metadata.ts";
import { mustProve } from "../server/extensions/dpop/settings.ts";
import { mustPush } from "../server/extensions/par/settings.ts";
import { mustSign } from "../server/extensions/signed_requests/settings.ts";
import { choice, flag, object, objectField, text } from "../core/policy/field.ts";
import { parseJsonObject } from "../platform/http/json_body.ts";
import type { Server } from "../core/server.ts";
import { type Client, policyOf } from "../core/clients/clients.ts";
import type { TokenResponse } from "../core/token/grants/authenticated_request.ts";
import { redactText } from "../server/redaction/redact.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { sendsIss } from "../server/config/metadata_setting.ts";
import { clientAuthenticationOf, type ClientCredentials, signingKey } from "../client/authentication.ts";
import { authorizationRequest, type FlowValues, newFlowValues } from "../client/authorization_request.ts";
import { encodeParameters, type RequestParameters } from "../client/parameters.ts";
import { signedRequest } from "../client/request_object.ts";
import { codeExchange, formRequest, refreshRequest } from "../client/token_request.ts";
import { assertCallback, assertSignature } from "./assert_callback.ts";
import { type DpopKey, fixedDpopKey } from "./dpop.ts";
import { withContentLength } from "./fetch.ts";
import { type ExplainRejection, LoginError, type RejectionDetails } from "./login_error.ts";
import { anyOption, assertArgument, assertOptions } from "./options.ts";
import { type Persona, personaField, toPersona } from "./persona.ts";
import type { TestBrowser } from "./browser/test_browser.ts";
import type { Callback } from "./browser/callback.ts";

/** @internal Options of a login. */
export interface LoginOptions extends Persona {
  /** Space-separated. Default: `openid profile email`, as far as the client is registered for them. */
  readonly scope?: string;
  /** The objects of `authorization_details` (RFC 9396). Default: none. */
  readonly authorizationDetails?: readonly Readonly<Record<string, unknown>>[];
  /** The resource indicator of the access token (RFC 8707). Default: none. */
  readonly resource?: string | readonly string[];
  /** `login`, `none`, `consent` or `select_account`. Default: none. */
  readonly prompt?: string;
  /** Whether the client pushes the authorization request (RFC 9126). Default: only if its metadata demands it. */
  readonly par?: boolean;
  /**
   * Whether the client signs the authorization request (RFC 9101), with `private_jwk`. Default: only if the server or
   * its metadata demands it.
   */
  readonly signedRequest?: boolean;
  /**
   * The `response_mode`; in the modes with `jwt` the response is signed (JARM), and verified. Default: none, or the
   * first mode that is allowed if `query` is not.
   */
  readonly responseMode?: ResponseMode;
  /**
   * Whether the client binds code and tokens to a key (RFC 9449); `true`: the key of the mock, which the result has.
   * Default: only if its metadata or the server demands it.
   */
  readonly dpop?: boolean | DpopKey;
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
  authorizationDetails: anyOption,
  resource: anyOption,
  prompt: text(["login"]),
  par: flag(),
  signedRequest: flag(),
  responseMode: choice(responseModeNames),
  dpop: anyOption,
  browser: objectField,
  authorization: objectField,
  token: objectField,
}, {});

/** The result of a login. */
export interface LoginResult {
  /** The token response. */
  readonly tokens: TokenResponse;
  /** The claims of the ID token, decoded and not verified; absent without an ID token. */
  readonly claims?: Readonly<Record<string, unknown>> & { readonly sub: string };
  /** The key that the tokens are bound to; absent for bearer tokens. */
  readonly dpop?: DpopKey;
  /** What the redirect URI received. */
  readonly callback: Callback;
  /** The authorization code, which has been exchanged. */
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

interface LoginClientOptions {
  /** The server at this moment; verifier, state and nonce come from its random source. */
  readonly server: () => Server;
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
  /**
   * Sends a token request, authenticated by the method of the client.
   *
   * @param dpop The key that signs the proof of the request; `true`: that of the mock. Default: that of the mock, if
   *   the client or the server demands a proof.
   * @throws {LoginError} If it is rejected.
   */
  token(client: ClientCredentials, params: RequestParameters, dpop?: boolean | DpopKey): Promise<TokenResponse>;
  /**
   * Refreshes tokens.
   *
   * @param dpop The key that signs the proof of the request; `true`: that of the mock. Default: that of the mock, if
   *   the client or the server demands a proof.
   * @throws {LoginError} If the request is rejected.
   */
  refresh(
    client: ClientCredentials,
    refreshToken: string,
    params?: RequestParameters,
    dpop?: boolean | DpopKey,
  ): Promise<TokenResponse>;
}

/** What a form is sent with, besides the authentication of the client. */
interface PostOptions {
  /** The key that signs the proof of the request. Default: no proof. */
  readonly dpop?: DpopKey | false;
  /** The nonce of the proof. Default: none. */
  readonly nonce?: string;
  /** Further headers. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a form to an endpoint, by its name and title, authenticated by the method of the client. */
export type SendForm = (
  endpoint: string,
  title: string,
  client: ClientCredentials,
  params: RequestParameters,
  options?: PostOptions,
) => Promise<Readonly<Record<string, unknown>>>;

export function loginClient(
  { server, endpointUrl, fetch, browser, explain }: LoginClientOptions,
): { readonly login: LoginClient; readonly post: SendForm } {
  const ownKey = () => fixedDpopKey(server);
  const registeredClient = (client: ClientCredentials) => {
    const isValid = typeof Object(client).client_id === "string";
    assertArgument(isValid, "client", "an object with client_id", client, "Pass what as.client() returns.");
    return server().clients.known().get(client.client_id);
  };

  const mustProveKey = (client: ClientCredentials) => mustProve(server(), registeredClient(client));

  /** Repeats the request with a nonce if the server demands one. */
  const post: SendForm = async (endpoint, title, client, params, options = {}) => {
    const { dpop, nonce } = options;
    const url = endpointUrl(endpoint);
    const authentication = await clientAuthenticationOf(server(), withRegistered(server(), client));
    const { headers, body } = formRequest(authentication, params);
    const proof = dpop && { dpop: await dpop.proof("POST", url, { nonce }) };
    const init = {
      method: "POST",
      headers: { accept: "application/json", ...headers, ...options.headers, ...proof },
      body,
    };
    const request = withContentLength(new Request(url, init), body);
    const response = await fetch(request);
    const newNonce = response.headers.get("dpop-nonce");
    if (!response.ok && dpop && nonce === undefined && newNonce !== null) {
      await response.body?.cancel();
      return await post(endpoint, title, client, params, { ...options, nonce: newNonce });
    }
    return await parseResponse(response, title, client, explain?.(request));
  };

  async function push(client: ClientCredentials, params: RequestParameters, dpop: DpopKey | false): Promise<string> {
    const title = "pushed authorization request endpoint";
    const { request_uri } = await post("par", title, client, params, { dpop });
    return encodeParameters({ client_id: client.client_id, request_uri: String(request_uri) });
  }

  const self: LoginClient = {
    async logIn(client, options = {}) {
      assertOptions("logIn", loginField, options);
      const { issuer } = server();
      const registered = registeredClient(client);
      const { dpop: option = mustProveKey(client) } = options;
      const dpop = option === true ? await ownKey() : option;
      const values = newFlowValues(server().randomBytes);
      const params = await createRequest(server(), client, options, values, dpop && dpop.thumbprint);
      const sent = new URLSearchParams(encodeParameters(params));
      const getSent = (name: string) => sent.get(name) ?? undefined;
      const isSigned = options.signedRequest ?? mustSign(server(), registered);
      const query = isSigned ? await signRequest(server(), client, params) : params;
      const isPushed = options.par ?? mustPush(server(), registered);
      const request = new URL(
        `${endpointUrl("authorize")}?${isPushed ? await push(client, query, dpop) : encodeParameters(query)}`,
      );
      const agent = options.browser ?? browser();
      const callback = await agent.authorize(request, toPersona(options), getSent("redirect_uri"));
      await assertSignature(server(), callback, getSent("response_mode"), client);
      // A client expects iss where the metadata announces it (RFC 9207 §2.4).
      assertCallback(callback, getSent("state"), sendsIss(server()) ? issuer : callback.iss, client);
      const code = callback.code!;
      const tokens = await self.token(client, {
        ...codeExchange(
          code,
          getSent("redirect_uri"),
          getSent("code_challenge") === undefined ? undefined : values.verifier,
        ),
        ...options.token,
      }, dpop);
      // A fault can send a value of another type. An encrypted ID token has five parts.
      const hasClaims = typeof tokens.id_token === "string" && tokens.id_token.split(".").length !== 5;
      return {
        tokens,
        claims: hasClaims ? decodeJwtPart(tokens.id_token!, 1) as { readonly sub: string } : undefined,
        ...dpop && { dpop },
        callback,
        code,
        verifier: values.verifier,
        state: getSent("state") ?? values.state,
        nonce: getSent("nonce") ?? values.nonce,
        request,
      };
    },

    async token(client, params, dpop = mustProveKey(client)) {
      const key = dpop === true ? await ownKey() : dpop;
      return await post("token", "token endpoint", client, params, { dpop: key }) as unknown as TokenResponse;
    },

    refresh: (client, refreshToken, params = {}, dpop) =>
      self.token(client, { ...refreshRequest(refreshToken), ...params }, dpop),
  };
  return { login: self, post };
}

/** The credentials of a client, with what it is registered for where they do not say it. */
function withRegistered(server: Server, client: ClientCredentials): ClientCredentials {
  const registered = server.clients.known().get(client.client_id);
  if (registered === undefined) return client;
  const { authMethod } = registered;
  const metadata = metadataOf(registered);
  return {
    ...client,
    token_endpoint_auth_method: client.token_endpoint_auth_method ?? authMethod,
    token_endpoint_auth_signing_alg: client.token_endpoint_auth_signing_alg ?? metadata.token_endpoint_auth_signing_alg,
    request_object_signing_alg: client.request_object_signing_alg ?? metadata.request_object_signing_alg,
  };
}

async function signRequest(
  server: Server,
  client: ClientCredentials,
  params: RequestParameters,
): Promise<RequestParameters> {
  const credentials = withRegistered(server, client);
  const key = await signingKey(credentials, credentials.request_object_signing_alg);
  return await signedRequest(server, key, { ...params, client_id: client.client_id });
}

/** The scope of a login without the option `scope`. */
const defaultScopeValues = ["openid", "profile", "email"];

async function createRequest(
  server: Server,
  client: ClientCredentials,
  options: LoginOptions,
  values: FlowValues,
  dpopJkt: string | false,
): Promise<RequestParameters> {
  const registered = server.clients.known().get(client.client_id);
  // A metadata document may not have been fetched yet.
  const knownScope = registered?.scope ?? server.policy.scopes;
  const scope = options.scope ??
    (defaultScopeValues.filter((token) => knownScope.includes(token)).join(" ") || undefined);
  const redirect_uri = client.redirect_uri ?? registered?.redirectUris[0];
  return {
    ...await authorizationRequest({ client_id: client.client_id, redirect_uri, scope }, values),
    response_mode: options.responseMode ?? defaultResponseMode(server, registered),
    authorization_details: options.authorizationDetails && JSON.stringify(options.authorizationDetails),
    dpop_jkt: dpopJkt || undefined,
    resource: options.resource,
    prompt: options.prompt,
    ...options.authorization,
  };
}

/** The mode of a login without the option `responseMode`; `undefined` means `query`. */
function defaultResponseMode(server: Server, client: Client | undefined): ResponseMode | undefined {
  const { responseModes } = policyOf(server, client);
  const allowed = responseModes.filter((mode) => client?.metadata.response_modes?.includes(mode) ?? true);
  return allowed.includes("query") ? undefined : allowed[0];
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
  const { error, error_description } = body;
  // GitHub sends errors with status 200.
  if (response.ok && error === undefined) return body;
  const sentence = `The ${title} rejected client ${client_id}: ${status} ${error}, ${error_description}`;
  throw new LoginError(sentence, { ...details, status, error: typeof error === "string" ? error : undefined });
}
