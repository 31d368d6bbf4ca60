/** Texts of the rules of dynamic client registration and its management. */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { registrationRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const registrationTexts = {
  "DR-01": { passes: "the client is registered" },
  "DR-02": {
    fix: "Leave client_id and client_secret out: the server chooses both, and the response contains them.",
  },
  "DR-03": {
    fix: "Send the client metadata as one JSON object, with Content-Type: application/json.",
  },
  "DR-04": {
    passes: "the client metadata is valid and free of conflicts",
    fix: "Correct the named member of the metadata, or leave it out for its default.",
  },
  "DR-05": {
    passes: "the client may register",
    fix:
      "Send an initial access token as Authorization: Bearer TOKEN; registration.initialAccessTokens lists the valid tokens. After 429, wait as long as Retry-After says.",
  },
  "DR-06": {
    passes: "the registration access token belongs to this client",
    fix:
      "Send the registration_access_token of the most recent response as Authorization: Bearer TOKEN, to the registration_client_uri of the same response. Each PUT replaces the token. A deleted client must register again.",
  },
  "DR-07": {
    passes: "the request names the client and changes only its metadata",
    fix:
      "Send the whole metadata with client_id, and client_secret only unchanged. Leave out registration_access_token, registration_client_uri, client_secret_expires_at and client_id_issued_at.",
  },
  "DR-08": {
    fix:
      "Use an https URL; http works on test hosts. At sector_identifier_uri, publish a JSON array of all redirect URIs where this server can fetch it.",
  },
  "DR-09": {
    passes: "the number of registered clients is within the limit",
    fix:
      "Increase registration.maxClients, or delete clients that are not needed. Register once and store the client_id. A removed client must register again.",
  },
  "DR-10": {
    passes: "a configured issuer signed the software statement",
    fix:
      "Send a signed, current software statement of an issuer in registration.softwareStatementIssuers, or leave it out.",
  },
  "DR-13": {
    fix: "Shorten the metadata, or register with an initial access token, which allows up to 64 kB.",
  },
  "DR-12": {
    fix:
      'Add registration.initialAccessTokens to the settings, or on a test host set registration.mode to "open". Or configure the client, or use a client ID metadata document.',
  },
} as const satisfies RuleTexts<typeof registrationRules>;
