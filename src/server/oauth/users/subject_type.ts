/**
 * Subject types: the kind of subjects that a client gets (OpenID Connect Core §8). Every server has the type `public`.
 */

import type { ClientMetadata } from "../clients/client.ts";
import type { MaybePromise } from "../../../platform/maybe_promise.ts";

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
}
