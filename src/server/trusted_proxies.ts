/** The setting `trustProxy`: validates and parses the addresses of trusted proxies. */

import { quote } from "../oauth/config/config_issue.ts";
import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import type { Settings } from "../oauth/config/settings.ts";
import { type AddressMatcher, addressMatcher } from "../runtime/ip_address.ts";

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

/** Creates the matcher of the trusted proxies; `undefined` if the list is empty. */
export function trustedProxies(trustProxy: readonly string[] = []): AddressMatcher | undefined {
  return trustProxy.length === 0 ? undefined : addressMatcher(trustProxy);
}
