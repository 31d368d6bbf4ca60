/** Reads the private key that the setting `signingKey` names, and says why a file or a key is none. */

import type { PrivateJwk } from "../client/private_jwk.ts";
import { printable } from "../core/http/quote_value.ts";
import { describeUnusableKey, isKeyFor } from "../core/keys/key_faults.ts";
import { importOwnKey } from "../core/keys/keys.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../core/keys/signing_algorithm.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { parseJsonObject } from "../platform/http/json_body.ts";
import { readNamedFile, type ReadTextFile } from "./text_file.ts";

/** The command that converts a private key in PEM. npx comes with Node, and is how Deno is started in a clone. */
const convertCommand = (pem: string) =>
  `umask 077; npx -y deno eval 'const load = process.getBuiltinModule; ` +
  `const key = load("crypto").createPrivateKey(load("fs").readFileSync("${pem}", "utf8").trim()); ` +
  `console.log(JSON.stringify({ ...key.export({ format: "jwk" }), kid: crypto.randomUUID() }))' > ${pem}.json`;

/** The key in a file, for the algorithm of the server. */
export async function readSigningKey(
  path: string,
  namedBy: string,
  alg: SigningAlgorithm,
  readTextFile: ReadTextFile,
): Promise<{ readonly key?: PrivateJwk; readonly issues: readonly ConfigIssue[] }> {
  const text = await readNamedFile(path, namedBy, readTextFile);
  if (typeof text !== "string") return { issues: [text] };
  const file = printable(path);
  const reject = (received: string, hint: string) => ({
    issues: [{ path: namedBy, expected: "a private key as a JWK, with kid", received, hint }],
  });
  const [, label] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text) ?? [];
  if (label !== undefined) {
    if (!label.endsWith("PRIVATE KEY") || label.startsWith("OPENSSH")) {
      return reject(`PEM with ${label}`, "Name the file of a private key, as a JWK or in PEM without a certificate.");
    }
    // Without quotes in a shell and in JavaScript.
    if (!/^[\w./-]+$/.test(path)) {
      return reject("a key in PEM", "Copy the file to a path like key.pem, and give that path.");
    }
    return text.includes("ENCRYPTED")
      ? reject(
        "a key in PEM with a passphrase",
        `Remove it: openssl pkey -in ${path} -out plain.pem. Then give plain.pem.`,
      )
      : reject("a key in PEM", `Convert it by ${convertCommand(path)} and let ${namedBy} name ${path}.json.`);
  }
  const key = parseJsonObject(text);
  if (key === undefined) return reject("another text", `Write the whole key into ${file}, from { to }.`);
  if (Array.isArray(key.keys)) return reject("a JWK Set", `Write only the key into ${file}, from { to }.`);
  if (typeof key.kid !== "string") {
    return reject("a JWK without kid", `Give the key in ${file} a kid that no other key has.`);
  }
  return { key, issues: await findSigningKeyIssues(key, alg, namedBy, "alg") };
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
