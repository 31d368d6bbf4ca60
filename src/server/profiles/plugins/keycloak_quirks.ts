/** What Keycloak does that no data of its profile describes. */

import type { App, Context } from "../../assembly/context.ts";
import {
  getHeader,
  isResponse,
  parseJsonObject,
  replaceParts,
  type RequestLike,
  type ResponseLike,
  withHeaders,
} from "../../../platform/http/message.ts";
import { decodeJwtPart } from "../../../platform/http/jwt_part.ts";
import { parseTarget } from "../../../platform/http/router.ts";
import type { Client } from "../../oauth/clients/repository.ts";
import type { Server } from "../../oauth/server.ts";
import type { ProviderPlugin } from "./provider_plugin.ts";
import { trackExchanges } from "./shapes/exchanges.ts";

/**
 * The key for encrypted requests that every realm publishes beside its signing keys. Its private part does not exist:
 * this server decrypts nothing.
 */
const encryptionKey = {
  kid: "XCR3dYoVBtUzP1ckP2Jf0kM2iSfRBVM0lGmjXk0PLn8",
  kty: "RSA",
  alg: "RSA-OAEP",
  use: "enc",
  e: "AQAB",
  n: "tREGVrMA8eOBEEg8Ospli5Y-vOVGnz1LXlVGGkM4cIsIYroegSykSDis1ALV06jRfhyCKT3K_iE9i9naqIPwiNJ-m-_YlJk_flouTllfPAmO0ZeOlby7up4dQIvtO2rFzBn79mqQIHAFC4q6paT5pDlKkH1a34nTbxge_reSIVkFyPa2IFgyTwmU30q46pjp3frHU_dnlKZp2CPxVu71S2TPMZGArXnI4AnP0pVR5yD4ceyHDtlblL0y5XmLDgOWjF6WnWUGc4KMqiXOrKsQLqT3eahviawyd6N6DkPYMPlE8tr3qvcGnu5suEjU4eY0Gte0jlIy3Q7Iq-6H8qp0RQ",
};

/** Lets pages of clients send cookies to endpoints, and adds the members that follow from a client or a session. */
export function keycloakQuirks(): ProviderPlugin {
  const { find, hooks } = trackExchanges();
  let app: App | undefined;
  return {
    ...hooks,
    setup: (assembled) => void (app = assembled),
    claims: (_server, kind, claims, { client, user }) =>
      kind !== "access_token" ? claims : {
        ...claims,
        // keycloak/keycloak ServiceAccountConstants: only the tokens of service accounts name it.
        ...user === undefined && { client_id: client.id },
        "allowed-origins": originsOf(client),
      },
    handle: (next) => async (request, peer) => {
      const response = await next(app === undefined ? request : withDefaultScope(app, request), peer);
      const context = find(request)?.context;
      return context === undefined ? response : withCredentials(context, request, withMembers(context, response));
    },
  };
}

/**
 * Adds the default scope values of the client, which Keycloak grants to every request:
 * https://www.keycloak.org/docs/latest/server_admin/#_client_scopes_linking
 */
function withDefaultScope({ server, findEndpoint }: App, request: RequestLike): RequestLike {
  const { path, query } = parseTarget(request.url, {});
  if (findEndpoint(path)?.metadataName !== "authorization_endpoint") return request;
  const parameters = new URLSearchParams(query);
  const client = server.clients.findCached(parameters.get("client_id") ?? "");
  const [scope = ""] = parameters.getAll("scope");
  if (request.method !== "GET" || scope === "" || client === undefined) return request;
  const present = [...scope.split(" "), ""];
  const allowed = client.metadata.scope?.split(" ") ?? server.settings.defaultScope;
  const added = server.settings.defaultScope.filter((value) => !present.includes(value) && allowed.includes(value));
  // Not encoded again as a whole: the server rejects what is malformed or repeated.
  const url = request.url.replace(/[?&]scope=[^&#]*/, (pair) => [pair, ...added.map(encodeURIComponent)].join("%20"));
  return replaceParts(request, { url, original: request });
}

/** The origins of the redirect URIs of a client: its web origins if they are `+`. */
function originsOf({ redirectUris }: Client): readonly string[] {
  return [...new Set(redirectUris.map((uri) => new URL(uri).origin).filter((origin) => origin !== "null"))];
}

/**
 * keycloak-js lib/keycloak.js fetches tokens with `credentials: "include"`, so `*` is not enough. Responses to a client
 * are for its own origins.
 */
function withCredentials(
  { server, clientId }: Context,
  { headers }: RequestLike,
  response: ResponseLike,
): ResponseLike {
  const origin = headers.get("origin");
  if (origin === null || isResponse(response)) return response;
  if (getHeader(response, "access-control-allow-origin") === undefined || !isWebOrigin(server, clientId, origin)) {
    return response;
  }
  return withHeaders(response, {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    vary: "origin",
  });
}

function isWebOrigin({ clients }: Server, clientId: string | undefined, origin: string): boolean {
  const client = clientId === undefined ? undefined : clients.findCached(clientId);
  return (client === undefined ? clients.registered.allCached() : [client]).some((client) =>
    originsOf(client).includes(origin)
  );
}

function withMembers({ endpoint }: Context, response: ResponseLike): ResponseLike {
  if (isResponse(response) || response.status !== 200) return response;
  const body = parseJsonObject(response.body ?? "");
  if (endpoint?.metadataName === "jwks_uri" && Array.isArray(body?.keys)) {
    return { ...response, body: JSON.stringify({ keys: [encryptionKey, ...body.keys] }) };
  }
  if (endpoint?.metadataName !== "token_endpoint" || body === undefined) return response;
  const session_state = [body.access_token, body.id_token].map((token) => decodeJwtPart(String(token), 1).sid)
    .find((sid) => sid !== undefined);
  return session_state === undefined ? response : { ...response, body: JSON.stringify({ ...body, session_state }) };
}
