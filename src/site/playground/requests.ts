/** The requests that the callback page tries: what the client at hand would send, and how that looks on the wire. */

import { asResponse, isDropped } from "../../http/message.ts";
import type { Peer } from "../../http/router.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import { encodeFormValue } from "../../oauth/clients/redirect_uri.ts";
import { digest } from "../../oauth/secrets.ts";
import { demoSecret } from "../../oauth/config/settings.ts";
import type { Server } from "../../oauth/server.ts";
import { callbackUri } from "../demo_client.ts";
import type { Desk } from "../../app/endpoint.ts";
import { urlOf } from "../../app/endpoint.ts";
import type { Secret, TrialStep, WireExchange, WireMessage } from "../../app/pages.ts";

/** What a client holds while it tries. */
export interface Hand {
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
export interface TrialRequest {
  readonly method: "GET" | "POST";
  /** Below the issuer. */
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
  /** What is masked where it is shown. */
  readonly secrets: readonly Secret[];
  /** What is never shown, not even on demand, in the spelling in which it is sent. */
  readonly sealed?: string;
}

type Pairs = readonly (readonly [name: string, value: string | undefined])[];

/** The token request for the code (OAuth 2.1 §4.1.3). */
export async function tokenRequest({ server }: Desk, hand: Hand): Promise<TrialRequest> {
  return await clientRequest("/oauth2/token", hand.client, hand.typedSecret, [
    ["grant_type", "authorization_code"],
    ["code", hand.code],
    ["redirect_uri", callbackUri(server)],
    ["code_verifier", hand.verifier],
  ]);
}

/** What a step sends: one request, or several in order. */
export async function requestsOf(desk: Desk, step: TrialStep, hand: Hand): Promise<TrialRequest[]> {
  const { server } = desk;
  const { client, typedSecret, accessToken = "", refreshToken } = hand;
  const token = async (grant: Pairs) => await clientRequest("/oauth2/token", client, typedSecret, grant);
  switch (step) {
    case "exchange":
      return [await tokenRequest(desk, hand)];
    case "wrong_verifier":
      return [await tokenRequest(desk, { ...hand, verifier: spoil(hand.verifier ?? "") })];
    case "userinfo":
      return [userinfoRequest(accessToken)];
    case "introspect": {
      // Introspection is for resource servers, which authenticate; a public client lets one ask for it.
      const asker = client.confidential ? client : await findPublicSecret(server) ?? client;
      return [await clientRequest("/oauth2/introspect", asker, typedSecret, [["token", accessToken]])];
    }
    case "refresh":
      return [await token([["grant_type", "refresh_token"], ["refresh_token", refreshToken]])];
    case "replay":
      // The second one shows what became of the first exchange's token.
      return [await tokenRequest(desk, hand), ...accessToken === "" ? [] : [userinfoRequest(accessToken)]];
    case "revoke":
      return [
        await clientRequest("/oauth2/revoke", client, typedSecret, [["token", refreshToken ?? accessToken]]),
      ];
  }
}

/** A verifier of the same form, which is wrong. */
function spoil(verifier: string): string {
  return verifier.slice(0, -1) + (verifier.endsWith("A") ? "E" : "A");
}

function userinfoRequest(accessToken: string): TrialRequest {
  return {
    method: "GET",
    path: "/oauth2/userinfo",
    headers: [["Authorization", `Bearer ${accessToken}`]],
    secrets: [{ name: "access token", value: accessToken }],
  };
}

const secretFields: Readonly<Record<string, string>> = {
  code_verifier: "code verifier",
  refresh_token: "refresh token",
  token: "token",
  client_secret: "client secret",
};

/** A form, and the client's proof of who it is. */
async function clientRequest(
  path: string,
  client: Client,
  typedSecret: string | undefined,
  form: Pairs,
): Promise<TrialRequest> {
  const known = await hasPublicSecret(client);
  const secret = known ? demoSecret : typedSecret ?? "";
  const basic = btoa(`${encodeFormValue(client.id)}:${encodeFormValue(secret)}`);
  const byBasic = client.authMethod === "client_secret_basic";
  const byPost = client.authMethod === "client_secret_post";
  const fields: Pairs = [
    ...form,
    ["client_id", byBasic ? undefined : client.id],
    ["client_secret", byPost ? secret : undefined],
  ];
  const sent = fields.flatMap(([name, value]) => value === undefined ? [] : [[name, encodeFormValue(value)] as const]);
  return {
    method: "POST",
    path,
    headers: [
      ...byBasic ? [["Authorization", `Basic ${basic}`] as const] : [],
      ["Content-Type", "application/x-www-form-urlencoded"],
    ],
    body: sent.map((pair) => pair.join("=")).join("&"),
    secrets: [
      ...sent.flatMap(([name, value]) =>
        Object.hasOwn(secretFields, name) ? [{ name: secretFields[name]!, value }] : []
      ),
      ...byBasic ? [{ name: "client's credentials", value: basic }] : [],
    ],
    sealed: known || !client.confidential ? undefined : byBasic ? basic : encodeFormValue(secret),
  };
}

/** Whether the client's secret is the one that everybody knows. */
export async function hasPublicSecret({ secretDigest }: Client): Promise<boolean> {
  return secretDigest !== undefined && await secretDigest === await digest(demoSecret);
}

/** Whether a person can send requests as this client from a page: it has no secret, or one that can be written down. */
export function canBePlayed({ authMethod }: Client): boolean {
  return ["none", "client_secret_basic", "client_secret_post"].includes(authMethod);
}

async function findPublicSecret(server: Server): Promise<Client | undefined> {
  for (const client of server.clients.all()) {
    if (canBePlayed(client) && await hasPublicSecret(client)) return client;
  }
  return undefined;
}

/** A request as it travels, with what may never be shown left out. */
export function onTheWire({ server, site }: Desk, request: TrialRequest): WireMessage {
  const { method, path, headers, body, sealed } = request;
  const seal = (text: string) => sealed ? text.replaceAll(sealed, "…") : text;
  return {
    start: `${method} ${site.base}${path} HTTP/1.1`,
    headers: [
      ["Host", new URL(server.issuer).host],
      ...headers.map(([name, value]) => [name, seal(value)] as const),
      ...body === undefined ? [] : [["Content-Length", String(new TextEncoder().encode(body).length)] as const],
    ],
    body: body === undefined ? undefined : seal(body),
  };
}

/** As much of an answer as is shown, in characters. */
const shownLimit = 16 * 1024;

/** The members of a JSON answer whose values are secrets. */
const tokenFields: Readonly<Record<string, string>> = {
  access_token: "access token",
  refresh_token: "refresh token",
  id_token: "ID token",
};

/** A request, its answer, and what the answer holds where it is a JSON object. */
export interface Tried {
  readonly exchange: WireExchange;
  /** Absent where no answer came. */
  readonly status?: number;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Sends a request to this server and no other, as one from outside. */
export async function send(desk: Desk, request: TrialRequest, peer: Peer): Promise<Tried> {
  const { method, path, headers, body, secrets } = request;
  const sent = onTheWire(desk, request);
  let answer: Response;
  let text: string;
  try {
    const incoming = new Request(urlOf(desk.server.issuer, path), {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      body,
    });
    const given = await desk.ask(incoming, peer);
    if (isDropped(given)) return { exchange: { request: sent, secrets }, json: {} };
    answer = asResponse(given);
    text = await answer.text();
  } catch {
    return { exchange: { request: sent, secrets }, json: {} };
  }
  const json = readObject(text);
  const tokens = Object.entries(tokenFields).flatMap(([field, name]) => {
    const value = json[field];
    return typeof value === "string" ? [{ name, value }] : [];
  });
  return {
    status: answer.status,
    json,
    exchange: {
      request: sent,
      response: {
        start: `HTTP/1.1 ${answer.status} ${reasons[answer.status] ?? ""}`.trimEnd(),
        headers: [...answer.headers].map(([name, value]) => [capitalised(name), value]),
        body: text.length > shownLimit ? `${text.slice(0, shownLimit)}…` : text,
      },
      secrets: [...secrets, ...tokens],
    },
  };
}

/** The reason phrases of what the endpoints answer (RFC 9110 §15). */
const reasons: Readonly<Record<number, string>> = {
  200: "OK",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  429: "Too Many Requests",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

function capitalised(name: string): string {
  return name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase());
}

function readObject(text: string): Readonly<Record<string, unknown>> {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  } catch {
    return {};
  }
}
