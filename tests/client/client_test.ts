/** The functions of src/client against the vectors of the standards, and against jose. */

import { assertEquals } from "@std/assert";
import { calculateJwkThumbprint, compactVerify, importJWK, type JWK, jwtVerify } from "jose";
import { test } from "node:test";
import { clientAuthenticationOf } from "../../src/client/authentication.ts";
import { codeChallenge } from "../../src/client/authorization_request.ts";
import { readCallback } from "../../src/client/callback.ts";
import { signWithKey } from "../../src/client/jwt.ts";
import { signProof } from "../../src/client/proof.ts";
import { verificationAlgorithms } from "../../src/server/config/verification_algorithms.ts";
import { assertionOf, clientKey, secretKey, signingContext, startSeconds } from "../server/client_jwts.ts";

test("[PK-03] a code challenge is that of RFC 7636, Appendix B", async () => {
  assertEquals(
    await codeChallenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"),
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  );
});

test("jose verifies what a client signs with each algorithm, and has the same thumbprint", async () => {
  for (const alg of verificationAlgorithms) {
    const key = await clientKey(alg, "k");
    const jwt = await signWithKey(key, { typ: undefined }, { sub: "alice", nonce: undefined });
    const { payload, protectedHeader } = await jwtVerify(jwt, await importJWK(key.jwk as JWK, alg));
    assertEquals([payload, { ...protectedHeader }], [{ sub: "alice" }, { alg, kid: "k" }]);
    assertEquals(key.thumbprint, await calculateJwkThumbprint(key.publicJwk as JWK));
  }
  const secret = "a secret of more than thirty-two characters";
  await compactVerify(await signWithKey(await secretKey(secret), {}, {}), new TextEncoder().encode(secret));
});

test("[DO-01, JC-01] jose accepts the claims of a proof and of an assertion", async () => {
  const key = await clientKey();
  const publicKey = await importJWK(key.jwk as JWK, "ES256");
  const currentDate = new Date(startSeconds * 1000);
  // The digest of the token is that of RFC 9449 §7.1.
  const accessToken = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU";
  const request = { method: "GET", url: "https://rs.test/a?b=c#d", accessToken, nonce: "n" };
  const proof = await signProof(signingContext(), key, request);
  const { payload: { jti: _, ...claims } } = await jwtVerify(proof, publicKey, { typ: "dpop+jwt", currentDate });
  const ath = "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo";
  assertEquals(claims, { htm: "GET", htu: "https://rs.test/a", iat: startSeconds, ath, nonce: "n" });
  const { client_assertion } = await assertionOf("web", key);
  await jwtVerify(client_assertion!, publicKey, {
    ...{ issuer: "web", subject: "web", audience: "https://as.test", currentDate, maxTokenAge: 60 },
    requiredClaims: ["jti", "exp"],
  });
});

test("[CA-02] HTTP Basic has the form encoding of ID and secret", async () => {
  const client = {
    client_id: "a:b",
    client_secret: "c d=&",
    token_endpoint_auth_method: "client_secret_basic",
  } as const;
  const { headers } = await clientAuthenticationOf(signingContext(), client);
  assertEquals(headers, { authorization: `Basic ${btoa("a%3Ab:c+d%3D%26")}` });
});

test("a client reads a redirect to a private-use scheme, a fragment, and a form", () => {
  const { code, state } = readCallback("com.example.app:/cb?code=a%20b&state=x");
  assertEquals([code, state], ["a b", "x"]);
  assertEquals(readCallback("https://app.test/cb#error=access_denied").error, "access_denied");
  assertEquals(readCallback("https://app.test/cb", new URLSearchParams({ code: "c" })).code, "c");
});

test("[JM-02] a broken signed response has a problem that says what is wrong, and no member is read from it", () => {
  const problemOf = (response: string) => {
    const { problem, params: _, response: received, ...members } = readCallback(
      "https://app.test/cb",
      new URLSearchParams({ response, code: "outside" }),
    );
    assertEquals([received, members.code, members.error], [response, undefined, undefined]);
    return problem;
  };
  assertEquals(problemOf(""), "response is not a JWT: expected 3 parts, received 1");
  assertEquals(problemOf("x".repeat(100_000)), "response is not a JWT: expected 3 parts, received 1");
  for (const claims of ["", "%", "bnVsbA", "W10", "e30", btoa("<script>")]) {
    assertEquals(
      problemOf(`e30.${claims}.x`),
      "response is not a JWT: its second part is not a JSON object with members",
    );
  }
  assertEquals(problemOf("a.b.c.d.e"), "response is encrypted");
  assertEquals(readCallback(`https://app.test/cb?response=e30.${btoa('{"code":"c"}')}.x`).problem, undefined);
});
