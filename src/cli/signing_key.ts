/** Reads the private key that the setting `signingKey` names, and says why a file or a key is none. */

import type { PrivateJwk } from "../client/private_jwk.ts";
import { printable, shellQuote } from "../core/http/quote_value.ts";
import { calculateJwkThumbprint } from "../core/keys/jose_keys.ts";
import { describeUnusableKey, isKeyFor } from "../core/keys/key_faults.ts";
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
  const isPem = text.includes("-----BEGIN ");
  const jwk = isPem ? jwkOfPem(text) : parseJsonObject(text);
  if (jwk === undefined || Array.isArray(jwk.keys)) {
    const [received, hint] = isPem
      ? [
        "PEM without a private key, or with a passphrase",
        `Name the file of the private key. Remove a passphrase: openssl pkey -in ${shellQuote(path)} -out plain.pem.`,
      ]
      : [jwk ? "a JWK Set" : "another text", `Write one whole key into ${printable(path)}, from { to }.`];
    return { issues: [{ path: namedBy, expected: "a private key, as a JWK or in PEM", received, hint }] };
  }
  const issues = await findSigningKeyIssues(jwk, alg, namedBy, "alg");
  if (issues.length > 0) return { issues };
  return { key: { ...jwk, kid: typeof jwk.kid === "string" ? jwk.kid : await calculateJwkThumbprint(jwk) }, issues };
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
    const fitting = signingAlgorithms.find((one) => isKeyFor(one, jwk));
    const hint = fitting === undefined || isKeyFor(alg, jwk)
      ? `Copy the whole private key again, or another one for ${alg}.`
      : `In the configuration file, set ${setting} to ${fitting}.`;
    return [{ path, ...describeUnusableKey(alg, jwk), hint }];
  }
}
