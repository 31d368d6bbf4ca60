/** A certificate that the server generates: TLS clients that trust it accept it for the names of the server. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { X509Certificate } from "node:crypto";
import https from "node:https";
import { test } from "node:test";
import { selfSignedCertificate } from "../../../src/platform/runtime/self_signed.ts";
import { validateTls } from "../../../src/platform/runtime/tls.ts";
import { latchkey } from "../../secret_leak_check.ts";

test("[OP-05] a self-signed certificate is valid for the names of the server, for a year, and signed by its key", async () => {
  // Signatures whose halves begin with zeros are rare.
  for (let i = 0; i < 20; i++) {
    const pair = await selfSignedCertificate(["latchkey", "auth.test", "10.1.2.3"]);
    assertEquals(validateTls(pair), undefined);
    const certificate = new X509Certificate(pair.cert);
    assert(certificate.verify(certificate.publicKey));
    for (const host of ["localhost", "latchkey", "auth.test"]) assertEquals(certificate.checkHost(host), host);
    for (const address of ["127.0.0.1", "::1", "10.1.2.3"]) assertEquals(certificate.checkIP(address), address);
    assertEquals(certificate.checkHost("evil.example.com"), undefined);
    const days = (Date.parse(certificate.validTo) - Date.now()) / 86_400_000;
    assert(days > 300 && days < 398, certificate.validTo);
  }
});

test('[OP-05] listen({ tls: "self-signed" }) serves https; a client that does not trust the certificate rejects it', async () => {
  await using as = await latchkey({ frontChannelUrl: "https://auth.test:1" });
  const { url, cert } = await as.listen({ port: 0, tls: "self-signed" });
  assertMatch(url, /^https:\/\/localhost:\d+$/);
  assertEquals(as.issuer, url);
  const metadata = await get(`${url}/.well-known/openid-configuration`, cert);
  assertEquals(JSON.parse(metadata).issuer, url);
  assertEquals(new X509Certificate(cert!).checkHost("auth.test"), "auth.test");
  await assertRejects(() => get(url, undefined), Error);
});

function get(url: string, ca: string | undefined): Promise<string> {
  return new Promise((resolve, reject) => {
    https.get(url, { ca, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8");
      response.on("data", (part: string) => text += part);
      response.on("end", () => resolve(text));
    }).on("error", reject);
  });
}
