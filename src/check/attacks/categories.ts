/** What the attacks of a category and of a level have in common; an attack says what differs. */

import { type AttackDefaults, categoryOf } from "../attack.ts";
import type { AttackLevel, Effect } from "../effect.ts";
import {
  endlessRequests,
  forgedIdToken,
  idTokenClaims,
  leakedCredentials,
  loginCsrf,
  otherUser,
  unusableResponse,
  wrongTime,
} from "./effects.ts";

/** What the attacks of a category have in common. */
const byCategory: Readonly<Record<string, AttackDefaults>> = {
  metadata: { level: "must-reject", endpoints: ["discovery"] },
  error: { level: "must-recover", endpoints: ["authorize"] },
  response: { level: "must-reject", endpoints: ["authorize"] },
  token: { endpoints: ["token"] },
  "id-token": { level: "must-reject", endpoints: ["token"], needs: ["idToken", "readsIdToken"] },
  keys: { level: "must-reject", endpoints: ["jwks"], needs: ["idToken", "readsIdToken"], needsSignatureCheck: true },
  userinfo: { endpoints: ["userinfo"] },
  refresh: { level: "must-recover", endpoints: ["token"], journey: "refresh" },
  logout: { endpoints: [], journey: "session" },
  session: { level: "must-reject", endpoints: [] },
  clock: { endpoints: ["authorize", "token", "userinfo"] },
  transport: { endpoints: ["discovery", "token"] },
  resource: { by: "requestResource", endpoints: ["resource"] },
  registration: { endpoints: ["register"], needs: ["registration"] },
  dpop: { endpoints: ["token", "userinfo"], needs: ["dpop"], ifUnmet: "the client sends no proof to this endpoint" },
  par: { endpoints: ["par"], needs: ["par"] },
  jarm: { level: "must-reject", endpoints: ["authorize"], needs: ["jarm"] },
  device: { by: "logInDevice", endpoints: ["token"] },
};

/** The effect of an attack, by its level alone. */
const byLevel: Readonly<Record<AttackLevel, Effect>> = {
  "must-reject": {
    cause: "uses a response that is not valid",
    severity: "high",
    consequence: "An attacker makes the client use what the server did not issue for it.",
    fix: "Validate the whole response before any part of it is used.",
  },
  "should-reject": {
    cause: "accepts a response that a specification advises against",
    severity: "low",
    consequence: "A server or a network of an attacker has more ways to mislead the client.",
    fix: "Reject the response, as the source recommends.",
  },
  "must-tolerate": {
    cause: "rejects a response that a specification allows",
    severity: "medium",
    consequence: "Users of a correct server cannot log in, or lose their session.",
    fix: "Accept what the specification allows, and ignore what the client does not know.",
  },
  "must-recover": {
    cause: "does not recover from a failure of the server",
    severity: "medium",
    consequence: "One failure of the server keeps users from logging in, until the application restarts.",
    fix: "Set a time limit, show the error, and keep nothing of the failed attempt, so that the next login works.",
  },
  informational: {
    cause: "behaves differently from most clients",
    severity: "low",
    consequence: "The client behaves differently from most clients.",
    fix: "Decide whether this behaviour is intended.",
  },
};

type LevelDefaults = Partial<Effect> & Pick<AttackDefaults, "stop" | "correctClient">;

/** The effect of an attack by its category and its level, where a correct client stops, and what it does. */
const byCategoryAndLevel: Readonly<Record<string, { readonly [Level in AttackLevel]?: LevelDefaults }>> = {
  metadata: {
    "must-reject": {
      stop: "discovery",
      correctClient: "The client rejects the document, and sends no authorization request.",
      cause: "does not check the metadata of the issuer",
      severity: "high",
      consequence: "A server of an attacker takes part in the login and receives codes and credentials of the client.",
      fix: "Require that issuer is the configured one, character by character, and that each endpoint is an https URL.",
    },
    "should-reject": {
      cause: "accepts endpoints and issuers that only resemble the correct ones",
      severity: "low",
      consequence: "A server of an attacker makes the client send requests to hosts that only the client can reach.",
      fix: "Compare issuer character by character, and reject endpoints in internal networks.",
    },
  },
  error: {
    "must-reject": {
      cause: "does not read the parameter error first",
      severity: "medium",
      consequence: "The client treats a login that the server rejected as successful.",
      fix: "Read the parameter error first, and stop there, whatever else the response has.",
    },
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
      cause: "accepts an authorization response in another form than it requested",
      severity: "low",
      consequence:
        "An attacker adds a value of their own to a response, and the client and a proxy read different ones.",
      fix: "Reject a response with a repeated parameter, or in another mode than the client asked for.",
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
      cause: "does not check what a specification recommends for the ID token",
      severity: "low",
      consequence: "An ID token that was not issued with this access token, or not now, begins a session.",
      fix: "Check also the claims that OpenID Connect Core §3.1.3.7 and §3.1.3.8 recommend.",
    },
    "must-tolerate": { correctClient: "The client accepts the ID token." },
  },
  keys: {
    "must-reject": {
      stop: "token",
      correctClient:
        "The client discards the token response: an ID token is never accepted without a check of its signature.",
      ...forgedIdToken,
    },
  },
  userinfo: {
    "must-reject": otherUser,
    "must-recover": {
      cause: "does not recover from a failure of userinfo",
      severity: "medium",
      consequence: "A failure of userinfo keeps users from logging in, although their ID token is valid.",
      fix: "Show the error, and keep nothing of the response, so that the next login works.",
    },
    "should-reject": {
      cause: "uses claims of userinfo in place of those of the ID token",
      severity: "medium",
      consequence: "Claims of userinfo replace those that the ID token proves.",
      fix: "Keep the claims of the ID token, verify a signed response, and require the same sub.",
    },
  },
  refresh: {
    "must-reject": {
      cause: "does not compare the ID token of a refresh with that of the login",
      severity: "high",
      consequence: "A refresh turns the session of one user into that of another.",
      fix: "Compare iss, sub and aud of a new ID token with those of the login, and keep the old claims otherwise.",
    },
    "must-recover": {
      cause: "loses the session when one refresh fails",
      severity: "medium",
      consequence: "Users lose their session because one refresh failed, or a refresh is repeated without end.",
      fix:
        "Keep the refresh token until a response replaces it, refresh once at a time, and after invalid_grant start " +
        "one new login.",
    },
  },
  logout: {
    "must-reject": {
      correctClient: "The client responds with status 400, and the session continues.",
      cause: "does not validate the logout token",
      severity: "medium",
      consequence: "An attacker without any credentials ends the sessions of users.",
      fix: "Verify a logout token like an ID token: signature, iss, aud, iat, exp, events, and no nonce.",
    },
    "should-reject": {
      cause: "ends a session for a page or a logout token of another login",
      severity: "low",
      consequence: "A page of an attacker ends the session of a user.",
      fix: "Require iss and sid of the session, and accept a logout token once, by its jti.",
    },
    "must-recover": {
      cause: "keeps the session when the logout at the server fails",
      severity: "medium",
      consequence: "A user who has logged out is still logged in to the application.",
      fix: "End the session of the application first, whatever the server responds afterwards.",
    },
  },
  clock: {
    "should-reject": wrongTime,
    "must-tolerate": {
      cause: "does not tolerate clocks that differ by seconds",
      severity: "medium",
      consequence: "Users cannot log in while the clocks of client and server differ by seconds.",
      fix: "Allow a minute of difference in exp, iat and nbf.",
    },
  },
  transport: {
    "must-reject": {
      correctClient: "The client reports the response, and uses nothing of it.",
      cause: "does not check status, media type and JSON of a response",
      severity: "medium",
      consequence: "The client takes half a response, or a page of a proxy, for a response of the server.",
      fix: "Accept only status 200, with the media type of JSON and a complete JSON object.",
    },
    "should-reject": {
      cause: "does not limit the time and the size of a response",
      severity: "low",
      consequence: "A hostile server occupies the memory or the connections of the client.",
      fix: "Limit the time and the size of each response, and reject JSON objects with a repeated member.",
    },
  },
  resource: {
    "must-reject": leakedCredentials,
    "must-recover": endlessRequests,
  },
  registration: {
    "must-reject": {
      cause: "does not check the response to its registration",
      severity: "medium",
      consequence: "The client uses a registration that is not its own, or sends its credentials to another host.",
      fix: "Check that client_id is a text, and that each URL of the response is on the origin of the issuer.",
    },
  },
  par: {
    "must-reject": {
      cause: "does not check the response to a pushed request",
      severity: "medium",
      consequence: "The client sends the browser to the server without the request that it pushed.",
      fix: "Require status 201 and a request_uri that is a text, and report an error otherwise.",
    },
  },
  jar: {
    "must-reject": {
      cause: "falls back to an unsigned authorization request",
      severity: "medium",
      consequence:
        "The client falls back to an authorization request without a signature, which an attacker can change.",
      fix: "Report the error; never repeat the request unsigned.",
    },
  },
  jarm: {
    "must-reject": {
      stop: "callback",
      correctClient: "The client discards the response, and sends no token request.",
      cause: "does not verify the signed authorization response",
      severity: "high",
      consequence: "An attacker changes the authorization response, although the client asked for a signed one.",
      fix: "Use only the parameters of a JWT whose signature, iss, aud and exp are valid.",
    },
  },
  dpop: {
    "should-reject": {
      cause: "accepts a bearer token in place of a DPoP token",
      severity: "medium",
      consequence: "The client uses a token that works without its key, so an attacker with a copy can use it, too.",
      fix: "Require token_type DPoP where the client sent a proof.",
    },
    "must-recover": endlessRequests,
  },
  device: {
    "must-reject": {
      cause: "does not check the response to a device request",
      severity: "medium",
      consequence: "The device shows the user something else than a code and a URL of the server.",
      fix: "Require every member that RFC 8628 §3.2 demands, and show https URLs only.",
    },
    "must-recover": endlessRequests,
  },
};

/**
 * Adds what the category and the level say.
 *
 * @throws {TypeError} If nothing says the level, the endpoints, or what a correct client does.
 */
export function withDefaults<Source extends AttackDefaults & { readonly id: string }>(record: Source) {
  const category = categoryOf(record.id);
  const { level, endpoints, ...shared } = { ...byCategory[category], ...record };
  if (level === undefined) throw new TypeError(`${record.id}: expected a level, because ${category} has none.`);
  const { correctClient, ...ofLevel } = { ...byLevel[level], ...byCategoryAndLevel[category]?.[level], ...shared };
  if (endpoints === undefined || correctClient === undefined) {
    throw new TypeError(`${record.id}: expected endpoints and correctClient, because ${category} has none.`);
  }
  return { ...ofLevel, level, endpoints, correctClient };
}
