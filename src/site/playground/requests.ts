/** The requests that the callback page tries: what the client at hand would send, and how that looks on the wire. */

import { isDropped, toResponse } from "../../http/message.ts";
import type { ClientAddress } from "../../http/router.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { encodeFormValue } from "../../oauth/clients/redirect_uri.ts";
import { digest } from "../../oauth/secrets.ts";
import { demoSecret } from "../../oauth/config/settings.ts";
import type { Server } from "../../oauth/server.ts";
import { callbackUri } from "../demo_client.ts";
import type { App } from "../../app/endpoint.ts";
import { endpointUrl } from "../../app/endpoint.ts";
import type { HttpExchange, HttpMessage, PlaygroundStep, Secret } from "../../app/pages.ts";

/** What a client holds while it tries. */
export interface ClientState {
  readonly client: Client;
  readonly code: string;
  /** Absent where none belongs to the code, or it is not known. */
  readonly verifier?: string;
  /** What a person typed for a client whose secret is not public knowledge. */
  readonly typedSecret?: string;
  readonly accessToken?: string;
  readonly refreshToken?: string;
}

/** A request, ready to be sent to this server. */
export interface PlaygroundRequest {
  readonly method: "GET" | "POST";
  /** Below the issuer. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** What is masked where it is shown. */
  readonly secrets: readonly Secret[];
  /** What is never shown, not even on demand, in the spelling in which it is sent. */
  readonly hiddenCredential?: string;
}

type OptionalFields = readonly (readonly [name: string, value: string | undefined])[];

/** The token request for the code (OAuth 2.1 §4.1.3). */
export async function tokenRequest({ server }: App, state: ClientState): Promise<PlaygroundRequest> {
  return await authenticatedRequest("/oauth2/token", state.client, state.typedSecret, [
    ["grant_type", "authorization_code"],
    ["code", state.code],
    ["redirect_uri", callbackUri(server)],
    ["code_verifier", state.verifier],
  ]);
}

/** What a step sends: one request, or several in order. */
export async function stepRequests(app: App, step: PlaygroundStep, state: ClientState): Promise<PlaygroundRequest[]> {
  const { server } = app;
  const { client, typedSecret, accessToken = "", refreshToken } = state;
  const tokenRequestFor = async (fields: OptionalFields) =>
    await authenticatedRequest("/oauth2/token", client, typedSecret, fields);
  switch (step) {
    case "exchange":
      return [await tokenRequest(app, state)];
    case "wrong_verifier":
      return [await tokenRequest(app, { ...state, verifier: corruptVerifier(state.verifier ?? "") })];
    case "userinfo":
      return [userinfoRequest(accessToken)];
    case "introspect": {
      // Introspection is for resource servers, which authenticate; a public client lets one ask for it.
      const introspectingClient = client.confidential ? client : await findDemoSecretClient(server) ?? client;
      return [
        await authenticatedRequest("/oauth2/introspect", introspectingClient, typedSecret, [["token", accessToken]]),
      ];
    }
    case "refresh":
      return [await tokenRequestFor([["grant_type", "refresh_token"], ["refresh_token", refreshToken]])];
    case "replay":
      // The second one shows what became of the first exchange's token.
      return [await tokenRequest(app, state), ...accessToken === "" ? [] : [userinfoRequest(accessToken)]];
    case "revoke":
      return [
        await authenticatedRequest("/oauth2/revoke", client, typedSecret, [["token", refreshToken ?? accessToken]]),
      ];
  }
}

/** A verifier of the same form, which is wrong. */
function corruptVerifier(verifier: string): string {
  return verifier.slice(0, -1) + (verifier.endsWith("A") ? "E" : "A");
}

function userinfoRequest(accessToken: string): PlaygroundRequest {
  return {
    method: "GET",
    path: "/oauth2/userinfo",
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

/** A form, and the client's proof of who it is. */
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

/** Whether the client's secret is the one that everybody knows. */
export async function hasDemoSecret({ secretDigest }: Client): Promise<boolean> {
  return secretDigest !== undefined && await secretDigest === await digest(demoSecret);
}

/** Whether a person can send requests as this client from a page: it has no secret, or one that can be written down. */
export function isPlayable({ authMethod }: Client): boolean {
  return ["none", "client_secret_basic", "client_secret_post"].includes(authMethod);
}

async function findDemoSecretClient(server: Server): Promise<Client | undefined> {
  for (const client of server.clients.all()) {
    if (isPlayable(client) && await hasDemoSecret(client)) return client;
  }
  return undefined;
}

/** A request as it travels, with what may never be shown left out. */
export function toHttpMessage({ server, site }: App, request: PlaygroundRequest): HttpMessage {
  const { method, path, headers, body, hiddenCredential } = request;
  const redact = (text: string) => hiddenCredential ? text.replaceAll(hiddenCredential, "…") : text;
  return {
    startLine: `${method} ${site.base}${path} HTTP/1.1`,
    headers: [
      ["Host", new URL(server.issuer).host],
      ...headers.map(([name, value]) => [name, redact(value)] as const),
      ...body === undefined ? [] : [["Content-Length", String(new TextEncoder().encode(body).length)] as const],
    ],
    body: body === undefined ? undefined : redact(body),
  };
}

/** As much of an answer as is shown, in characters. */
const maxShownBodyLength = 16 * 1024;

/** The members of a JSON answer whose values are secrets. */
const tokenLabels: Readonly<Record<string, string>> = {
  access_token: "access token",
  refresh_token: "refresh token",
  id_token: "ID token",
};

/** A request, its answer, and what the answer holds where it is a JSON object. */
export interface PlaygroundResult {
  readonly exchange: HttpExchange;
  /** Absent where no answer came. */
  readonly status?: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Sends a request to this server and no other, as one from outside. */
export async function send(app: App, request: PlaygroundRequest, peer: ClientAddress): Promise<PlaygroundResult> {
  const { method, path, headers, body, secrets } = request;
  const shownRequest = toHttpMessage(app, request);
  let response: Response;
  let text: string;
  try {
    const httpRequest = new Request(endpointUrl(app.server.issuer, path), {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      body,
    });
    const dispatched = await app.dispatch(httpRequest, peer);
    if (isDropped(dispatched)) return { exchange: { request: shownRequest, secrets }, json: {} };
    response = toResponse(dispatched);
    text = await response.text();
  } catch {
    return { exchange: { request: shownRequest, secrets }, json: {} };
  }
  const json = parseObject(text);
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

/** The reason phrases of what the endpoints answer (RFC 9110 §15). */
const reasonPhrases: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

function capitalizeHeader(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
