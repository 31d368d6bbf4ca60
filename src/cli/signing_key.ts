/** Reads the private key that the setting `signingKey` names, and says what is wrong with the file or the key. */

import type { PrivateJwk } from "../client/private_jwk.ts";
import { printable, shellQuote } from "../core/http/quote_value.ts";
import { describeUnusableKey, findKeyFault } from "../core/keys/key_faults.ts";
import { keyThumbprint } from "../core/keys/jwk.ts";
import { importOwnKey } from "../core/keys/keys.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../core/keys/signing_algorithm.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { parseJsonObject } from "../platform/http/json_body.ts";
import { jwkOfPem } from "../platform/runtime/pem_key.ts";
import { readNamedFile, type ReadTextFile } from "./text_file.ts";

/** The key in a file, for the algorithm of the server. Without a `kid`, it has its thumbprint (RFC 7638). */
export async function readSigningKey(
  path: string,
  namedBy: string,
  alg: SigningAlgorithm,
  readTextFile: ReadTextFile,
): Promise<{ readonly key?: PrivateJwk; readonly issues: readonly ConfigIssue[] }> {
  const text = await readNamedFile(path, namedBy, readTextFile);
  if (typeof text !== "string") return { issues: [text] };
  const reject = (received: string, hint: string) => ({
    issues: [{ path: namedBy, expected: "a private key, as a JWK or in PEM", received, hint }],
  });
  const jwk = parseJsonObject(text) ?? jwkOfPem(text);
  if (jwk === undefined) {
    if (text.startsWith("{")) {
      const { describeJsonSyntaxError } = await import("../server/config/json_syntax_error.ts");
      return { issues: [{ path: namedBy, ...describeJsonSyntaxError(text) }] };
    }
    return text.includes("ENCRYPTED")
      ? reject("a key in PEM with a passphrase", `Remove it: openssl pkey -in ${shellQuote(path)} -out plain.pem.`)
      : reject("no such key", "Name the whole file of an RSA, P-256 or Ed25519 key: a JWK, PKCS#8, PKCS#1 or SEC1.");
  }
  if (Array.isArray(jwk.keys)) return reject("a JWK Set", `Copy one of its keys into ${printable(path)}, from { to }.`);
  const issues = await findSigningKeyIssues(jwk, alg, namedBy, "alg");
  if (issues.length > 0) return { issues };
  const { kid = await keyThumbprint(jwk) } = jwk;
  return typeof kid === "string" && /^[\x21-\x7e]{1,128}$/.test(kid)
    ? { key: { ...jwk, kid }, issues }
    : reject("a JWK whose kid is not 1 to 128 visible ASCII characters", "Write such a kid, or remove it.");
}

/** Why a key cannot sign with the algorithm of the server. @param setting What chooses the algorithm. */
export async function findSigningKeyIssues(
  { ...jwk }: PrivateJwk,
  alg: SigningAlgorithm,
  path: string,
  setting: string,
): Promise<ConfigIssue[]> {
  try {
    await importOwnKey(alg, { kid: "", jwk: jwk as Readonly<Record<string, string>> });
    return [];
  } catch {
    const fitting = signingAlgorithms.find((one) => findKeyFault(one, jwk) === undefined);
    const hint = findKeyFault(alg, jwk) === undefined
      ? "Copy the whole private key again."
      : fitting === undefined
      ? `Use another private key for ${alg}.`
      : `In the configuration file, set ${setting} to ${fitting}.`;
    return [{ path, ...describeUnusableKey(alg, jwk), hint }];
  }
}
