/** The ways in which a person names the wrong signing key: what is said, and that the proposed fix works. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { execFileSync } from "node:child_process";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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

/** Starts with the key of a file, on a server with this algorithm. */
async function start(path: string, alg = "RS256", flags: readonly string[] = []) {
  const variables = { LATCHKEY_CONFIG_JSON: JSON.stringify({ alg }) };
  const environment = commandEnvironment(["--log", "off", "--signing-key", path, ...flags], variables);
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

const evaluate = "Deno" in globalThis ? "eval" : "-e";

/** Runs a proposed command in the folder, with the runtime of the tests: npx may not be there. */
function run(command: string): void {
  const own = command.replace("npx -y deno eval", `${shellQuote(process.execPath)} ${evaluate}`);
  execFileSync("sh", ["-c", own], { cwd: folder });
}

const short = {
  ...generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ format: "jwk" }),
  kid: "own",
};
const damaged = /^a key whose members are damaged or do not belong together$/;

/** A file, its content, what was found, and words of the fix. */
const files: readonly (readonly [name: string, content: unknown, received: RegExp, fix: RegExp])[] = [
  ["empty.json", "", /^another text$/, /Write the whole key into/],
  ["array.json", [rsa], /^another text$/, /Write the whole key into/],
  ["cut.json", JSON.stringify(rsa).slice(0, 500), /^another text$/, /Write the whole key into/],
  ["public.pem", "-----BEGIN PUBLIC KEY-----\nMIIB\n", /^PEM with PUBLIC KEY$/, /Name the file of a private key/],
  [
    "ssh",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n",
    /^PEM with OPENSSH PRIVATE KEY$/,
    /Name the file of a private key/,
  ],
  ["my key.pem", pem("pkcs8"), /^a key in PEM$/, /Copy the file to a path like key\.pem/],
  ["set.json", { keys: [rsa] }, /^a JWK Set$/, /Write only the key/],
  ["nokid.json", without(rsa, "kid"), /^a JWK without kid$/, /a kid that no other key has/],
  ["public.json", without(rsa, "d", "p", "q", "dp", "dq", "qi"), /^a public key$/, /another one for RS256/],
  ["nop.json", without(rsa, "p", "dp"), damaged, /Copy the whole private key/],
  ["short.json", short, /^an RSA key of fewer than 2,048 bits$/, /another one for RS256/],
  ["encryption.json", { ...rsa, use: "enc" }, /^a key with use "enc"$/, /another one for RS256/],
  ["mixed.json", { ...rsa, n: otherRsa.n }, damaged, /Copy the whole private key/],
  ["secret.json", { kty: "oct", k: "c2VjcmV0", kid: "own" }, /^a key with kty "oct"$/, /another one for RS256/],
  ["p384.json", { ...ec, crv: "P-384" }, /^a key with kty "EC", crv "P-384"$/, /another one for RS256/],
  ["ec.json", ec, /^a key with kty "EC", crv "P-256"$/, /set alg to ES256\.$/],
  ["ed.json", ed, /^a key with kty "OKP", crv "Ed25519"$/, /set alg to EdDSA\.$/],
];

test("[JK-02] each file that is no signing key is named for what it is, and no message has a part of a key", async () => {
  await forEachCase(files, async ([name, content, received, fix]) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    const issue = await issueOf(path);
    assertEquals(issue.path, "--signing-key");
    assertMatch(issue.expected, /^a private key (?:as a JWK, with kid$|for RS256)/);
    assertMatch(issue.received, received);
    assertMatch(issue.hint, fix);
    for (const part of [rsa.d!, rsa.n!, ec.d!, ed.d!, "c2VjcmV0"]) {
      assertEquals(JSON.stringify(issue).includes(part.slice(0, 12)), false);
    }
    const [, alg] = /set alg to (\w+)/.exec(issue.hint) ?? [];
    if (alg !== undefined) assertEquals((await published(path, alg))[0]!.kid, "own");
  });
});

test("[JK-02] a key in place of the path of its file is not repeated", async () => {
  for (const value of [JSON.stringify(ec), pem("pkcs8")]) {
    const environment = commandEnvironment([], { LATCHKEY_SIGNING_KEY: value });
    const { message } = await assertRejects(() => readConfiguration(environment), ConfigurationError);
    assertEquals(message.includes(value.slice(30, 60)), false);
  }
});

test("a key in PEM is converted by the proposed command", async () => {
  const forms: Readonly<Record<string, string>> = {
    "pkcs8.pem": pem("pkcs8"),
    "pkcs1.json": pem("pkcs1"),
    "windows.pem": `\ufeff${pem("pkcs8").replaceAll("\n", "\r\n")}`,
  };
  await forEachCase(Object.entries(forms), async ([name, text]) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    const { hint } = await issueOf(path);
    const [, command, file] = /^Convert it by (.*> \S+) and let --signing-key name (\S+)\.$/.exec(hint)!;
    run(command!);
    const [key] = await published(file!);
    assertEquals([key!.kid!.length, key!.n], [36, rsa.n]);
  });
  const path = join(folder, "encrypted.pem");
  writeFileSync(path, pem("pkcs8", rsa, { cipher: "aes-256-cbc", passphrase: "pass" }));
  const [, openssl] = /(openssl pkey .*?pem)\. Then/.exec((await issueOf(path)).hint)!;
  run(`${openssl} -passin pass:pass`);
  assertMatch((await issueOf(join(folder, "plain.pem"))).received, /^a key in PEM$/);
});

test("[JK-02] another key with the kid of a stored one is rejected, the same key is not", async () => {
  const store = `sqlite:${join(folder, "keys.db")}`;
  for (const [i, jwk] of [rsa, rsa, otherRsa].entries()) {
    const path = join(folder, `${i}.json`);
    writeFileSync(path, JSON.stringify(jwk));
    const opened = start(path, "RS256", ["--store", store]);
    if (jwk === rsa) await (await opened).server.close();
    else assertEquals((await assertRejects(() => opened, ConfigurationError)).issues[0]!.received, '"own"');
  }
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
