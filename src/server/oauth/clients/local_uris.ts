/** URLs of local hosts in the metadata of clients of unknown standing (SSRF). */

import type { Allowances } from "../../config/allowances.ts";
import { isTestHost } from "../test_hosts.ts";
import { type ConfigIssue, quote } from "../../config/config_issue.ts";
import type { ClientMetadata } from "./client.ts";

/** The settings that decide whether a URL is local. */
interface FetchSettings {
  readonly allows: Allowances;
  readonly privateHosts: readonly string[];
}

/** The members whose URL the server fetches or calls, or loads in a frame of its logout page. */
const fetchedMembers = [
  ...["jwks_uri", "sector_identifier_uri", "backchannel_logout_uri", "frontchannel_logout_uri"] as const,
];

/** Whether the server fetches a URL although its host may not have a public address; see `allowsLocalFetch`. */
export function isLocalUrl({ allows, privateHosts }: FetchSettings, url: string): boolean {
  const { hostname } = new URL(url);
  return privateHosts.includes(hostname) || (isTestHost(hostname) && allows.localUrls);
}

/** The members with a local URL, as issues. */
export function findLocalUris(metadata: Partial<ClientMetadata>, settings: FetchSettings): ConfigIssue[] {
  return fetchedMembers.flatMap((path) => {
    const uri = metadata[path];
    if (uri === undefined || !URL.canParse(uri) || !isLocalUrl(settings, uri)) return [];
    return [{
      path,
      expected: "a URL of a public host, because the operator does not know the client",
      received: quote(uri),
      hint: "Register from this machine and not from a web page, or configure the client.",
    }];
  });
}
