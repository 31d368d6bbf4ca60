/** The members for encrypted responses, and the keys that suit them. */

import type { ClientMetadata } from "../../config/client_metadata.ts";
import { quote } from "../../config/config_issue.ts";
import { findMemberFaults } from "../../../core/keys/jwk.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import type { ContentEncryption, KeyManagementAlgorithm } from "./settings.ts";

/** The algorithms that a client is registered for. */
export interface Encryption {
  /** How the content encryption key is encrypted or agreed on. */
  readonly alg: KeyManagementAlgorithm;
  readonly enc: ContentEncryption;
}

/** A public key (RFC 7517 §4). */
export type EncryptionJwk = Readonly<Record<string, unknown>>;

/** The curves of keys for `ECDH-ES`, by the type of the key (RFC 7518 §4.6, RFC 8037 §3.2). */
const curves = new Map<unknown, readonly unknown[]>([["EC", ["P-256", "P-384", "P-521"]], ["OKP", ["X25519"]]]);

/** Describes a key that suits an algorithm, for messages. */
export function describeKey(alg: KeyManagementAlgorithm): string {
  const key = alg === "RSA-OAEP-256" ? "an RSA key" : "an EC key on P-256, P-384 or P-521, or an OKP key on X25519";
  return `a public key for ${alg}: ${key}, with use "enc" or without use`;
}

/**
 * The keys that suit an algorithm; first the keys that are only for encryption, because the others may be for
 * signatures.
 */
export function suitableKeys(keys: readonly EncryptionJwk[], alg: KeyManagementAlgorithm): readonly EncryptionJwk[] {
  const suitable = keys.filter((key) => {
    const { kty, crv, use = "enc", alg: only = alg } = key;
    return use === "enc" && only === alg && findMemberFaults(key).length === 0 &&
      (alg === "RSA-OAEP-256" ? kty === "RSA" : curves.get(kty)?.includes(crv) === true);
  });
  const isForEncryption = ({ use, alg }: EncryptionJwk) => (use ?? alg) !== undefined;
  return [...suitable.filter(isForEncryption), ...suitable.filter((key) => !isForEncryption(key))];
}

/** The issues of the members. Keys at a URL are fetched when a response is encrypted. */
export function validateEncryption(client: ClientMetadata): readonly ConfigIssue[] {
  return (["id_token", "userinfo"] as const).flatMap((response) => {
    const { [`${response}_encrypted_response_alg` as const]: alg, jwks, jwks_uri } = client;
    const { [`${response}_encrypted_response_enc` as const]: enc } = client;
    if (alg === undefined) {
      return enc === undefined ? [] : [{
        path: `${response}_encrypted_response_enc`,
        expected: `${response}_encrypted_response_alg as well`,
        received: quote(enc),
        hint: `Add ${response}_encrypted_response_alg, or remove ${response}_encrypted_response_enc.`,
      }];
    }
    if (jwks_uri !== undefined || suitableKeys(jwks?.keys ?? [], alg).length > 0) return [];
    return [{
      path: "jwks",
      expected: `${describeKey(alg)}, because ${response}_encrypted_response_alg is ${quote(alg)}`,
      received: jwks === undefined ? "no keys" : "no such key",
      hint: "Add the public key, or a jwks_uri that publishes it.",
    }];
  });
}
