/** The encryption of responses for the client that receives them. An extension implements it. */

/** @internal The responses that can be encrypted: the prefix of the members of client metadata for them. */
export type EncryptedResponse = "id_token" | "userinfo";

/** @internal Encrypts a response: a signed JWT, or claims. */
export type EncryptResponse = (content: string | Readonly<Record<string, unknown>>) => Promise<string>;
