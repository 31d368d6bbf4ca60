/** Rules of client ID metadata documents, and of the fetches that clients cause. */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const clientDocumentRules = {
  "MC-03": {
    fix: "Use an https URL with a path as client_id, written as a browser would show it, and without a fragment.",
    cites: ["Client ID Metadata Document §3, §6"],
  },
  "MC-04": {
    passes: "client_id is the URL of a valid metadata document",
    fix: "Publish the metadata at exactly this URL: status 200, application/json, client_id equal to the URL, " +
      "redirect_uris, and token_endpoint_auth_method none or private_key_jwt.",
    cites: ["Client ID Metadata Document §4, §5.1, §5.2"],
  },
  "MC-05": {
    fix: "Publish the document on a host with a public address, or let the operator add its host to privateHosts.",
    cites: ["Client ID Metadata Document §8.6, §8.7"],
  },
  "MC-06": {
    fix: "Use a redirect URI on the host of the client_id; otherwise the consent page, if the server has one, " +
      "appears at every login.",
    cites: ["Client ID Metadata Document §4.2, §8.5"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
