/** Rules of dynamic client registration and its management. */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const registrationRules = {
  "DR-01": {
    passes: "the client is registered",
    cites: ["RFC 7591 §3.2.1"],
  },
  "DR-02": {
    fix: "Leave client_id and client_secret out: the server chooses both, and the response contains them.",
    cites: ["RFC 7591 §2"],
  },
  "DR-03": {
    fix: "Send the client metadata as one JSON object, with Content-Type: application/json.",
    cites: ["RFC 7591 §3.1, §3.2.2"],
  },
  "DR-04": {
    passes: "the client metadata is valid and free of conflicts",
    fix: "Correct the named member of the metadata, or leave it out for its default.",
    cites: ["RFC 7591 §2, §2.1, §3.2.1", "OpenID Connect Registration §2"],
  },
  "DR-05": {
    passes: "the client may register",
    fix:
      "Send an initial access token as Authorization: Bearer TOKEN; registration.initialAccessTokens lists the valid tokens. After 429, wait as long as Retry-After says.",
    cites: ["RFC 7591 §3", "OAuth 2.1 §7.9"],
  },
  "DR-06": {
    passes: "the registration access token belongs to this client",
    fix:
      "Send the registration_access_token of the most recent response as Authorization: Bearer TOKEN, to the registration_client_uri of the same response. Each PUT replaces the token. A deleted client must register again.",
    cites: ["RFC 7592 §2, §3"],
  },
  "DR-07": {
    passes: "the request names the client and changes only its metadata",
    fix:
      "Send the whole metadata with client_id, and client_secret only unchanged. Leave out registration_access_token, registration_client_uri, client_secret_expires_at and client_id_issued_at.",
    cites: ["RFC 7592 §2.2"],
  },
  "DR-08": {
    fix:
      "Use an https URL; http works on test hosts. At sector_identifier_uri, publish a JSON array of all redirect URIs where this server can fetch it.",
    cites: ["RFC 7591 §5", "RFC 7592 §2.3", "OpenID Connect Registration §5"],
  },
  "DR-09": {
    passes: "the number of registered clients is within the limit",
    fix:
      "Increase registration.maxClients, or delete clients that are not needed. Register once and store the client_id. A removed client must register again.",
    cites: ["RFC 7591 §5"],
  },
  "DR-10": {
    passes: "a configured issuer signed the software statement",
    fix:
      "Send a signed, current software statement of an issuer in registration.softwareStatementIssuers, or leave it out.",
    cites: ["RFC 7591 §2.3, §3.2.2"],
  },
  "DR-13": {
    fix: "Shorten the metadata, or register with an initial access token, which allows up to 64 kB.",
    cites: ["RFC 7591 §5"],
  },
  "DR-12": {
    fix:
      'Add registration.initialAccessTokens to the settings, or on a test host set registration.mode to "open". Or configure the client, or use a client ID metadata document.',
    cites: [],
  },
} as const satisfies Readonly<Record<string, Rule>>;
