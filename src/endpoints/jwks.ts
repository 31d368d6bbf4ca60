/** GET /oauth2/jwks: the public keys (RFC 7517 §5). */

import { json } from "../http/responses.ts";
import type { SigningAlgorithm } from "../oauth/keys/signing_algorithm.ts";
import type { Server } from "../oauth/server.ts";
import { jsonError } from "../app/error_response.ts";
import type { App, Endpoint } from "../app/endpoint.ts";

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
export function jwksEndpoint(app: App): Endpoint {
  return {
    name: "jwks_uri",
    path: `${app.site.base}/oauth2/jwks`,
    cors: true,
    async GET(request, target) {
      const { server } = app.contextFor(request);
      try {
        const keys = await server.keys.publishedKeys(algorithmsInUse(server));
        return json(200, { keys }, { "cache-control": "public, max-age=60" });
      } catch (thrown) {
        return jsonError(server, target, thrown);
      }
    },
    reject: (error, target, request) => jsonError(app.contextFor(request).server, target, error),
  };
}
