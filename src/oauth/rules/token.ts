/** Rules of the token endpoint: client authentication, grant types, codes, refresh tokens, resources. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const tokenRules = {
  "TK-02": {
    fix: "Send the parameters as a form: Content-Type: application/x-www-form-urlencoded.",
    cites: ["OAuth 2.1 §3.2.2, App. B"],
  },
  "TK-03": {
    fix: "Send codes and credentials in the body, never in the address.",
    cites: ["OAuth 2.1 §2.4.1, §3.2.2"],
  },
  "TK-04": {
    fix: "Send each parameter once.",
    cites: ["OAuth 2.1 §3.2", "RFC 8707 §2"],
  },
  "TK-05": {
    fix: "Send grant_type with one of the values that the metadata lists under grant_types_supported.",
    cites: ["OAuth 2.1 §3.2.4", "RFC 9700 §2.4"],
  },
  "TK-06": {
    passes: "grant_type is one that the client is registered for",
    fix: "Add the grant to the client's grant_types.",
    cites: ["OAuth 2.1 §3.2.4"],
  },
  "TK-08": {
    fix: "Send the client_id of the client that authenticates, or leave it out.",
    cites: ["OAuth 2.1 §3.2.2"],
  },
  "TK-14": {
    fix: "Send redirect_uri with the code, the same one as in the authorization request.",
    cites: [],
  },
  "TK-15": {
    passes: "redirect_uri is the one of the authorization request",
    fix: "Send the very redirect_uri of the authorization request, character for character: take both from one place.",
    cites: ["OAuth 2.1 §10.2", "RFC 6749 §4.1.3"],
  },
  "TK-16": {
    passes: "the code is one that this server issued",
    fix:
      "Send the code of the callback as it came. Codes of another server, or from before a restart, are not known here.",
    cites: ["OAuth 2.1 §3.2.4"],
  },
  "CA-04": {
    fix: "Send Basic, and behind it BASE64(client_id:client_secret), both halves form-encoded first.",
    cites: ["OAuth 2.1 §3.2.4"],
  },
  "CA-07": {
    passes: "the client has said who it is, by a method that it may use",
    fix:
      "Compare client_id, secret and method with what is registered: Basic, a body field and a signed assertion are three methods. A client with a secret that names no token_endpoint_auth_method may use Basic or the body field.",
    cites: ["OAuth 2.1 §2.4.1"],
  },
  "CA-09": {
    fix: "Keep one way of authentication: the registered one, or any one of the two where none is registered.",
    cites: ["OAuth 2.1 §2.4, §3.2.4"],
  },
  "CA-12": {
    fix: "Wait as long as Retry-After says, and mend the secret meanwhile.",
    cites: ["OAuth 2.1 §2.4.1"],
  },
  "CA-16": {
    fix: "Add token_endpoint_auth_method to the client's metadata: that method alone is accepted then.",
    cites: ["OAuth 2.1 §2.4.1"],
  },
  "JC-05": {
    fix: "Write the issuer into the aud of the assertion, as RFC 7523bis asks.",
    cites: ["OAuth 2.1 §2.4", "RFC 7523bis"],
  },
  "CI-02": {
    passes: "the code has not expired",
    fix: "Redeem the code as soon as it comes; lifetimes.code says how long it lives.",
    cites: ["OAuth 2.1 §4.1.2"],
  },
  "CI-05": {
    passes: "the code was issued to the client that sends it",
    fix: "Redeem the code with the client that asked for it.",
    cites: ["OAuth 2.1 §4.1.3, §7.5.2"],
  },
  "CI-06": {
    passes: "the code was not redeemed before, and never will be again",
    fix:
      "Redeem each code once: look for a callback that runs twice, such as an effect, a retry or a reload. All that the first use bought has ended, so begin a new login.",
    cites: ["OAuth 2.1 §4.1.3, §7.5.2"],
  },
  "CI-11": {
    fix: "Begin a new login.",
    cites: ["OAuth 2.1 §4.1.3"],
  },
  "RT-02": {
    passes: "the refresh token was issued to the client that sends it",
    fix: "Use the refresh token with the client that it was issued to.",
    cites: ["OAuth 2.1 §3.2.3, §4.3"],
  },
  "RT-04": {
    passes: "the refresh token was not used before; another one takes its place",
    fix:
      "Keep the refresh token of each answer in place of the one before, and let one request at a time refresh. Begin a new login; refresh.grace would forgive a lost answer.",
    cites: ["OAuth 2.1 §4.3.1", "RFC 9700 §4.14.2"],
  },
  "RT-06": {
    passes: "scope asks for no more than was granted",
    fix: "Ask for what was granted or less, or leave scope out.",
    cites: ["OAuth 2.1 §4.3.1, §4.3.3"],
  },
  "RT-07": {
    passes: "its grant goes on, and it has not lain idle too long",
    fix: "Begin a new login. Tokens from before a restart are known only to a store that outlives it.",
    cites: ["OAuth 2.1 §4.3.1, §4.3.3"],
  },
  "RT-09": {
    fix: "Register for the client what it was granted, or begin a new login that asks for what is registered now.",
    cites: ["OAuth 2.1 §4.3.1", "RFC 6749 §6"],
  },
  "CC-01": {
    fix: "Use a client with a secret or a key, and client_credentials among its grant_types.",
    cites: ["OAuth 2.1 §4.2"],
  },
  "CC-02": {
    fix: "Leave openid and the scopes about a person out: nobody has logged in.",
    cites: ["RFC 6749 §4.4.3", "OpenID Connect Core"],
  },
  "CC-03": {
    fix: "Send an access token of a user's login: one of client_credentials acts for no user.",
    cites: ["RFC 9700 §4.15", "OAuth 2.1 §7.4"],
  },
  "RI-01": {
    fix: "Send an absolute URI that this server issues tokens for, without a fragment.",
    cites: ["RFC 8707 §2"],
  },
  "RI-03": {
    fix: "Name only resources of the authorization request, or none.",
    cites: ["RFC 8707 §2.2"],
  },
  "RI-05": {
    fix: "Begin a new login that asks for a resource of now, or register the one that was granted.",
    cites: ["RFC 8707 §2"],
  },
  "RV-01": {
    fix: "Send the token in the form field token.",
    cites: ["RFC 7009 §2.1"],
  },
  "IN-01": {
    fix: "Send the token in the form field token.",
    cites: ["RFC 7662 §2.1"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
