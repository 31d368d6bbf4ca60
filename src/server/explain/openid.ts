/** Texts of the rules of OpenID Connect, login, logout and bearer tokens. */

import type { openidRules, WrongHint } from "../../core/rules/openid.ts";
import type { UnregisteredUri } from "../../core/rules/authorize.ts";
import type { loginRules } from "../rules/login.ts";
import type { logoutRules, UnidentifiedClient } from "../rules/logout.ts";
import type { HostedServer } from "../hosted_server.ts";
import { byProfile } from "../config/server_policy.ts";
import { acceptedTexts } from "./accepted_texts.ts";
import { explainClaims, explainLogin, explainSilentLogin, explainUnknownUser } from "./login.ts";
import { explainRepeated, explainUnregistrable, listUris } from "./parameters.ts";
import { explainMissingToken } from "./missing_token.ts";
import { unexchangedCodeFix } from "./notes.ts";
import type { RejectionTexts, RuleTexts } from "./rule_text.ts";

function describeHint({ hintedClient }: WrongHint): string {
  return hintedClient === undefined ? "a token that cannot be verified" : `a token for ${hintedClient}`;
}

function explainLogoutUri(facts: UnregisteredUri | UnidentifiedClient, server: HostedServer): RejectionTexts {
  if ("unknownId" in facts) {
    return {
      expected: "id_token_hint or client_id, which identifies the client",
      received: facts.unknownId ?? "neither",
      fix:
        "Send the id_token_hint of the login, or the client_id of a registered client, with post_logout_redirect_uri.",
    };
  }
  return explainUnregistrable("post_logout_redirect_uri", facts, server) ?? {
    expected: listUris(facts.registered, "registered URI"),
    publicExpected: "a post-logout redirect URI of this client; the server's log lists them",
    received: facts.uri,
    change: { client_id: facts.clientId, isNew: false, post_logout_redirect_uri: facts.uri },
  };
}

/** By ID, in the order of `tests/rules.md`. */
export const openidTexts = {
  "RU-16": acceptedTexts["RU-16"],
  "CI-12": {
    fix: unexchangedCodeFix,
  },
  "OI-03": {
    fix:
      "With prompt=none, handle this error by showing a login button. Without prompt=none the user can log in or consent; automatic login, too, starts its session only then.",
    explain: explainSilentLogin,
  },
  "OI-04": {
    fix: "Send supported values of prompt, separated by spaces.",
  },
  "OI-05": {
    passes: "the session can be used: its user and the age of its login match the request",
    fix:
      "Send max_age as a whole number of seconds. If the login is too old, let the user log in again with a request without prompt=none; an approver must return the time of the new login as authTime.",
    explain: explainLogin,
  },
  "OI-06": {
    ...acceptedTexts["OI-06"],
    explain: explainUnknownUser,
  },
  "OI-07": {
    fix: "Send an ID token that this server issued to this client, unchanged, or leave id_token_hint out.",
    explain: ({ clientId, ...hint }) => ({
      expected: `an ID token of this issuer for ${clientId}, expired or not`,
      received: describeHint(hint),
    }),
  },
  "OI-08": {
    fix:
      'Send claims as JSON such as {"userinfo":{"name":null}}, without an essential acr. If claims requires a sub, log in as that user.',
    explain: explainClaims,
  },
  "OI-09": acceptedTexts["OI-09"],
  "LO-01": {
    fix: "Go back, reload the logout page and confirm there.",
    explain: () => ({ expected: "the confirmation of the logout page", received: "another confirmation" }),
  },
  "LO-02": {
    fix: "Send the client's most recent ID token as id_token_hint, or leave the hint out.",
    explain: (facts) =>
      "repeated" in facts ? explainRepeated(facts) : {
        expected: "an ID token of this issuer for this client, expired or not",
        received: describeHint(facts),
      },
  },
  "LO-03": {
    ...acceptedTexts["LO-03"],
    explain: explainLogoutUri,
  },
  "LO-05": {
    passes: "the session of the grant is active",
    fix: "Start a new login. Request offline_access if tokens must outlive the session.",
    explain: () => ({
      reason: "the session it belongs to has ended",
      expected: "an active session, or offline_access",
    }),
  },
  "LO-06": {
    passes: "the user's password is unchanged since the login",
    fix: "Start a new login. Request offline_access if tokens must outlive the session.",
    explain: () => ({
      reason: "the user's password was changed after the login",
      expected: "an active session, or offline_access",
    }),
  },
  "CL-17": acceptedTexts["CL-17"],
  "BR-01": {
    fix: "Send the access token in the header: Authorization: Bearer TOKEN.",
    setting: (facts) => "policy" in facts ? "accessTokenInForm" : undefined,
    explain: (facts) =>
      "repeated" in facts ? explainRepeated(facts) : "place" in facts
        ? {
          expected: facts.isAccepted
            ? "the Authorization header or the form, not both"
            : "the Authorization header only",
          received: `the header and the ${facts.place}`,
        }
        : {
          reason: `this server accepts no access token in a form${byProfile(facts.policy, "accessTokenInForm")}`,
          expected: "Authorization: Bearer TOKEN",
          received: "access_token in the form",
        },
  },
  "BR-02": {
    passes: "the access token is valid, meant for this server and has the required scope",
    fix: "Send a complete, unexpired access token of this server with the required scope.",
    async explain(facts, server) {
      if ("header" in facts) return explainMissingToken(facts);
      // It loads jose, which most errors do not need.
      if ("token" in facts) return await (await import("./access_token.ts")).explainAccessToken(facts, server);
      if ("isBound" in facts) return { expected: "a token without cnf", received: "a token with cnf" };
      const { scope, granted } = facts;
      return {
        expected: scope,
        received: granted ?? "no scope",
        fix: `Request ${scope} in the scope of the authorization request; a token of a new login then has it.`,
      };
    },
  },
} as const satisfies RuleTexts<typeof openidRules & typeof loginRules & typeof logoutRules>;
