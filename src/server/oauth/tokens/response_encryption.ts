/** The encryption of responses for the client that receives them. An extension implements it. */

import type { Client } from "../clients/repository.ts";
import type { MaybePromise } from "../../../platform/maybe_promise.ts";

/** The responses that can be encrypted: the prefix of the members of client metadata for them. */
export type EncryptedResponse = "id_token" | "userinfo";

/** @internal Encrypts responses for clients that are registered for it. */
export interface ResponseEncryption<Server> {
  /**
   * Finds the key of a client before a grant is consumed, so that a client can repeat a request that fails without it.
   *
   * @throws {OAuthError} If the client has no key that suits its algorithm, or its keys cannot be fetched.
   */
  prepare(server: Server, client: Client, response: EncryptedResponse): MaybePromise<void>;
  /**
   * Encrypts a response; `undefined` if the client receives it unencrypted.
   *
   * @param content A signed JWT, or claims.
   * @throws {OAuthError} As {@link prepare}.
   */
  encrypt(
    server: Server,
    client: Client,
    response: EncryptedResponse,
    content: string | Readonly<Record<string, unknown>>,
  ): Promise<string> | undefined;
}
