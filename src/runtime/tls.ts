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
export function tlsFault({ cert, key }: TlsPair): string | undefined {
  const certificate = attempt(() => new X509Certificate(cert));
  if (certificate === undefined) {
    return "the certificate is not PEM. Give a file with -----BEGIN CERTIFICATE----- in it.";
  }
  const isLocked = /-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(key);
  if (isLocked) {
    return "the private key has a passphrase. Take it off, as openssl pkey does, and guard the file instead.";
  }
  const privateKey = attempt(() => createPrivateKey(key));
  if (privateKey === undefined) {
    return "the private key is not PEM. Give a file with -----BEGIN PRIVATE KEY----- in it.";
  }
  if (attempt(() => certificate.checkPrivateKey(privateKey)) !== true) {
    return "the private key is not the one of the certificate. Give the two files that belong together.";
  }
  return undefined;
}

function attempt<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}
