/** A self-signed certificate for tests (X.509, RFC 5280), created with the cryptography of the runtime. */

import type { TlsPair } from "./tls.ts";
import { timers } from "../../core/http/timers.ts";

const dayMs = 86_400_000;

/** Lifetime of a certificate in days: browsers accept at most 398. */
const lifetimeDays = 365;

const algorithm = { name: "ECDSA", namedCurve: "P-256" } as const;

/** Object identifiers, encoded (X.690 §8.19). */
const oid = {
  commonName: [0x55, 0x04, 0x03],
  ecdsaWithSha256: [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02],
  keyUsage: [0x55, 0x1d, 0x0f],
  subjectAltName: [0x55, 0x1d, 0x11],
  extendedKeyUsage: [0x55, 0x1d, 0x25],
  serverAuthentication: [0x2b, 0x06, 0x01, 0x05, 0x05, 0x07, 0x03, 0x01],
} as const;

/** Tags of values (X.690 §8). */
const tag = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  sequence: 0x30,
  set: 0x31,
  dnsName: 0x82,
  ipAddress: 0x87,
  version: 0xa0,
  extensions: 0xa3,
} as const;

type Bytes = readonly number[];

/**
 * Generates a key and its certificate.
 *
 * @param hosts The names and IPv4 addresses that the certificate is for, besides `localhost`, `127.0.0.1` and `::1`.
 */
export async function selfSignedCertificate(hosts: readonly string[]): Promise<TlsPair> {
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const signatureAlgorithm = der(tag.sequence, der(tag.oid, oid.ecdsaWithSha256));
  const name = der(
    tag.sequence,
    der(tag.set, der(tag.sequence, der(tag.oid, oid.commonName), der(tag.utf8String, ascii("Latchkey, self-signed")))),
  );
  const serial = crypto.getRandomValues(new Uint8Array(16));
  const now = timers.now();
  const certificate = der(
    tag.sequence,
    der(tag.version, der(tag.integer, [2])),
    der(tag.integer, unsigned(serial)),
    signatureAlgorithm,
    name,
    der(tag.sequence, utcTime(now - dayMs), utcTime(now + lifetimeDays * dayMs)),
    name,
    [...new Uint8Array(await crypto.subtle.exportKey("spki", publicKey))],
    der(
      tag.extensions,
      der(
        tag.sequence,
        extension(oid.subjectAltName, der(tag.sequence, ...alternativeNames(hosts))),
        // digitalSignature, which is critical (RFC 5280 §4.2.1.3)
        extension(oid.keyUsage, der(tag.bitString, [7, 0x80]), der(tag.boolean, [0xff])),
        extension(oid.extendedKeyUsage, der(tag.sequence, der(tag.oid, oid.serverAuthentication))),
      ),
    ),
  );
  const signature = new Uint8Array(
    await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, privateKey, new Uint8Array(certificate)),
  );
  // WebCrypto returns r and s concatenated; X.509 needs a sequence of both (RFC 5480, Appendix A).
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map((half) => der(tag.integer, unsigned(half)));
  const signed = der(tag.sequence, certificate, signatureAlgorithm, der(tag.bitString, [0], der(tag.sequence, r!, s!)));
  return {
    cert: pem("CERTIFICATE", signed),
    key: pem("PRIVATE KEY", [...new Uint8Array(await crypto.subtle.exportKey("pkcs8", privateKey))]),
  };
}

/** A value with its tag and length (X.690 §8.1). */
function der(valueTag: number, ...parts: readonly Bytes[]): Bytes {
  const { length } = parts.flat();
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return [valueTag, ...size, ...parts.flat()];
}

/**
 * The content of a positive integer: without leading zeros, except one zero if the integer would otherwise be negative
 * (X.690 §8.3).
 */
function unsigned(bytes: Uint8Array): Bytes {
  const start = bytes.findIndex((byte) => byte !== 0);
  const significant = [...bytes.subarray(start)];
  return significant[0]! >= 0x80 ? [0, ...significant] : significant;
}

function extension(id: Bytes, value: Bytes, critical: Bytes = []): Bytes {
  return der(tag.sequence, der(tag.oid, id), critical, der(tag.octetString, value));
}

function alternativeNames(hosts: readonly string[]): Bytes[] {
  const isAddress = (host: string) => /^\d+(?:\.\d+){3}$/.test(host);
  const names = [...new Set(["localhost", ...hosts.filter((host) => !isAddress(host) && !host.startsWith("["))])];
  const addresses = [...new Set(["127.0.0.1", ...hosts.filter(isAddress)])];
  return [
    ...names.map((name) => der(tag.dnsName, ascii(name))),
    ...addresses.map((address) => der(tag.ipAddress, address.split(".").map(Number))),
    der(tag.ipAddress, [...Array<number>(15).fill(0), 1]),
  ];
}

/** A time before 2050 (RFC 5280 §4.1.2.5.1). */
function utcTime(ms: number): Bytes {
  return der(tag.utcTime, ascii(`${new Date(ms).toISOString().slice(2, 19).replace(/[-:T]/g, "")}Z`));
}

function ascii(text: string): Bytes {
  return [...text].map((character) => character.charCodeAt(0));
}

function pem(label: string, bytes: Bytes): string {
  const lines = btoa(String.fromCharCode(...bytes)).match(/.{1,64}/g)!;
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ""].join("\n");
}
