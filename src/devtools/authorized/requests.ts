/** The requests of the steps, as the client would send them. */

import { appOf } from "../../server/app.ts";
import { clientAuthenticationOf } from "../../client/authentication.ts";
import type { RequestParameters } from "../../client/parameters.ts";
import { demandedNonce, type ProofKey, signProof } from "../../client/proof.ts";
import { codeExchange, formRequest, refreshRequest } from "../../client/token_request.ts";
import { type HttpRequest, isDropped, toResponse } from "../../core/http/message.ts";
import { parseJsonObject } from "../../platform/http/json_body.ts";
import { reasonPhrases } from "../../platform/http/reason_phrases.ts";
import type { Client } from "../../core/clients/clients.ts";
import { metadataOf } from "../../server/config/client_metadata.ts";
import { digest } from "../../core/keys/secrets.ts";
import { demoKey, demoSecret } from "../../server/config/demo_entries.ts";
import type { Server } from "../../core/server.ts";
import { callbackUri } from "../../core/demo/demo_flow.ts";
import type { Context } from "../../core/http/context.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import type { HttpExchange, HttpMessage } from "../../server/pages/http_exchange.tsx";
import type { FormStep } from "./pages/step_form.tsx";
import type { Secret } from "../../server/pages/secret_value.tsx";

interface StepClient {
  readonly client: Client;
  /** The secret that the user typed, for clients without the demo secret. */
  readonly typedSecret?: string;
}

/** What the client knows during the steps. */
export interface ClientState extends StepClient {
  readonly code: string;
  /** Default: the page `/authorized`. */
  readonly redirectUri?: string;
  /** Absent if the code has no challenge, or the verifier is not known. */
  readonly verifier?: string;
  /** The key of DPoP proofs; absent if the client sends none. */
  readonly proofKey?: ProofKey;
  readonly accessToken?: string;
  readonly refreshToken?: string;
}

export interface StepRequest {
  readonly method: "GET" | "POST";
  /** The path, including the path of the issuer. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly secrets: readonly Secret[];
  /** A credential that is never shown, not even on demand, encoded as in the request. */
  readonly hiddenCredential?: string;
}

/** The token request for the code (OAuth 2.1 §4.1.3). */
export async function tokenRequest(context: Context, state: ClientState, nonce?: string): Promise<StepRequest> {
  const params = codeExchange(state.code, state.redirectUri ?? callbackUri(context.server), state.verifier);
  return await tokenRequestWith(context, state, nonce, params);
}

async function tokenRequestWith(
  context: Context,
  state: ClientState,
  nonce: string | undefined,
  params: RequestParameters,
): Promise<StepRequest> {
  return await withProof(context, state, nonce, await clientRequest(context, "token", state, params));
}

/** Creates a request, with the nonce of the server for its DPoP proof. */
export type RequestFactory = (nonce?: string) => Promise<StepRequest>;

/** The requests of a step, in order. */
export function stepRequests(context: Context, step: FormStep, state: ClientState): RequestFactory[] {
  const { accessToken = "", refreshToken } = state;
  const userinfo: RequestFactory = (nonce) => userinfoRequest(context, state, nonce);
  switch (step) {
    case "exchange":
    case "edit":
      return [(nonce) => tokenRequest(context, state, nonce)];
    case "userinfo":
      return [userinfo];
    case "introspect":
      return [async () => {
        // Introspection requires client authentication, so a confidential client introspects for a public one.
        const client = state.client.confidential
          ? state.client
          : await findDemoSecretClient(context.server) ?? state.client;
        return await clientRequest(context, "introspect", { ...state, client }, { token: accessToken });
      }];
    case "refresh":
      return [(nonce) => tokenRequestWith(context, state, nonce, refreshRequest(refreshToken))];
    case "replay":
      // The second request shows whether the token of the first exchange was revoked.
      return [(nonce) => tokenRequest(context, state, nonce), ...accessToken === "" ? [] : [userinfo]];
    case "revoke":
      return [() => clientRequest(context, "revoke", state, { token: refreshToken ?? accessToken })];
  }
}

async function userinfoRequest(
  context: Context,
  state: ClientState,
  nonce: string | undefined,
): Promise<StepRequest> {
  const { accessToken = "", proofKey } = state;
  return await withProof(context, state, nonce, {
    method: "GET",
    path: endpointPath(context.app, "userinfo"),
    headers: { authorization: `${proofKey === undefined ? "Bearer" : "DPoP"} ${accessToken}` },
    secrets: [{ name: "access token", value: accessToken }],
  }, accessToken);
}

/** The request with its DPoP proof (RFC 9449 §4), if the client sends any. */
async function withProof(
  { server }: Context,
  { proofKey }: ClientState,
  nonce: string | undefined,
  request: StepRequest,
  accessToken?: string,
): Promise<StepRequest> {
  if (proofKey === undefined) return request;
  const url = server.names.backChannel + request.path;
  const dpop = await signProof(server, proofKey, { method: request.method, url, accessToken, nonce });
  return { ...request, headers: { ...request.headers, dpop } };
}

const secretLabels: Readonly<Record<string, string>> = {
  code_verifier: "code verifier",
  refresh_token: "refresh token",
  token: "token",
  client_secret: "client secret",
  client_assertion: "client assertion",
};

/** A form with client authentication. */
export async function clientRequest(
  { app, server }: Context,
  endpoint: string,
  { client, typedSecret }: StepClient,
  params: RequestParameters,
): Promise<StepRequest> {
  const usesDemoSecret = await hasDemoSecret(client);
  const authentication = await clientAuthenticationOf(server, {
    client_id: client.id,
    token_endpoint_auth_method: canAuthenticate(client) ? client.authMethod : "none",
    client_secret: usesDemoSecret ? demoSecret : typedSecret ?? "",
    private_jwk: demoKey,
  });
  const { headers, body } = formRequest(authentication, params);
  const basicCredentials = headers.authorization?.slice("Basic ".length);
  const encodedFields = body.split("&").map((pair) => pair.split("=") as [name: string, value: string]);
  const sentSecret = basicCredentials ?? encodedFields.find(([name]) => name === "client_secret")?.[1];
  return {
    ...{ method: "POST", path: endpointPath(app, endpoint), headers, body },
    secrets: [
      ...encodedFields.flatMap(([name, value]) =>
        Object.hasOwn(secretLabels, name) ? [{ name: secretLabels[name]!, value }] : []
      ),
      ...basicCredentials === undefined ? [] : [{ name: "client's credentials", value: basicCredentials }],
    ],
    hiddenCredential: usesDemoSecret ? undefined : sentSecret,
  };
}

/** Whether this server has the private key of the client. */
export function hasDemoKey(client: Client): boolean {
  return metadataOf(client).jwks?.keys.some(({ kid }) => kid === "demo-key") === true;
}

/** Whether the client's secret is the public demo secret. */
export async function hasDemoSecret({ secretDigest }: Client): Promise<boolean> {
  return secretDigest !== undefined && await secretDigest === await digest(demoSecret);
}

/**
 * Whether the steps can authenticate as this client: without a secret, with one that the user can type, or with
 * the key of the demo client.
 */
export function canAuthenticate(client: Client): boolean {
  return ["none", "client_secret_basic", "client_secret_post"].includes(client.authMethod) ||
    client.authMethod === "private_key_jwt" && hasDemoKey(client);
}

async function findDemoSecretClient(server: Server): Promise<Client | undefined> {
  for (const client of server.clients.known().values()) {
    if (canAuthenticate(client) && await hasDemoSecret(client)) return client;
  }
  return undefined;
}

/** A request as HTTP text, without its hidden credential. */
export function toHttpMessage({ server }: Context, request: StepRequest): HttpMessage {
  const { method, path, headers, body, hiddenCredential } = request;
  const redact = (text: string) => hiddenCredential ? text.replaceAll(hiddenCredential, "…") : text;
  return {
    startLine: `${method} ${path} HTTP/1.1`,
    headers: [
      ["Host", new URL(server.issuer).host],
      ...Object.entries(headers).map(([name, value]) => [capitalizeHeader(name), redact(value)] as const),
      ...body === undefined ? [] : [["Content-Length", String(new TextEncoder().encode(body).length)] as const],
    ],
    body: body === undefined ? undefined : redact(body),
  };
}

/** Maximum length of a shown response body, in characters; a longer body is cut. */
const maxShownBodyLength = 16 * 1024;

/** JSON members with secrets, and their labels. */
const tokenLabels: Readonly<Record<string, string>> = {
  access_token: "access token",
  refresh_token: "refresh token",
  id_token: "ID token",
};

/** A request, its response, and the members of a JSON response. */
export interface SentResult {
  readonly exchange: HttpExchange;
  /** Absent without a response. */
  readonly status?: number;
  readonly json: Readonly<Record<string, unknown>>;
  /** The nonce that the response demands for a DPoP proof (RFC 9449 §8). */
  readonly demandedNonce?: string;
  /** The request as the server received it; absent without a response. */
  readonly sent?: HttpRequest;
}

/** Dispatches a request to this server like a request from the network. */
export async function send(context: Context, request: StepRequest): Promise<SentResult> {
  const { method, path, headers, body, secrets } = request;
  const shownRequest = toHttpMessage(context, request);
  let response: Response;
  let text: string;
  let sent: Request;
  // The server checks the host of its own request like that of this one.
  const host = context.request.headers.get("host");
  try {
    sent = new Request(context.server.names.backChannel + path, {
      method,
      headers: { ...headers, ...host !== null && { host } },
      body,
    });
    const dispatched = await appOf(context).dispatch(sent, context.target.clientAddress);
    if (isDropped(dispatched)) return { exchange: { request: shownRequest, secrets }, json: {} };
    response = toResponse(dispatched);
    text = await response.text();
  } catch {
    return { exchange: { request: shownRequest, secrets }, json: {} };
  }
  const json = parseJsonObject(text) ?? {};
  const nonce = demandedNonce(response, json.error);
  const tokens = Object.entries(tokenLabels).flatMap(([field, name]) => {
    const value = json[field];
    return typeof value === "string" ? [{ name, value }] : [];
  });
  return {
    status: response.status,
    json,
    sent,
    ...nonce !== undefined && { demandedNonce: nonce },
    exchange: {
      request: shownRequest,
      response: {
        startLine: `HTTP/1.1 ${response.status} ${reasonPhrases[response.status] ?? ""}`.trimEnd(),
        headers: [...response.headers].map(([name, value]) => [capitalizeHeader(name), value]),
        body: text.length > maxShownBodyLength ? `${text.slice(0, maxShownBodyLength)}…` : text,
      },
      secrets: [...secrets, ...tokens],
    },
  };
}

function capitalizeHeader(name: string): string {
  return name === "dpop" ? "DPoP" : name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());
}
