/** Validates the issuer and the other URLs of a server. */

import { validateIssuer as validateNormalForm } from "../../core/options/validate_policy.ts";
import { isLocalHost, isTestHost, testHosts } from "../../core/http/test_hosts.ts";
import { isPrivateHost, privateHostKinds } from "./host_kinds.ts";
import { suggest } from "../../core/policy/suggest.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { fromHost } from "./server_names.ts";
import type { PolicyAtStart } from "./extension_settings.ts";
import type { Settings } from "./settings.ts";

/** The issues of an issuer that is not a URL in its normal form. */
export function validateIssuer({ issuer }: PolicyAtStart): ConfigIssue[] {
  const issues = validateNormalForm(issuer, quote);
  const isFromHost = !URL.canParse(issuer) && suggest(issuer, [fromHost]) !== undefined;
  return isFromHost ? issues.map((issue) => ({ ...issue, hint: `Did you mean ${fromHost}?` })) : issues;
}

/** The issue of an `http` issuer on a real host. */
export function validateIssuerScheme({ issuer, insecure, allows }: PolicyAtStart): ConfigIssue[] {
  if (!/^http:\/\/[^/]/.test(issuer) || insecure.includes("http-issuer") || allows.openLogin || !URL.canParse(issuer)) {
    return [];
  }
  return [{
    path: "issuer",
    expected: `https, a host that issuerHosts names, or a test host (${testHosts})`,
    received: quote(issuer),
    hint: 'Use https or a test host. For a test without TLS, add "http-issuer" to insecure in the configuration file.',
  }];
}

/** The sentence that makes a host a test host, if {@link isPrivateHost}. */
export function nameInIssuerHosts(hostname: string): string {
  return `If ${hostname} is for tests only, name it in the setting issuerHosts: ["${hostname}"], as a flag ` +
    `--issuer-hosts ${hostname}, as a variable LATCHKEY_ISSUER_HOSTS=${hostname}.`;
}

/**
 * Puts before the hint of the first issue of a real host that `issuerHosts` would make it a test host, where none of
 * the issues exists. With an issue of the scheme, which shows a test, it is the only one.
 */
export function withIssuerHostsHint(issues: readonly ConfigIssue[], { issuer }: PolicyAtStart): ConfigIssue[] {
  const { protocol, hostname } = URL.canParse(issuer) ? new URL(issuer) : { protocol: "", hostname: "" };
  const [first, ...others] = issues;
  if (first === undefined || !isPrivateHost(hostname)) return [...issues];
  const hint = `${nameInIssuerHosts(hostname)} It is then a test host, where login, tools and demo clients are open ` +
    `to every machine that reaches it. Otherwise: ${first.hint}`;
  return [{ ...first, hint }, ...first.path === "issuer" && protocol === "http:" ? [] : others];
}

/** The issues of `issuerHosts`, `frontChannelUrl` and `backChannelUrl`. */
export function validateIssuerUrls(settings: Settings, policy: PolicyAtStart): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const { issuer, insecure } = policy;
  const isFromHost = settings.issuer === fromHost;
  const isTest = policy.allows.openLogin;
  const ownHosts = [issuer, settings.frontChannelUrl, settings.backChannelUrl].flatMap((url) =>
    url !== undefined && URL.canParse(url) ? [new URL(url).hostname] : []
  );
  for (const [i, host] of (settings.issuerHosts ?? []).entries()) {
    const isOwn = isFromHost || ownHosts.includes(host);
    if (isOwn && (isTestHost(host) || isPrivateHost(host))) continue;
    issues.push({
      path: `issuerHosts[${i}]`,
      expected: isOwn
        ? `a test host (${testHosts}), ${privateHostKinds}`
        : `issuer: "${fromHost}", or a host of issuer, frontChannelUrl or backChannelUrl`,
      received: quote(host),
      hint: isOwn
        ? "This name is public: use the name of a test host, or remove it and configure a real host."
        : "Remove it, or change issuer.",
    });
  }
  for (const path of ["frontChannelUrl", "backChannelUrl"] as const) {
    const url = settings[path];
    if (url === undefined) continue;
    const issue = (expected: string, hint: string) => issues.push({ path, expected, received: quote(url), hint });
    if (!URL.canParse(url) || new URL(url).origin !== url) {
      issue("an origin in its normal form", "Write it as http://localhost:9000.");
    } else if (isFromHost) {
      issue("nothing, because each request has its own issuer", "Remove it, or name one issuer.");
    } else if (
      isTest !== isTestHost(new URL(url).hostname) && !isLocalHost(new URL(url).hostname, policy.allows.localUrls)
    ) {
      issue(
        `${isTest ? "a" : "no"} test host, because the issuer is ${isTest ? "on one" : "on a real host"}`,
        "Choose test hosts for both, or real hosts for both.",
      );
    } else if (!isTest && url.startsWith("http:") && !insecure.includes("http-issuer")) {
      issue("https", 'Use https. For a test without TLS, add "http-issuer" to insecure in the configuration file.');
    }
  }
  return issues;
}
