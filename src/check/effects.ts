/** The effects of attacks: each is what was seen of a client, with its consequence and how to fix the client. */

/**
 * @internal The severity of an attack that succeeds: what follows from it. It is lower than that if only a server that
 * is itself wrong causes it, neither an attacker nor a response that a correct server may send.
 */
export type Severity =
  /** A user is logged in as another user. */
  | "critical"
  /**
   * An attacker gets tokens, takes part in another session, or runs code; or an attack or a failure that every server
   * has sometimes ends the application for all users.
   */
  | "high"
  /** Users cannot log in, or a weakness helps another attack. */
  | "medium"
  /** The client is less careful than a specification recommends, or behaves unlike most. */
  | "low";

/** The severities, the highest first. */
export const severities: readonly Severity[] = ["critical", "high", "medium", "low"];

/** @internal What was seen of a client, what follows from it, and how to fix the client. */
export interface Effect {
  /** What the client does wrong; a report groups attacks by it. Follows "the client". */
  readonly cause: string;
  /** How severe a failure is; a warning is less severe. */
  readonly severity: Severity;
  /** What an attacker or a user can then do, or no longer do; one sentence. */
  readonly consequence: string;
  /** What to change in the client, one sentence. */
  readonly fix: string;
}

const table = {
  crashed: {
    cause: "crashes with an error that no code catches",
    severity: "medium",
    consequence: "A response of the server ends the request of the user, and perhaps the application.",
    fix: "Catch the errors of the code that reads responses, report them, and discard the data of the attempt.",
  },
  stopped: {
    cause: "stops during an attack",
    severity: "high",
    consequence: "One request or response ends the application for all users, until it is started again.",
    fix:
      "Catch the errors of all code that handles requests and reads responses, also of code that runs later; the log " +
      "of the application has the error.",
  },
  hung: {
    cause: "does not end within the time limit of the check",
    severity: "medium",
    consequence: "A server that does not respond keeps users waiting, and connections of the application open.",
    fix: "Set a timeout for each request, until the end of its body, and show the error.",
  },
  endless: {
    cause: "begins the login again without end",
    severity: "high",
    consequence:
      "While a response of the server is wrong, browsers are redirected without end: users see no error, and the " +
      "requests overload the server.",
    fix: "After an error report it, and let the user begin the next login.",
  },
  noLogin: {
    cause: "accepts no login after an attack",
    severity: "medium",
    consequence: "After one failure of the server, users cannot log in.",
    fix: "Show the error, and discard all data of the failed attempt, so that the next login works.",
  },
  otherUser: {
    cause: "logs in a user as another user",
    severity: "critical",
    consequence: "An attacker acts in the account of another user.",
    fix: "Find users only by iss and sub, compared exactly, of an ID token that is valid for this login, and keep " +
      "logins apart.",
  },
  mixed: {
    cause: "does not keep the logins and sessions of browsers apart",
    severity: "high",
    consequence: "A browser takes part in the login or the session of another: an attacker acts there, or watches.",
    fix:
      "Keep state, nonce, code verifier and tokens of each login apart, and compare them with those of the browser or " +
      "the window that began it, before the token request.",
  },
  leaked: {
    cause: "sends credentials to a host other than the issuer",
    severity: "high",
    consequence: "Codes, tokens or credentials of the client arrive at a server of an attacker.",
    fix:
      "Do not follow redirects in requests with credentials, and send them only to https URLs of the configured issuer.",
  },
  unencrypted: {
    cause: "sends requests to http URLs in the metadata of an https issuer",
    severity: "medium",
    consequence: "If the metadata of the server is wrong, codes, tokens and credentials of the client can be read.",
    fix: "Send requests only to https URLs, and reject metadata with an http endpoint.",
  },
  contacted: {
    cause: "sends requests without credentials to a host other than the issuer",
    severity: "medium",
    consequence: "Another host responds instead of the issuer, or the client reaches hosts of its own network (SSRF).",
    fix: "Do not follow redirects, and send requests only to https URLs of the configured issuer, in public networks.",
  },
  foreignValue: {
    cause: "uses values that the server did not issue for the user",
    severity: "medium",
    consequence: "An attacker or another user chooses values that the application shows, or acts on.",
    fix: "Prefer the claims of the ID token, discard a userinfo response with another sub, and decode JWTs as UTF-8.",
  },
  exposed: {
    cause: "shows its secrets to scripts, other sites or logs",
    severity: "medium",
    consequence: "A script in a page, another site or a reader of logs gets tokens, a code or the session of a user.",
    fix: "Keep tokens, secrets and the code verifier out of URLs, pages and logs.",
  },
  kept: {
    cause: "keeps a session, tokens or data that have ended",
    severity: "medium",
    consequence:
      "The next user of the browser acts as the user who logged out, or the client uses what is no longer valid.",
    fix:
      "End every session of the user and its tokens first, whatever the server responds, and fetch kept documents again.",
  },
  ended: {
    cause: "ends or loses the session of a user",
    severity: "medium",
    consequence: "Users lose their session because one request failed, or because an attacker or another site ends it.",
    fix: "Keep the session and its refresh token until the user logs out or the server rejects the refresh token.",
  },
  reused: {
    cause: "sends a refresh token twice",
    severity: "high",
    consequence:
      "Servers that detect it revoke all tokens of the login (RFC 9700 §4.14.2): the user is logged out whenever two " +
      "requests refresh at once.",
    fix: "Let requests that need new tokens wait for one refresh, also across processes and windows.",
  },
  repeated: {
    cause: "repeats requests too often or too soon",
    severity: "medium",
    consequence: "The client overloads the server, and may send codes and tokens again or never end.",
    fix: "Send a code once, and repeat any other request at most a few times, with a longer delay each time.",
  },
  strict: {
    cause: "rejects a response that a specification allows",
    severity: "medium",
    consequence: "Users of a correct server cannot log in, or lose their session.",
    fix: "Accept what the specification allows, and ignore unknown members and parameters.",
  },
  early: {
    cause: "uses a response before it has validated it",
    severity: "medium",
    consequence:
      "The client sends its next request, with a code or token if it has one, after an invalid response; no session begins.",
    fix:
      "Check metadata before the authorization request, state, iss and error before the token request, and the token " +
      "response before its token is used.",
  },
  hostile: {
    cause: "uses text of the server without escaping or checking it",
    severity: "high",
    consequence:
      "A script or a command of an attacker runs in the pages of the application, or on the machine of the user.",
    fix: "Escape all text of the server in pages and logs, and open only https URLs.",
  },
  redirected: {
    cause: "starts a login for any issuer, or redirects to any site",
    severity: "medium",
    consequence:
      "A link makes the application log in at the server of an attacker, or leads to a page of the attacker.",
    fix:
      "Start logins only at the configured issuer, and redirect the browser only to the issuer and within the application.",
  },
  downgraded: {
    cause: "continues with less protection",
    severity: "medium",
    consequence: "An attacker who changes a response makes the client give up PKCE, a signature or a pushed request.",
    fix: "Create a new code challenge with S256 for each login, and report an error instead of a weaker request.",
  },
  idToken: {
    cause: "accepts ID tokens that are not valid for the login",
    severity: "high",
    consequence: "An ID token of another login, client, issuer or time begins a session.",
    fix: "Make every check of OpenID Connect Core §3.1.3.7 before a session begins.",
  },
  subject: {
    cause: "accepts ID tokens without a user",
    severity: "medium",
    consequence: "A session begins without a user, and all users of such a session may share one account.",
    fix: "Reject an ID token whose sub is absent, empty or not a string; a library may accept an empty one, so check " +
      "it in the callback.",
  },
  signature: {
    cause: "does not verify the signature of the ID token",
    severity: "high",
    consequence:
      "An attacker who can change a token response logs in as any user; OpenID Connect Core §3.1.3.7 lets a " +
      "client rely on TLS instead, but not over http.",
    fix: "Verify the signature with the key of jwks_uri that kid names, and accept the registered algorithm only; in " +
      "openid-client 6 call client.enableNonRepudiationChecks(config).",
  },
  form: {
    cause: "accepts ID tokens whose form, header or key it must reject",
    severity: "medium",
    consequence:
      "A header or a key that proves nothing counts as the signature of the server, which other attacks build on.",
    fix: "Accept three parts, the registered algorithm, no unknown crit, and only keys for signatures: by kty, use, " +
      "key_ops, alg and size.",
  },
  authorization: {
    cause: "accepts authorization responses that are not valid for the login",
    severity: "high",
    consequence: "A response of an attacker, of another server or of an ended login reaches the token request.",
    fix:
      "Check for error first; compare the whole state, and iss with the issuer of the login, before the token request.",
  },
  accessToken: {
    cause: "accepts access tokens that are not valid for it",
    severity: "high",
    consequence:
      "An access token of another issuer, for another API, or outside its lifetime gives access to the data of a user.",
    fix: "Before serving a request, make every check of RFC 9068 §4.",
  },
  unbound: {
    cause: "does not bind the code to the login of the browser",
    severity: "high",
    consequence:
      "An attacker who gets the code of a user exchanges it in another browser, and is logged in as the user.",
    fix: "Send a new code challenge (S256) with each login, and compare the nonce of the ID token if you send one.",
  },
  metadata: {
    cause: "accepts metadata that is not valid for the issuer",
    severity: "high",
    consequence: "The server of an attacker takes part in the login, and receives codes and credentials of the client.",
    fix:
      "Compare issuer with the configured issuer, character by character, and require an https URL for each endpoint.",
  },
  message: {
    cause: "uses responses that are not valid",
    severity: "medium",
    consequence: "The client treats an error, an incomplete response or a token of an unknown type as a success.",
    fix: "Check the status, the media type, token_type, and that each value that is used is present and of its type.",
  },
  advised: {
    cause: "accepts responses that a specification advises against",
    severity: "low",
    consequence: "A malicious server or network has more ways to mislead the client; no harm was seen.",
    fix: "Reject the response, as the sources recommend.",
  },
} as const satisfies Readonly<Record<string, Effect>>;

/** @internal What was seen of a client: the name of an effect. */
export type Seen = keyof typeof table;

const acceptances = [
  "idToken",
  "subject",
  "form",
  "accessToken",
  "authorization",
  "metadata",
  "message",
] as const satisfies readonly Seen[];

/** @internal What a client accepts if it does not reject a message: the name of an effect. */
export type Accepted = typeof acceptances[number] | "signature" | "foreignValue" | "otherUser";

export const effects: Readonly<Record<Seen, Effect>> = table;

const isAcceptance = (seen: Seen): boolean => acceptances.some((accepted) => accepted === seen);

/** The severity in a warning, by the severity in a failure. */
const warned: Readonly<Record<Severity, Severity>> = { critical: "medium", high: "medium", medium: "low", low: "low" };

/** The effect in a warning, which is less severe: no MUST binds the client, or no harm was seen. */
export function warningEffect(seen: Seen): Effect {
  return isAcceptance(seen) ? effects.advised : { ...effects[seen], severity: warned[effects[seen].severity] };
}
