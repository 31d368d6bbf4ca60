/** A certificate of an attacker: self-signed, for a fresh P-256 key (RFC 5280 §4.1). */

import { encodeBase64url } from "../../core/crypto.ts";
import { encodeJwt } from "../../testing/faults/resign.ts";
import type { Original } from "./forged_jwt.ts";

type Bytes = readonly number[];

/** An element of DER: tag, length and content. */
function element(tag: number, ...parts: readonly Bytes[]): Bytes {
  const content = parts.flat();
  const { length } = content;
  const lengthBytes = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return [tag, ...lengthBytes, ...content];
}

const sequence = (...parts: readonly Bytes[]) => element(0x30, ...parts);
const integer = (...bytes: Bytes) => element(0x02, bytes);
const text = (tag: number, value: string) => element(tag, [...new TextEncoder().encode(value)]);

/** ecdsa-with-SHA256, and the attribute commonName. */
const [ecdsa, commonName] = [element(6, [42, 134, 72, 206, 61, 4, 3, 2]), element(6, [85, 4, 3])];

/** A signature of WebCrypto, which is r and s, as DER. */
function signatureSequence(signature: Uint8Array): Bytes {
  const positive = (bytes: Uint8Array): Bytes => {
    const start = Math.min(bytes.findIndex((byte) => byte !== 0), bytes.length - 1);
    const value = [...bytes.subarray(start)];
    return integer(...value[0]! > 127 ? [0, ...value] : value);
  };
  return sequence(positive(signature.subarray(0, 32)), positive(signature.subarray(32)));
}

/** A JWS of a fresh key, whose certificate is in the header parameter `x5c` (RFC 7515 §4.1.6). */
export async function signWithCertificate({ header, claims }: Original): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const { publicKey, privateKey } = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const sign = async (bytes: Uint8Array<ArrayBuffer>) =>
    new Uint8Array(await crypto.subtle.sign(algorithm, privateKey, bytes));
  const name = sequence(element(0x31, sequence(commonName, text(0x0c, "attacker.example"))));
  const validity = sequence(text(0x17, "240101000000Z"), text(0x17, "490101000000Z"));
  const key = [...new Uint8Array(await crypto.subtle.exportKey("spki", publicKey))];
  const version = element(0xa0, integer(2));
  const signed = sequence(version, integer(1), sequence(ecdsa), name, validity, name, key);
  const signature = signatureSequence(await sign(new Uint8Array(signed)));
  const certificate = sequence(signed, sequence(ecdsa), element(3, [0], signature));
  const x5c = [btoa(String.fromCharCode(...certificate))];
  const input = encodeJwt({ ...header, alg: "ES256", x5c }, claims);
  return `${input}.${encodeBase64url(await sign(new TextEncoder().encode(input)))}`;
}
