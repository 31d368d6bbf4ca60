/** Texts of the rules of the token endpoint: client authentication, grant types, codes, refresh tokens. */

import { removedClient } from "../clients/client_texts.ts";
import { controlUrl } from "./control.ts";
import { splitScope } from "../../core/http/params.ts";
import { requirementOf } from "../config/standing.ts";
import { asServerPolicy } from "../config/server_policy.ts";
import { settingOfGrantType } from "../config/validate_client.ts";
import { separatorFix } from "../../core/policy/separators.ts";
import type { Expired, tokenRules } from "../../core/rules/token.ts";
import { acceptedTexts } from "./accepted_texts.ts";
import { explainRepeated } from "./parameters.ts";
import { explainFailedAuthentication } from "./client_authentication.ts";
import { explainRevocation } from "./revocation.ts";
import type { RejectionTexts, RuleTexts } from "./rule_text.ts";
import { explainResource } from "./resource_indicators.ts";
import { suggestScope } from "./scope.ts";

/** By ID, in the order of `tests/rules.md`. */
export const tokenTexts = {
  "TK-02": {
    fix: "Send the parameters as a form: Content-Type: application/x-www-form-urlencoded.",
  },
  "TK-03": {
    fix: "Send codes and credentials in the body, never in the URL.",
  },
  "TK-04": {
    fix: "Send each parameter once.",
    explain: explainRepeated,
  },
  "TK-05": {
    fix:
      "Send grant_type with one of the values that the metadata lists under grant_types_supported. OAuth 2.1 has no password grant: log users in by authorization_code with PKCE.",
    explain({ grantTypes, sent }, server) {
      const { policy } = server;
      const setting = sent === undefined ? undefined : settingOfGrantType(asServerPolicy(policy), sent);
      return {
        expected: grantTypes.join(" or "),
        received: sent ?? "no grant_type",
        fix: setting && `Add the setting ${setting}, which enables this grant type, or send one of the expected ones.`,
        // A provider's own grant type is a URI (RFC 6749 §4.5): a login without the pages, by a password or a second factor.
        ...setting === undefined && /password|:/.test(sent ?? "") && policy.allows.openTools && {
          fix:
            `${
              /password/.test(sent!) ? "OAuth 2.1 has no password grant" : "This server does not have this grant type"
            }: log users in by authorization_code with PKCE. A test gets a token without a login from a server with ` +
            `--control on: curl --json '{}' ${controlUrl(server, "mint/accessToken")}`,
        },
      };
    },
  },
  "TK-06": {
    passes: "the client is registered for this grant_type",
    fix: "Add the grant type to the client's grant_types.",
    explain({ client: { id, standing, confidential, grantTypes: registered }, grantType }) {
      const { type } = grantType;
      const lowest = requirementOf(grantType).from;
      if (!registered.includes(type)) {
        // A grant type without a user is for clients that authenticate.
        const isPossible = confidential || lowest === "unknown";
        return {
          expected: registered.join(" or "),
          received: type,
          ...isPossible
            ? { change: { client_id: id, isNew: false, grant_type: type } }
            : { fix: `Use another client: ${id} is public, and ${type} is for clients that authenticate.` },
        };
      }
      return {
        reason: `a client with the standing ${standing} may not use ${type}`,
        expected: `a client with the standing ${lowest}`,
        received: `a client with the standing ${standing}`,
        fix: `Add the client to the configuration${
          lowest === "configured" ? "" : ", or let it register with an initial access token"
        }.`,
      };
    },
  },
  "TK-08": {
    fix: "Send the client_id of the client that authenticates, or leave it out.",
    explain: () => ({
      expected: "no client_id, or that of the Authorization header",
      received: "another client_id",
    }),
  },
  "TK-14": {
    ...acceptedTexts["TK-14"],
    explain: () => ({
      expected: "redirect_uri with the value of the authorization request",
      received: "no redirect_uri",
    }),
  },
  "TK-15": {
    passes: "redirect_uri equals that of the authorization request",
    fix: "Send the redirect_uri of the authorization request, character for character. Read both from one setting.",
    explain: ({ expected, received, approvedAt }) => ({
      expected,
      received,
      earlier: `the authorization request of ${new Date(approvedAt).toISOString()}`,
    }),
  },
  "TK-16": {
    passes: "this server issued the code",
    fix:
      "Exchange the code of the callback immediately and unchanged. A code is also unknown if it has expired, if another server issued it, or if a server with the memory store was restarted.",
    explain: (facts) =>
      "lifetime" in facts
        ? {
          reason: "the code is unknown or has expired",
          expected: `a code that this server issued less than ${facts.lifetime} seconds ago`,
          received: "an unknown or expired code",
        }
        : {
          expected: "the parameter code that redirect_uri received",
          received: facts.isEmpty ? "an empty code" : "no code",
          // The fix of an unknown code would not help.
          fix: "Send as code the parameter code that redirect_uri received: its value, without its name. " +
            "If redirect_uri received the parameter error instead, the login failed: send no token request.",
        },
  },
  "CA-04": {
    ...acceptedTexts["CA-04"],
    explain: () => ({
      expected: "Basic, a space and BASE64(client_id:client_secret), both parts form-encoded first",
      received: "a header of another form",
    }),
  },
  "CA-07": {
    passes: "the client is identified by a method that it is registered for",
    fix: "Compare client_id, secret and token_endpoint_auth_method with the registration of the client.",
    explain: explainFailedAuthentication,
  },
  "CA-09": {
    fix:
      "Send one method of client authentication only: the registered one, or either of the two if none is registered.",
    explain: ({ methods }) => ({
      expected: "one of: Authorization header, client_secret, client_assertion",
      received: methods.join(" and "),
    }),
  },
  "CA-16": acceptedTexts["CA-16"],
  "CA-17": acceptedTexts["CA-17"],
  "CI-02": {
    passes: "the code has not expired",
    fix: "Exchange the code immediately. lifetimes.code sets its lifetime.",
    explain: (facts) => ({ reason: "the code has expired", ...describeExpiry(facts) }),
  },
  "CI-05": {
    passes: "the code was issued to this client",
    fix: "Exchange the code with the client that requested it.",
    explain: ({ issuedTo, sentBy }) => ({
      reason: "the code belongs to another client",
      expected: `client ${issuedTo}`,
      received: `client ${sentBy}`,
    }),
  },
  "CI-06": {
    passes: "the code was not exchanged before and is now consumed",
    fix:
      "Exchange each code once. Look for a callback that runs twice, such as a React effect, a retry or a reload. The tokens of the first use are revoked, so start a new login.",
    explain: ({ usedAt, clientId }) => ({
      reason: "authorization code used twice",
      expected: "each code once",
      received: "a code that was used before",
      earlier: `exchanged at ${new Date(usedAt).toISOString()} by client ${clientId}`,
    }),
  },
  "CI-11": {
    passes: "the user exists and has not revoked the consent",
    fix: "Start a new login.",
    explain: (facts) => {
      if (facts.lost === "consent") return explainRevocation("consent", facts.revocation);
      if (facts.lost === "client") return removedClient(facts.id);
      if (facts.lost === "extension") {
        return {
          reason: "the grant was made by a server with an extension that this server does not have",
          expected: `a server with the extension ${facts.id}`,
          received: "a server without it",
        };
      }
      return {
        reason: "the user was removed",
        expected: `user ${facts.id}`,
        received: "no such user, or one added later",
      };
    },
  },
  "RT-02": {
    passes: "the refresh token was issued to this client",
    fix: "Use the refresh token with the client that it was issued to.",
    explain: ({ issuedTo, sentBy }) => ({
      reason: "the refresh token belongs to another client",
      expected: `client ${issuedTo}`,
      received: sentBy,
    }),
  },
  "RT-04": {
    ...acceptedTexts["RT-04"],
    passes: "the refresh token was not used before and is now replaced",
    explain: (facts) =>
      "revocation" in facts ? explainRevocation("grant", facts.revocation) : {
        reason: "refresh token used twice",
        expected: "the newest refresh token of the grant",
        received: "an older refresh token",
        earlier: `used at ${new Date(facts.usedAt).toISOString()} by client ${facts.clientId}`,
      },
  },
  "RT-06": {
    passes: "scope is within the granted scope",
    fix: "Request the granted scope or less, or leave scope out.",
    explain: ({ requested, granted }) => {
      const unknown = splitScope(requested).filter((token) => !granted.includes(token));
      return {
        reason: "scope is more than was granted" + suggestScope(unknown, granted),
        expected: `some of: ${granted.join(" ")}`,
        received: requested,
        fix: separatorFix("scope", requested, granted),
      };
    },
  },
  "RT-07": {
    passes: "the grant of the refresh token is active and within its idle lifetime",
    fix:
      "Start a new login. A refresh token is also unknown if another server issued it, or if a server with the memory store was restarted.",
    explain: (facts) => {
      if ("expired" in facts) {
        const { expired } = facts;
        const reason = expired === "grant" ? "the grant has expired" : "the refresh token was unused for too long";
        return { reason, ...describeExpiry(facts) };
      }
      return "isUnknown" in facts
        ? { reason: "the refresh token is unknown", expected: "a refresh token that this server issued" }
        : {
          expected: "refresh_token of an earlier response",
          received: "no refresh_token",
          fix: "Send the refresh token of the last token response.",
        };
    },
  },
  "RT-09": {
    ...acceptedTexts["RT-09"],
    passes: "everything that was granted is still registered",
    explain: ({ registered, granted }) => ({
      reason: "no scope value of the grant is still registered",
      expected: `some of: ${registered.join(" ")}`,
      received: granted.join(" "),
    }),
  },
  "CC-01": {
    fix: "Use a client with a secret or a key, and client_credentials among its grant_types.",
    explain: () => ({ expected: "a client that authenticates", received: "a public client" }),
  },
  "CC-02": {
    ...acceptedTexts["CC-02"],
    explain: ({ userScopes, requested }) => ({ expected: `none of: ${userScopes.join(" ")}`, received: requested }),
  },
  "CC-03": {
    fix: "Send an access token of a user's login. A token of client_credentials has no user.",
    explain: () => ({ expected: "openid", received: "a token without a user" }),
  },
  "RI-01": {
    fix: "Send an absolute URI without a fragment, such as https://api.example.",
    explain: explainResource,
  },
  "RV-01": {
    fix: "Send the token in the form field token.",
    explain: () => ({ expected: "token", received: "no token" }),
  },
  "IN-01": {
    fix: "Send the token in the form field token.",
    explain: () => ({ expected: "token", received: "no token" }),
  },
  "IN-02": acceptedTexts["IN-02"],
} as const satisfies RuleTexts<typeof tokenRules>;

/** The time until which something was valid, and the time of the request. */
function describeExpiry({ validUntil, now }: Expired): RejectionTexts {
  return { expected: `before ${new Date(validUntil).toISOString()}`, received: new Date(now).toISOString() };
}
