/**
 * Subject types: the kind of subjects that a client gets (OpenID Connect Core §8). Every server has the type `public`.
 */

import type { ClientMetadata } from "../clients/client.ts";
import type { MaybePromise } from "../../../platform/maybe_promise.ts";

/** @internal A client that registers itself. */
export interface RegisteringClient {
  readonly id: string;
  readonly metadata: ClientMetadata;
  readonly redirectUris: readonly string[];
}

/** @internal A subject type besides `public`. */
export interface SubjectType<Server> {
  /** The value of `subject_type`. */
  readonly name: NonNullable<ClientMetadata["subject_type"]>;
  /** The sector of a client; `undefined` if the metadata is invalid. All clients of a sector get the same subjects. */
  sectorOf(metadata: ClientMetadata): string | undefined;
  /**
   * The subject of a user for the clients of a sector. It is stable, also after a restart on the same store.
   *
   * @param sub The subject of the user, or another text that identifies the user.
   */
  subjectFor(server: Server, sector: string, sub: string): MaybePromise<string>;
  /**
   * Verifies the sector of a client that registers itself, or changes its registration.
   *
   * @throws {OAuthError} `invalid_client_metadata`.
   */
  verifyRegistration(server: Server, client: RegisteringClient): Promise<void>;
}
