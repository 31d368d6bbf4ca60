/** Client authentication by assertions: clients sign a JWT with their secret or their private key (RFC 7523 §2.2). */

import type { Extension } from "../../config/extension.ts";
import { clientJwtAlgorithms, secretAlgorithms, verificationAlgorithms } from "../../config/verification_algorithms.ts";
import type { ClientAuth, Credentials } from "../../../core/server.ts";
import { decodeBase64url } from "../../../core/keys/crypto.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { authMethodsOf, type ClientMetadata } from "../../config/client_metadata.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { assertionAuthenticationClientFields } from "./settings.ts";

const load = () => import("./verify_assertion.ts");

/** Signed with the client's secret. */
const secretJwt: ClientAuth = {
  method: "client_secret_jwt",
  isUsed: (credentials) => hasAssertion(credentials) && /^HS/.test(headerAlgorithm(credentials)),
  claimedId,
  async authenticate(server: HostedServer, credentials) {
    const { verifyClientAssertion } = await load();
    return await verifyClientAssertion(
      server,
      credentials,
      claimedId(credentials),
      "client_secret_jwt",
      secretAlgorithms,
    );
  },
};

/** Signed with a private key whose public half the client has registered. */
const privateKeyJwt: ClientAuth = {
  method: "private_key_jwt",
  // Also true for an unreadable assertion, which `authenticate` then rejects.
  isUsed: (credentials) => hasAssertion(credentials) && !/^HS/.test(headerAlgorithm(credentials)),
  claimedId,
  async authenticate(server: HostedServer, credentials) {
    const { verifyClientAssertion } = await load();
    return await verifyClientAssertion(
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

/** The algorithms of each method. */
const methodAlgorithms: Readonly<Record<string, RegExp>> = {
  client_secret_jwt: /^HS(?:256|384|512)$/,
  private_key_jwt: /^(?!HS)/,
};

/** An issue of an algorithm that does not suit the method of the client. */
function validateAlgorithm(client: ClientMetadata): readonly ConfigIssue[] {
  const { token_endpoint_auth_signing_alg: alg } = client;
  if (alg === undefined || methodAlgorithms[authMethodsOf(client)[0]]?.test(alg)) return [];
  return [{
    path: "token_endpoint_auth_signing_alg",
    expected: "HS256, HS384 or HS512 for client_secret_jwt, another JWS algorithm for private_key_jwt",
    received: quote(alg),
    hint: "Leave it out to accept every algorithm that suits the method and the key.",
  }];
}

/** Lets clients authenticate by `client_secret_jwt` and `private_key_jwt`. */
export const assertionAuthentication: Extension = {
  name: "assertion_authentication",
  clientMetadata: { fields: assertionAuthenticationClientFields, validate: validateAlgorithm },
  clientAuthentication: [secretJwt, privateKeyJwt],
  metadata({ policy: { clientAuthMethods, signatureAlgorithms } }) {
    const algorithms = clientJwtAlgorithms(clientAuthMethods, signatureAlgorithms);
    return {
      token_endpoint_auth_signing_alg_values_supported: algorithms,
      revocation_endpoint_auth_signing_alg_values_supported: algorithms,
      introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    };
  },
};
