/** URLs of local hosts in the metadata of clients of unknown standing (SSRF). */

import type { Policy } from "../../core/policy/policy.ts";
import { isLocalHost } from "../../core/http/test_hosts.ts";
import type { Field } from "../../core/policy/field.ts";
import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { serverPolicy } from "./server_policy.ts";
import type { ClientMetadata } from "./client_metadata.ts";

/** Whether the server fetches a URL although its host may not have a public address; see `allowsLocalFetch`. */
export function isLocalUrl(settings: Policy, url: string): boolean {
  const { allows, privateHosts } = serverPolicy(settings);
  const { hostname } = new URL(url);
  return privateHosts.includes(hostname) || isLocalHost(hostname, allows.localUrls);
}

/** The members that the server fetches, calls or loads in a frame, and that have a local URL, as issues. */
export function findLocalUris(metadata: Partial<ClientMetadata>, settings: Policy): ConfigIssue[] {
  return Object.entries<Field>(serverPolicy(settings).clientField.members).flatMap(([path, { isFetched }]) => {
    const uri = metadata[path as keyof ClientMetadata];
    if (!isFetched || typeof uri !== "string" || !URL.canParse(uri) || !isLocalUrl(settings, uri)) return [];
    return [{
      path,
      expected: "a URL of a public host, because the operator does not know the client",
      received: quote(uri),
      hint: "Register from this machine and not from a web page, or configure the client.",
    }];
  });
}
