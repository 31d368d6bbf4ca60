/** Public keys in the form of certificates, for clients that read no JWK. */

import { publicMembersOf } from "../../../core/keys/jwk.ts";
import { importJwk } from "../../../core/keys/web_keys.ts";

/** The SubjectPublicKeyInfo of an RSA key (RFC 5280 §4.1) in base64: the content of a PEM file. */
export async function publicKeyInfo(jwk: Readonly<Record<string, unknown>>): Promise<string> {
  const key = await importJwk("RS256", publicMembersOf(jwk), "verify", true);
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.exportKey("spki", key))));
}
