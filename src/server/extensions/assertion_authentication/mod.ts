/** Client authentication by assertions: clients sign a JWT with their secret or their private key (RFC 7523 §2.2). */

import type { Extension } from "../../assembly/extension.ts";
import { clientJwtAlgorithms, secretAlgorithms, verificationAlgorithms } from "../../oauth/keys/signing_algorithm.ts";
import type { ClientAuth, Credentials } from "../../oauth/server.ts";
import { decodeBase64url } from "../../../platform/runtime/crypto.ts";

/** Signed with the client's secret. */
const secretJwt: ClientAuth = {
  method: "client_secret_jwt",
  isUsed: (credentials) => hasAssertion(credentials) && /^HS/.test(headerAlgorithm(credentials)),
  claimedId,
  async authenticate(server, credentials) {
    const { verifyAssertion } = await import("./verify_assertion.ts");
    return await verifyAssertion(server, credentials, claimedId(credentials), "client_secret_jwt", secretAlgorithms);
  },
};

/** Signed with a private key whose public half the client has registered. */
const privateKeyJwt: ClientAuth = {
  method: "private_key_jwt",
  // Also true for an unreadable assertion, which `authenticate` then rejects.
  isUsed: (credentials) => hasAssertion(credentials) && !/^HS/.test(headerAlgorithm(credentials)),
  claimedId,
  async authenticate(server, credentials) {
    const { verifyAssertion } = await import("./verify_assertion.ts");
    return await verifyAssertion(
      server,
      credentials,
      claimedId(credentials),
      "private_key_jwt",
      verificationAlgorithms,
    );
  },
};

function hasAssertion({ params }: Credentials): boolean {
  return params.get("client_assertion") !== undefined || params.get("client_assertion_type") !== undefined;
}

function headerAlgorithm(credentials: Credentials): string {
  const { alg } = decodePart(credentials, 0);
  return typeof alg === "string" ? alg : "";
}

function claimedId(credentials: Credentials): string | undefined {
  const { sub } = decodePart(credentials, 1);
  return typeof sub === "string" ? sub : undefined;
}

/** The unverified header (0) or claims (1) of the assertion; empty if they cannot be decoded. */
function decodePart({ params }: Credentials, index: 0 | 1): Readonly<Record<string, unknown>> {
  const part = (params.get("client_assertion") ?? "").split(".")[index] ?? "";
  try {
    return JSON.parse(new TextDecoder().decode(decodeBase64url(part))) ?? {};
  } catch {
    return {};
  }
}

/** Lets clients authenticate by `client_secret_jwt` and `private_key_jwt`. */
export const assertionAuthentication: Extension = {
  name: "assertion_authentication",
  title: "Client assertions",
  specifications: ["RFC 7523 §2.2", "draft-ietf-oauth-rfc7523bis"],
  clientMembers: ["token_endpoint_auth_signing_alg"],
  clientAuthentication: [secretJwt, privateKeyJwt],
  metadata({ settings: { clientAuthMethods, signatureAlgorithms } }) {
    const algorithms = clientJwtAlgorithms(clientAuthMethods, signatureAlgorithms);
    return {
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    };
  },
};
