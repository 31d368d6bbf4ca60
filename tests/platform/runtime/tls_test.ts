/** The ways in which a person names the wrong certificate or key: the message says what was found and what to give. */

import { assertEquals, assertMatch } from "@std/assert";
import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { selfSignedCertificate } from "../../../src/platform/runtime/self_signed.ts";
import { validateTls } from "../../../src/platform/runtime/tls.ts";
import { forEachCase } from "../../kit.ts";

const { cert, key } = await selfSignedCertificate(["auth.test"]);
const other = await selfSignedCertificate(["auth.test"]);
const encrypted = createPrivateKey(key).export({
  type: "pkcs8",
  format: "pem",
  cipher: "aes-256-cbc",
  passphrase: "x",
});
const publicKey = generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "pem" }).toString();
const cut = (pem: string) => pem.slice(0, 120);
const openSsh = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----\n";

const cases: readonly (readonly [cert: string, key: string, message: RegExp])[] = [
  ["", key, /^the certificate is an empty file\. Give a file that contains -----BEGIN CERTIFICATE-----\.$/],
  ["{}", key, /^the certificate is not PEM\. Give .*BEGIN CERTIFICATE/],
  [key, cert, /^the certificate is PEM of another kind \(private key\)\. Give .*BEGIN CERTIFICATE/],
  [cut(cert), key, /^the certificate is damaged PEM\. Copy the whole file again\.$/],
  [cert, "", /^the private key is an empty file\. Give .*BEGIN PRIVATE KEY/],
  [cert, '{"kty":"EC"}', /^the private key is not PEM\. Give .*BEGIN PRIVATE KEY/],
  [cert, cert, /^the private key is PEM of another kind \(certificate\)\. Give .*BEGIN PRIVATE KEY/],
  [cert, publicKey, /^the private key is PEM of another kind \(public key\)\./],
  [cert, openSsh, /^the private key is PEM of another kind \(openssh private key\)\./],
  [cert, cut(key), /^the private key is damaged PEM\. Copy the whole file again\.$/],
  [
    cert,
    encrypted.toString(),
    /^the private key has a passphrase\. Remove it with openssl pkey -in FILE -out NEW_FILE/,
  ],
  [cert, other.key, /^the private key does not match the certificate\./],
];

test("[OP-05] a certificate or a key that cannot be used is named for what it is", async () => {
  await forEachCase(cases, ([cert, key, message]) => assertMatch(validateTls({ cert, key }) ?? "valid", message));
  assertEquals(validateTls({ cert, key }), undefined);
});
