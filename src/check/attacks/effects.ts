/** Effects that several attacks share: the cause, the consequence, and how to fix the client. */

import type { Effect } from "../attack.ts";

/** The cause of a client that checks nothing about an ID token: {@link Effect.partOf}. */
const noIdTokenCheck = "does not validate the ID token";

/** The cause of a client that checks nothing about an authorization response. */
const noResponseCheck = "does not validate the authorization response";

/** For ID token claims without an effect of their own. */
export const idTokenClaims: Effect = {
  cause: "does not check every claim of the ID token",
  partOf: noIdTokenCheck,
  severity: "critical",
  consequence: "An attacker logs in as another user with an ID token that was not issued for this login.",
  fix: "Check every claim that OpenID Connect Core §3.1.3.7 names, with a maintained library, before a session begins.",
};

/** For ID tokens and keys that the server did not sign or publish. */
export const forgedIdToken: Effect = {
  cause: "does not verify the signature of the ID token",
  partOf: noIdTokenCheck,
  severity: "high",
  consequence: "An attacker who can change a token response logs in as any user; OpenID Connect Core §3.1.3.7 lets a " +
    "client rely on TLS instead, but not over http.",
  fix: "Verify the signature with the key of jwks_uri that kid names, and accept the registered algorithm only; in " +
    "openid-client 6 call client.enableNonRepudiationChecks(config).",
};

/** For responses that belong to no login of this browser (login CSRF). */
export const loginCsrf: Effect = {
  cause: "does not use state to bind the authorization response to the browser",
  partOf: noResponseCheck,
  severity: "high",
  consequence: "An attacker logs the user in to the account of the attacker, and then sees what the user enters there.",
  fix:
    "Create a random state for each login, keep it in the session of the browser, and compare the whole value before " +
    "the token request.",
};

/** For responses to a login that has ended. */
export const usedState: Effect = {
  cause: "accepts the state of a login that has ended",
  severity: "medium",
  consequence: "Only the code verifier and the nonce still protect the login against a code of an attacker.",
  fix: "Delete the state of a login before its token request, and reject a response whose state is unknown.",
};

/** For responses of an issuer other than the one of the login (mix-up). */
export const mixUp: Effect = {
  cause: "does not compare the issuer of the authorization response",
  partOf: noResponseCheck,
  severity: "high",
  consequence:
    "If the client uses several servers, a malicious one receives codes that an honest one issued, and logs in as their users.",
  fix: "Keep the issuer of each login in the session of the browser, and compare iss with it, character by character.",
};

/** For codes of another login. */
export const injectedCode: Effect = {
  cause: "does not use code verifier and nonce to bind a code to its login",
  severity: "critical",
  consequence: "An attacker who obtains the code of a user logs in as this user.",
  fix:
    "Create a new code verifier and nonce for each login, keep both in the session of the browser, and compare the " +
    "nonce of the ID token.",
};

/** For ID tokens of another login, by the nonce. */
export const replayedIdToken: Effect = {
  cause: "does not compare the nonce of the ID token",
  partOf: noIdTokenCheck,
  severity: "critical",
  consequence: "An attacker logs in as the user of an ID token that was issued for another login.",
  fix:
    "Create a new nonce for each login, keep it in the session of the browser, and compare it with the nonce of the ID token.",
};

/** For tokens of other issuers. */
export const foreignIssuer: Effect = {
  cause: "does not compare the issuer of the ID token",
  partOf: noIdTokenCheck,
  severity: "critical",
  consequence: "A user of another issuer logs in as the user of this issuer who has the same sub.",
  fix: "Compare iss with the configured issuer, character by character.",
};

/** For tokens of other clients. */
export const foreignAudience: Effect = {
  cause: "does not compare the audience of the ID token",
  partOf: noIdTokenCheck,
  severity: "critical",
  consequence: "The operator of another application logs in here as its users, with their ID tokens.",
  fix: "Require that aud is the client_id or contains it, and that azp, if present, is the client_id.",
};

/** For tokens that are not valid now. */
export const wrongTime: Effect = {
  cause: "does not check the times (exp, iat, nbf, auth_time) of the ID token",
  partOf: noIdTokenCheck,
  severity: "medium",
  consequence: "An ID token that was stolen or logged still works long after it has expired.",
  fix: "Compare exp, iat and nbf with the clock, with a few minutes of tolerance, and require exp and iat.",
};

/** For claims that do not identify a user. */
export const otherUser: Effect = {
  cause: "identifies users by something other than iss and sub of the ID token",
  severity: "critical",
  consequence: "An attacker logs in to the account of another user.",
  fix: "Identify users only by iss and sub of the ID token, and reject a userinfo response with another sub.",
};

/** For userinfo responses that are JWTs, and that the server did not sign for this client. */
export const unverifiedUserinfo: Effect = {
  cause: "does not verify a signed userinfo response",
  severity: "medium",
  consequence: "An attacker who can change the userinfo response chooses the claims of the user.",
  fix: "Verify the signature, iss and aud of a userinfo response that is a JWT, and require the sub of the ID token.",
};

/** For responses that arrive twice. */
export const repeatedDelivery: Effect = {
  cause: "does not handle an authorization response that arrives twice",
  severity: "medium",
  consequence:
    "A double click or a reload ends the login of the user, because a strict server revokes the tokens of a code that it " +
    "receives twice.",
  fix:
    "Delete the state of a login before its token request, and continue the existing session if the response arrives " +
    "again.",
};

/** For session ids that an attacker knows (session fixation). */
export const fixedSession: Effect = {
  cause: "keeps the session id at login (session fixation)",
  severity: "high",
  consequence: "An attacker who sets a cookie in the browser of a user before the login acts as this user after it.",
  fix: "Create a new session id at every login, and delete the old session.",
};

/** For session cookies that a script or another site can read or use. */
export const stolenCookie: Effect = {
  cause: "sets the session cookie without HttpOnly, Secure or SameSite",
  severity: "medium",
  consequence: "An attacker gets or uses the session of the user, by a script, on the network, or from another site.",
  fix: "Set the session cookie with HttpOnly, Secure, and SameSite=Lax or Strict.",
};

/** For tokens of a session that has ended. */
export const deadTokens: Effect = {
  cause: "keeps tokens after the session has ended",
  severity: "medium",
  consequence: "The next user of the browser acts as the user who logged out.",
  fix: "Delete the tokens with the session, and require a session before each request with a token.",
};

/** For texts of a server that reach pages, logs and other programs. */
export const hostileText: Effect = {
  cause: "uses text of the server without escaping or checking it",
  severity: "high",
  consequence:
    "A script or a command of an attacker runs in the pages of the application, or on the machine of the user.",
  fix: "Escape all text of the server in pages and logs, and open only https URLs.",
};

/** For requests with credentials to a host other than the issuer. */
export const leakedCredentials: Effect = {
  cause: "sends credentials to a host other than the issuer",
  severity: "high",
  consequence: "Codes, tokens or credentials of the client arrive at a server of an attacker.",
  fix:
    "Do not follow redirects in requests with credentials, and send them only to https URLs of the configured issuer.",
};

/** For logins that a third party starts. */
export const foreignLogin: Effect = {
  cause: "starts a login for any issuer, or redirects anywhere after it",
  severity: "medium",
  consequence: "A link makes the application log in at the server of an attacker, or leads to a page of the attacker.",
  fix: "Start a login only at the configured issuer, and follow target_link_uri only to pages of the application.",
};

/** For codes that are not bound to their login. */
export const unboundCode: Effect = {
  cause: "does not require PKCE",
  severity: "medium",
  consequence: "An attacker can exchange a leaked code, because no code verifier binds it to its login.",
  fix: "Require S256 in code_challenge_methods_supported, and send a code challenge with every request.",
};

/** For responses that lack what the client needs. */
export const unusableResponse: Effect = {
  cause: "uses a response that lacks required members",
  severity: "medium",
  consequence: "The client treats an unusable response as a success.",
  fix:
    "Check the status, and that each value the client uses is present and of the right type, before using any of them.",
};

/** For ID tokens that are rejected after their access token was used. */
export const lateRejection: Effect = {
  cause: "uses the access token before it has validated the ID token",
  severity: "low",
  consequence: "The client sends the access token of a response that it then rejects; no session begins.",
  fix: "Validate the ID token before the first request with the access token.",
};

/** For clients that continue after an error of the authorization endpoint. */
export const ignoredError: Effect = {
  cause: "does not check for an error first",
  severity: "medium",
  consequence: "The client treats a login that the server rejected as successful.",
  fix: "Check for error first, and stop if the response has one, whatever else it has.",
};

/** For clients that reject an authorization response only after they have sent its code. */
export const lateCodeCheck: Effect = {
  cause: "sends the code of an authorization response before it has checked the response",
  severity: "medium",
  consequence: "The code of an invalid response reaches a token endpoint; no session begins.",
  fix: "Compare state and iss, and check for error, before the token request.",
};

/** For ID tokens of several audiences, one of which is the client. */
export const unknownAudience: Effect = {
  cause: "accepts ID tokens for audiences that it does not know",
  severity: "medium",
  consequence: "Another audience of the same ID token logs in here as its user.",
  fix: "Reject an ID token with an aud that the client does not trust, and one whose azp is another client.",
};

/** For logins that no longer work. */
export const noRecovery: Effect = {
  cause: "does not recover from a failure of the server",
  severity: "medium",
  consequence: "After one failure of the server, users cannot log in until the application restarts.",
  fix: "Set a timeout, show the error, and discard all data of the failed attempt, so that the next login works.",
};

/** For clients on which no ID token has an effect. */
export const unreadIdToken: Effect = {
  cause: "does not read the ID token",
  severity: "low",
  consequence: "No ID token has an effect; userinfo alone names the user, and the nonce protects nothing.",
  fix: "Validate the ID token, and identify the user by its iss and sub, or do not request openid.",
};

/** For a code of another login that the server or the client rejects because of code_verifier or nonce. */
export const lateStateCheck: Effect = {
  cause: "relies on code_verifier or nonce in place of state",
  severity: "low",
  consequence: "The client sends codes of other logins, which code_verifier or nonce must then reject (RFC 9700 §2.1).",
  fix: "Compare state before the token request, so that the code of an attacker is not sent.",
};

/** For redirects that are followed without credentials. */
export const followedRedirect: Effect = {
  cause: "follows a redirect of an endpoint, but without its credentials",
  severity: "low",
  consequence: "Another host can respond in place of the issuer, but gets no code, token or secret.",
  fix: "Do not follow redirects in requests to the token endpoint or to userinfo.",
};

/** For requests without end. */
export const endlessRequests: Effect = {
  cause: "repeats requests in an endless loop",
  severity: "medium",
  consequence: "The client sends requests in an endless loop, which loads the server and keeps users from logging in.",
  fix: "Repeat a request at most a few times, with a longer delay each time; then show the error.",
};
