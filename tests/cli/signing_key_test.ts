/** The ways in which a person names the wrong signing key: what is said, and that the proposed fix works. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { execFileSync } from "node:child_process";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { after, test } from "node:test";
import { openServer } from "../../src/cli/open_server.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { shellQuote } from "../../src/core/http/quote_value.ts";
import { hasAlgorithm } from "../../src/core/keys/signing_algorithm.ts";
import { ConfigurationError } from "../../src/mod.ts";
import { testKeysOf } from "../../src/testing/keys.ts";
import { forEachCase } from "../kit.ts";
import { commandEnvironment, readRules } from "./command_runs.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-signing-key-"));
after(() => rmSync(folder, { recursive: true }));

type Jwk = Readonly<Record<string, string>>;
const jwkOf = async (alg: Parameters<typeof testKeysOf>[0], number = 0): Promise<Jwk> => ({
  ...(await testKeysOf(alg))[number]!.jwk as Jwk,
  kid: "own",
});
const [rsa, otherRsa, ec, ed] = [
  await jwkOf("RS256"),
  await jwkOf("RS256", 1),
  await jwkOf("ES256"),
  await jwkOf("EdDSA"),
];
const without = (jwk: Jwk, ...names: string[]) =>
  Object.fromEntries(Object.entries(jwk).filter(([name]) => !names.includes(name)));

const pem = (type: "pkcs8" | "pkcs1" | "sec1", jwk = rsa, encryption = {}) =>
  createPrivateKey({ key: jwk, format: "jwk" }).export({ format: "pem", type, ...encryption }) as string;
const small = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ format: "jwk" });

/** Starts with the key of a file, on a server with this algorithm. */
async function start(path: string, alg = "RS256") {
  const variables = { LATCHKEY_CONFIG_JSON: JSON.stringify({ alg }) };
  const environment = commandEnvironment(["--log", "off", "--signing-key", path], variables);
  const config = await readConfiguration(environment);
  assert(config.kind === "run");
  return await openServer(config, environment, readRules);
}

/** The keys that a server publishes which signs with the key in a file. */
async function published(path: string, alg?: string): Promise<readonly Jwk[]> {
  const { server } = await start(path, alg);
  const { keys } = await (await server.fetch(new Request(`${server.issuer}/oauth2/jwks`))).json();
  await server.close();
  return keys;
}

async function issueOf(path: string, alg?: string) {
  const { issues: [issue, ...others] } = await assertRejects(() => start(path, alg), ConfigurationError);
  assertEquals(others, []);
  return issue!;
}

/** Runs a proposed command in the folder, with the runtime of the tests, which need not be in the path. */
function run(command: string): void {
  const own = command.replace(/^(?:deno|node|bun)(?= )/, shellQuote(process.execPath));
  execFileSync("sh", ["-c", own], { cwd: folder });
}

/** A file, its content, what was found, and words of the fix. */
const files: readonly (readonly [name: string, content: unknown, received: RegExp, fix: RegExp])[] = [
  ["empty.json", "", /^an empty file$/, /Write the key into it, or create one/],
  ["array.json", [rsa], /^an array$/, /Write only the key/],
  ["number.json", "7", /^a number$/, /Write only the key/],
  ["set.json", { keys: [rsa] }, /^a JWK Set$/, /an object in the array keys/],
  ["text.json", "my key", /^a text that is not JSON$/, /Copy the whole key/],
  ["cut.json", JSON.stringify(rsa).slice(0, 500), /^a text that is not JSON$/, /Copy the whole key/],
  ["public.pem", "-----BEGIN PUBLIC KEY-----\nMIIB\n", /^PEM with a public key$/, /Name the file of the private key/],
  ["cert.pem", "-----BEGIN CERTIFICATE-----\nMIIB\n", /^PEM with a certificate$/, /Name the file of the private key/],
  ["ssh", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n", /^a private key of OpenSSH$/, /Create one by/],
  ["nokid.json", without(rsa, "kid"), /^a JWK without kid$/, /"kid": "key-1"/],
  ["badkid.json", { ...rsa, kid: 7 }, /^a JWK whose kid is not a text/, /"kid": "key-1"/],
  ["public.json", without(rsa, "d", "p", "q", "dp", "dq", "qi"), /^a public key: it has no d$/, /create one by/],
  ["nop.json", without(rsa, "p", "dp"), /^a key without p, dp$/, /create one by/],
  ["noe.json", without(rsa, "e"), /^nothing$/, /create one by/],
  ["cutn.json", { ...rsa, n: rsa.n!.slice(0, 40) }, /^\d+ bits$/, /create one by/],
  ["mixed.json", { ...rsa, n: otherRsa.n }, /do not belong to the public ones$/, /create one by/],
  ["small.json", { ...small, kid: "own" }, /^1024 bits$/, /create one by/],
  ["secret.json", { kty: "oct", k: "c2VjcmV0", kid: "own" }, /^a symmetric key \(kty oct\)$/, /create one by/],
  ["nokty.json", without(rsa, "kty"), /^a JWK without kty$/, /create one by/],
  ["p384.json", { ...ec, crv: "P-384" }, /^a key with kty "EC", crv "P-384"$/, /create one by/],
  ["ec.json", ec, /^a key with kty "EC", crv "P-256"$/, /^Write "alg": "ES256" into/],
  ["ed.json", ed, /^a key with kty "OKP", crv "Ed25519"$/, /^Write "alg": "EdDSA" into/],
  ["ed2.json", { ...ed, alg: "Ed25519" }, /^a key with kty "OKP"/, /^Write "alg": "Ed25519" into/],
];

test("[JK-02] each file that is no signing key is named for what it is, and no message has a part of a key", async () => {
  await forEachCase(files, async ([name, content, received, fix]) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    const issue = await issueOf(path);
    assertEquals(issue.path, "--signing-key");
    assertMatch(
      issue.expected,
      /a private key (?:as a JWK, with kid|for RS256)|^[en] as the (?:modulus|exponent) of an RSA key/,
    );
    assertMatch(issue.received, received);
    assertMatch(issue.hint, fix);
    for (const { d, n, k } of [rsa, ec, ed, { ...small, k: "c2VjcmV0" } as unknown as Jwk]) {
      for (const part of [d, n, k]) {
        assertEquals(part !== undefined && JSON.stringify(issue).includes(part.slice(0, 12)), false);
      }
    }
    const [, alg] = /^Write "alg": "(\w+)"/.exec(issue.hint) ?? [];
    if (alg !== undefined) assertEquals((await published(path, alg))[0]!.kid, "own");
  });
});

test("a signing key that cannot be read, or is the value itself, is reported as that", async () => {
  mkdirSync(join(folder, "folder.json"));
  assertEquals((await issueOf(join(folder, "folder.json"))).received, "a directory");
  assertEquals((await issueOf(join(folder, "none.json"))).received, "no file at this path");
  for (const [i, value] of [JSON.stringify(ec), pem("pkcs8")].entries()) {
    const variables = { LATCHKEY_SIGNING_KEY: value };
    const environment = i === 0 ? commandEnvironment(["--signing-key", value]) : commandEnvironment([], variables);
    const { issues: [issue] } = await assertRejects(() => readConfiguration(environment), ConfigurationError);
    assertEquals([issue!.received, JSON.stringify(issue).includes(value.slice(30, 60))], ["a key (hidden)", false]);
  }
});

test("a key in PEM is converted by the proposed command", async () => {
  const encrypted = pem("pkcs8", rsa, { cipher: "aes-256-cbc", passphrase: "pass" });
  const forms: Readonly<Record<string, string>> = {
    "pkcs8.pem": pem("pkcs8"),
    "pkcs1.json": pem("pkcs1"),
    "windows.pem": `\ufeff${pem("pkcs8").replaceAll("\n", "\r\n")}`,
    "encrypted.pem": encrypted,
  };
  await forEachCase(Object.entries(forms), async ([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    const { received, hint } = await issueOf(path);
    assertEquals(
      received,
      name === "encrypted.pem" ? "a private key in PEM with a passphrase" : "a private key in PEM",
    );
    const [, openssl] = /(openssl pkey .*?), convert/.exec(hint) ?? [];
    if (openssl !== undefined) run(`${openssl} -passin pass:pass`);
    const [, command, file] = /onvert it by (.*> \S+) and let --signing-key name (\S+)\.$/.exec(hint)!;
    run(command!);
    const [key] = await published(file!);
    assertEquals([key!.kid, key!.n], ["key-1", rsa.n]);
  });
});

test("a key of each algorithm is created by the proposed command, and signs", async () => {
  const path = join(folder, "empty.json");
  writeFileSync(path, "");
  await forEachCase(["RS256", "ES256", "EdDSA", "Ed25519"], async (alg) => {
    const { hint } = await issueOf(path, alg);
    const [, command, file] = /create one by (.*> (\S+))\.$/.exec(hint)!;
    run(command!);
    const [key] = await published(join(folder, file!), alg);
    assertEquals([key!.kid, key!.alg], ["key-1", alg]);
  });
});

test("a signing key is read from its file, with any alg, and with a byte order mark", async () => {
  const accepted: readonly (readonly [string, Jwk])[] = [
    ["RS256", rsa],
    ["RS256", { ...rsa, alg: "PS256", use: "sig" }],
    ["ES256", ec],
    ["EdDSA", ed],
    ...hasAlgorithm("ML-DSA-44") ? [["ML-DSA-44", await jwkOf("ML-DSA-44")] as const] : [],
  ];
  await forEachCase(accepted, async ([alg, jwk]) => {
    const path = join(folder, "key");
    writeFileSync(path, `\ufeff${JSON.stringify(jwk)}`);
    const keys = await published(path, alg);
    assertEquals(keys.map((key) => [key.kid, key.alg]), [["own", alg]]);
  });
});
