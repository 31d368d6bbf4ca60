/** Signed authorization responses (JARM). Loaded with the first one. */

import { serverPolicy } from "../../config/server_policy.ts";
import type { ResponseFields } from "../../../core/params.ts";
import { metadataOf } from "../../config/client_metadata.ts";
import { type Client, policyOf } from "../../../core/clients/repository.ts";
import { secondsNow } from "../../../core/keys/jwt.ts";
import type { Server } from "../../../core/server.ts";

/**
 * Signs the parameters of an authorization response: the only parameter left is `response` (JARM §2.1).
 *
 * @param clientId The client that receives it.
 */
export async function signResponse(server: Server, clientId: string, fields: ResponseFields): Promise<ResponseFields> {
  const client = await server.clients.find(clientId);
  const { alg, lifetimes } = serverPolicy(client?.policy ?? server.settings);
  const claims = {
    ...Object.fromEntries(fields),
    aud: clientId,
    exp: secondsNow(server) + lifetimes.authorization_response,
  };
  const algorithm = (client && metadataOf(client).authorization_signed_response_alg) ?? alg;
  return [["response", await server.keys.sign("authorization_response", algorithm, claims)]];
}

/**
 * Signs the description of a token. The claims of the token are in one member, so that the JWT cannot be mistaken for
 * the token (RFC 9701 §5, §8.1).
 *
 * @param caller The client that sent the introspection request.
 */
export async function signIntrospection(
  server: Server,
  caller: Client,
  introspection: Readonly<Record<string, unknown>>,
): Promise<string> {
  const alg = metadataOf(caller).introspection_signed_response_alg ?? policyOf(server, caller).alg;
  return await server.keys.sign("introspection", alg, {
    iss: server.issuer,
    aud: caller.id,
    iat: secondsNow(server),
    token_introspection: introspection,
  });
}
