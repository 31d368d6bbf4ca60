/** Self-signed certificates of any version, with their keys. */

import { Buffer } from "node:buffer";
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** Kinds of keys: the algorithm, and the identifier of its signatures with SHA-256 as DER. */
const kinds = {
  EC: {
    generate: () => generateKeyPairSync("ec", { namedCurve: "P-256" }),
    signatureAlgorithm: der(0x30, der(0x06, [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02])),
  },
  RSA: {
    generate: () => generateKeyPairSync("rsa", { modulusLength: 2048 }),
    signatureAlgorithm: der(
      0x30,
      der(0x06, [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b]),
      [0x05, 0x00],
    ),
  },
} as const;

/** A kind of key. */
export type KeyKind = keyof typeof kinds;

/** Generates a private key. */
export function generatePrivateKey(kind: KeyKind): KeyObject {
  return kinds[kind].generate().privateKey;
}

/** A certificate as PEM, with the key that signed it. */
export interface MadeCertificate {
  readonly cert: string;
  readonly privateKey: KeyObject;
}

/** Makes a certificate, valid for a year around now. Version 1 has no member for its number (RFC 5280 §4.1.2.1). */
export function makeCertificate(kind: KeyKind, version: number): MadeCertificate {
  const { generate, signatureAlgorithm } = kinds[kind];
  const { publicKey, privateKey } = generate();
  const name = der(0x30, der(0x31, der(0x30, der(0x06, [0x55, 0x04, 0x03]), der(0x0c, Buffer.from("made")))));
  const halfYearMs = 183 * 86_400_000;
  const content = der(
    0x30,
    ...version === 1 ? [] : [der(0xa0, der(0x02, [version - 1]))],
    der(0x02, [7]),
    signatureAlgorithm,
    name,
    der(0x30, utcTime(Date.now() - halfYearMs), utcTime(Date.now() + halfYearMs)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
  );
  const signature = sign("sha256", content, privateKey);
  const bytes = der(0x30, content, signatureAlgorithm, der(0x03, [0], signature));
  const lines = bytes.toString("base64").match(/.{1,64}/g)!.join("\n");
  return { cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`, privateKey };
}

function der(tag: number, ...parts: readonly (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const { length } = content;
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...lengthBytes]), content]);
}

function utcTime(ms: number): Buffer {
  return der(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/\D/g, "").slice(2, 14)}Z`));
}
