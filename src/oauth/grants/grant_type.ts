/** Finds the grant type of a token request. */

import { meetsRequirement } from "../clients/standing.ts";
import { OAuthError } from "../errors.ts";
import type { Params } from "../params.ts";
import type { GrantType, Server } from "../server.ts";
import type { TokenRequest } from "./token_request.ts";

/** The id of the client of a request that names none, if its grant identifies one. */
export async function identifyClient(server: Server, parameters: Params): Promise<string | undefined> {
  const type = parameters.get("grant_type");
  return await server.grantTypes.find((grantType) => grantType.type === type)?.identifyClient?.(server, parameters);
}

/**
 * The grant type of a token request.
 *
 * @throws {OAuthError} If the server does not support it, or the client is not registered for it (OAuth 2.1 §3.2.4).
 */
export function findGrantType(server: Server, { client, parameters }: TokenRequest): GrantType {
  const { grantTypes } = server;
  const type = parameters.get("grant_type");
  if (type === undefined) {
    throw new OAuthError("invalid_request", "grant_type is missing", {
      rule: "TK-05",
      expected: grantTypes.map((grantType) => grantType.type).join(" or "),
      received: "no grant_type",
    });
  }
  const grantType = grantTypes.find((supported) => supported.type === type);
  if (grantType === undefined) {
    throw new OAuthError("unsupported_grant_type", "grant_type is not supported by this server", {
      rule: "TK-05",
      expected: grantTypes.map((supported) => supported.type).join(" or "),
      received: type,
    });
  }
  if (!client.grantTypes.includes(type)) {
    throw new OAuthError("unauthorized_client", "this client is not registered for this grant_type", {
      rule: "TK-06",
      expected: client.grantTypes.join(" or "),
      received: type,
    });
  }
  if (!meetsRequirement(client, grantType.standing, server.settings)) {
    const lowest = grantType.standing?.from ?? "configured";
    throw new OAuthError("unauthorized_client", "this client may not use this grant_type", {
      rule: "TK-06",
      reason: `${type} is not open to a client of the standing ${client.standing}`,
      expected: `a client of the standing ${lowest}`,
      received: `a client of the standing ${client.standing}`,
      fix: `Add the client to the configuration${
        lowest === "configured" ? "" : ", or let it register with an initial access token"
      }.`,
    });
  }
  server.passed?.("TK-06", type);
  return grantType;
}
