/** The setting `trustProxy`: validates the addresses of trusted proxies, and reads those of clients behind them. */

import { clientAddress } from "../http/client_address.ts";
import type { RequestLike } from "../http/message.ts";
import type { ClientAddress } from "../http/router.ts";
import { quote } from "../oauth/config/config_issue.ts";
import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import type { Settings } from "../oauth/config/settings.ts";
import { addressMatcher } from "../runtime/ip_address.ts";

/** Returns all issues of the setting. */
export function* validateProxies({ trustProxy = [] }: Settings): Generator<ConfigIssue> {
  for (const [i, name] of trustProxy.entries()) {
    try {
      addressMatcher([name]);
    } catch {
      yield {
        path: `trustProxy[${i}]`,
        expected: "an IP address, or a network",
        received: quote(name),
        hint: "Write it like 10.0.0.7, 10.0.0.0/8 or fd00::/8: a name may resolve to any address.",
      };
    }
  }
}

/** Creates the function that reads the address of a client behind the trusted proxies. */
export function addressReader(
  { trustProxy = [], proxyHeader }: Settings,
): (request: RequestLike, connection: ClientAddress) => ClientAddress {
  const trusted = addressMatcher(trustProxy);
  return (request, connection) => clientAddress(request, connection, trusted, proxyHeader);
}
