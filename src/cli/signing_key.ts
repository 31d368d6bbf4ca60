/** Reads the private key that the setting `signingKey` names, and says why a file or a key is none. */

import type { PrivateJwk } from "../client/private_jwk.ts";
import { isObject } from "../core/http/json_value.ts";
import { describeKind, printable } from "../core/http/quote_value.ts";
import { describeUnusableKey, findKeyFault, isKeyTypeOf } from "../core/keys/key_faults.ts";
import { importOwnKey } from "../core/keys/keys.ts";
import { isMlDsa, type SigningAlgorithm, signingAlgorithms } from "../core/keys/signing_algorithm.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import { readNamedFile, type ReadTextFile } from "./text_file.ts";

/** A command that writes a private key as a JWK. @param key An expression in JavaScript. */
function writeJwk(key: string, file: string, evaluate = ownEvaluate): string {
  return `${evaluate} 'const load = process.getBuiltinModule; const key = ${key}; console.log(JSON.stringify({ ` +
    `...key.export({ format: "jwk" }), kid: "key-1" }))' > ${file}`;
}

/** How this runtime runs a text as a program. */
const ownEvaluate = "Deno" in globalThis ? "deno eval" : "Bun" in globalThis ? "bun -e" : "node -e";

/** A command that creates a key. */
function createKey(alg: SigningAlgorithm): string {
  const type = alg === "RS256"
    ? '"rsa", { modulusLength: 2048 }'
    : alg === "ES256"
    ? '"ec", { namedCurve: "P-256" }'
    : `"${isMlDsa(alg) ? alg.toLowerCase() : "ed25519"}"`;
  const key = `load("crypto").generateKeyPairSync(${type}).privateKey`;
  // Deno has ML-DSA in WebCrypto alone.
  return writeJwk(key, "new.jwk.json", isMlDsa(alg) && ownEvaluate === "deno eval" ? "node -e" : ownEvaluate);
}

const expected = "a private key as a JWK, with kid";

const setAlg = 'Write "alg": "%" into the configuration file, without one { "alg": "%" } into a new latchkey.json,';

/** The key in a file, for the algorithm of the server. */
export async function readSigningKey(
  path: string,
  namedBy: string,
  alg: SigningAlgorithm,
  readTextFile: ReadTextFile,
): Promise<{ readonly key?: PrivateJwk; readonly issues: readonly ConfigIssue[] }> {
  if (/^\s*[{[]|-----BEGIN/.test(path)) {
    const hint = `Write the key into a file, and let ${namedBy} name the file.`;
    return { issues: [{ path: namedBy, expected: "the path of a file", received: "a key (hidden)", hint }] };
  }
  const text = await readNamedFile(path, namedBy, readTextFile);
  if (typeof text !== "string") return { issues: [text] };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { issues: [{ path: namedBy, expected, ...describeText(text, path, namedBy, alg) }] };
  }
  const file = printable(path);
  const reject = (received: string, hint: string) => ({ issues: [{ path: namedBy, expected, received, hint }] });
  if (!isObject(value)) return reject(describeKind(value), `Write only the key into ${file}, from { to }.`);
  if (Array.isArray(value.keys)) {
    return reject("a JWK Set", `Write only the key into ${file}: an object in the array keys, from { to }.`);
  }
  if (typeof value.kid !== "string" || !/^[\x21-\x7e]{1,128}$/.test(value.kid)) {
    return reject(
      value.kid === undefined ? "a JWK without kid" : "a JWK whose kid is not a text of 1 to 128 visible characters",
      `Write "kid": "key-1" into the object in ${file}.`,
    );
  }
  return { key: value, issues: await findSigningKeyIssues(value, alg, namedBy, setAlg) };
}

/** What a text is that is not JSON, and what to do with it. */
function describeText(
  text: string,
  path: string,
  namedBy: string,
  alg: SigningAlgorithm,
): Pick<ConfigIssue, "received" | "hint"> {
  if (text.trim() === "") {
    return { received: "an empty file", hint: `Write the key into it, or create one by ${createKey(alg)}.` };
  }
  const [, label] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text) ?? [];
  if (label === undefined) {
    return { received: "a text that is not JSON", hint: "Copy the whole key, from { to }." };
  }
  if (!label.endsWith("PRIVATE KEY")) {
    return { received: `PEM with a ${label.toLowerCase()}`, hint: "Name the file of the private key." };
  }
  if (label.startsWith("OPENSSH")) {
    return { received: "a private key of OpenSSH", hint: `Create one by ${createKey(alg)}.` };
  }
  // A name that needs no quotes in a shell and in JavaScript.
  const file = /^[\w./-]+$/.test(path) ? path : "key.pem";
  const base = file.replace(/\.\w+$/, "");
  const jwk = `${base}.jwk.json`;
  const convert = (pem: string) =>
    writeJwk(`load("crypto").createPrivateKey(load("fs").readFileSync("${pem}", "utf8").trim())`, jwk) +
    ` and let ${namedBy} name ${jwk}.`;
  if (label.startsWith("ENCRYPTED") || text.includes("Proc-Type: 4,ENCRYPTED")) {
    const plain = `${base}.plain.pem`;
    const received = "a private key in PEM with a passphrase";
    return { received, hint: `Remove it by openssl pkey -in ${file} -out ${plain}, convert it by ${convert(plain)}` };
  }
  return { received: "a private key in PEM", hint: `Convert it by ${convert(file)}` };
}

/**
 * Why a key cannot sign with the algorithm of the server.
 *
 * @param path What the issue is about.
 * @param setAlg How to choose the algorithm `%`.
 */
export async function findSigningKeyIssues(
  { ...key }: PrivateJwk,
  alg: SigningAlgorithm,
  path: string,
  setAlg: string,
): Promise<ConfigIssue[]> {
  const fault = findKeyFault(alg, key, "private") ??
    await importOwnKey(alg, { kid: "", jwk: key as Readonly<Record<string, string>> }).then(
      () => undefined,
      () => describeUnusableKey(alg, key, "private"),
    );
  if (fault === undefined) return [];
  const own = signingAlgorithms.find((one) => one === key.alg && isKeyTypeOf(one, key)) ??
    signingAlgorithms.find((one) => isKeyTypeOf(one, key));
  const create = `create one by ${createKey(alg)}`;
  const hint = own === undefined || isKeyTypeOf(alg, key)
    ? `If the file is not the whole private key, copy it again; otherwise ${create}`
    : `${setAlg.replaceAll("%", own)} or ${create}`;
  return [{ path, ...fault, hint: `${hint}.` }];
}
