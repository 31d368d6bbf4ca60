/** Texts of the rules of client ID metadata documents, and of the fetches that clients cause. */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { clientDocumentRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const clientDocumentTexts = {
  "MC-03": {
    fix: "Use an https URL with a path as client_id, written as a browser would show it, and without a fragment.",
  },
  "MC-04": {
    passes: "client_id is the URL of a valid metadata document",
    fix:
      "Publish the metadata at exactly this URL: status 200, application/json, client_id equal to the URL, redirect_uris, and token_endpoint_auth_method none or private_key_jwt.",
  },
  "MC-05": {
    fix: "Publish the document on a host with a public address, or let the operator add its host to privateHosts.",
  },
  "MC-06": {
    fix:
      "Use a redirect URI on the host of the client_id; otherwise the consent page, if the server has one, appears at every login.",
  },
} as const satisfies RuleTexts<typeof clientDocumentRules>;
