/** Which proxies are believed about who sent a request: the setting becomes a test of addresses, or its faults. */

import { addressMatcher } from "../http/client_address.ts";
import type { AddressMatcher } from "../http/client_address.ts";
import { quote } from "../oauth/config/config_issue.ts";
import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import type { Settings } from "../oauth/config/settings.ts";

/** All issues of the setting `trustProxy`. */
export function* validateProxies({ trustProxy = [] }: Settings): Generator<ConfigIssue> {
  for (const [i, name] of trustProxy.entries()) {
    try {
      addressMatcher([name]);
    } catch {
      yield {
        path: `trustProxy[${i}]`,
        expected: "an IP address, or a network",
        received: quote(name),
        hint: "Write it like 10.0.0.7, 10.0.0.0/8 or fd00::/8: a name could lead anywhere.",
      };
    }
  }
}

/** Tells the proxies that are believed; `undefined` where none is. */
export function trustedProxies(trustProxy: readonly string[] = []): AddressMatcher | undefined {
  return trustProxy.length === 0 ? undefined : addressMatcher(trustProxy);
}
