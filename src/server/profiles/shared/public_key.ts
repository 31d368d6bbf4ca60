/** Public keys in the form of certificates, for clients that read no JWK. */

/** The SubjectPublicKeyInfo of an RSA key (RFC 5280 §4.1) in base64: the content of a PEM file. */
export async function publicKeyInfo({ kty, n, e }: Readonly<Record<string, unknown>>): Promise<string> {
  const algorithm = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  const jwk = { kty, n, e } as JsonWebKey;
  const key = await crypto.subtle.importKey("jwk", jwk, algorithm, true, ["verify"]);
  return btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.exportKey("spki", key))));
}
