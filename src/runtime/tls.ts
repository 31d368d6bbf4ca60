/** Certificates: whether a pair of PEM texts is one that a server can show. */

import { createPrivateKey, X509Certificate } from "node:crypto";

/** A certificate and its private key, both as PEM. */
export interface TlsPair {
  /** The certificate, and after it those that vouch for it. */
  readonly cert: string;
  /** Without a passphrase. */
  readonly key: string;
}

/** Why a pair cannot be used, and how to mend it, in a sentence or two; `undefined` when it can. */
export function validateTls({ cert, key }: TlsPair): string | undefined {
  const certificate = tryOrUndefined(() => new X509Certificate(cert));
  if (certificate === undefined) {
    return "the certificate is not PEM. Give a file with -----BEGIN CERTIFICATE----- in it.";
  }
  const isEncrypted = /-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(key);
  if (isEncrypted) {
    return "the private key has a passphrase. Take it off, as openssl pkey does, and guard the file instead.";
  }
  const privateKey = tryOrUndefined(() => createPrivateKey(key));
  if (privateKey === undefined) {
    return "the private key is not PEM. Give a file with -----BEGIN PRIVATE KEY----- in it.";
  }
  if (tryOrUndefined(() => certificate.checkPrivateKey(privateKey)) !== true) {
    return "the private key is not the one of the certificate. Give the two files that belong together.";
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
