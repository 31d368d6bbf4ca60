/** Validates how a client authenticates and signs: its method, its secret, its keys and its algorithms. */

import { type ConfigIssue, quote } from "../config/config_issue.ts";
import { byProfile } from "../config/profile.ts";
import type { ResolvedSettings } from "../config/resolve_settings.ts";
import { validatePublicKeys } from "../keys/signing_algorithm.ts";
import { type ClientAuthMethod, type ClientMetadata, registeredClientField } from "./client.ts";

/** An issue if the server offers no method that the client is registered for. */
export function validateAuthMethod(
  client: ClientMetadata,
  { clientAuthMethods, profile }: ResolvedSettings,
): ConfigIssue[] {
  const { token_endpoint_auth_method: method, client_secret, jwks, jwks_uri } = client;
  const methods: readonly ClientAuthMethod[] = method !== undefined
    ? [method]
    : client_secret !== undefined
    ? ["client_secret_basic", "client_secret_post"]
    : [jwks === undefined && jwks_uri === undefined ? "none" : "private_key_jwt"];
  // An empty list is an issue of the settings, or of the client's profile.
  if (clientAuthMethods.length === 0 || methods.some((name) => clientAuthMethods.includes(name))) return [];
  return [{
    path: "token_endpoint_auth_method",
    expected: `one of ${clientAuthMethods.join(", ")}${byProfile(profile, "clientAuthMethods")}`,
    received: method === undefined ? `nothing, which means ${methods.join(" or ")}` : quote(method),
    hint: "Register the client for one of them.",
  }];
}

/** The secret, which some methods need and others forbid. */
export function validateClientSecret(client: ClientMetadata): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const method = client.token_endpoint_auth_method;
  if (client.client_secret === undefined) {
    if (method === undefined || method === "none" || method === "private_key_jwt") return issues;
    issues.push({
      path: "client_secret",
      expected: `a secret, because token_endpoint_auth_method is ${quote(method)}`,
      received: "nothing",
      hint: `Add a client_secret, or set token_endpoint_auth_method to "none" for a public client.`,
    });
  } else if (method === "none" || method === "private_key_jwt") {
    issues.push({
      path: "client_secret",
      expected: `no secret, because token_endpoint_auth_method is ${quote(method)}`,
      received: "a secret",
      hint: "Remove client_secret, or name the method that uses it.",
    });
  } else if (!/^[\x20-\x7E]+$/.test(client.client_secret)) {
    issues.push({
      path: "client_secret",
      expected: "printable ASCII characters, at least one",
      received: client.client_secret === "" ? "an empty text" : "other characters",
      hint: "Choose a long random secret of letters and digits.",
    });
  }
  return issues;
}

/** The algorithms of each method of client assertion. */
const assertionAlgorithms: Readonly<Record<string, RegExp>> = {
  client_secret_jwt: /^HS(?:256|384|512)$/,
  private_key_jwt: /^(?:(?:RS|PS|ES)(?:256|384|512)|Ed25519|EdDSA)$/,
};

/** The public keys, and the algorithms of what the client signs with them. */
export function validateClientKeys(client: ClientMetadata, { allows }: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const alg = client.token_endpoint_auth_signing_alg;
  const requestAlg = client.request_object_signing_alg;
  const allowedAlgorithms = assertionAlgorithms[
    client.token_endpoint_auth_method ?? (client.jwks ?? client.jwks_uri ? "private_key_jwt" : "none")
  ];
  if (alg !== undefined && !allowedAlgorithms?.test(alg)) {
    issues.push({
      path: "token_endpoint_auth_signing_alg",
      expected: "HS256, HS384 or HS512 for client_secret_jwt, another JWS algorithm for private_key_jwt",
      received: quote(alg),
      hint: "Leave it out to accept every algorithm that suits the method and the key.",
    });
  }
  const usesSecret = requestAlg?.startsWith("HS");
  if (usesSecret && client.token_endpoint_auth_method !== "client_secret_jwt") {
    issues.push({
      path: "request_object_signing_alg",
      expected: "a public-key algorithm, because only client_secret_jwt clients sign with their secret",
      received: quote(requestAlg),
      hint: "Register public keys, and one of their algorithms.",
    });
  }
  const { jwks, jwks_uri: uri } = client;
  const keyUse = client.token_endpoint_auth_method === "private_key_jwt"
    ? `token_endpoint_auth_method is "private_key_jwt"`
    : !usesSecret && (requestAlg ?? client.require_signed_request_object)
    ? "the client signs its authorization requests"
    : undefined;
  if (keyUse !== undefined && (jwks?.keys ?? []).length === 0 && uri === undefined) {
    issues.push({
      path: "jwks",
      expected: `at least one public key, because ${keyUse}`,
      received: "none",
      hint: "Add the client's public keys as a JWK Set, or a jwks_uri where they are found.",
    });
  }
  issues.push(...validatePublicKeys(client, allows.localUrls));
  return issues;
}

/** The members that name a signature algorithm, which the server must accept. */
export function validateAlgorithms(
  client: ClientMetadata,
  { signatureAlgorithms, profile }: ResolvedSettings,
): ConfigIssue[] {
  // An empty list is an issue of the client's profile.
  if (signatureAlgorithms.length === 0) return [];
  return Object.keys(registeredClientField.members!).filter((name) => /_sign(?:ing|ed_response)_alg$/.test(name))
    .flatMap((path) => {
      const alg = client[path as keyof ClientMetadata] as string | undefined;
      if (alg === undefined || alg.startsWith("HS") || signatureAlgorithms.includes(alg)) return [];
      return [{
        path,
        expected: `one of ${signatureAlgorithms.join(", ")}${byProfile(profile, "signatureAlgorithms")}`,
        received: quote(alg),
        hint: "Choose one of them, or leave it out.",
      }];
    });
}
