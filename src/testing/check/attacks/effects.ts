/**
 * What it leads to if attacks succeed, and how to fix the client: by the level, by the category, and shared by some.
 */

import type { AttackLevel, Effect } from "../effect.ts";

const byLevel: Readonly<Record<AttackLevel, Effect>> = {
  "must-reject": {
    severity: "high",
    consequence: "An attacker makes the client use what the server did not issue for it.",
    fix: "Validate the whole response before any part of it is used.",
  },
  "should-reject": {
    severity: "low",
    consequence: "A server or a network of an attacker has more ways to mislead the client.",
    fix: "Reject the response, as the source recommends.",
  },
  "must-tolerate": {
    severity: "medium",
    consequence: "Users of a correct server cannot log in, or lose their session.",
    fix: "Accept what the specification allows, and ignore what the client does not know.",
  },
  "must-recover": {
    severity: "medium",
    consequence: "One failure of the server keeps users from logging in, until the application restarts.",
    fix: "Set a time limit, show the error, keep nothing of the failed attempt, and let the next login start afresh.",
  },
  informational: {
    severity: "low",
    consequence: "The client behaves in another way than most.",
    fix: "Decide whether this behaviour is intended.",
  },
};

const idTokenClaims: Effect = {
  severity: "critical",
  consequence: "An attacker logs in as another user, with an ID token that was not issued for this login.",
  fix: "Check every claim that OpenID Connect Core §3.1.3.7 names, with a maintained library, before a session begins.",
};

/** For ID tokens and keys that the server did not sign or publish. */
export const forgedIdToken: Effect = {
  severity: "critical",
  consequence: "An attacker who can change a token response logs in as any user.",
  fix:
    "Verify the signature with a key of the issuer's jwks_uri that kid names, and only with the algorithm that the " +
    "client is registered for.",
};

/** For responses that belong to no login of this browser. */
const loginCsrf: Effect = {
  severity: "high",
  consequence: "An attacker logs a user in to the account of the attacker, who then sees what the user enters.",
  fix: "Keep a new random state in the session of the browser for each login, and compare the whole value before the " +
    "token request.",
};

/** For responses of another issuer than that of the login. */
export const mixUp: Effect = {
  severity: "high",
  consequence:
    "A malicious server among several receives codes that an honest server issued, and logs in as their users.",
  fix: "Keep the issuer of each login in the session of the browser, and compare iss with it, character by character.",
};

/** For codes of another login. */
export const injectedCode: Effect = {
  severity: "critical",
  consequence: "An attacker who gets a code of a user logs in as this user.",
  fix:
    "Create a new code verifier and nonce for each login, keep both in the session of the browser, and compare the " +
    "nonce of the ID token.",
};

/** For ID tokens of another login, by the nonce. */
export const replayedIdToken: Effect = {
  severity: "critical",
  consequence: "An attacker logs in as the user of an ID token that was issued for another login.",
  fix: "Create a new nonce for each login, keep it in the session of the browser, and compare it with the ID token's.",
};

/** For tokens of other issuers. */
export const foreignIssuer: Effect = {
  severity: "critical",
  consequence: "A user of another issuer logs in as the user who has the same sub here.",
  fix: "Compare iss with the configured issuer, character by character.",
};

/** For tokens of other clients. */
export const foreignAudience: Effect = {
  severity: "critical",
  consequence: "The operator of another application logs in here as its users, with their ID tokens.",
  fix: "Require that aud is the client_id or contains it, and that azp, if present, is the client_id.",
};

/** For tokens at a wrong time. */
export const wrongTime: Effect = {
  severity: "medium",
  consequence: "An ID token that was stolen or logged works long after its time.",
  fix: "Compare exp, iat and nbf with the clock, with a few minutes of tolerance, and require exp and iat.",
};

/** For claims that do not identify a user. */
export const otherUser: Effect = {
  severity: "critical",
  consequence: "An attacker logs in to the account of another user.",
  fix: "Identify users by iss and sub of the ID token, and by nothing else; reject userinfo with another sub.",
};

/** For responses that arrive twice. */
export const repeatedDelivery: Effect = {
  severity: "medium",
  consequence:
    "A double click or a reload ends the login of the user: a server that is strict revokes the tokens of a code that " +
    "arrives twice.",
  fix: "Delete the state of a login before its token request, and let a second response show the session that exists.",
};

/** For sessions whose id an attacker knows. */
export const fixedSession: Effect = {
  severity: "high",
  consequence: "An attacker who sets a cookie in the browser of a user before the login acts as this user after it.",
  fix: "Create a new id for the session at every login, and delete the old one.",
};

/** For cookies of a session that others reach. */
export const stolenCookie: Effect = {
  severity: "medium",
  consequence: "A script, a network or another site of an attacker gets or uses the session of the user.",
  fix: "Set the cookie of the session with HttpOnly, Secure, and SameSite=Lax or Strict.",
};

/** For tokens of a session that has ended. */
export const deadTokens: Effect = {
  severity: "medium",
  consequence: "The next user of the browser acts as the user who logged out.",
  fix: "Delete the tokens with the session, and require a session before each request with a token.",
};

/** For texts of a server that reach pages and programs. */
export const hostileText: Effect = {
  severity: "high",
  consequence: "A script or a command of an attacker runs in the pages or on the machine of the user.",
  fix: "Escape each text of the server in pages and logs, and open https URLs only.",
};

/** For requests with credentials that go to another host. */
export const leakedCredentials: Effect = {
  severity: "high",
  consequence: "Codes, tokens or credentials of the client arrive at a server of an attacker.",
  fix: "Follow no redirect in a request with credentials, and send it only to https URLs of the configured issuer.",
};

/** For logins that a third party starts. */
export const foreignLogin: Effect = {
  severity: "medium",
  consequence: "A link makes the application log in at a server of an attacker, or leads to a page of the attacker.",
  fix: "Start a login only at the configured issuer, and follow target_link_uri only to pages of the application.",
};

/** For codes that nothing binds to their login. */
export const unboundCode: Effect = {
  severity: "medium",
  consequence: "A code that leaks can be exchanged by an attacker, because no code verifier binds it to its login.",
  fix: "Require S256 in code_challenge_methods_supported, and send a code challenge with every request.",
};

/** For responses that lack what the client needs. */
export const unusableResponse: Effect = {
  severity: "medium",
  consequence: "The client takes an unusable response for a success, and uses it.",
  fix:
    "Check the status, and that each value the client uses is present and of the right type, before using any of them.",
};

/** For requests without end. */
export const endlessRequests: Effect = {
  severity: "medium",
  consequence: "The client sends requests without end, which burdens the server and locks out its users.",
  fix: "Repeat a request at most a few times, later each time; after that show the error.",
};

type CategoryEffects = { readonly [Level in AttackLevel]?: Effect };

const byCategory: Readonly<Record<string, CategoryEffects>> = {
  metadata: {
    "must-reject": {
      severity: "high",
      consequence: "A server of an attacker takes part in the login, and receives codes and credentials of the client.",
      fix: "Require that issuer is the configured one, character by character, and that each endpoint is an https URL.",
    },
    "should-reject": {
      severity: "low",
      consequence: "A server of an attacker makes the client send requests to hosts that only the client can reach.",
      fix: "Compare issuer character by character, and reject endpoints in internal networks.",
    },
  },
  error: {
    "must-reject": {
      severity: "medium",
      consequence: "The client treats a login that the server rejected as successful.",
      fix: "Read the parameter error first, and stop there, whatever else the response has.",
    },
  },
  response: {
    "must-reject": loginCsrf,
    "should-reject": {
      severity: "low",
      consequence:
        "An attacker adds a value of their own to a response, and the client and a proxy read different ones.",
      fix: "Reject a response with a repeated parameter, or in another mode than the client asked for.",
    },
  },
  token: { "must-reject": unusableResponse },
  "id-token": {
    "must-reject": idTokenClaims,
    "should-reject": {
      severity: "low",
      consequence: "An ID token that was not issued with this access token, or not now, begins a session.",
      fix: "Check also the claims that OpenID Connect Core §3.1.3.7 and §3.1.3.8 recommend.",
    },
  },
  keys: { "must-reject": forgedIdToken },
  userinfo: {
    "must-reject": otherUser,
    "must-recover": {
      severity: "medium",
      consequence: "A failure of userinfo keeps users from logging in, although their ID token is valid.",
      fix: "Show the error, keep nothing of the response, and let the next login start afresh.",
    },
    "should-reject": {
      severity: "medium",
      consequence: "Claims of userinfo replace those that the ID token proves.",
      fix: "Keep the claims of the ID token, verify a signed response, and require the same sub.",
    },
  },
  refresh: {
    "must-reject": {
      severity: "high",
      consequence: "A refresh turns the session of one user into that of another.",
      fix: "Compare iss, sub and aud of a new ID token with those of the login, and keep the old claims otherwise.",
    },
    "must-recover": {
      severity: "medium",
      consequence: "Users lose their session because one refresh failed, or a refresh is repeated without end.",
      fix:
        "Keep the refresh token until a response replaces it, refresh once at a time, and after invalid_grant start " +
        "one new login.",
    },
  },
  logout: {
    "must-reject": {
      severity: "medium",
      consequence: "An attacker without any credentials ends the sessions of users.",
      fix: "Verify a logout token like an ID token: signature, iss, aud, iat, exp, events, and no nonce.",
    },
    "should-reject": {
      severity: "low",
      consequence: "A page of an attacker ends the session of a user.",
      fix: "Require iss and sid of the session, and accept a logout token once, by its jti.",
    },
    "must-recover": {
      severity: "medium",
      consequence: "A user who has logged out is still logged in to the application.",
      fix: "End the session of the application first, whatever the server responds afterwards.",
    },
  },
  clock: {
    "should-reject": wrongTime,
    "must-tolerate": {
      severity: "medium",
      consequence: "Users cannot log in while the clocks of client and server differ by seconds.",
      fix: "Allow a minute of difference in exp, iat and nbf.",
    },
  },
  transport: {
    "must-reject": {
      severity: "medium",
      consequence: "The client takes half a response, or a page of a proxy, for a response of the server.",
      fix: "Accept only status 200, with the media type of JSON and a complete JSON object.",
    },
    "should-reject": {
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
      severity: "medium",
      consequence: "The client uses a registration that is not its own, or sends its credentials to another host.",
      fix: "Check that client_id is a text, and that each URL of the response is on the origin of the issuer.",
    },
  },
  par: {
    "must-reject": {
      severity: "medium",
      consequence: "The client sends the browser to the server without the request that it pushed.",
      fix: "Require status 201 and a request_uri that is a text, and report an error otherwise.",
    },
  },
  jar: {
    "must-reject": {
      severity: "medium",
      consequence:
        "The client falls back to an authorization request without a signature, which an attacker can change.",
      fix: "Report the error; never repeat the request unsigned.",
    },
  },
  jarm: {
    "must-reject": {
      severity: "high",
      consequence: "An attacker changes the authorization response, although the client asked for a signed one.",
      fix: "Use only the parameters of a JWT whose signature, iss, aud and exp are valid.",
    },
  },
  dpop: {
    "should-reject": {
      severity: "medium",
      consequence: "The client uses a token that works without its key, so that a thief can use it too.",
      fix: "Require token_type DPoP where the client sent a proof.",
    },
    "must-recover": endlessRequests,
  },
  device: {
    "must-reject": {
      severity: "medium",
      consequence: "The device shows the user something else than a code and a URL of the server.",
      fix: "Require every member that RFC 8628 §3.2 demands, and show https URLs only.",
    },
    "must-recover": endlessRequests,
  },
};

/** The effect of an attack that names none. */
export function defaultEffect(id: string, level: AttackLevel): Effect {
  return byCategory[id.slice(0, id.indexOf("/"))]?.[level] ?? byLevel[level];
}
