/** Texts of the rules of the token endpoint: client authentication, grant types, codes, refresh tokens, resources. */

import type { tokenRules } from "../oauth/rules/token.ts";
import { explainRepeated } from "./parameters.ts";
import type { RuleTexts } from "./rule_text.ts";
import { explainResource } from "./scope.ts";

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
  },
  "TK-06": {
    passes: "the client is registered for this grant_type",
    fix: "Add the grant type to the client's grant_types.",
  },
  "TK-08": {
    fix: "Send the client_id of the client that authenticates, or leave it out.",
  },
  "TK-14": {
    fix: "Send the redirect_uri of the authorization request with the code.",
  },
  "TK-15": {
    passes: "redirect_uri equals that of the authorization request",
    fix: "Send the redirect_uri of the authorization request, character for character. Read both from one setting.",
  },
  "TK-16": {
    passes: "this server issued the code",
    fix:
      "Exchange the code of the callback immediately and unchanged. A code is also unknown if it has expired, if another server issued it, or if a server with the memory store was restarted.",
  },
  "CA-04": {
    fix: "Send Basic, a space and BASE64(client_id:client_secret), both parts form-encoded first.",
  },
  "CA-07": {
    passes: "the client is identified by a method that it is registered for",
    fix: "Compare client_id, secret and token_endpoint_auth_method with the registration of the client.",
  },
  "CA-09": {
    fix:
      "Send one method of client authentication only: the registered one, or either of the two if none is registered.",
  },
  "CA-12": {
    fix: "Correct the secret, and retry after the seconds in Retry-After.",
  },
  "CA-16": {
    fix: "Add token_endpoint_auth_method to the client's metadata. Then only that method is accepted.",
  },
  "CA-17": {
    fix: "Send client_id in the body of the request, and no header Authorization.",
  },
  "CI-02": {
    passes: "the code has not expired",
    fix: "Exchange the code immediately. lifetimes.code sets its lifetime.",
  },
  "CI-05": {
    passes: "the code was issued to this client",
    fix: "Exchange the code with the client that requested it.",
  },
  "CI-06": {
    passes: "the code was not exchanged before and is now consumed",
    fix:
      "Exchange each code once. Look for a callback that runs twice, such as a React effect, a retry or a reload. The tokens of the first use are revoked, so start a new login.",
  },
  "CI-11": { passes: "the user exists and has not revoked the consent", fix: "Start a new login." },
  "RT-02": {
    passes: "the refresh token was issued to this client",
    fix: "Use the refresh token with the client that it was issued to.",
  },
  "RT-04": {
    passes: "the refresh token was not used before and is now replaced",
    fix:
      "Store the refresh token of each response in place of the previous one, and send one refresh request at a time. Start a new login. refresh.grace tolerates a lost response.",
  },
  "RT-06": {
    passes: "scope is within the granted scope",
    fix: "Request the granted scope or less, or leave scope out.",
  },
  "RT-07": {
    passes: "the grant of the refresh token is active and within its idle lifetime",
    fix: "Start a new login. Only a persistent store keeps tokens across a restart.",
  },
  "RT-09": {
    passes: "everything that was granted is still registered",
    fix: "Register the granted scope for the client again, or start a new login that requests registered values.",
  },
  "CC-01": {
    fix: "Use a client with a secret or a key, and client_credentials among its grant_types.",
  },
  "CC-02": {
    fix: "Leave out openid and the scopes about a user: client_credentials has no user.",
  },
  "CC-03": {
    fix: "Send an access token of a user's login. A token of client_credentials has no user.",
  },
  "RI-01": {
    fix: "Send an absolute URI without a fragment, such as https://api.example.",
    explain: explainResource,
  },
  "RI-03": {
    fix: "Send only resources of the authorization request, or none.",
    explain: ({ granted, requested }) => ({
      expected: granted.join(" or ") || "no resource, none was granted",
      received: requested.join(" "),
    }),
  },
  "RI-05": {
    fix: "Start a new login that requests a configured resource, or configure the granted resource again.",
  },
  "RV-01": {
    fix: "Send the token in the form field token.",
  },
  "IN-01": {
    fix: "Send the token in the form field token.",
  },
  "IN-02": {
    fix: "Add the resource of the token to serves of the client that introspects it.",
  },
} as const satisfies RuleTexts<typeof tokenRules>;
