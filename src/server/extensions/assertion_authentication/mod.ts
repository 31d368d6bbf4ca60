/** Client authentication by assertions: clients sign a JWT with their secret or their private key (RFC 7523 §2.2). */

import type { Extension } from "../../config/extension.ts";
import { clientJwtAlgorithms, secretAlgorithms, verificationAlgorithms } from "../../config/verification_algorithms.ts";
import type { ClientAuth, Credentials } from "../../../core/server.ts";
import { decodeJwtPart } from "../../../platform/http/jwt_part.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { authMethodsOf, type ClientMetadata } from "../../config/client_metadata.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { assertionAuthenticationClientFields } from "./settings.ts";

const load = () => import("./verify_assertion.ts");

/** Signed with the client's secret. */
const secretJwt = assertionMethod("client_secret_jwt", secretAlgorithms);

/** Signed with a private key whose public half the client has registered. */
const privateKeyJwt = assertionMethod("private_key_jwt", verificationAlgorithms);

function assertionMethod(
  method: "client_secret_jwt" | "private_key_jwt",
  algorithms: readonly string[],
): ClientAuth {
  return {
    method,
    // An unreadable assertion counts as one by a private key, which `authenticate` then rejects.
    isUsed: (credentials) =>
      hasAssertion(credentials) && /^HS/.test(headerAlgorithm(credentials)) === (method === "client_secret_jwt"),
    claimedId,
    async authenticate(server: HostedServer, credentials) {
      const { verifyClientAssertion } = await load();
      return await verifyClientAssertion(server, credentials, claimedId(credentials), method, algorithms);
    },
  };
}

function hasAssertion({ params }: Credentials): boolean {
  return params.get("client_assertion") !== undefined || params.get("client_assertion_type") !== undefined;
}

function headerAlgorithm({ params }: Credentials): string {
  const { alg } = decodeJwtPart(params.get("client_assertion") ?? "", 0);
  return typeof alg === "string" ? alg : "";
}

function claimedId({ params }: Credentials): string | undefined {
  const { sub } = decodeJwtPart(params.get("client_assertion") ?? "", 1);
  return typeof sub === "string" ? sub : undefined;
}

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
