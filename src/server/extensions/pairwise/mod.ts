/** Pairwise subjects: users have another `sub` for each sector of clients (OpenID Connect Core §8). */

import type { Extension } from "../../hosting/extension.ts";
import { type ClientMetadata, metadataOf } from "../../config/client_metadata.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/configuration_error.ts";
import { isPairwise } from "../../entries/subjects.ts";
import { parseUrl } from "../../config/uri_issues.ts";
import { pairwiseClientFields } from "./settings.ts";

/** Lets clients have `subject_type` `pairwise`. */
export const pairwise: Extension = {
  name: "pairwise",
  settings: { values: { subjectTypes: ["pairwise"] } },
  extend: (server) => ({
    ...server,
    identifiers: {
      async issued(current, client, identifiers) {
        if (!isPairwise(client)) return await server.identifiers.issued(current, client, identifiers);
        // Validation has verified that the client has a sector.
        const sector = sectorHost(metadataOf(client))!;
        return await (await import("./subject.ts")).pairwiseIdentifiers(current, sector, identifiers);
      },
      async find(current, client, demanded) {
        if (!isPairwise(client)) return await server.identifiers.find(current, client, demanded);
        return await (await import("./subject.ts")).findPairwise(current, client, demanded);
      },
    },
  }),
  clientMetadata: { fields: pairwiseClientFields, validate: validateSector },
};

/** The host that is the sector (OpenID Connect Core §8.1); `undefined` if the URIs have several hosts. */
function sectorHost({ sector_identifier_uri, redirect_uris = [] }: ClientMetadata): string | undefined {
  const hosts = new Set(
    (sector_identifier_uri ? [sector_identifier_uri] : redirect_uris).map((uri) => new URL(uri).hostname),
  );
  return hosts.size === 1 ? [...hosts][0] || undefined : undefined;
}

/** All issues of the sector of a client. */
function validateSector(client: ClientMetadata): readonly ConfigIssue[] {
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
    expected: "redirect URIs with one host, because subject_type is pairwise",
    received: "several hosts, or none",
    hint: "Add a sector_identifier_uri whose host is the sector.",
  }];
}
