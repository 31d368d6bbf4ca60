/** Encrypts by a public key of the client (RFC 7516). Loaded with the first response, because it imports jose. */

import { CompactEncrypt, importJWK } from "jose";
import { publicMembersOf } from "../../../core/keys/jwk.ts";
import { describeKeyFailure, keysOf } from "../../fetching/client_keys.ts";
import type { Client } from "../../../core/clients/clients.ts";
import type { KeyManagementAlgorithm } from "./settings.ts";
import { keySets } from "../../fetching/remote_keys.ts";
import type { PublicKeySet } from "../../../core/keys/jwk.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { EncryptResponse } from "../../token/jwt_responses.ts";
import { reject } from "./rules.ts";
import { type Encryption, type EncryptionJwk, suitableKeys } from "./validate_client.ts";

/**
 * Seconds after which a client may try again if its keys could not be fetched: the server does not fetch keys again
 * sooner.
 */
const retryAfterSeconds = 30;

/** Maximum number of keys tried for a client: detecting an unusable key takes milliseconds. */
const maxTriedKeys = 8;

interface EncryptionKey {
  readonly key: Awaited<ReturnType<typeof importJWK>>;
  readonly kid: string | undefined;
}

/**
 * The key of a client for an algorithm. If no key suits, the keys are fetched again: the client may have changed them.
 *
 * @throws {OAuthError} If none suits, or the keys cannot be fetched.
 */
async function findKey(server: HostedServer, client: Client, alg: KeyManagementAlgorithm): Promise<EncryptionKey> {
  const sets = keySets(...keysOf(server, client));
  let keys: PublicKeySet;
  try {
    keys = await sets.current();
    if (suitableKeys(keys.keys, alg).length === 0) keys = await sets.newer();
  } catch (cause) {
    const failure = describeKeyFailure(client, cause);
    if (failure === undefined) throw cause;
    const { detailsInTraceOnly, ...unfetched } = failure;
    throw reject("EN-05", unfetched, { retryAfter: retryAfterSeconds, cause, detailsInTraceOnly });
  }
  for (const key of suitableKeys(keys.keys, alg).slice(0, maxTriedKeys)) {
    const imported = await importKey(key, alg);
    if (imported !== undefined) return imported;
  }
  throw reject("EN-05", { clientId: client.id, alg, keys: keys.keys.length, maxTried: maxTriedKeys });
}

/** The imported keys; `undefined` if a key is unusable. */
const importedKeys = new WeakMap<EncryptionJwk, Promise<EncryptionKey | undefined>>();

/** Imports a key once. */
function importKey(jwk: EncryptionJwk, alg: KeyManagementAlgorithm): Promise<EncryptionKey | undefined> {
  let imported = importedKeys.get(jwk);
  if (imported === undefined) importedKeys.set(jwk, imported = tryKey(jwk, alg).catch(() => undefined));
  return imported;
}

/** Imports a key and encrypts by it: not every runtime detects during the import that a point is not on its curve. */
async function tryKey(jwk: EncryptionJwk, alg: KeyManagementAlgorithm): Promise<EncryptionKey> {
  // use and key_ops are left out, because runtimes compare them with different operations.
  const key = await importJWK(publicMembersOf(jwk), alg);
  await new CompactEncrypt(new Uint8Array()).setProtectedHeader({ alg, enc: "A128GCM" }).encrypt(key);
  return { key, kid: jwk.kid as string | undefined };
}

/** Finds the key of a client, by which its responses are encrypted. @throws {OAuthError} As {@link findKey}. */
export async function findEncryption(
  server: HostedServer,
  client: Client,
  { alg, enc }: Encryption,
): Promise<EncryptResponse> {
  const { key, kid } = await findKey(server, client, alg);
  return async (content) => {
    // A signed JWT becomes a nested JWT (RFC 7519 §5.2).
    const isJwt = typeof content === "string";
    const bytes = new TextEncoder().encode(isJwt ? content : JSON.stringify(content));
    const header = { alg, enc, ...kid !== undefined && { kid }, ...isJwt && { cty: "JWT" } };
    const jwe = await new CompactEncrypt(bytes).setProtectedHeader(header).encrypt(key);
    server.passed("EN-01", alg);
    return jwe;
  };
}
