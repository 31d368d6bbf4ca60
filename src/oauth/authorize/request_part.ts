/** What parts of a request for access consist of. Their types are in `server.ts`, their list in `request_parts.ts`. */

import type { FurtherAccess } from "../../store/store.ts";

/**
 * Where a request for access is read: the authorization endpoint, the endpoint for pushed requests (RFC 9126), or that for
 * devices (RFC 8628).
 */
export type EntryPoint = "authorize" | "par" | "device";

/** The objects that a request asks for, or that are granted. */
export type AccessItems = NonNullable<FurtherAccess[keyof FurtherAccess]>;

/** An object on the consent page. */
export interface ConsentItem {
  /** Its type. */
  readonly type: string;
  /** The name of its type; absent: the type itself. */
  readonly title?: string;
  /** Its fields. */
  readonly fields: readonly { readonly label: string; readonly values: readonly string[] }[];
}
