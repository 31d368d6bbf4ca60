/** What the parameters of an authorization request and its answer are for, in a few words each (OAuth 2.1 §4.1). */

const labels: ReadonlyMap<string, string> = new Map([
  ["response_type", "asks for a code"],
  ["client_id", "who asks"],
  ["redirect_uri", "where the answer goes"],
  ["scope", "what is asked for"],
  ["state", "comes back unchanged"],
  ["nonce", "comes back in the ID token"],
  ["code_challenge", "hash of the verifier"],
  ["code_challenge_method", "by SHA-256"],
  ["code", "worth tokens, once"],
  ["iss", "who answered"],
  ["error", "why there is no code"],
  ["error_description", "the same, for developers"],
  ["error_uri", "a page about it"],
]);

/** A few words without a full stop; undefined for a parameter that is none of these. */
export function parameterLabel(name: string): string | undefined {
  return labels.get(name);
}
