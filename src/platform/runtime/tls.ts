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
  if (certificate === undefined) return `the certificate is ${describe(cert, "CERTIFICATE")}`;
  if (/-----BEGIN ENCRYPTED|Proc-Type: 4,ENCRYPTED/.test(key)) {
    return "the private key has a passphrase. Remove it with openssl pkey -in FILE -out NEW_FILE, and restrict access to " +
      "the new file.";
  }
  const privateKey = tryOrUndefined(() => createPrivateKey(key));
  if (privateKey === undefined) return `the private key is ${describe(key, "PRIVATE KEY")}`;
  if (tryOrUndefined(() => certificate.checkPrivateKey(privateKey)) !== true) {
    return "the private key does not match the certificate. Give the two files that belong together.";
  }
  return undefined;
}

/** What a text is that is not PEM with this label, and what to give instead. */
function describe(text: string, label: string): string {
  const [, found] = /-----BEGIN ([A-Z0-9 ]+)-----/.exec(text) ?? [];
  if (found?.endsWith(label) && found !== "OPENSSH PRIVATE KEY") return "damaged PEM. Copy the whole file again.";
  const is = found !== undefined
    ? `PEM of another kind (${found.toLowerCase()})`
    : text.trim() === ""
    ? "an empty file"
    : "not PEM";
  return `${is}. Give a file that contains -----BEGIN ${label}-----.`;
}

function tryOrUndefined<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
