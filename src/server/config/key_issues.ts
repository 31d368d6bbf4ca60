/** Checks public keys (RFC 7517 §5) and algorithms of a configuration. */

import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { hasAlgorithm, isMlDsa } from "../../core/keys/signing_algorithm.ts";
import {
  findMemberFaults,
  findPrivateMember,
  type Jwk,
  minRsaKeyBits,
  type PublicKeySet,
} from "../../core/keys/jwk.ts";
import type { LocalUrls } from "../../core/http/test_hosts.ts";
import { quote } from "./config_issue.ts";
import { validateUrl } from "./uri_issues.ts";

/** An issue if the runtime does not have the algorithm. */
export function validateAvailable(path: string, alg: string): ConfigIssue[] {
  if (hasAlgorithm(alg)) return [];
  return [{
    path,
    expected: "an algorithm that this runtime has",
    received: quote(alg),
    hint: `Run the server on Node 24.7 or newer, Deno or Bun, which have ${alg}, or choose another algorithm.`,
  }];
}

/** All issues of `jwks` and `jwks_uri`; paths are relative to their owner. */
export function validatePublicKeys(
  { jwks, jwks_uri: uri }: { readonly jwks?: PublicKeySet; readonly jwks_uri?: string },
  localUrls: LocalUrls,
): ConfigIssue[] {
  const ofKeys = (jwks?.keys ?? []).flatMap((key, i) => {
    const path = `jwks.keys[${i}]`;
    const privateMember = findPrivateMember(key);
    return privateMember === undefined ? validateKey(key, path) : [{
      path,
      expected: "a public key",
      received: `a key with the private member ${quote(privateMember)}`,
      hint: "Export only the public key.",
    }];
  });
  if (uri === undefined) return ofKeys;
  const both = { path: "jwks_uri", expected: "jwks or jwks_uri", received: "both", hint: "Keep one of the two." };
  return [...jwks === undefined ? [] : [both], ...validateUrl("jwks_uri", uri, localUrls), ...ofKeys];
}

function validateMembers(key: Jwk, path: string): ConfigIssue[] {
  const { kty, crv, alg } = key;
  const type = quote(crv ?? (kty === "AKP" ? alg : kty));
  const hint = kty === "RSA"
    ? `Export the public key again; or create one of ${minRsaKeyBits} bits or more, or one for ES256 or Ed25519.`
    : "Export the public key again: crv and alg must be those of the key.";
  return findMemberFaults(key).map(({ name, expected, received }) => (
    { path: `${path}.${name}`, expected: `${expected}, in a key of ${type}`, received, hint }
  ));
}

/** The issues of one key. `alg` and kty AKP need each other (RFC 9964 §3). */
function validateKey(key: Jwk, path: string): ConfigIssue[] {
  const { kty, alg } = key;
  const isOfMlDsa = typeof alg === "string" && isMlDsa(alg);
  if (isOfMlDsa === (kty === "AKP")) return validateMembers(key, path);
  return isOfMlDsa
    ? [{
      path: `${path}.kty`,
      expected: `AKP, the key type of ${alg}`,
      received: quote(kty),
      hint: "Export the public key again, or remove alg.",
    }]
    : [{
      path: `${path}.alg`,
      expected: "one of ML-DSA-44, ML-DSA-65, ML-DSA-87, for a key of kty AKP",
      received: quote(alg),
      hint: "Export the public key again, with its alg.",
    }];
}
