/** Client secrets of Apple: JWTs that the developer has signed. */

import { invalidClient } from "../fetching/invalid_client.ts";
import { keysOf } from "../fetching/client_keys.ts";
import { foreignClockTolerance, type JwtPolicy } from "../../platform/jwt/jwt_policies.ts";
import { remoteKeys } from "../fetching/remote_keys.ts";
import { verifyByKeys } from "../../platform/jwt/verify_by_keys.ts";
import { warn } from "../trace.ts";
import type { ClientAuth } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";

const appleIssuer = "https://appleid.apple.com";

/** https://developer.apple.com/documentation/accountorganizationaldatasharing/creating-a-client-secret */
const secretPolicy: JwtPolicy & { readonly maxLifetime: number } = {
  ...foreignClockTolerance,
  ...{ requiredClaims: ["iss", "iat", "exp", "aud", "sub"], maxLifetime: 15_777_000 },
};

/** Client authentication by a JWT that the developer has signed, if the client has keys. */
export function signedSecret(post: ClientAuth): ClientAuth {
  return {
    ...post,
    async authenticate(server: HostedServer, credentials) {
      const { params } = credentials;
      const id = params.get("client_id");
      const client = await server.clients.find(id ?? "", server);
      if (client === undefined) return await post.authenticate(server, credentials);
      if (client.metadata.jwks === undefined && client.metadata.jwks_uri === undefined) {
        warn(server, client.id, {
          reason: "the client secret is not a JWT; Apple accepts only one that the developer has signed with ES256",
          fix: "Add the public key to the client as jwks, so that the server verifies the client secret.",
        });
        return await post.authenticate(server, credentials);
      }
      const expected = "a JWT with alg ES256, iss the team, sub the client_id, aud the issuer, exp within six months";
      try {
        const { exp } = await verifyByKeys(
          params.get("client_secret")!,
          remoteKeys(...keysOf(server, client)),
          secretPolicy,
          {
            ...{ algorithms: ["ES256"], subject: client.id, audience: [appleIssuer, server.issuer], now: server.now() },
          },
        );
        if (exp! > server.now() / 1000 + secretPolicy.maxLifetime) throw new TypeError("exp is later than six months");
        return client;
      } catch (cause) {
        const reason = `the client secret is invalid: ${(cause as Error).message}`;
        throw invalidClient(reason, expected, "another value", {
          fix: "Sign the client secret with a registered key.",
        });
      }
    },
  };
}
