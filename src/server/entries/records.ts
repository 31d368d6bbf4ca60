/** Records of kinds that the core does not have: what stores them declares their types. */

import type { Store } from "../../core/store/store.ts";

/** The store of a server, for records of these kinds. A store accepts any kind, so only the types differ. */
export function storeOf<Kinds extends object>({ store }: { readonly store: Store }): Store<Kinds> {
  return store as Store<Kinds>;
}

/** A client or user that was registered at run time; a guest user if the record expires. */
export interface RegisteredRecord {
  /** The registered entry, but with the digest of a client secret, unless the secret is the key of assertions. */
  readonly entry: Readonly<Record<string, unknown>>;
  /** Distinguishes entries of the same id that were added one after the other. */
  readonly generation?: string;
}

/** A change that no other instance may begin. */
export interface ChangeRecord {
  /** A random name of the repository that makes the change. */
  readonly by: string;
}

export const entryStore = storeOf<{
  /** Clients registered at run time, by issuer and client. */
  client: RegisteredRecord;
  /** Users added at run time, by issuer and subject. */
  user: RegisteredRecord;
  /** Changes of clients and users that have not ended, by a digest of kind, issuer and id. */
  change: ChangeRecord;
}>;
