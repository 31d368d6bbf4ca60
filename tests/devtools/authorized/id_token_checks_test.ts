/** Validation of an ID token as a client does it: each check fails only for its own defect. */

import { assert, assertEquals } from "@std/assert";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { checkToken, type TokenCheckOptions } from "../../../src/devtools/requests/tokens/check_token.ts";
import type { HostedServer } from "../../../src/server/hosted_server.ts";
import { testServer } from "../../kit.ts";

const { privateKey, publicKey } = await generateKeyPair("ES256");
const attacker = await generateKeyPair("ES256");
const jwks = { keys: [{ ...await exportJWK(publicKey), alg: "ES256", use: "sig", kid: "ours" }] };

let server: HostedServer | undefined;
await testServer({ plugins: [{ setup: (app) => void (server = app.server) }] });
const now = Math.floor(server!.now() / 1000);
const accessToken = "an-access-token";
const half = createHash("sha256").update(accessToken).digest().subarray(0, 16).toString("base64url");

const claims = {
  iss: "https://as.test",
  sub: "alice",
  aud: "spa",
  iat: now,
  exp: now + 3600,
  nonce: "n0nce",
  at_hash: half,
};

const expectations: TokenCheckOptions = {
  kind: "id_token",
  keys: { ...jwks, owner: "this server" },
  issuer: "https://as.test",
  clientId: "spa",
  nonce: "n0nce",
  accessToken,
};

function sign(change: Record<string, unknown> = {}, key = privateKey, kid = "ours"): Promise<string> {
  const payload = Object.fromEntries(
    Object.entries({ ...claims, ...change }).filter(([, value]) => value !== undefined),
  );
  return new SignJWT(payload).setProtectedHeader({ alg: "ES256", typ: "JWT", kid }).sign(key);
}

/** The checks: each by the claim that its title begins with, or `signature`. */
async function checksOf(token: string, change: Partial<TokenCheckOptions> = {}) {
  const { checks } = await checkToken(server!, { token }, { ...expectations, ...change });
  return checks.map((check) => ({
    ...check,
    name: /^The signature/.test(check.title) ? "signature" : check.title.split(" ")[0]!,
  }));
}

/** The names of the checks by how they ended. */
async function validated(token: string, change: Partial<TokenCheckOptions> = {}): Promise<Record<string, string[]>> {
  const ends: Record<string, string[]> = { holds: [], fails: [], open: [] };
  for (const { name, passed } of await checksOf(token, change)) {
    ends[passed === undefined ? "open" : passed ? "holds" : "fails"]!.push(name);
  }
  return ends;
}

test("[DM-14] a valid token passes every check, with expected and received values", async () => {
  const checks = await checksOf(await sign());
  for (const name of ["signature", "iss", "aud", "exp", "nonce", "at_hash"]) {
    assert(checks.some((check) => check.name === name), name);
  }
  for (const { passed, received } of checks) assert(passed && received !== undefined);
  assertEquals(checks.find(({ name }) => name === "at_hash")?.received, half);
  assertEquals((await validated(await sign({ aud: ["other", "spa"], azp: "spa" }))).fails, []);
});

test("[DM-14] a token with one defect fails only that check", async () => {
  const one = async (token: Promise<string>, change?: Partial<TokenCheckOptions>) =>
    (await validated(await token, change)).fails;
  for (const iss of ["https://as.test/", "https://evil.example", undefined]) {
    assertEquals(await one(sign({ iss })), ["iss"]);
  }
  for (const aud of ["other", ["a"], [], undefined]) assertEquals(await one(sign({ aud })), ["aud"]);
  assertEquals(await one(sign({ aud: ["other", "spa"] })), ["azp"]);
  for (const exp of [now, now - 1, undefined]) assertEquals(await one(sign({ exp })), ["exp"]);
  for (const nonce of ["other", "", undefined, 1]) assertEquals(await one(sign({ nonce })), ["nonce"]);
  assertEquals(await one(sign({ at_hash: "other" })), ["at_hash"]);
  assertEquals(await one(sign(), { accessToken: "another" }), ["at_hash"]);
  assertEquals(await one(sign({}, attacker.privateKey)), ["signature"]);
  assertEquals(await one(sign({}, privateKey, "theirs")), ["signature"]);
  assertEquals(await one(sign(), { keys: { keys: [], owner: "this server" } }), ["signature"]);
});

test("[DM-14] a signature is verified with the published keys only, never with a key of the token", async () => {
  const token = await sign();
  const [, payload, signature] = token.split(".");
  const header = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  for (
    const forged of [
      `${header({ alg: "none" })}.${payload}.`,
      `${header({ alg: "HS256", kid: "ours" })}.${payload}.${signature}`,
      `${header({ alg: "ES256", kid: "ours" })}.${payload}.${signature}`,
      `${token.slice(0, -4)}AAAA`,
    ]
  ) assert((await checksOf(forged)).every(({ name, passed }) => name !== "signature" || passed !== true), forged);
});

test("[DM-14] a check that cannot run is reported as open, not as passed", async () => {
  assertEquals((await validated(await sign(), { nonce: undefined })).open, ["nonce"]);
  assertEquals((await validated(await sign(), { accessToken: undefined })).open, ["at_hash"]);
});

test("[DM-14] anything but a JWT fails", async () => {
  for (const text of ["", "x", "a.b.c", "..", "e30.e30", "e30.W10.", "\u202e.\0.<b>", `${await sign()}.x`]) {
    assert((await checksOf(text)).some(({ passed }) => passed === false), text);
  }
});
