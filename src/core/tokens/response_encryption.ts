/**
 * The encryption of responses for the client that receives them. An extension implements it. The server is a type
 * parameter, because `server.ts` imports these types.
 */

import type { MaybePromise } from "../maybe_promise.ts";
import type { Client } from "../clients/repository.ts";

/** @internal The responses that can be encrypted: the prefix of the members of client metadata for them. */
export type EncryptedResponse = "id_token" | "userinfo";

/** @internal Encrypts a response: a signed JWT, or claims. */
export type EncryptResponse = (content: string | Readonly<Record<string, unknown>>) => Promise<string>;

/**
 * @internal Finds the key of a client for a response; `undefined` if the client receives it unencrypted. Also called
 * before a grant is consumed, so that a client can repeat a request that fails without its key.
 *
 * @throws {OAuthError} If the client has no key that suits its algorithm, or its keys cannot be fetched.
 */
export type FindEncryption<Server> = (
  server: Server,
  client: Client,
  response: EncryptedResponse,
) => MaybePromise<EncryptResponse | undefined>;
