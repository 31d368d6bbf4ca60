/** ID tokens signed with a published key that a client must not use (RFC 7517 §4, RFC 7518 §3.3). */

import { jwtSigner } from "../../core/keys/jwt.ts";
import type { PublishedKey } from "../../core/keys/keys.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { resign } from "../../testing/faults/resign.ts";
import { foreignKeys } from "../../testing/keys.ts";
import { type Attack, defineAttack } from "../define_attack.ts";

export const idTokenKeyAttacks: readonly Attack[] = [
  defineAttack({
    id: "id-token/key-of-another-issuer",
    fix: "Keep the keys of each issuer apart, and verify an ID token only with those of its issuer.",
    title: "The ID token is signed with the key of another issuer, at which the client logged in before.",
    needs: ["readsIdToken", "checksSignature", "severalIssuers"],
    requirement: "RFC 8725 §3.8",
    sources: ["OpenID Connect Core §3.1.3.7"],
    async perform({ as, driver, journey, openOtherIssuer }) {
      const other = await openOtherIssuer();
      other.on("jwks").always(publishForeignKey());
      await driver.logIn!({ ...journey, issuer: other.issuer });
      as.on("token").always(
        resign("ID token signed with the key of another issuer", ({ keys }) => async (kind, alg, claims) => {
          const { kid } = await keys.signer(alg);
          return await jwtSigner(foreignKeys(foreignKid, kid), keys.types)(kind, alg, claims);
        }),
      );
      return await driver.logIn!(journey);
    },
  }),
];

const foreignKid = "key-of-another-issuer";

/** A fault that publishes a second key. */
function publishForeignKey(): Fault {
  return {
    name: "a second key",
    extend: (server) => ({
      ...server,
      keys: {
        ...server.keys,
        async publishedKeys(algs): Promise<readonly PublishedKey[]> {
          const own = await server.keys.publishedKeys(algs);
          return [...own, ...await foreignKeys(foreignKid, own[0]!.kid).publishedKeys(algs)];
        },
      },
    }),
  };
}
