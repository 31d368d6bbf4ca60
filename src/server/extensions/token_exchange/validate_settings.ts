/** All issues of the setting `resourceAuthorizationServers`. */

import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import { isAbsoluteUri } from "../../../platform/http/absolute_uri.ts";
import type { TokenExchangePolicy } from "./settings.ts";

/**
 * All issues of a setting that matches its description.
 *
 * @param issuer The issuer of this server.
 */
export function validateResourceAuthorizationServers(
  { resourceAuthorizationServers }: Pick<TokenExchangePolicy, "resourceAuthorizationServers">,
  issuer: string,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  for (const [i, server] of resourceAuthorizationServers.entries()) {
    const path = `resourceAuthorizationServers[${i}]`;
    for (const [at, uri] of (server.resources ?? []).entries()) {
      if (isAbsoluteUri(uri)) continue;
      const expected = "an absolute URI without a fragment";
      issues.push({
        ...{ path: `${path}.resources[${at}]`, expected, received: quote(uri) },
        hint: "Write it as https://api.example.",
      });
    }
    if (!URL.canParse(server.issuer) || !/^https?:$/.test(new URL(server.issuer).protocol)) {
      const hint = "Write the issuer as its metadata spells it.";
      issues.push({ path: `${path}.issuer`, expected: "an absolute https URL", received: quote(server.issuer), hint });
    }
    const isRepeated = resourceAuthorizationServers.findIndex((other) => other.issuer === server.issuer) < i;
    if (!isRepeated && server.issuer !== issuer) continue;
    issues.push({
      path: `${path}.issuer`,
      expected: isRepeated ? "each issuer once" : "another issuer than this server",
      received: isRepeated ? `${quote(server.issuer)} again` : quote(server.issuer),
      hint: isRepeated
        ? "Remove one of the two."
        : "Remove it: this server accepts no assertions that it issued itself.",
    });
  }
  return issues;
}
