/** Checks public keys (RFC 7517 §5) and algorithms of a configuration. */

import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { hasAlgorithm, isMlDsa } from "../../core/keys/signing_algorithm.ts";
import { findPrivateMember, minRsaKeyBits, type PublicKeySet, rsaKeyBits } from "../../core/keys/jwk.ts";
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
    return privateMember === undefined
      ? [
        ...validateRsaKey(key, path),
        ...validateCurveKey(key, path),
        ...validateMlDsaKey(key, path),
      ]
      : [{
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

function validateRsaKey({ kty, n }: Readonly<Record<string, unknown>>, path: string): ConfigIssue[] {
  if (kty !== "RSA") return [];
  const bits = rsaKeyBits(n);
  if (bits !== undefined && bits >= minRsaKeyBits) return [];
  return [{
    path: `${path}.n`,
    expected: `the modulus of an RSA key of ${minRsaKeyBits} bits or more, as base64url`,
    received: bits === undefined ? describeText(n) : `${bits} bits`,
    hint: `Create a key of ${minRsaKeyBits} bits or more, or one for ES256 or Ed25519.`,
  }];
}

/** The length of a coordinate in characters of base64url, by curve (RFC 7518 §6.2.1.2, RFC 8037 §2). */
const coordinateLengths: ReadonlyMap<unknown, number> = new Map([
  ["P-256", 43],
  ["P-384", 64],
  ["P-521", 88],
  ["Ed25519", 43],
]);

/** Not every runtime checks the length when it imports a key. */
function validateCurveKey(key: Readonly<Record<string, unknown>>, path: string): ConfigIssue[] {
  const { kty, crv } = key;
  const length = coordinateLengths.get(crv);
  if (length === undefined) return [];
  return (kty === "EC" ? ["x", "y"] : ["x"]).flatMap((name) => {
    const value = key[name];
    if (typeof value === "string" && value.length === length && /^[\w-]+$/.test(value)) return [];
    return [{
      path: `${path}.${name}`,
      expected: `a coordinate of ${crv}: ${length} characters of base64url`,
      received: describeText(value),
      hint: "Export the public key again: crv must be the curve of the key.",
    }];
  });
}

/** The length of `pub` in characters of base64url (FIPS 204 §4), by algorithm. */
const mlDsaKeyLengths: ReadonlyMap<unknown, number> = new Map([
  ["ML-DSA-44", 1750],
  ["ML-DSA-65", 2603],
  ["ML-DSA-87", 3456],
]);

/** `alg` and `pub` are required (RFC 9964 §3). */
function validateMlDsaKey({ kty, alg, pub }: Readonly<Record<string, unknown>>, path: string): ConfigIssue[] {
  if (kty !== "AKP") return typeof alg === "string" && isMlDsa(alg) ? [wrongKeyType(kty, alg, path)] : [];
  const length = mlDsaKeyLengths.get(alg);
  if (length === undefined) {
    const expected = `one of ${[...mlDsaKeyLengths.keys()].join(", ")}, for a key of kty AKP`;
    return [{
      path: `${path}.alg`,
      expected,
      received: quote(alg),
      hint: "Export the public key again, with its alg.",
    }];
  }
  if (typeof pub === "string" && pub.length === length && /^[\w-]+$/.test(pub)) return [];
  return [{
    path: `${path}.pub`,
    expected: `the public key of ${alg}: ${length} characters of base64url`,
    received: describeText(pub),
    hint: "Export the public key again: alg must be the algorithm of the key.",
  }];
}

function wrongKeyType(kty: unknown, alg: unknown, path: string): ConfigIssue {
  return {
    path: `${path}.kty`,
    expected: `AKP, the key type of ${alg}`,
    received: quote(kty),
    hint: "Export the public key again, or remove alg.",
  };
}

/** Describes a value that is not the expected text of base64url. */
function describeText(value: unknown): string {
  if (value === undefined) return "nothing";
  if (typeof value !== "string") return "not a string";
  return /^[\w-]+$/.test(value) ? `${value.length} characters` : "a string that is not base64url";
}
