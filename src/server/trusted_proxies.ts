/** Which proxies are believed about who sent a request: the setting becomes a test of addresses, or its faults. */

import { addressSet, proxyHeaders } from "../http/client_address.ts";
import type { AddressSet } from "../http/client_address.ts";
import { quote } from "../oauth/config/config_issue.ts";
import type { Fault } from "../oauth/config/config_issue.ts";
import type { Settings } from "../oauth/config/settings.ts";

/** Every fault in the settings about proxies. */
export function* proxyFaults({ trustProxy = [], proxyHeader }: Settings): Generator<Fault> {
  for (const [i, name] of trustProxy.entries()) {
    try {
      addressSet([name]);
    } catch {
      yield {
        place: `trustProxy[${i}]`,
        expected: "an IP address, or a network",
        found: quote(name),
        mend: "Write it like 10.0.0.7, 10.0.0.0/8 or fd00::/8: a name could lead anywhere.",
      };
    }
  }
  if (proxyHeader === undefined || proxyHeaders.includes(proxyHeader)) return;
  yield {
    place: "proxyHeader",
    expected: proxyHeaders.map((header) => JSON.stringify(header)).join(" or "),
    found: typeof proxyHeader === "string" ? quote(proxyHeader) : typeof proxyHeader,
    mend: "Name the header that your proxy sets.",
  };
}

/** Tells the proxies that are believed; `undefined` where none is. */
export function trustedProxies(trustProxy: readonly string[] = []): AddressSet | undefined {
  return trustProxy.length === 0 ? undefined : addressSet(trustProxy);
}
