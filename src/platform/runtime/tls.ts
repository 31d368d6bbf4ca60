/** Validates a certificate and its private key before the runtime uses them. */

import { createPrivateKey, X509Certificate } from "node:crypto";

/** A certificate and its private key, both as PEM. */
export interface TlsPair {
  /** The certificate, followed by its chain. */
  readonly cert: string;
  /** The private key, without a passphrase. */
  readonly key: string;
}

/** Why a pair cannot be used and how to fix it, in two sentences; `undefined` if it is valid. */
export function validateTls({ cert, key }: TlsPair): string | undefined {
  const certificate = tryOrUndefined(() => new X509Certificate(cert));
  if (certificate === undefined) {
    return "the certificate is not PEM. Give a file that contains -----BEGIN CERTIFICATE-----.";
  }
  const isEncrypted = /-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(key);
  if (isEncrypted) {
    return "the private key has a passphrase. Remove it with openssl pkey, and restrict access to the file.";
  }
  const privateKey = tryOrUndefined(() => createPrivateKey(key));
  if (privateKey === undefined) {
    return "the private key is not PEM. Give a file that contains -----BEGIN PRIVATE KEY-----.";
  }
  if (tryOrUndefined(() => certificate.checkPrivateKey(privateKey)) !== true) {
    return "the private key does not match the certificate. Give the two files that belong together.";
  }
  return undefined;
}

function tryOrUndefined<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
