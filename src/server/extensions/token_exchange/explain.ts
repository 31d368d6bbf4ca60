/** Texts of the rules of token exchange (TX), and of ID-JAGs that it issues (IJ). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { tokenExchangeRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const tokenExchangeTexts = {
  "IJ-01": {
    fix:
      "Send audience once, with the issuer of the resource authorization server, and resource if the server expects it.",
  },
  "IJ-02": {
    fix: "Exchange an ID token or a refresh token of this server.",
  },
  "IJ-03": {
    passes: "subject_token is valid and belongs to the client",
    fix: "Exchange the latest ID token of this client before it expires, or the refresh token of this client.",
  },
  "IJ-04": {
    fix: "Exchange the newest refresh token of the grant, with the client that it was issued to.",
  },
  "IJ-05": {
    passes: "the audience allows scope and resource",
    fix: "Request only access that the entry of the audience in resourceAuthorizationServers allows.",
  },
  "IJ-08": {
    fix: "Add the client to clients in the entry of the audience, with its client_id there.",
  },
  "IJ-09": {
    fix: "Authenticate the client, or set allowPublicClients in the entry of the audience.",
  },
  "IJ-11": {
    fix: "Leave actor_token out.",
  },
  "TX-01": {
    passes: "subject_token is valid and may be exchanged by this client",
    fix:
      "Send as subject_token a valid access token of this client, or for a resource that it serves, with its subject_token_type. An actor_token must be a token of this client.",
  },
  "TX-02": {
    fix: "Request a token type that the settings enable: tokenExchange, resourceAuthorizationServers.",
  },
  "TX-03": {
    passes: "the exchanged token has no more access than subject_token",
    fix: "Request less, or add the resource to this client in tokenExchange.targets.",
  },
  "TX-04": {
    fix:
      "The actor named in may_act must exchange the token. For a token that is bound to a key or certificate, prove that one.",
  },
  "TX-05": {
    fix: "Exchange the access token of the login, or a token that is the result of fewer exchanges.",
  },
} as const satisfies RuleTexts<typeof tokenExchangeRules>;
