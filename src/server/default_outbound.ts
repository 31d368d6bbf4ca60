/** The default of the option `outbound`: fetches documents that clients and settings refer to. */

import type { Outbound } from "../oauth/outbound.ts";

/**
 * Creates the fetch; the first call loads its modules. `server` returns what decides about hosts that are not public.
 */
export function defaultOutbound(
  server: () => { readonly issuer: string; readonly privateHosts: readonly string[] },
): Outbound {
  return async (url, init) => {
    const [{ safeFetch }, { allowsLocalFetch }] = await Promise.all([
      import("../runtime/safe_fetch.ts"),
      import("../oauth/outbound.ts"),
    ]);
    return await safeFetch({ allows: (host, kind) => allowsLocalFetch(server(), host, kind) })(url, init);
  };
}
