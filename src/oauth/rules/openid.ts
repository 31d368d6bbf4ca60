/** Rules of OpenID Connect, logout and bearer tokens. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const openidRules = {
  "OI-03": {
    fix: "Without prompt=none the person would be asked; with it, take the error as a no and show a login button.",
    cites: ["OpenID Connect Core §3.1.2.1, §3.1.2.6"],
  },
  "OI-05": {
    passes: "the session can be used: its login is as new as the request asks for, and of whom it asks for",
    fix: "Without prompt=none a new login would follow.",
    cites: ["OpenID Connect Core §3.1.2.1"],
  },
  "OI-06": {
    fix: "Send the sub of a user as login_hint, or leave it out.",
    cites: ["OpenID Connect Core §3.1.2.1"],
  },
  "OI-07": {
    fix: "Send an id token that this server issued to this client, unchanged, or leave id_token_hint out.",
    cites: ["OpenID Connect Core §3.1.2.1, §3.1.2.2"],
  },
  "OI-08": {
    fix:
      `Send claims as JSON such as {"userinfo":{"name":null}}, without an essential acr; where a sub is demanded, log in as that user.`,
    cites: ["OpenID Connect Core §5.5"],
  },
  "OI-09": {
    fix: "Add refresh_token to the client's grant_types, or do not ask for offline_access.",
    cites: ["OpenID Connect Core §11"],
  },
  "LO-01": {
    fix: "Go back, open the logout page anew, and answer its question there.",
    cites: ["OpenID Connect RP-Initiated Logout §2"],
  },
  "LO-02": {
    fix: "Send the id token that this client was given last as id_token_hint, or leave the hint out.",
    cites: ["OpenID Connect RP-Initiated Logout §2"],
  },
  "LO-03": {
    fix: "Register the URI under post_logout_redirect_uris, or send one that is registered, character for character.",
    cites: ["OpenID Connect RP-Initiated Logout §3"],
  },
  "LO-05": {
    fix: "Begin a new login, or ask for offline_access where tokens are to outlive the session.",
    cites: ["OAuth 2.1 §4.3.3"],
  },
  "LO-06": {
    fix: "Begin a new login, or ask for offline_access where tokens are to outlive the session.",
    cites: ["OAuth 2.1 §4.3.1"],
  },
  "CL-17": {
    fix: "Name fewer claims for tokens, and let the client read large ones from userinfo.",
    cites: [],
  },
  "BR-01": {
    fix: "Send the access token in the header: Authorization: Bearer TOKEN.",
    cites: ["OAuth 2.1 §5.1"],
  },
  "BR-02": {
    passes: "the access token is good, is for this server, and has the scope it needs",
    fix: "Send an access token of this server that has not expired, whole, with the scope that is asked for.",
    cites: ["OAuth 2.1 §5.3"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
