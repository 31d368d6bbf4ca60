/** POST /oauth2/token (OAuth 2.1 §3.2): authenticate the client, validate the grant, issue the tokens. */

import { clientEndpoint } from "./client_endpoint.ts";
import type { Handlers } from "../route.ts";
import { type HttpResponse, json } from "../http/message.ts";
import { isTextList } from "../http/json_value.ts";
import { describeKind } from "../http/quote_value.ts";
import type { AuthenticatedRequest, Authorization } from "./grants/authenticated_request.ts";
import type { Params } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import { checkTokenRequest } from "../authorize/checks.ts";
import type { GrantType, Server } from "../server.ts";
import { issueTokens } from "./tokens/mod.ts";

/** By default, `server.responses.token` is {@link tokenResponse}. */
export const token: Handlers = clientEndpoint(
  (server, request) => server.responses.token(server, request),
  { identifyClient },
);

/** The response to a token request. */
export async function tokenResponse(server: Server, request: AuthenticatedRequest): Promise<HttpResponse> {
  const grantType = findGrantType(server, request);
  const { client, parameters: params } = request;
  await checkTokenRequest({ server, client, params });
  const authorization = await grantType.authorize(server, request);
  assertComplete(authorization ?? {}, grantType);
  return json(200, await issueTokens(server, request, authorization));
}

/** @throws {TypeError} If `authorize` of a grant type returned an incomplete result. */
function assertComplete(
  { client, scope, grantId, subject }: Partial<Authorization>,
  { type }: GrantType,
): void {
  const lacksSub = subject !== undefined && typeof subject.sub !== "string";
  if (client !== undefined && isTextList(scope) && typeof grantId === "string" && !lacksSub) return;
  throw new TypeError(
    `expected authorize of the grant type ${type} to return client, scope (an array of strings), grantId, and ` +
      `subject with a sub, or no subject; received ${[client, scope, grantId, subject].map(describeKind).join(", ")}`,
  );
}

/** The id of the client of a request that names no client, if its grant identifies one. */
async function identifyClient(server: Server, parameters: Params): Promise<string | undefined> {
  const type = parameters.get("grant_type");
  return await server.grantTypes.find((grantType) => grantType.type === type)?.identifyClient?.(server, parameters);
}

/**
 * The grant type of a token request.
 *
 * @throws {OAuthError} If the server does not support it, or the client is not registered for it (OAuth 2.1 §3.2.4).
 */
function findGrantType(server: Server, { client, parameters }: AuthenticatedRequest): GrantType {
  const { grantTypes } = server;
  const type = parameters.get("grant_type");
  const grantType = grantTypes.find((supported) => supported.type === type);
  if (type === undefined || grantType === undefined) {
    throw reject("TK-05", { grantTypes: grantTypes.map((supported) => supported.type), sent: type });
  }
  if (!client.grantTypes.includes(type)) throw reject("TK-06", { client, grantType });
  server.passed("TK-06", type);
  return grantType;
}
