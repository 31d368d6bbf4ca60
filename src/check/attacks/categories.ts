/** Defaults of attacks by category and level; an attack states what differs. */

import { type AttackDefaults, type AttackLevel, categoryOf, type Effect } from "../attack.ts";
import {
  endlessRequests,
  forgedIdToken,
  idTokenClaims,
  ignoredError,
  leakedCredentials,
  loginCsrf,
  noRecovery,
  otherUser,
  unusableResponse,
  wrongTime,
} from "./effects.ts";

/** The defaults of each category. */
const byCategory: Readonly<Record<string, AttackDefaults>> = {
  metadata: { by: "any", level: "must-reject", endpoints: ["discovery"] },
  error: { level: "must-recover", endpoints: ["authorize"] },
  response: { level: "must-reject", endpoints: ["authorize"] },
  token: { by: "any", endpoints: ["token"] },
  "id-token": { by: "any", level: "must-reject", endpoints: ["token"], needs: ["readsIdToken"] },
  keys: { by: "any", level: "must-reject", endpoints: ["jwks"], needs: ["readsIdToken", "checksSignature"] },
  userinfo: { by: "any", endpoints: ["userinfo"] },
  refresh: { by: "any", level: "must-recover", endpoints: ["token"], journey: "refresh" },
  logout: { endpoints: [], journey: "session" },
  session: { level: "must-reject", endpoints: [] },
  clock: { endpoints: ["authorize", "token", "userinfo"] },
  transport: { by: "any", endpoints: ["discovery", "token"] },
  resource: { by: "requestResource", endpoints: ["resource"] },
  registration: { endpoints: ["register"], needs: ["registration"] },
  dpop: {
    endpoints: ["token", "userinfo"],
    needs: ["dpop"],
    ifUnmet: "the client sends no DPoP proof to this endpoint",
  },
  par: { endpoints: ["par"], needs: ["par"] },
  jarm: { level: "must-reject", endpoints: ["authorize"], needs: ["jarm"] },
  device: { by: "logInDevice", endpoints: ["token"] },
  ciba: { by: "logInBackchannel", endpoints: ["token"] },
};

/** The default effect of each level. */
const byLevel: Readonly<Record<AttackLevel, Effect>> = {
  "must-reject": {
    cause: "uses an invalid response",
    severity: "high",
    consequence: "An attacker makes the client use a response that the server did not issue for it.",
    fix: "Validate the whole response before you use any part of it.",
  },
  "should-reject": {
    cause: "accepts a response that a specification advises against",
    severity: "low",
    consequence: "A malicious server or network has more ways to mislead the client.",
    fix: "Reject the response, as the source recommends.",
  },
  "must-tolerate": {
    cause: "rejects a response that a specification allows",
    severity: "medium",
    consequence: "Users of a correct server cannot log in, or lose their session.",
    fix: "Accept what the specification allows, and ignore unknown members and parameters.",
  },
  "must-recover": noRecovery,
  informational: {
    cause: "behaves unlike most clients",
    severity: "low",
    consequence: "The client behaves unlike most clients; no specification forbids it.",
    fix: "Decide whether this behaviour is intended.",
  },
};

type LevelDefaults = Partial<Effect> & Pick<AttackDefaults, "stop" | "correctClient">;

/** The defaults of each level in a category: the effect, where a correct client stops, and what it does. */
const byCategoryAndLevel: Readonly<Record<string, { readonly [Level in AttackLevel]?: LevelDefaults }>> = {
  metadata: {
    "must-reject": {
      stop: "discovery",
      correctClient: "The client rejects the document, and sends no authorization request.",
      cause: "does not check the metadata of the issuer",
      severity: "high",
      consequence:
        "The server of an attacker takes part in the login, and receives codes and credentials of the client.",
      fix:
        "Compare issuer with the configured issuer, character by character, and require an https URL for each endpoint.",
    },
    "should-reject": {
      cause: "accepts endpoints and issuers that only resemble the correct ones",
      severity: "low",
      consequence:
        "The server of an attacker makes the client send requests to hosts that only the client can reach (SSRF).",
      fix: "Compare issuer character by character, and reject endpoints in internal networks.",
    },
  },
  error: {
    "must-reject": ignoredError,
  },
  response: {
    "must-reject": {
      stop: "callback",
      correctClient: "The client rejects the response, and sends no token request.",
      ...loginCsrf,
    },
    "should-reject": {
      stop: "callback",
      correctClient: "The client rejects the response, and sends no token request.",
      cause: "accepts an authorization response in a form that it did not request",
      severity: "low",
      consequence: "An attacker adds a second value to a response, and the client and a proxy read different values.",
      fix: "Reject a response with a repeated parameter, or in a response mode that the client did not request.",
    },
    "must-tolerate": { correctClient: "The client exchanges the code." },
  },
  token: {
    "must-reject": {
      stop: "token",
      correctClient: "The client discards the response, and no session begins.",
      ...unusableResponse,
    },
    "must-tolerate": { correctClient: "The client accepts the tokens." },
  },
  "id-token": {
    "must-reject": {
      stop: "token",
      correctClient: "The client discards the token response, and no session begins.",
      ...idTokenClaims,
    },
    "should-reject": {
      stop: "token",
      correctClient: "The client discards the token response, and no session begins.",
      cause: "does not make a recommended check of the ID token",
      severity: "low",
      consequence:
        "The client begins a session for an ID token that was issued with another access token, or at another time.",
      fix: "Also make the checks that OpenID Connect Core §3.1.3.7 and §3.1.3.8 recommend.",
    },
    "must-tolerate": { correctClient: "The client accepts the ID token." },
  },
  keys: {
    "must-reject": {
      stop: "token",
      correctClient:
        "The client discards the token response: it never accepts an ID token without verifying its signature.",
      ...forgedIdToken,
    },
  },
  userinfo: {
    "must-reject": otherUser,
    "must-recover": {
      cause: "does not recover from a failure of the userinfo endpoint",
      severity: "medium",
      consequence: "A failure of the userinfo endpoint keeps users from logging in, although their ID token is valid.",
      fix: "Show the error, and discard the response, so that the next login works.",
    },
    "should-reject": {
      cause: "replaces claims of the ID token with claims of userinfo",
      severity: "medium",
      consequence:
        "Claims of an unverified userinfo response replace claims that the signature of the ID token protects.",
      fix: "Prefer the claims of the ID token to those of userinfo, and require the same sub in both.",
    },
  },
  refresh: {
    "must-reject": {
      cause: "does not compare the ID token of a refresh with that of the login",
      severity: "high",
      consequence: "A refresh turns the session of one user into the session of another user.",
      fix:
        "Compare iss, sub and aud of a new ID token with those of the login, and discard the response if one differs.",
    },
    "must-recover": {
      cause: "loses the session when one refresh fails",
      severity: "medium",
      consequence: "Users lose their session because one refresh failed, or the client repeats the refresh endlessly.",
      fix:
        "Keep the refresh token until a response replaces it, send one refresh request at a time, and start one new login " +
        "after invalid_grant.",
    },
  },
  logout: {
    "must-reject": {
      correctClient: "The client responds with status 400, and the session continues.",
      cause: "does not validate the logout token",
      severity: "medium",
      consequence: "An attacker without credentials ends the sessions of users.",
      fix:
        "Validate a logout token like an ID token: signature, iss, aud, iat and exp; also require events and reject a nonce.",
    },
    "should-reject": {
      cause: "ends a session for a foreign page or a replayed logout token",
      severity: "low",
      consequence: "A page of an attacker ends the session of a user.",
      fix: "Require iss and sid of the session, and accept each logout token once; compare its jti.",
    },
    "must-recover": {
      cause: "keeps the session when the logout at the server fails",
      severity: "medium",
      consequence: "A user who has logged out is still logged in to the application.",
      fix: "End the session of the application first, whatever the server responds.",
    },
  },
  clock: {
    "should-reject": wrongTime,
    "must-tolerate": {
      cause: "does not tolerate a clock skew of seconds",
      severity: "medium",
      consequence: "Users cannot log in while the clocks of client and server differ by a few seconds.",
      fix: "Allow a clock skew of a minute when you check exp, iat and nbf.",
    },
  },
  transport: {
    "must-reject": {
      correctClient: "The client reports an error, and uses no part of the response.",
      cause: "does not check the status, the media type and the JSON of a response",
      severity: "medium",
      consequence: "The client treats half a response, or a page of a proxy, as a response of the server.",
      fix: "Accept only a response with status 200, the media type application/json and a complete JSON object.",
    },
    "should-reject": {
      cause: "does not limit the time and the size of a response",
      severity: "low",
      consequence: "A malicious server exhausts the memory or the connections of the client.",
      fix: "Limit the time and the size of each response, and reject JSON objects that repeat a member.",
    },
  },
  resource: {
    "must-reject": leakedCredentials,
    "must-recover": endlessRequests,
  },
  registration: {
    "must-reject": {
      cause: "does not check the registration response",
      severity: "medium",
      consequence: "The client uses a registration that is not its own, or sends its credentials to another host.",
      fix: "Require that client_id is a string, and that each URL of the response is on the origin of the issuer.",
    },
  },
  par: {
    "must-reject": {
      cause: "does not check the response to a pushed authorization request",
      severity: "medium",
      consequence: "The client sends the browser to the server without the authorization request that it pushed.",
      fix: "Require status 201 and a request_uri that is a string; otherwise report an error.",
    },
  },
  jar: {
    "must-reject": {
      cause: "falls back to an unsigned authorization request",
      severity: "medium",
      consequence: "The client sends an authorization request without a signature, which an attacker can change.",
      fix: "Report the error, and never repeat the request without a signature.",
    },
  },
  jarm: {
    "must-reject": {
      stop: "callback",
      correctClient: "The client discards the response, and sends no token request.",
      cause: "does not verify the signed authorization response",
      severity: "high",
      consequence: "An attacker changes the authorization response, although the client requested a signed one.",
      fix: "Use only the parameters of a JWT whose signature, iss, aud and exp are valid.",
    },
  },
  dpop: {
    "should-reject": {
      cause: "accepts a bearer token in place of a DPoP token",
      severity: "medium",
      consequence: "The access token is not bound to the key of the client, so an attacker with a copy can use it.",
      fix: "Require token_type DPoP if the client sent a DPoP proof.",
    },
    "must-recover": endlessRequests,
  },
  device: {
    "must-reject": {
      cause: "does not check the device authorization response",
      severity: "medium",
      consequence: "The device shows the user something other than a code and a URL of the server.",
      fix: "Require every member that RFC 8628 §3.2 requires, and show only https URLs.",
    },
    "must-recover": endlessRequests,
  },
};

/**
 * Fills in the defaults of the category and the level.
 *
 * @throws {TypeError} If the level, the endpoints or what a correct client does is missing.
 */
export function withAttackDefaults<Source extends AttackDefaults & { readonly id: string }>(record: Source) {
  const category = categoryOf(record.id);
  const { level, endpoints, ...shared } = { ...byCategory[category], ...record };
  if (level === undefined) throw new TypeError(`${record.id}: expected a level, because ${category} has none.`);
  const { correctClient, ...ofLevel } = { ...byLevel[level], ...byCategoryAndLevel[category]?.[level], ...shared };
  if (endpoints === undefined || correctClient === undefined) {
    throw new TypeError(`${record.id}: expected endpoints and correctClient, because ${category} has none.`);
  }
  return { ...ofLevel, level, endpoints, correctClient };
}
