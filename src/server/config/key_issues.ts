/** Checks public keys (RFC 7517 §5) and algorithms of a configuration. */

import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { hasAlgorithm } from "../../core/keys/signing_algorithm.ts";
import {
  findMemberFaults,
  findPrivateMember,
  type Jwk,
  minRsaKeyBits,
  type PublicKeySet,
} from "../../core/keys/jwk.ts";
import type { LocalUrls } from "../../core/http/test_hosts.ts";
import { findKeyFault } from "../../core/keys/key_faults.ts";
import { quote } from "./config_issue.ts";
import { validateUrl } from "./uri_issues.ts";
import { verificationAlgorithms } from "./verification_algorithms.ts";

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

function validateKey(key: Jwk, path: string): ConfigIssue[] {
  const { kty, crv, alg, use, x5c } = key;
  const type = quote(kty === "RSA" ? kty : kty === "AKP" ? alg : crv);
  const issues = findMemberFaults(key).map(({ name, expected, received }): ConfigIssue => ({
    path: `${path}.${name}`,
    expected: ["kty", "crv", "alg"].includes(name) ? expected : `${expected}, in a ${type} key`,
    received,
    hint: kty === "RSA"
      ? `Export the public key again, or create a new key: RSA with at least ${minRsaKeyBits} bits, P-256 or Ed25519.`
      : "Export the public key again without editing it, or create a new key.",
  }));
  const isForSignatures = (use ?? "sig") === "sig" && typeof alg === "string" && verificationAlgorithms.includes(alg);
  if (issues.length > 0 || !isForSignatures || x5c !== undefined) return issues;
  // EdDSA is also the `alg` of keys on Ed448.
  if (alg === "EdDSA" && kty === "OKP" || findKeyFault(alg, key) === undefined) return [];
  const hint = "Correct alg, or leave it out.";
  return [{ path: `${path}.alg`, expected: "an alg that suits kty and crv of the key", received: quote(alg), hint }];
}
