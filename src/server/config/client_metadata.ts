/** The metadata of a client at the whole server. */

import type { ClientMetadata as CoreMetadata, ClientRegistration } from "../../core/clients/client.ts";
import type { Client } from "../../core/clients/repository.ts";
import type { ExtensionClientMembers } from "./extension_members.gen.ts";

/**
 * A client with the names of RFC 7591 §2. With a `client_secret` or keys it is confidential, otherwise public.
 *
 * @example
 * ```ts
 * const spa: ClientMetadata = { client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] };
 * const web: ClientMetadata = {
 *   client_id: "web",
 *   client_secret: "correct-horse-battery-staple",
 *   redirect_uris: ["https://web.example/cb"],
 * };
 * ```
 */
export interface ClientMetadata extends CoreMetadata, ExtensionClientMembers {
  /** The resources that the client serves: it may introspect the access tokens for them. */
  readonly serves?: readonly string[];
}

/** A client as it is registered and stored: its metadata, and members that no client can set itself. */
export interface ClientEntry extends ClientMetadata {
  /** The digest of its secret, if the server no longer has the secret. */
  readonly client_secret_digest?: string;
  /** Present if the client registered itself. */
  readonly registration?: ClientRegistration;
}

/** @internal A registered client, whose metadata has the members that the core does not read. */
export type RegisteredClient = Client & { readonly metadata: ClientMetadata };

/** The metadata of a client, with the members that the core does not read. */
export function metadataOf({ metadata }: Pick<Client, "metadata">): ClientMetadata {
  return metadata;
}
