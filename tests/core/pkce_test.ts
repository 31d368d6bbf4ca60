/** PKCE without a server: the challenge of an authorization request, and the verifier of a token request. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { OAuthError } from "../../src/core/rules/errors.ts";
import { paramsFromFields } from "../../src/core/http/params.ts";
import { readCodeChallenge, verifyCodeVerifier } from "../../src/core/authorize/pkce.ts";
import { type CorePolicy, policyFor } from "../../src/core/policy/policy.ts";
import { digest } from "../../src/core/keys/secrets.ts";
import { challenge, issuer, type Parameters, verifier } from "./kit.ts";

const spa = { id: "spa", confidential: false, metadata: {} };
const web = { id: "web", confidential: true, metadata: {} };

/** The error and the rule that a check rejects with; otherwise its result. */
async function outcome(check: Promise<unknown>): Promise<unknown> {
  try {
    return await check;
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return `${error.code} ${error.details.rule}`;
  }
}

/** Reads the challenge of a request, by default a correct one. */
function read(fields: Parameters, client = spa, pkce: CorePolicy["pkce"] = {}): Promise<unknown> {
  const sent = { code_challenge: challenge, code_challenge_method: "S256", ...fields };
  const params = paramsFromFields(
    Object.entries(sent).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]),
  );
  return outcome(readCodeChallenge(policyFor(issuer, { pkce }), client, params, ["read"], () => {}));
}

/** Verifies a verifier for a code with a challenge, or without one. */
function verify(
  codeChallenge: string | undefined,
  sent: string | undefined,
  client = spa,
  pkce: CorePolicy["pkce"] = {},
  nonce?: string,
): Promise<unknown> {
  return outcome(verifyCodeVerifier(policyFor(issuer, { pkce }), client, { codeChallenge, nonce }, sent, () => {}));
}

test("[PK-04] S256 is the only method", async () => {
  const methods = [
    ...["plain", "PLAIN", "S512", "s256", "S256 ", " S256", "S256\0", "S256\n", "S 256", "Ｓ256", "none"],
    ...["S256 plain", "S384", "sha256", "__proto__", "constructor", "0", `"><script>`, "S256".repeat(2_500)],
  ];
  for (const code_challenge_method of methods) {
    for (const client of [spa, web]) {
      for (const code_challenge of [challenge, verifier]) {
        const result = await read({ code_challenge, code_challenge_method }, client);
        assertEquals(result, "invalid_request PK-04", code_challenge_method);
      }
    }
  }
});

test("[PK-06] a method without a challenge is invalid_request for every client", async () => {
  for (const pkce of [{}, { requireMethod: true, requireForConfidential: true }]) {
    for (const client of [spa, web]) {
      for (const code_challenge of [undefined, ""]) {
        assertEquals(await read({ code_challenge }, client, pkce), "invalid_request PK-06");
      }
    }
  }
});

test("[PK-07] a challenge that is too short, too long or contains another character is invalid_request", async () => {
  const with42 = challenge.slice(0, 42);
  const challenges = [
    ...["x", with42, `${challenge}a`, "a".repeat(129), "a".repeat(10_000)],
    ...[`${with42}=`, `${challenge}=`, `${with42}+`, `${with42}/`, `=${with42}`],
    ...[`${with42} `, ` ${with42}`, `${challenge} `, `${challenge}\n`, `\n${challenge}`, `${challenge}\0`],
    ...[`${with42}\0`, `${with42}\t`, `${with42}é`, `${with42}ａ`, `${with42}🔑`, `${with42}"`, `${with42}\\`],
    ...[`${with42}%`, `${with42}%41`, `${with42},`, `${with42}:`, `${challenge.slice(0, 20)}=${challenge.slice(21)}`],
    `${challenge.slice(0, 20)}+${challenge.slice(21)}`,
  ];
  for (const code_challenge of challenges) {
    for (const client of [spa, web]) {
      for (const code_challenge_method of ["S256", undefined]) {
        const result = await read({ code_challenge, code_challenge_method }, client);
        assertEquals(result, "invalid_request PK-07", code_challenge);
      }
    }
  }
  assertEquals(await read({}), challenge);
});

test("[PK-08] a verifier that is too short, too long or contains another character is rejected, even if it matches", async () => {
  const base = "a".repeat(42);
  const verifiers = [
    ...["x", base, "a".repeat(129), "a".repeat(10_000)],
    ...[`${base} `, ` ${base}`, `a${base} `, `${base}\n`, `a${base}\n`, `a${base}\0`],
    ...[`${base}=`, `a${base}=`, `${base}+`, `${base}/`, `${base}é`, `${base}ａ`, `${base}🔑`, `${base}"`, `${base}\\`],
    ...[`${base}%`, `${"a".repeat(20)} ${"a".repeat(22)}`, `${"a".repeat(20)}\t${"a".repeat(22)}`],
  ];
  for (const sent of verifiers) {
    for (const client of [spa, web]) {
      assertEquals(await verify(await digest(sent), sent, client), "invalid_request PK-08", sent);
    }
  }
});

test("[PK-08] a verifier of 43 or 128 characters is accepted, one less or more is not", async () => {
  for (const length of [42, 43, 44, 127, 128, 129]) {
    const sent = "Az09-._~".repeat(17).slice(0, length);
    const expected = length >= 43 && length <= 128 ? undefined : "invalid_request PK-08";
    assertEquals(await verify(await digest(sent), sent), expected, `${length}`);
  }
});

test("[PK-10, PK-11] a code without a challenge needs no verifier of a confidential client, and takes none", async () => {
  for (const sent of [verifier, challenge, "a".repeat(43), "x"]) {
    for (const client of [spa, web]) assertEquals(await verify(undefined, sent, client), "invalid_grant PK-11");
  }
  assertEquals(await verify(undefined, undefined, web), undefined);
  assertEquals(await verify(undefined, undefined, spa), "invalid_grant PK-10");
});

test("[PK-10] a code without a challenge is exchanged only by a client that need not send one", async () => {
  const strict = { ...web, metadata: { require_pkce: true } };
  assertEquals(await verify(undefined, undefined, strict), "invalid_grant PK-10");
  assertEquals(await verify(undefined, undefined, strict, {}, "a nonce"), "invalid_grant PK-10");
  assertEquals(await verify(undefined, undefined, web, { requireForConfidential: true }), "invalid_grant PK-10");
  const byNonce = { requireForConfidential: true, acceptNonce: true };
  assertEquals(await verify(undefined, undefined, web, byNonce), "invalid_grant PK-10");
  assertEquals(await verify(undefined, undefined, web, byNonce, "a nonce"), undefined);
  assertEquals(await verify(undefined, undefined, spa, { insecureAllowMissing: true }), undefined);
  const strictSpa = { ...spa, metadata: { require_pkce: true } };
  assertEquals(await verify(undefined, undefined, strictSpa, { insecureAllowMissing: true }), "invalid_grant PK-10");
});
