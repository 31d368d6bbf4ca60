/** Signing keys that a test brings along. */

import { quote } from "../server/config/config_issue.ts";
import { describeUnusableKey } from "../core/keys/key_faults.ts";
import { importOwnKey } from "../core/keys/keys.ts";
import { signingAlgorithms } from "../core/keys/signing_algorithm.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import type { PrivateJwk } from "../client/private_jwk.ts";

/**
 * Makes a key the newest signing key of its algorithm.
 *
 * @throws {TypeError} If it is not a private JWK for an algorithm of this server, or its `kid` is in use.
 */
export async function importKey(
  { keys, keyRotation, policy }: HostedServer,
  key: PrivateJwk,
  lead = 0,
): Promise<void> {
  const { kid, alg = policy.alg } = key;
  const reject = (expected: string, received: string): never => {
    throw new TypeError(`importKey: expected ${expected}, received ${received}`);
  };
  const known = signingAlgorithms.find((candidate) => candidate === alg) ??
    reject(`alg to be one of ${signingAlgorithms.join(", ")}`, quote(alg));
  if (typeof kid !== "string" || !/^[\x21-\x7e]{1,128}$/.test(kid)) {
    return reject("a kid of 1 to 128 characters", quote(kid));
  }
  if (!(lead >= 0 && Number.isFinite(lead))) return reject("lead of 0 seconds or more", String(lead));
  const jwk = { ...key } as Readonly<Record<string, string>>;
  await importOwnKey(known, { kid, jwk }).catch(() => {
    const { expected, received } = describeUnusableKey(known, jwk);
    return reject(expected, received);
  });
  const isTaken = await keys.verificationKey(kid, known) !== undefined;
  if (isTaken) return reject("a kid that no key of the server has", quote(kid));
  await keyRotation.rotate(known, lead, { kid, jwk });
}
