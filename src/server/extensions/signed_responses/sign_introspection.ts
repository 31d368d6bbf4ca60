/** Introspection responses as JWTs (RFC 9701). Loaded with the first one. */

import { metadataOf } from "../../config/client_metadata.ts";
import { type Client, policyOf } from "../../../core/clients/repository.ts";
import { secondsNow } from "../../../core/keys/jwt.ts";
import type { Server } from "../../../core/server.ts";

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
