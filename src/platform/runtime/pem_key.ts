/** Private keys in PEM. */

import { createPrivateKey } from "node:crypto";

/** The private key in a text in PEM, as a JWK; `undefined` if it has none, or only one with a passphrase or of another type. */
export function jwkOfPem(text: string): Readonly<Record<string, unknown>> | undefined {
  // A certificate may stand beside the key.
  const [pem = ""] = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----[^]*?-----END \1-----/.exec(text) ?? [];
  try {
    return { ...createPrivateKey(pem).export({ format: "jwk" }) };
  } catch {
    return undefined;
  }
}
