/** Validates `issuerHosts`, `frontChannelUrl` and `backChannelUrl`. */

import { isTestHost, testHosts } from "../test_hosts.ts";
import { type ConfigIssue, quote } from "./config_issue.ts";
import { fromHost } from "./issuer_urls.ts";
import type { ResolvedSettings } from "./resolve_settings.ts";
import type { Settings } from "./settings.ts";

/** The issues of these settings. */
export function validateIssuerUrls(settings: Settings, resolved: ResolvedSettings): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const { issuer, insecureAllowHttpIssuer } = resolved;
  const isFromHost = settings.issuer === fromHost;
  const isTest = URL.canParse(issuer) && isTestHost(new URL(issuer).hostname);
  for (const [i, host] of (settings.issuerHosts ?? []).entries()) {
    if (isFromHost && isTestHost(host)) continue;
    issues.push({
      path: `issuerHosts[${i}]`,
      expected: isFromHost ? `a test host: ${testHosts}` : `issuer: "${fromHost}", which reads it`,
      received: isFromHost ? quote(host) : "another issuer",
      hint: isFromHost ? "Name the host of the URL by which clients reach the server." : "Remove it, or change issuer.",
    });
  }
  for (const path of ["frontChannelUrl", "backChannelUrl"] as const) {
    const url = settings[path];
    if (url === undefined) continue;
    const issue = (expected: string, hint: string) => issues.push({ path, expected, received: quote(url), hint });
    if (!URL.canParse(url) || new URL(url).origin !== url) {
      issue("an origin in its normal form", "Write it as http://localhost:9000.");
    } else if (isFromHost) {
      issue("nothing, because each request has an issuer of its own", "Remove it, or name one issuer.");
    } else if (isTest !== isTestHost(new URL(url).hostname)) {
      issue(
        `${isTest ? "a" : "no"} test host, because the issuer is ${isTest ? "on one" : "on a real host"}`,
        "Choose test hosts for both, or real hosts for both.",
      );
    } else if (!isTest && url.startsWith("http:") && !insecureAllowHttpIssuer) {
      issue("https", "Use https, or set insecureAllowHttpIssuer in the configuration file for a test that cannot.");
    }
  }
  return issues;
}
