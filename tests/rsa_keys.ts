/** RSA keys that tests share: to generate one takes up to a second. */

import { generateKeyPair, importJWK, type JWK } from "jose";
import { createKey, type NewKey } from "../src/core/keys/keys.ts";
import type { KeySource } from "../src/server/hosting/key_source.ts";
import { builtInKeys } from "../src/testing/built_in_keys.ts";

/** The keys of servers, with names that a real host accepts. */
const keysOfServers = builtInKeys.RS256.slice(0, 3).map(({ jwk }, index): Promise<NewKey> =>
  Promise.resolve({ kid: `shared-rsa-key-${index}`, jwk })
);
let servers = 0;

/** Keys for one more server: its RSA keys are those of every other server, and differ from those of the last one. */
export function sharedRsaKeys(): KeySource {
  const turn = servers++ % 2;
  return {
    async create(alg, number) {
      if (alg !== "RS256") return await createKey(alg);
      return await (keysOfServers[2 * number + turn] ??= createKey(alg));
    },
  };
}

/** An extractable key pair of a client. RSA keys are the same for every algorithm, and no server has them. */
export async function clientKeyPair(alg: string): Promise<{ privateKey: CryptoKey; publicKey: CryptoKey }> {
  if (!/^(?:[RP]S|RSA)/.test(alg)) return await generateKeyPair(alg, { extractable: true });
  const jwk = builtInKeys.RS256.at(-1)!.jwk as JWK;
  const publicJwk = { kty: jwk.kty, n: jwk.n, e: jwk.e };
  const [privateKey, publicKey] = await Promise.all(
    [jwk, publicJwk].map((one) => importJWK(one, alg, { extractable: true }) as Promise<CryptoKey>),
  );
  return { privateKey: privateKey!, publicKey: publicKey! };
}
