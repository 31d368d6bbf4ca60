/** Verbs of signing keys. */

import { anyValue, choice, list, object, record, text, whole } from "../../../core/policy/field.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../../../core/keys/signing_algorithm.ts";
import type { Server } from "../../../core/server.ts";
import type { PrivateJwk } from "../../../client/private_jwk.ts";
import { defineVerb, type Verb } from "../verb.ts";

/** The algorithm of the new key, and when the key begins to sign. */
interface KeyRotation {
  /** The algorithm. Default: the algorithm of the server. */
  readonly alg?: SigningAlgorithm;
  /** Seconds for which the key is published before it signs. Default: the setting `keys.lead`. */
  readonly lead?: number;
}

/** The keys of an algorithm. */
interface PublishedKeys {
  /** The `kid` of each published key, the newest last. */
  readonly kids: readonly string[];
}

/** A key that the test supplies. */
interface ImportedKey {
  /** The private JWK, with the `kid` that tokens name. Default of its `alg`: the algorithm of the server. */
  readonly key: PrivateJwk;
  /** Seconds for which the key is published before it signs. Default: 0. */
  readonly lead?: number;
}

const lead = whole(0, { min: 0, expected: "whole seconds, at least 0" });
const publishedKeys = object<PublishedKeys>("PublishedKeys", { kids: list(text(["7dK2"]), [["7dK2"]]) }, {
  kids: ["7dK2"],
});

/** RFC 7515, Appendix A.3. */
const exampleKey: PrivateJwk = {
  ...{ kty: "EC", crv: "P-256", alg: "ES256", kid: "key-of-the-test" },
  x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
  y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0",
  d: "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
};

async function listKeys({ keys }: Server, alg: SigningAlgorithm): Promise<PublishedKeys> {
  return { kids: (await keys.publishedKeys([alg])).map(({ kid }) => kid) };
}

/** Creates and imports signing keys. */
export const keyVerbs: readonly Verb[] = [
  defineVerb<KeyRotation, PublishedKeys>({
    name: "rotateKeys",
    summary: "Creates a new signing key. The previous one stays published until its last token expires.",
    input: object<KeyRotation>("KeyRotation", {
      alg: choice(signingAlgorithms),
      lead,
    }, { lead: 0 }),
    args: ["alg", "lead"],
    result: publishedKeys,
    async run({ app: { server } }, { alg = server.policy.alg, lead = server.policy.keys.lead }) {
      await server.keyRotation.rotate(alg, lead);
      return await listKeys(server, alg);
    },
  }),
  defineVerb<ImportedKey, void>({
    name: "importKey",
    summary: "Imports a private JWK of the test as the signing key; tokens name its `kid`.",
    input: object<ImportedKey>(
      "ImportedKey",
      {
        key: record(anyValue, { ...exampleKey }, "a private JWK") as never,
        lead,
      },
      { key: exampleKey },
      { required: ["key"] },
    ),
    args: ["key", "lead"],
    run: ({ control }, { key, lead }) => control.importKey(key, lead),
  }),
];
