/** All issues of the settings `tokenExchange` and `resourceAuthorizationServers`. */

import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import { isAbsoluteUri } from "../../../platform/http/absolute_uri.ts";
import type { TokenExchangePolicy } from "./settings.ts";

/**
 * All issues of settings that match their description.
 *
 * @param issuer The issuer of this server.
 */
export function validateTokenExchange(
  { tokenExchange, resourceAuthorizationServers }: TokenExchangePolicy,
  issuer: string,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const assertUris = (uris: readonly string[], path: string) => {
    for (const [i, uri] of uris.entries()) {
      if (isAbsoluteUri(uri)) continue;
      const expected = "an absolute URI with a host and without a fragment";
      issues.push({ path: `${path}[${i}]`, expected, received: quote(uri), hint: "Write it as https://api.example." });
    }
  };
  for (const [client, uris] of Object.entries(tokenExchange?.targets ?? {})) {
    assertUris(uris, `tokenExchange.targets.${client}`);
  }
  for (const [i, server] of resourceAuthorizationServers.entries()) {
    const path = `resourceAuthorizationServers[${i}]`;
    assertUris(server.resources ?? [], `${path}.resources`);
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
