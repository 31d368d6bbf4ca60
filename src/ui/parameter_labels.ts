/** Parameters of an authorization request and response in a few words each (OAuth 2.1 §4.1). */

const labels: ReadonlyMap<string, string> = new Map([
  ["response_type", "requests a code"],
  ["client_id", "the client"],
  ["redirect_uri", "where the response goes"],
  ["scope", "the requested permissions"],
  ["state", "returned unchanged"],
  ["nonce", "returned in the ID token"],
  ["code_challenge", "hash of the code verifier"],
  ["code_challenge_method", "SHA-256"],
  ["code", "exchanged for tokens, once"],
  ["iss", "the server that responded"],
  ["error", "why no code was issued"],
  ["error_description", "details for developers"],
  ["error_uri", "a page with details"],
]);

/** A few words without a full stop; undefined for an unknown parameter. */
export function parameterLabel(name: string): string | undefined {
  return labels.get(name);
}
