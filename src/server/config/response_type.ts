/** What follows from the response type of a request. */

import type { Server } from "../../core/server.ts";
import type { ResponseType } from "./client_metadata.ts";

/** Whether a response of this type has a code. Default: `code`. */
export function hasCode(type: ResponseType | undefined): boolean {
  return type === undefined || type.split(" ").includes("code");
}

/** Whether a scope value can release claims, without an access token too. */
export function releasesClaims({ claims }: Server, value: string): boolean {
  return value === "openid" || claims.claimsByScope.has(value);
}
