/** POST /oauth2/token (OAuth 2.1 §3.2): authenticate the client, validate the grant, issue the tokens. */

import { clientEndpoint } from "./shared/client_endpoint.ts";
import type { Handlers } from "../assembly/route.ts";
import { json } from "../../platform/http/message.ts";
import { mayUseGrantType } from "../oauth/clients/standing.ts";
import { OAuthError } from "../oauth/errors.ts";
import type { AuthenticatedRequest } from "../oauth/grants/authenticated_request.ts";
import type { Params } from "../oauth/params.ts";
import type { GrantType, Server } from "../oauth/server.ts";
import { issueTokens } from "../oauth/tokens/mod.ts";

/** The handlers of the token endpoint. */
export const token: Handlers = clientEndpoint(async (server, request) => {
  const grantType = findGrantType(server, request);
  const authorization = await grantType.authorize(server, request);
  return json(200, await issueTokens(server, request, authorization));
}, {
  identifyClient,
  provenKey: (server, request) =>
    server.connectionKeys?.tokenKey(server, request) ?? server.keyProofs?.tokenKey(server, request),
});

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
    const expected = grantTypes.map((supported) => supported.type).join(" or ");
    const explanation = { rule: "TK-05", expected, received: type ?? "no grant_type" } as const;
    throw type === undefined
      ? new OAuthError("invalid_request", "grant_type is missing", explanation)
      : new OAuthError("unsupported_grant_type", "grant_type is not supported by this server", explanation);
  }
  if (!client.grantTypes.includes(type)) {
    // A grant type without a user is for clients that authenticate.
    const isPossible = client.confidential || grantType.standing?.from === "unknown";
    throw new OAuthError("unauthorized_client", "this client is not registered for this grant_type", {
      rule: "TK-06",
      expected: client.grantTypes.join(" or "),
      received: type,
      ...isPossible
        ? { change: { client_id: client.id, isNew: false, grant_type: type } }
        : { fix: `Use another client: ${client.id} is public, and ${type} is for clients that authenticate.` },
    });
  }
  if (!mayUseGrantType(client, grantType, server.settings)) {
    const lowest = grantType.standing?.from ?? "configured";
    throw new OAuthError("unauthorized_client", "this client may not use this grant_type", {
      rule: "TK-06",
      reason: `a client with the standing ${client.standing} may not use ${type}`,
      expected: `a client with the standing ${lowest}`,
      received: `a client with the standing ${client.standing}`,
      fix: `Add the client to the configuration${
        lowest === "configured" ? "" : ", or let it register with an initial access token"
      }.`,
    });
  }
  server.passed?.("TK-06", type);
  return grantType;
}
