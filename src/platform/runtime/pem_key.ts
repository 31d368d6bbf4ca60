/** Private keys in PEM. */

import { createPrivateKey } from "node:crypto";

/** The private key in a text in PEM, as a JWK; `undefined` if it has none, or only one with a passphrase or of another type. */
export function jwkOfPem(text: string): Readonly<Record<string, unknown>> | undefined {
  // A certificate may stand before the key.
  const start = text.search(/-----BEGIN [A-Z ]*PRIVATE KEY-----/);
  if (start < 0) return undefined;
  try {
    return { ...createPrivateKey(text.slice(start)).export({ format: "jwk" }) };
  } catch {
    return undefined;
  }
}
