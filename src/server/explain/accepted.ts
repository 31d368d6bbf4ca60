/** What let a request pass that a strict server rejects, for warnings. */

import type { AnyName } from "../config/server_policy.ts";
import type { HostedServer } from "../hosted_server.ts";

/** The texts of a warning about a request that was accepted only because a setting is `"any"`. */
export function acceptedByAny<T extends { readonly reason: string }>(setting: AnyName, texts: T): T {
  return { ...texts, reason: `${texts.reason}; it was accepted, because ${setting} is "any"` };
}

/** Names what lets a request without a safe code challenge pass. */
export function letsPass({ policy: { providers } }: HostedServer, setting: string): string {
  return `${providers.join(", ") || `pkce.${setting}`} lets this pass; OAuth 2.1 does not`;
}
