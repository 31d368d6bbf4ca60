/** The ways in which a person names the wrong signing key: what is said, and that the proposed fix works. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { execFileSync } from "node:child_process";
import { calculateJwkThumbprint, decodeProtectedHeader } from "jose";
import { Buffer } from "node:buffer";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { openServer } from "../../src/cli/open_server.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { hasAlgorithm } from "../../src/core/keys/signing_algorithm.ts";
import { ConfigurationError } from "../../src/mod.ts";
import { demoSecret } from "../../src/server/config/demo_entries.ts";
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

const unusable = /^no such key$/;
const short = {
  ...generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ format: "jwk" }),
  kid: "own",
};
const damaged = /^a key whose members are damaged or do not belong together$/;

/** A file, its content, what was found, and words of the fix. */
const files: readonly (readonly [name: string, content: unknown, received: RegExp, fix: RegExp])[] = [
  ["empty.json", "", unusable, /Name the whole file/],
  ["array.json", [rsa], unusable, /Name the whole file/],
  ["cut.json", JSON.stringify(rsa).slice(0, 500), /^a string that does not end$/, /Close the string/],
  ["public.pem", "-----BEGIN PUBLIC KEY-----\nMIIB\n", unusable, /Name the whole file/],
  ["ssh", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n", unusable, /Name the whole file/],
  ["cut.pem", pem("pkcs8").slice(0, 500), unusable, /Name the whole file/],
  ["ec.pem", pem("sec1", ec), /^a key with kty "EC", crv "P-256"$/, /set alg to ES256\.$/],
  ["set.json", { keys: [rsa] }, /^a JWK Set$/, /Copy one of its keys/],
  ["public.json", without(rsa, "d", "p", "q", "dp", "dq", "qi"), /^a public key$/, /Copy the whole private key/],
  ["nop.json", without(rsa, "p", "dp"), damaged, /Copy the whole private key/],
  [
    "short.json",
    short,
    /^a key with an unsuitable n \(expected a number of 2048 bits .* found 1024 bits\)$/,
    /another private key for RS256/,
  ],
  [
    "padded.json",
    { ...rsa, n: `${rsa.n}=` },
    /^a key with an unsuitable n \(.* not base64url\)$/,
    /another private key for RS256/,
  ],
  [
    "base64.json",
    { ...rsa, n: Buffer.from(rsa.n!, "base64url").toString("base64") },
    /^a key with an unsuitable n/,
    /another private key/,
  ],
  ["number.json", { ...rsa, kid: 2024 }, /kid is not 1 to 128/, /or remove it/],
  ["empty-kid.json", { ...rsa, kid: "" }, /kid is not 1 to 128/, /or remove it/],
  ["in.json", { key: pem("pkcs8") }, /^a key without kty$/, /another private key for RS256/],
  ["encryption.json", { ...rsa, use: "enc" }, /^a key with use "enc"$/, /another private key for RS256/],
  ["mixed.json", { ...rsa, n: otherRsa.n }, damaged, /Copy the whole private key/],
  ["secret-kty.json", { ...rsa, kty: rsa.d! }, /^a key with kty another value$/, /another private key/],
  ["secret-use.json", { ...rsa, use: rsa.d! }, /^a key with use another value$/, /another private key/],
  ["secret.json", { kty: "oct", k: "c2VjcmV0", kid: "own" }, /^a key with kty "oct"$/, /another private key for RS256/],
  ["p384.json", { ...ec, crv: "P-384" }, /^a key with kty "EC", crv "P-384"$/, /another private key for RS256/],
  ["ec.json", ec, /^a key with kty "EC", crv "P-256"$/, /set alg to ES256\.$/],
  ["ed.json", ed, /^a key with kty "OKP", crv "Ed25519"$/, /set alg to EdDSA\.$/],
];

test("[JK-02] each file that is no signing key is named for what it is, and no message has a part of a key", async () => {
  await forEachCase(files, async ([name, content, received, fix]) => {
    const path = join(folder, name);
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    const issue = await issueOf(path);
    assertEquals(issue.path, "--signing-key");
    assertMatch(issue.expected, /^a (?:private key(?:, as a JWK or in PEM$| for RS256)|string that ends on its line)/);
    assertMatch(issue.received, received);
    assertMatch(issue.hint, fix);
    for (const part of [rsa.d!, rsa.n!, ec.d!, ed.d!, "c2VjcmV0"]) {
      assertEquals(JSON.stringify(issue).includes(part.slice(0, 12)), false);
    }
    const [, alg] = /set alg to (\w+)/.exec(issue.hint) ?? [];
    if (alg !== undefined) assertEquals((await published(path, alg))[0]!.alg, alg);
  });
});

test("[JK-02] a key in place of the path of its file is not repeated", async () => {
  for (const value of [JSON.stringify(ec), pem("pkcs8")]) {
    const environment = commandEnvironment([], { LATCHKEY_SIGNING_KEY: value });
    const { message } = await assertRejects(() => readConfiguration(environment), ConfigurationError);
    assertEquals(message.includes(value.slice(30, 60)), false);
  }
});

test("a key in PEM, or without kid, is published under its thumbprint", async () => {
  const certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const forms: readonly (readonly [string, Jwk, alg: string])[] = [
    [JSON.stringify(without(rsa, "kid")), rsa, "RS256"],
    [pem("pkcs8"), rsa, "RS256"],
    [pem("pkcs1"), rsa, "RS256"],
    [`\ufeff${pem("pkcs8").replaceAll("\n", "\r\n")}`, rsa, "RS256"],
    [certificate + pem("pkcs8"), rsa, "RS256"],
    [pem("pkcs8") + certificate, rsa, "RS256"],
    [pem("sec1", ec), ec, "ES256"],
    [pem("pkcs8", ed), ed, "EdDSA"],
  ];
  const path = join(folder, "my key.pem");
  await forEachCase(forms, async ([text, jwk, alg]) => {
    writeFileSync(path, text);
    const [key] = await published(path, alg);
    assertEquals([key!.kid, key!.n, key!.x], [await calculateJwkThumbprint(jwk), jwk.n, jwk.x]);
  });
  writeFileSync(path, pem("pkcs8", rsa, { cipher: "aes-256-cbc", passphrase: "pass" }));
  const [, openssl] = /(openssl pkey .*?pem)\.$/.exec((await issueOf(path)).hint)!;
  execFileSync("sh", ["-c", `${openssl} -passin pass:pass`], { cwd: folder });
  assertEquals((await published(join(folder, "plain.pem")))[0]!.n, rsa.n);
});

test("[JK-02] with a store, the given key signs unless a newer one does; another key with its kid is rejected", async () => {
  const store = `sqlite:${join(folder, "keys.db")}`;
  const second = { ...otherRsa, kid: "second" };
  const starts: readonly (readonly [Jwk, alg: string, signs: string | undefined])[] = [
    [rsa, "RS256", "own"],
    [rsa, "RS256", "own"],
    [otherRsa, "RS256", undefined],
    [{ ...ec, kid: "own" }, "ES256", undefined],
    [second, "RS256", "second"],
    [rsa, "RS256", "second"],
    [second, "RS256", "second"],
  ];
  const { error } = console;
  for (const [jwk, alg, signs] of starts) {
    const path = join(folder, "stored.json");
    writeFileSync(path, JSON.stringify(jwk));
    const warnings: string[] = [];
    console.error = (warning) => void warnings.push(warning);
    const opened = start(path, alg, ["--store", store]).finally(() => console.error = error);
    if (signs === undefined) {
      assertEquals((await assertRejects(() => opened, ConfigurationError)).issues[0]!.received, '"own"');
      continue;
    }
    const { server } = await opened;
    const form = { grant_type: "client_credentials", client_id: "demo-confidential", client_secret: demoSecret };
    const request = { method: "POST", body: new URLSearchParams(form) };
    const { access_token } = await (await server.fetch(new Request(`${server.issuer}/oauth2/token`, request))).json();
    assertEquals(decodeProtectedHeader(access_token).kid, signs);
    assertEquals(warnings.length, signs === jwk.kid ? 0 : 1);
    await server.close();
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
