/** GET /oauth2/jwks: the public keys (RFC 7517 §5). */

import { json } from "../http/message.ts";
import { type SigningAlgorithm, signingAlgorithms } from "./signing_algorithm.ts";
import type { Server } from "../server.ts";
import type { Handlers } from "../route.ts";

/**
 * The signing algorithms of this server's tokens: the default, and those that clients chose by client metadata, such as
 * `userinfo_signed_response_alg`.
 */
export function algorithmsInUse(server: Server): SigningAlgorithm[] {
  const clients = [...server.clients.known().values()];
  return [
    ...new Set([
      server.policy.alg,
      ...clients.flatMap(({ idTokenAlg, metadata, policy }) => [
        idTokenAlg,
        policy?.alg ?? idTokenAlg,
        ...Object.keys(metadata).filter((name) => name.endsWith("_signed_response_alg"))
          .flatMap((name) => signingAlgorithms.find((alg) => alg === metadata[name as keyof typeof metadata]) ?? []),
      ]),
    ]),
  ];
}

export async function signingKeys(server: Server): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return await server.keys.publishedKeys(algorithmsInUse(server));
}

export const jwks: Handlers = {
  async GET({ server }) {
    return json(200, { keys: await server.keys.jwks(server) }, { "cache-control": "public, max-age=60" });
  },
};
