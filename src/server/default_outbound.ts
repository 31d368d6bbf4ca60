/** The default of the option `outbound`: fetches documents that clients and settings refer to. */

import { allowsLocalFetch, type Outbound } from "../oauth/outbound.ts";

/** Creates the fetch; the first call loads its module. `server` returns what decides about hosts that are not public. */
export function defaultOutbound(
  server: () => { readonly issuer: string; readonly privateHosts: readonly string[] },
): Outbound {
  return async (url, init) => {
    const { safeFetch } = await import("../runtime/safe_fetch.ts");
    return await safeFetch({ allows: (host, kind) => allowsLocalFetch(server(), host, kind) })(url, init);
  };
}
