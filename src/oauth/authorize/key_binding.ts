/** `dpop_jkt`: the key that the code is bound to (RFC 9449 §10). */

import { OAuthError } from "../errors.ts";
import type { PartRequest } from "../server.ts";

/** Reads the thumbprint of the key. */
export function readKeyBinding({ params }: PartRequest): string | undefined {
  const dpopJkt = params.get("dpop_jkt");
  if (dpopJkt !== undefined && !/^[\w-]{43}$/.test(dpopJkt)) {
    throw new OAuthError("invalid_request", "dpop_jkt is not the thumbprint of a key", {
      rule: "DO-08",
      expected: "the SHA-256 thumbprint of a public key: 43 characters of base64url",
      received: `${dpopJkt.length} characters`,
    });
  }
  return dpopJkt;
}
