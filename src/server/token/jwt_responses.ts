/** Responses that are JWTs. Types only. */

import type { Client } from "../../core/clients/clients.ts";
import type { AuthenticatedRequest } from "../../core/token/grants/authenticated_request.ts";

interface SignedResponse {
  readonly contentType: string;
  readonly jwt: string;
}

/** @internal Responses that are JWTs, as extensions add them. */
export interface JwtResponses<Server> {
  /** Signs an introspection response for a request that asks for it; `undefined` for any other request. */
  signIntrospection(
    server: Server,
    request: AuthenticatedRequest,
    introspection: Readonly<Record<string, unknown>>,
  ): SignedResponse | undefined | Promise<SignedResponse | undefined>;
  /**
   * Finds how a response for a client is encrypted; `undefined`, the default, if the client receives it unencrypted.
   *
   * @throws {OAuthError} If the client has no key that suits its algorithm, or its keys cannot be fetched.
   */
  findEncryption(
    server: Server,
    client: Client,
    response: EncryptedResponse,
  ): EncryptResponse | undefined | Promise<EncryptResponse | undefined>;
}

/** @internal The responses that can be encrypted: the prefix of the members of client metadata for them. */
export type EncryptedResponse = "id_token" | "userinfo";

/** @internal Encrypts a response: a signed JWT, or claims. */
export type EncryptResponse = (content: string | Readonly<Record<string, unknown>>) => Promise<string>;
