/** Rules of token exchange (TX), and of ID-JAGs that it issues (IJ). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const tokenExchangeRules = {
  "IJ-01": {
    fix:
      "Send audience once, with the issuer of the resource authorization server, and resource if the server expects it.",
    cites: [],
  },
  "IJ-02": {
    fix: "Exchange an ID token or a refresh token of this server.",
    cites: [],
  },
  "IJ-03": {
    passes: "subject_token is valid and belongs to the client",
    fix: "Exchange the latest ID token of this client before it expires, or the refresh token of this client.",
    cites: [],
  },
  "IJ-04": {
    fix: "Exchange the newest refresh token of the grant, with the client that it was issued to.",
    cites: [],
  },
  "IJ-05": {
    passes: "the audience allows scope and resource",
    fix: "Request only access that the entry of the audience in resourceAuthorizationServers allows.",
    cites: [],
  },
  "IJ-08": {
    fix: "Add the client to clients in the entry of the audience, with its client_id there.",
    cites: [],
  },
  "IJ-09": {
    fix: "Authenticate the client, or set allowPublicClients in the entry of the audience.",
    cites: [],
  },
  "IJ-11": {
    fix: "Leave actor_token out.",
    cites: ["RFC 8693 §2.1"],
  },
  "TX-01": {
    passes: "subject_token is valid and may be exchanged by this client",
    fix:
      "Send as subject_token a valid access token of this client, or for a resource that it serves, with its subject_token_type. An actor_token must be a token of this client.",
    cites: ["RFC 8693 §2.1, §2.2.2"],
  },
  "TX-02": {
    fix: "Request a token type that the settings enable: tokenExchange, resourceAuthorizationServers.",
    cites: ["RFC 8693 §2.2.1"],
  },
  "TX-03": {
    passes: "the exchanged token has no more access than subject_token",
    fix: "Request less, or add the resource to this client in tokenExchange.targets.",
    cites: ["RFC 8693 §2.2.2, §5"],
  },
  "TX-04": {
    fix:
      "The actor named in may_act must exchange the token. For a token that is bound to a key or certificate, prove that one.",
    cites: ["RFC 8693 §4.1, §4.4"],
  },
  "TX-05": {
    fix: "Exchange the access token of the login, or a token that is the result of fewer exchanges.",
    cites: ["RFC 9700 §2.2.2"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
