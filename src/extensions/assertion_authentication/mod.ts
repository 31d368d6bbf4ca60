/** Client authentication by assertions: clients sign a JWT with their secret or their private key (RFC 7523 §2.2). */

import type { Extension } from "../../app/extension.ts";
import { clientJwtAlgorithms } from "../../oauth/keys/signing_algorithm.ts";
import { privateKeyJwt, secretJwt } from "./methods.ts";

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
