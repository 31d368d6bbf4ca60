/** X.509 certificates, as every runtime parses them. */

import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";

export interface Certificate {
  /** Its DER bytes as base64. */
  readonly base64: string;
  /** Its X.509 version, such as 3. */
  readonly version: number;
  /**
   * Whether a TLS handshake of this runtime in which a peer presents it proves that the peer has its private key. Deno
   * completes handshakes with every other version than 3 without verifying the signature.
   */
  readonly isProvable: boolean;
  /** The SHA-256 digest of its DER bytes, as base64url. */
  readonly thumbprint: string;
  /** The time from which it is valid, in milliseconds since the epoch. */
  readonly validFrom: number;
  /** The last time at which it is valid, in milliseconds since the epoch. */
  readonly validTo: number;
  /** The attributes of its subject in the order of DER, as `TYPE=VALUE`. Only some runtimes escape values. */
  readonly subject: readonly string[];
  /** The attributes of the subject of its issuer, like {@link Certificate.subject}. */
  readonly issuer: readonly string[];
  /** Its alternative names, such as `DNS:api.example`. Only some runtimes escape values. */
  readonly alternativeNames: readonly string[];
  /** Whether it may issue certificates. */
  readonly isAuthority: boolean;
  /** Whether one of its alternative names is an IP address, in any spelling. */
  hasAddress(address: string): boolean;
  /**
   * Whether its DER bytes contain a value with one of these tags. Runtimes join names to one text, in which a name with
   * a separator looks like two names.
   */
  hasValue(tags: readonly number[], value: string): boolean;
  /** Whether an authority has signed it. */
  isIssuedBy(authority: Certificate): boolean;
}

const parsed = new WeakMap<Certificate, X509Certificate>();

/** Parses DER bytes, base64 of them, or PEM text; `undefined` if they are no certificate. */
export function parseCertificate(data: Uint8Array | string): Certificate | undefined {
  try {
    const certificate = readCertificate(data);
    // The text of a malformed time is no time.
    return Number.isNaN(certificate.validFrom + certificate.validTo) ? undefined : certificate;
  } catch {
    return undefined;
  }
}

/** @throws {Error} Some runtimes find a malformed part only when it is read. */
function readCertificate(data: Uint8Array | string): Certificate {
  const isBase64 = typeof data === "string" && !data.includes("-----BEGIN");
  const x509 = new X509Certificate(isBase64 ? Buffer.from(data, "base64") : data);
  const der = Buffer.from(x509.raw);
  const version = versionOf(der);
  const certificate: Certificate = {
    base64: der.toString("base64"),
    version,
    isProvable: version === 3 || !("Deno" in globalThis),
    thumbprint: Buffer.from(x509.fingerprint256.replaceAll(":", ""), "hex").toString("base64url"),
    validFrom: Date.parse(x509.validFrom),
    validTo: Date.parse(x509.validTo),
    subject: x509.subject?.split("\n") ?? [],
    issuer: x509.issuer?.split("\n") ?? [],
    alternativeNames: x509.subjectAltName?.split(", ") ?? [],
    isAuthority: x509.ca,
    hasAddress: (address) => x509.checkIP(address) !== undefined,
    hasValue(tags, value) {
      const bytes = Buffer.from(value);
      if (bytes.length > 255) return false;
      const length = bytes.length > 127 ? [0x81, bytes.length] : [bytes.length];
      return tags.some((tag) => der.includes(Buffer.concat([Buffer.from([tag, ...length]), bytes])));
    },
    isIssuedBy(authority) {
      const issuer = parsed.get(authority)!;
      try {
        return issuer.ca && x509.checkIssued(issuer) && x509.verify(issuer.publicKey);
      } catch {
        // A key or signature that the runtime cannot read.
        return false;
      }
    },
  };
  parsed.set(certificate, x509);
  return certificate;
}

/** The version (RFC 5280 §4.1.2.1): an integer, which is one less, before all other members; version 1 has none. */
function versionOf(der: Buffer): number {
  const headerLength = (at: number) => 2 + (der[at + 1]! > 127 ? der[at + 1]! & 127 : 0);
  const content = headerLength(0);
  const first = der.subarray(content + headerLength(content));
  return first[0] === 0xa0 ? first[4]! + 1 : 1;
}
