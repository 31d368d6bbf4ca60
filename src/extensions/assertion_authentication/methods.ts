/** client_secret_jwt and private_key_jwt: the client signs an assertion (RFC 7523 §2.2, §3). */

import { decodeBase64url } from "../../runtime/base64url.ts";
import { secretAlgorithms, verificationAlgorithms } from "../../oauth/keys/signing_algorithm.ts";
import type { ClientAuth, Credentials } from "../../oauth/server.ts";

/** Signed with the client's secret. */
export const secretJwt: ClientAuth = {
  method: "client_secret_jwt",
  isUsed: (credentials) => hasAssertion(credentials) && /^HS/.test(headerAlgorithm(credentials)),
  claimedId,
  async authenticate(server, credentials) {
    const { verifyAssertion } = await import("./verify_assertion.ts");
    return await verifyAssertion(server, credentials, claimedId(credentials), "client_secret_jwt", secretAlgorithms);
  },
};

/** Signed with a private key whose public half the client has registered. */
export const privateKeyJwt: ClientAuth = {
  method: "private_key_jwt",
  // True also for an unreadable assertion, which `authenticate` rejects.
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
