/** What claims are issued for. */

import type { User } from "../../core/clients/client.ts";
import type { Client } from "../../core/clients/repository.ts";

/** @internal The grant that claims are issued for. */
export interface ClaimsContext {
  readonly client: Client;
  /** The user; absent if the client acts on its own behalf. */
  readonly user?: User;
  readonly grant: {
    /** Identifies everything issued for one approval. */
    readonly id: string;
    readonly scope: readonly string[];
    /** The resources of the access token; empty: the server's default audience. */
    readonly resources: readonly string[];
  };
}
