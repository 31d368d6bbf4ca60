/** ID tokens signed with a published key that a client must not use (RFC 7517 §4, RFC 7518 §3.3). */

import { jwtSigner } from "../../core/keys/jwt.ts";
import type { PublishedKey } from "../../core/keys/keys.ts";
import { encodeBase64url } from "../../core/keys/crypto.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { body } from "../../testing/faults/mod.ts";
import { encodeJwt, resign } from "../../testing/faults/resign.ts";
import { foreignKeys } from "../../testing/keys.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { oneOf } from "./parameters.ts";

/** Members of a published key that do not allow it to verify an ID token. */
const unfitMembers: Readonly<Record<string, (kty: unknown) => Readonly<Record<string, unknown>>>> = {
  use: () => ({ use: "enc" }),
  alg: (kty) => ({ alg: kty === "RSA" ? "RSA-OAEP-256" : "ECDH-ES" }),
  key_ops: () => ({ use: undefined, key_ops: ["wrapKey"] }),
};

/** The attacks of the category `id-token` on the key. */
export const idTokenKeyAttacks: readonly Attack[] = [
  defineAttack({
    id: "id-token/key-unfit",
    title:
      "The key that signs the ID token is published for encryption, for another algorithm or operation, or has only 1024 bits.",
    needs: ["readsIdToken", "checksSignature"],
    accepts: "form",
    endpoints: ["jwks"],
    ifUnmet: "the ID token is not signed with RSA, whose keys can be too small",
    requirement: "RFC 8725 §3.1",
    sources: ["RFC 7517 §4.2", "RFC 7517 §4.3", "RFC 7517 §4.4", "RFC 7518 §3.3", "RFC 8725 §3.5"],
    ...oneOf("flaw", ["use", "alg", "key_ops", "size"]),
    start: ({ as }, { flaw }) =>
      void (flaw === "size" ? as.on("any").always(smallKey()) : as.on("jwks").always(
        body.edited(({ keys }) => ({
          keys: (keys as readonly { readonly kty: string }[]).map((key) => ({
            ...key,
            ...unfitMembers[flaw]!(key.kty),
          })),
        }), `keys with an unfit ${flaw}`),
      )),
  }),
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

/** A fault that signs the ID token with an RSA key of 1024 bits, and publishes it. */
function smallKey(): Fault {
  const kid = "small-key";
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  let generated: Promise<CryptoKeyPair> | undefined;
  const generate = () =>
    generated ??= crypto.subtle.generateKey(
      { ...algorithm, modulusLength: 1024, publicExponent: new Uint8Array([1, 0, 1]) },
      true,
      ["sign", "verify"],
    );
  return {
    name: "ID token signed with a key of 1024 bits",
    waitsFor: "signed an ID token",
    extend: (server, context) => ({
      ...server,
      keys: {
        ...server.keys,
        async publishedKeys(algs): Promise<readonly PublishedKey[]> {
          const { kty, n, e } = await crypto.subtle.exportKey("jwk", (await generate()).publicKey);
          return [...await server.keys.publishedKeys(algs), { kty, n, e, kid, alg: "RS256", use: "sig" }];
        },
        async sign(kind, alg, claims) {
          if (kind !== "id_token" || alg !== "RS256" || !context.consume()) {
            return await server.keys.sign(kind, alg, claims);
          }
          const input = encodeJwt({ alg: "RS256", typ: "JWT", kid }, claims);
          const { privateKey } = await generate();
          const signature = await crypto.subtle.sign(algorithm, privateKey, new TextEncoder().encode(input));
          return `${input}.${encodeBase64url(new Uint8Array(signature))}`;
        },
      },
    }),
  };
}
