/** Access besides scope, as login pages and grant types of the whole server handle it. */

import type { Client } from "../../core/clients/repository.ts";
import type { Params } from "../../core/params.ts";
import type { Access, AccessItems, PartServer } from "../../core/request/access.ts";
import type { Server } from "../../core/server.ts";

/** How an extension handles such access. Only functions that return a promise load its code. */
export interface HostedAccess extends Access {
  /** The questions of the consent page, one for each object, in their order. */
  describe(server: PartServer, items: AccessItems): Promise<readonly ConsentItem[]>;
  /**
   * Reads the claim of an assertion that lists the access of the client on this server.
   *
   * @throws {OAuthError} If it is invalid.
   */
  readClaim(server: PartServer, client: Client, claim: unknown): Promise<AccessItems>;
  /**
   * Reads the access that a client requests at another authorization server.
   *
   * @param types The types of objects that the other server supports.
   * @throws {OAuthError} If it is invalid, and the error of `reject` if it has no object of these types.
   */
  readForeign(
    params: Params,
    types: readonly string[],
    reject: (types: readonly string[]) => Error,
  ): Promise<AccessItems>;
}

export interface ConsentItem {
  readonly type: string;
  /** The name of its type; absent: the type itself. */
  readonly title?: string;
  readonly fields: readonly { readonly label: string; readonly values: readonly string[] }[];
}

/** How such access is handled; absent if an extension handles none. An extension has a {@link HostedAccess}. */
export function accessHandler({ requestParts }: Pick<Server, "requestParts">): HostedAccess | undefined {
  return requestParts.access as HostedAccess | undefined;
}
