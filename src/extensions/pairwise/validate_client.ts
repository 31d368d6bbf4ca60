/** The sector of a client with pairwise subjects, and what is wrong with it. */

import type { ClientMetadata } from "../../oauth/clients/client.ts";
import { type ConfigIssue, quote } from "../../oauth/config/config_issue.ts";
import { parseUrl } from "../../oauth/keys/validate_public_keys.ts";

/** The host that pairwise subjects are for (OpenID Connect Core §8.1); `undefined` if they have several. */
export function sectorHost({ sector_identifier_uri, redirect_uris = [] }: ClientMetadata): string | undefined {
  const hosts = new Set(
    (sector_identifier_uri ? [sector_identifier_uri] : redirect_uris).map((uri) => new URL(uri).hostname),
  );
  return hosts.size === 1 ? [...hosts][0] || undefined : undefined;
}

/** All issues of the sector of a client. */
export function validateSector(client: ClientMetadata): readonly ConfigIssue[] {
  const uri = client.sector_identifier_uri;
  if (uri !== undefined && (parseUrl(uri) === undefined || !uri.startsWith("https://"))) {
    return [{
      path: "sector_identifier_uri",
      expected: "an https URL",
      received: quote(uri),
      hint: "Write https://host/path.",
    }];
  }
  if (client.subject_type !== "pairwise" || sectorHost(client) !== undefined) return [];
  return [{
    path: "subject_type",
    expected: "redirect URIs that all have one host, because subject_type is pairwise",
    received: "several hosts, or none",
    hint: "Add a sector_identifier_uri whose host is the sector.",
  }];
}
