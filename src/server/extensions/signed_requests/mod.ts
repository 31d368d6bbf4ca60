/**
 * Signed authorization requests (RFC 9101): the parameters are the claims of a JWT that the client has signed, so the
 * browser cannot change them.
 */

import type { ServerWith } from "../../../core/extension.ts";
import type { Extension } from "../../config/extension.ts";
import { clientJwtAlgorithms } from "../../config/verification_algorithms.ts";
import type { CheckInput, Server } from "../../../core/server.ts";
import {
  isSignatureRequired,
  requestSignature,
  signedRequestClientFields,
  type SignedRequestPolicy,
  signedRequestSettings,
} from "./settings.ts";
import { contentEncryptions } from "../encrypted_responses/settings.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import { validateHasKeys } from "../../config/validate_client.ts";
import type { HostedServer } from "../../hosted_server.ts";

const load = () => import("./request_object.ts");

/** The issues of the algorithm and of the keys. */
function validateAlgorithm(client: ClientMetadata): readonly ConfigIssue[] {
  const { request_object_signing_alg: alg, require_signed_request_object: isRequired } = client;
  const usesSecret = alg?.startsWith("HS") === true;
  if (!usesSecret) {
    // Without keys, private_key_jwt has the same issue.
    const needsKeys = (alg ?? isRequired) && client.token_endpoint_auth_method !== "private_key_jwt";
    return needsKeys ? validateHasKeys(client, "the client signs its authorization requests") : [];
  }
  if (client.token_endpoint_auth_method === "client_secret_jwt") return [];
  return [{
    path: "request_object_signing_alg",
    expected: "a public-key algorithm, because only client_secret_jwt clients sign with their secret",
    received: quote(alg),
    hint: "Register public keys, and one of their algorithms.",
  }];
}

/** Finds the parameters of signed requests, and of all others by `inner`. */
function resolveSigned(inner: Server["resolveRequest"]): Server["resolveRequest"] {
  return async (server, received, unrepeatable) =>
    received.get("request") === undefined || received.get("request_uri") !== undefined
      ? await inner(server, received, unrepeatable)
      : await (await load()).readRequestObject(server as HostedServer, received, unrepeatable);
}

/** Lets clients sign authorization requests. */
export const signedRequests: Extension<SignedRequestPolicy> = {
  name: "signed_requests",
  settings: signedRequestSettings,
  clientMetadata: { fields: signedRequestClientFields, validate: validateAlgorithm },
  requestChecks: [{ rule: "JR-05", redirectOnly: true, reads: "whether it is signed", read: rejectUnsigned }],
  extend: (server) => ({
    ...server,
    readSigned: async (current, client, received) => (await load()).verifyRequestObject(current, client, received),
    resolveRequest: resolveSigned(server.resolveRequest),
    keys: {
      ...server.keys,
      async jwks(current: HostedServer) {
        const keys = await server.keys.jwks(current);
        const { requestObjectEncryption: algorithms } = signedRequestSettings.of(current.policy);
        return algorithms.length === 0 ? keys : [...keys, ...await (await load()).encryptionKeys(current)];
      },
    },
  }),
  metadata,
};

function metadata(
  { policy, clientAuthentication }: ServerWith<SignedRequestPolicy>,
): Readonly<Record<string, unknown>> {
  const methods = clientAuthentication.map(({ method }) => method).filter((method) =>
    policy.clientAuthMethods.includes(method)
  );
  const { requestObjectEncryption: algorithms, requireSignedRequestObject } = policy;
  return {
    ...requireSignedRequestObject && { require_signed_request_object: true },
    request_parameter_supported: true,
    request_object_encryption_alg_values_supported: algorithms,
    request_object_encryption_enc_values_supported: algorithms.length === 0 ? [] : contentEncryptions,
    request_object_signing_alg_values_supported: clientJwtAlgorithms(
      ["private_key_jwt", ...methods],
      policy.signatureAlgorithms,
    ),
  };
}

/** Rejects a request that is not signed although the server or the client requires it. */
async function rejectUnsigned(input: CheckInput): Promise<void> {
  const { server, client } = input;
  if (requestSignature.of(input) === undefined && isSignatureRequired(server, client)) {
    throw (await load()).unsignedRequest(server, client);
  }
}
