/** GET /oauth2/jwks: the public keys (RFC 7517 §5). */

import { json } from "../http/responses.ts";
import type { SigningAlgorithm } from "../oauth/keys/keys.ts";
import type { Server } from "../oauth/server.ts";
import { asJson } from "../app/error_response.ts";
import type { Desk, Endpoint } from "../app/endpoint.ts";

/** The algorithms that some token of this server is signed with. */
export function algorithmsInUse(server: Server): SigningAlgorithm[] {
  const clients = server.clients.all();
  return [
    ...new Set([
      server.alg,
      ...clients.flatMap(({ idTokenAlg, userinfoAlg = idTokenAlg }) => [idTokenAlg, userinfoAlg]),
    ]),
  ];
}

/** The JWKS endpoint. */
export function jwksEndpoint(desk: Desk): Endpoint {
  return {
    name: "jwks_uri",
    path: `${desk.site.base}/oauth2/jwks`,
    cors: true,
    async GET(request, target) {
      const { server } = desk.during(request);
      try {
        const keys = await server.keys.published(algorithmsInUse(server));
        return json(200, { keys }, { "cache-control": "public, max-age=60" });
      } catch (thrown) {
        return asJson(server, target, thrown);
      }
    },
    refuse: (fault, target, request) => asJson(desk.during(request).server, target, fault),
  };
}
