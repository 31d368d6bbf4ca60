/** The requests of the playground, as the client would send them. */

import { isDropped, parseJsonObject, toResponse } from "../../http/message.ts";
import { reasonPhrases } from "../../http/reason_phrases.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { encodeFormValue } from "../../oauth/clients/redirect_uri.ts";
import { digest } from "../../oauth/secrets.ts";
import { demoSecret } from "../../oauth/config/settings.ts";
import type { Server } from "../../oauth/server.ts";
import { callbackUri } from "../demo_client.ts";
import type { Context } from "../../app/context.ts";
import { endpointPath, routeUrl } from "../../app/endpoint.ts";
import type { HttpExchange, HttpMessage } from "../../ui/http_exchange.tsx";
import type { PlaygroundStep } from "../../ui/playground_form.tsx";
import type { Secret } from "../../ui/secret_value.tsx";

/** The credentials of the client during the playground. */
export interface ClientState {
  readonly client: Client;
  readonly code: string;
  /** Absent if the code has no challenge, or the verifier is not known. */
  readonly verifier?: string;
  /** The secret that the user typed, for clients without the demo secret. */
  readonly typedSecret?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
}

/** A request to this server. */
interface PlaygroundRequest {
  readonly method: "GET" | "POST";
  /** The path, including the path of the issuer. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** The secrets to mask. */
  readonly secrets: readonly Secret[];
  /** A credential that is never shown, not even on demand, encoded as in the request. */
  readonly hiddenCredential?: string;
}

type OptionalFields = readonly (readonly [name: string, value: string | undefined])[];

/** The token request for the code (OAuth 2.1 §4.1.3). */
export async function tokenRequest({ app, server }: Context, state: ClientState): Promise<PlaygroundRequest> {
  return await authenticatedRequest(endpointPath(app, "token"), state.client, state.typedSecret, [
    ["grant_type", "authorization_code"],
    ["code", state.code],
    ["redirect_uri", callbackUri(server)],
    ["code_verifier", state.verifier],
  ]);
}

/** The requests of a step, in order. */
export async function stepRequests(
  context: Context,
  step: PlaygroundStep,
  state: ClientState,
): Promise<PlaygroundRequest[]> {
  const { app, server } = context;
  const { client, typedSecret, accessToken = "", refreshToken } = state;
  const tokenRequestFor = async (fields: OptionalFields) =>
    await authenticatedRequest(endpointPath(app, "token"), client, typedSecret, fields);
  switch (step) {
    case "exchange":
      return [await tokenRequest(context, state)];
    case "wrong_verifier":
      return [await tokenRequest(context, { ...state, verifier: corruptVerifier(state.verifier ?? "") })];
    case "userinfo":
      return [userinfoRequest(context, accessToken)];
    case "introspect": {
      // Introspection requires client authentication, so a confidential client introspects for a public one.
      const introspectingClient = client.confidential ? client : await findDemoSecretClient(server) ?? client;
      return [
        await authenticatedRequest(endpointPath(app, "introspect"), introspectingClient, typedSecret, [[
          "token",
          accessToken,
        ]]),
      ];
    }
    case "refresh":
      return [await tokenRequestFor([["grant_type", "refresh_token"], ["refresh_token", refreshToken]])];
    case "replay":
      // The second request shows whether the token of the first exchange was revoked.
      return [await tokenRequest(context, state), ...accessToken === "" ? [] : [userinfoRequest(context, accessToken)]];
    case "revoke":
      return [
        await authenticatedRequest(endpointPath(app, "revoke"), client, typedSecret, [[
          "token",
          refreshToken ?? accessToken,
        ]]),
      ];
  }
}

/** A wrong verifier with the same format. */
function corruptVerifier(verifier: string): string {
  return verifier.slice(0, -1) + (verifier.endsWith("A") ? "E" : "A");
}

function userinfoRequest({ app }: Context, accessToken: string): PlaygroundRequest {
  return {
    method: "GET",
    path: endpointPath(app, "userinfo"),
    headers: [["Authorization", `Bearer ${accessToken}`]],
    secrets: [{ name: "access token", value: accessToken }],
  };
}

const secretLabels: Readonly<Record<string, string>> = {
  code_verifier: "code verifier",
  refresh_token: "refresh token",
  token: "token",
  client_secret: "client secret",
};

/** A form with client authentication. */
async function authenticatedRequest(
  path: string,
  client: Client,
  typedSecret: string | undefined,
  form: OptionalFields,
): Promise<PlaygroundRequest> {
  const usesDemoSecret = await hasDemoSecret(client);
  const secret = usesDemoSecret ? demoSecret : typedSecret ?? "";
  const basicCredentials = btoa(`${encodeFormValue(client.id)}:${encodeFormValue(secret)}`);
  const byBasic = client.authMethod === "client_secret_basic";
  const byPost = client.authMethod === "client_secret_post";
  const fields: OptionalFields = [
    ...form,
    ["client_id", byBasic ? undefined : client.id],
    ["client_secret", byPost ? secret : undefined],
  ];
  const encodedFields = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, encodeFormValue(value)] as const]
  );
  return {
    method: "POST",
    path,
    headers: [
      ...byBasic ? [["Authorization", `Basic ${basicCredentials}`] as const] : [],
      ["Content-Type", "application/x-www-form-urlencoded"],
    ],
    body: encodedFields.map((pair) => pair.join("=")).join("&"),
    secrets: [
      ...encodedFields.flatMap(([name, value]) =>
        Object.hasOwn(secretLabels, name) ? [{ name: secretLabels[name]!, value }] : []
      ),
      ...byBasic ? [{ name: "client's credentials", value: basicCredentials }] : [],
    ],
    hiddenCredential: usesDemoSecret || !client.confidential
      ? undefined
      : byBasic
      ? basicCredentials
      : encodeFormValue(secret),
  };
}

/** Whether the client's secret is the public demo secret. */
export async function hasDemoSecret({ secretDigest }: Client): Promise<boolean> {
  return secretDigest !== undefined && await secretDigest === await digest(demoSecret);
}

/** Whether the playground can authenticate as this client: without a secret, or with one that the user can type. */
export function isPlayable({ authMethod }: Client): boolean {
  return ["none", "client_secret_basic", "client_secret_post"].includes(authMethod);
}

async function findDemoSecretClient(server: Server): Promise<Client | undefined> {
  for (const client of server.clients.allCached()) {
    if (isPlayable(client) && await hasDemoSecret(client)) return client;
  }
  return undefined;
}

/** A request as HTTP text, without its hidden credential. */
export function toHttpMessage({ server }: Context, request: PlaygroundRequest): HttpMessage {
  const { method, path, headers, body, hiddenCredential } = request;
  const redact = (text: string) => hiddenCredential ? text.replaceAll(hiddenCredential, "…") : text;
  return {
    startLine: `${method} ${path} HTTP/1.1`,
    headers: [
      ["Host", new URL(server.issuer).host],
      ...headers.map(([name, value]) => [name, redact(value)] as const),
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
export interface PlaygroundResult {
  readonly exchange: HttpExchange;
  /** Absent without a response. */
  readonly status?: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Dispatches a request to this server like a request from the network. */
export async function send(context: Context, request: PlaygroundRequest): Promise<PlaygroundResult> {
  const { method, path, headers, body, secrets } = request;
  const shownRequest = toHttpMessage(context, request);
  let response: Response;
  let text: string;
  try {
    const httpRequest = new Request(routeUrl(context.server.issuer, context.site.base, path), {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      body,
    });
    const dispatched = await context.app.dispatch(httpRequest, context.target.clientAddress);
    if (isDropped(dispatched)) return { exchange: { request: shownRequest, secrets }, json: {} };
    response = toResponse(dispatched);
    text = await response.text();
  } catch {
    return { exchange: { request: shownRequest, secrets }, json: {} };
  }
  const json = parseJsonObject(text) ?? {};
  const tokens = Object.entries(tokenLabels).flatMap(([field, name]) => {
    const value = json[field];
    return typeof value === "string" ? [{ name, value }] : [];
  });
  return {
    status: response.status,
    json,
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
  return name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());
}
