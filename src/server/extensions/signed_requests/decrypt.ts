/**
 * Encrypted request objects (RFC 9101 §6.1): the keys that clients encrypt to, and the decryption. The keys are in the
 * store, so that all instances share them. Loaded when they are first needed, because it imports jose.
 */

import { compactDecrypt, type CompactDecryptGetKey, exportJWK, generateKeyPair, importJWK } from "jose";
import { type Jwk, keyThumbprint, publicMembersOf } from "../../../core/keys/jwk.ts";
import { decodeJwtPart } from "../../../platform/http/jwt_part.ts";
import type { Store } from "../../../core/store/store.ts";
import type { RejectJwt } from "../../fetching/client_jwt.ts";
import type { Server } from "../../../core/server.ts";
import {
  contentEncryptions,
  type KeyManagementAlgorithm,
  keyManagementAlgorithms,
} from "../encrypted_responses/settings.ts";
import { signedRequestSettings } from "./settings.ts";

interface EncryptionKey {
  readonly publicJwk: Readonly<Record<string, unknown>>;
  readonly key: Awaited<ReturnType<CompactDecryptGetKey>>;
}

const keysByStore = new WeakMap<Store, Map<string, Promise<EncryptionKey>>>();

/** The key of an algorithm, imported once; generates the first one. */
function encryptionKey({ store, policy }: Server, alg: KeyManagementAlgorithm): Promise<EncryptionKey> {
  const keys = keysByStore.get(store) ?? new Map<string, Promise<EncryptionKey>>();
  keysByStore.set(store, keys);
  const name = `${policy.allows.testKeys ? "test " : ""}encryption ${alg}`;
  let key = keys.get(name);
  if (key === undefined) {
    keys.set(name, key = loadKey(store, name, alg));
    key.catch(() => keys.delete(name));
  }
  return key;
}

async function loadKey(store: Store, name: string, alg: KeyManagementAlgorithm): Promise<EncryptionKey> {
  if (await store.get("server_secret", name) === undefined) {
    const { privateKey } = await generateKeyPair(alg, { extractable: true });
    const secret = JSON.stringify(await exportJWK(privateKey));
    // Of several instances, one adds its key.
    await store.add("server_secret", name, { secret }, { expiresAt: Infinity });
  }
  const jwk: Jwk = JSON.parse((await store.get("server_secret", name))!.value.secret);
  return {
    publicJwk: { ...publicMembersOf(jwk), kid: await keyThumbprint(jwk), alg, use: "enc" },
    key: await importJWK(jwk, alg) as EncryptionKey["key"],
  };
}

/** The public keys of the algorithms that the settings name. */
export async function encryptionKeys(server: Server): Promise<readonly EncryptionKey["publicJwk"][]> {
  const algorithms = signedRequestSettings.of(server.policy).requestObjectEncryption;
  return await Promise.all(algorithms.map(async (alg) => (await encryptionKey(server, alg)).publicJwk));
}

/**
 * Decrypts a request object. Every failure after the checks of its header is the same error, so that the server is no
 * oracle (RFC 7516 §11.5).
 *
 * @returns The signed JWT inside.
 */
export async function decryptRequestObject(server: Server, jwe: string, reject: RejectJwt): Promise<string> {
  const algorithms = signedRequestSettings.of(server.policy).requestObjectEncryption;
  const { alg, enc, zip, kid } = decodeJwtPart(jwe, 0);
  const known = keyManagementAlgorithms.find((name) => name === alg && algorithms.includes(name));
  if (known === undefined) {
    throw algorithms.length === 0
      ? reject("the request object is encrypted, which this server does not offer", "a signed JWT", "a JWE")
      : reject(
        "alg of the encrypted request object is not accepted",
        `alg = ${algorithms.join(" or ")}`,
        "another alg",
      );
  }
  if (contentEncryptions.every((name) => name !== enc)) {
    throw reject("enc of the encrypted request object is not accepted", contentEncryptions.join(" or "), "another enc");
  }
  if (zip !== undefined) throw reject("the encrypted request object is compressed", "no zip", "zip");
  const { publicJwk, key } = await encryptionKey(server, known);
  if (kid !== undefined && kid !== publicJwk.kid) {
    throw reject("kid of the encrypted request object is unknown", `kid ${publicJwk.kid} of the JWKS`, "another kid");
  }
  try {
    const { plaintext } = await compactDecrypt(jwe, key, {
      keyManagementAlgorithms: [known],
      contentEncryptionAlgorithms: [...contentEncryptions],
      maxDecompressedLength: 0,
    });
    server.passed("JR-06", known);
    return new TextDecoder().decode(plaintext);
  } catch {
    throw reject(
      "the request object cannot be decrypted",
      `a JWE for the ${known} key of the JWKS, unchanged`,
      "another",
    );
  }
}
