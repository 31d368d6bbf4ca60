/**
 * Encrypted responses: ID tokens and userinfo responses that only the client can read (OpenID Connect Core §10.2). They
 * are signed first, and then encrypted by a public key of the client.
 */

import { metadataOf } from "../../config/client_metadata.ts";
import type { Extension } from "../../config/extension.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { contentEncryptions, encryptedResponseClientFields, keyManagementAlgorithms } from "./settings.ts";
import type { Server } from "../../../core/server.ts";
import type { TokenSteps } from "../../../core/token/steps.ts";
import { type Encryption, validateEncryption } from "./validate_client.ts";
import type { HostedServer } from "../../hosted_server.ts";
import type { EncryptedResponse } from "../../token/jwt_responses.ts";

/** The algorithms for a response to a client; `undefined` if the client receives it unencrypted. */
function encryptionFor(client: Client, response: EncryptedResponse): Encryption | undefined {
  const metadata = metadataOf(client);
  const alg = metadata[`${response}_encrypted_response_alg`];
  if (alg === undefined) return undefined;
  return { alg, enc: metadata[`${response}_encrypted_response_enc`] ?? contentEncryptions[0]! };
}

/** Finds the key of an ID token before the grant is consumed, so that a client can repeat a request that fails. */
const narrowed: TokenSteps<Server>["narrowed"] = [{
  name: "key of the ID token",
  async run(server: HostedServer, authorization, { client }) {
    if (authorization.scope.includes("openid") && encryptionFor(client, "id_token") !== undefined) {
      await server.jwtResponses.findEncryption(server, client, "id_token");
    }
    return authorization;
  },
}];

/** Encrypts ID tokens and userinfo responses for clients that ask for it. */
export const encryptedResponses: Extension = {
  name: "encrypted_responses",
  clientMetadata: { fields: encryptedResponseClientFields, validate: validateEncryption },
  steps: { narrowed },
  extend: (server) => ({
    ...server,
    jwtResponses: {
      ...server.jwtResponses,
      async findEncryption(current: HostedServer, client, response) {
        const encryption = encryptionFor(client, response);
        if (encryption === undefined) return undefined;
        return await (await import("./encrypt.ts")).findEncryption(current, client, encryption);
      },
    },
  }),
  metadata: () => ({
    id_token_encryption_alg_values_supported: keyManagementAlgorithms,
    id_token_encryption_enc_values_supported: contentEncryptions,
    userinfo_encryption_alg_values_supported: keyManagementAlgorithms,
    userinfo_encryption_enc_values_supported: contentEncryptions,
  }),
};
