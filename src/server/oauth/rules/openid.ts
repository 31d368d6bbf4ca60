/** Rules of OpenID Connect, logout and bearer tokens. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const openidRules = {
  "OI-03": {
    fix:
      "With prompt=none, handle this error by showing a login button. Without prompt=none the user can log in or consent; automatic login, too, starts its session only then.",
    cites: ["OpenID Connect Core §3.1.2.1, §3.1.2.6"],
  },
  "OI-04": {
    fix: "Send supported values of prompt, separated by spaces.",
    cites: ["OpenID Connect Core §3.1.2.1"],
  },
  "OI-05": {
    passes: "the session can be used: its user and the age of its login match the request",
    fix:
      "Send max_age as a whole number of seconds. If the login is too old, let the user log in again with a request without prompt=none; an approver must return the time of the new login as authTime.",
    cites: ["OpenID Connect Core §3.1.2.1"],
  },
  "OI-06": {
    fix:
      "Send the sub of a user as login_hint, on test hosts also an e-mail address or a preferred_username, or leave it out. The setting unknownLoginHint decides what other values do.",
    cites: ["OpenID Connect Core §3.1.2.1"],
  },
  "OI-07": {
    fix: "Send an ID token that this server issued to this client, unchanged, or leave id_token_hint out.",
    cites: ["OpenID Connect Core §3.1.2.1, §3.1.2.2"],
  },
  "OI-08": {
    fix:
      `Send claims as JSON such as {"userinfo":{"name":null}}, without an essential acr. If claims requires a sub, log in as that user.`,
    cites: ["OpenID Connect Core §5.5"],
  },
  "OI-09": {
    fix: "Add refresh_token to the client's grant_types, or do not request offline_access.",
    cites: ["OpenID Connect Core §11"],
  },
  "LO-01": {
    fix: "Go back, reload the logout page and confirm there.",
    cites: ["OpenID Connect RP-Initiated Logout §2"],
  },
  "LO-02": {
    fix: "Send the client's most recent ID token as id_token_hint, or leave the hint out.",
    cites: ["OpenID Connect RP-Initiated Logout §2"],
  },
  "LO-03": {
    fix: "Register the URI under post_logout_redirect_uris, or send a registered URI, character for character.",
    cites: ["OpenID Connect RP-Initiated Logout §3"],
  },
  "LO-05": {
    passes: "the session of the grant is active",
    fix: "Start a new login. Request offline_access if tokens must outlive the session.",
    cites: ["OAuth 2.1 §4.3.3"],
  },
  "LO-06": {
    passes: "the user's password is unchanged since the login",
    fix: "Start a new login. Request offline_access if tokens must outlive the session.",
    cites: ["OAuth 2.1 §4.3.1"],
  },
  "CL-17": {
    fix: "Configure fewer claims for tokens. Let the client read large claims from userinfo.",
    cites: [],
  },
  "BR-01": {
    fix: "Send the access token in the header: Authorization: Bearer TOKEN.",
    cites: ["OAuth 2.1 §5.1"],
  },
  "BR-02": {
    passes: "the access token is valid, meant for this server and has the required scope",
    fix: "Send a complete, unexpired access token of this server with the required scope.",
    cites: ["OAuth 2.1 §5.3"],
  },
  "ST-08": {
    fix: "Require a value of acr_values_supported in claims, or request acr without essential.",
    cites: ["OpenID Connect Core §5.5.1.1", "OpenID Connect Unmet Authentication Requirements §2"],
  },
  "ST-12": {
    passes: "acr is a level that the setting acrValues lists for this method of login",
    fix: "Let the approver state an acr that the setting acrValues lists, or none.",
    cites: ["RFC 9068 §2.2.1"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
