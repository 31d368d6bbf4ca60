/** GET /oauth2/jwks: the public keys (RFC 7517 §5). */

import { json } from "../../platform/http/message.ts";
import type { SigningAlgorithm } from "../oauth/keys/signing_algorithm.ts";
import type { Server } from "../oauth/server.ts";
import type { Handlers } from "../assembly/route.ts";

/** The signing algorithms of this server's tokens: the default, and the algorithms of the clients. */
export function algorithmsInUse(server: Server): SigningAlgorithm[] {
  const clients = server.clients.allCached();
  return [
    ...new Set([
      server.settings.alg,
      ...clients.flatMap(({ idTokenAlg, metadata, policy }) => [
        idTokenAlg,
        metadata.userinfo_signed_response_alg ?? idTokenAlg,
        policy?.alg ?? idTokenAlg,
        metadata.authorization_signed_response_alg ?? idTokenAlg,
        metadata.introspection_signed_response_alg ?? idTokenAlg,
      ]),
    ]),
  ];
}

/** The handlers of the JWKS endpoint. */
export const jwks: Handlers = {
  async GET({ server }) {
    const keys = await server.keys.publishedKeys(algorithmsInUse(server));
    return json(200, { keys }, { "cache-control": "public, max-age=60" });
  },
};
