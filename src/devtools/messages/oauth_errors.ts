/**
 * The error codes of OAuth, OpenID Connect and their extensions: those that this server sends, and those that clients
 * meet elsewhere.
 */

import type { ProblemFacts } from "./problem.ts";
import { absent, fails, unknown, wrong } from "./words.ts";

const silentLogin = {
  causes: ["A silent login (prompt=none) cannot show the page that is needed: consent, a second factor, a choice."],
  application: "This is an answer, no failure: begin a login without prompt=none.",
  server: "--login auto needs no page. /flows shows which check asked for one.",
  guide: "static/docs/sessions.md#stay-logged-in",
};

/** The facts of a code, by it. Those that most codes share are in `errorProblems`. */
const codes = {
  invalid_client: {
    tells:
      "appleid\\.apple\\.com > Apple's client secret is a JWT: expired, valid for more than six months, or with another team ID, key ID, key or client_id (sub). ; auth_?method|client_secret_(?:basic|post)|basic auth > 3 ; public client|secret (?:was )?not (?:provided|received)|without (?:a )?secret > 2 ; secret.?hash > SECRET_HASH is of another user name, client_id or secret: at a refresh, Cognito wants the sub, not the e-mail address. ; AADSTS700025 > The redirect URI is registered for the platform SPA or mobile, which has no secret: register it as Web, or send no secret. ; AADSTS7000218 > The redirect URI is registered for the platform Web, which needs the secret: send it, or register SPA or mobile.",
    title: "invalid_client: the client is unknown, or its secret is wrong or missing",
    signs: `
      client secret|credential|credentials|authentication|assertion|password ${wrong}|${absent}|unauthorized|expire|expired|rejected|basic|verif !client_certificate|pkce|claim|id_token|user|websocket|database|mysql|redis|grant_type
      client|client_id|clientid|application|app|consumer ${unknown} client_id|clientid|oauth|registered|register|tenant|authorization|identifier|directory|realm|id|enabled|disabled|oauth_client !secret_manager|redis|database|redirect|pkce|scope|claim|websocket|user_not
      ?credential|credentials invalid|wrong|bad|incorrect !user|password|git|basic
      ?client ${unknown}|disabled|unauthorized !redirect|scope|grant|claim|http_client|response_type`,
    causes: [
      "The application has the client_id or the secret of another environment, or a variable with the secret is empty or ends with a newline.",
      "The client is registered without a secret and sends one, or the reverse.",
      "The client sends the secret in another way than it is registered for: token_endpoint_auth_method.",
      "In a Basic header, a secret with special characters is not form-encoded.",
    ],
    application: "Compare client_id and secret with what is registered. Print the length of the secret.",
    server:
      "/flows shows how the client authenticated, and what differs. A client with client_secret is confidential, one without is public.",
    guide: "static/docs/stacks.md#client-libraries",
  },
  invalid_grant: {
    tells:
      "jwt.signature|\\bassertion\\b > The JWT that was sent as the grant is not valid: another key than the registered one, an aud that is not the server, or a clock that is off. ; redirect.?ur[il] > 2 ; code[^.;]{0,20} expired|expired[^.;]{0,20} code > 3 ; refresh.?token[^.;]{0,30} expired|token is not active|session|stale|been expired or revoked|logged out > 7 ; refresh > 4 ; user ?name|password|user credentials|account > 6",
    title: "invalid_grant: the code was already used or has expired, or the refresh token is no longer valid",
    signs: `
      6>?user|username|password|account|credential|credentials invalid|incorrect|wrong|bad|mismatch|unregistered|not_exist|not_find|not_found|unknown|no_user user|username|password|account|login|user_not_found|wrong_password !client|database|mysql|postgres|reset|claim|email_verified|scope|sub|subject|userinfo|hint|consent|cancel|deny|denied|token
      issued another|other client grant|code|token|authorization|redirection
      4>refresh|refreshing|refreshed session|access_token|tokens|token ${fails} !missing|no_refresh|without|browser|page|cache|silent
      4>refresh|refresh_token token|grant|session invalid|expire|expired|revoke|revoked|inactive|used|reuse|reused|not_active|unknown|malformed|wrong|stale|not_found|not_exist|reject|replay|rotate|rotated|no_longer|fail|failed|unrecognized !missing|no|not_present|absent|not_set
      code authorization|auth|oauth|grant|login|sso|exchange expire|expired|used|redeem|redeemed|consumed|spent|not_valid|already|reuse|reused|unknown|no_longer|incorrect|invalid|not_found|wrong !verifier|challenge|device|status|missing|error_code|exit|http|country|zip
      3>code_expired|code_has_expired|expired_code !device|user|verification|verify|sms|otp|mail|status|exit|http|promo|coupon|country|zip`,
    causes: [
      "The callback was handled twice: the page was reloaded, React's StrictMode ran an effect twice, or a middleware and a page both exchanged the code.",
      "redirect_uri differs from the one of the authorization request, or code_verifier does not match its challenge.",
      "The code expired while the application was stopped at a breakpoint.",
      "The refresh token rotated, and the application sent the old one again, or two tabs refreshed at the same time. That revokes the whole grant.",
      "The server restarted without a store, so it no longer knows its codes and tokens.",
      "The user name or the password is wrong, or the user does not exist here.",
      "The user's session or the refresh token ended: they logged out, it expired, or they withdrew consent.",
    ],
    application:
      "Exchange each code once, and store the new refresh token of each response before the next request. If a refresh fails with invalid_grant, have the user log in again.",
    server: "The terminal and /flows show which of these it was, with the earlier request.",
    guide: "static/docs/sessions.md#refresh-token-rotation",
  },
  invalid_request: {
    tells: "multiple|more than one|twice|repeated|duplicate > 4 ; json|content.?type > 3",
    title: "invalid_request: a parameter is missing, wrong or sent twice",
    signs: `
      subject_token|subject_token_type|actor_token|actor_token_type|requested_token_type|device_code|code_challenge_method|login_hint|acr_values|ui_locales|user_code|auth_req_id|token_type_hint|response_mode require|required|missing|only|without|combination|together|must|absent|omit|alone|conflict
      -?parameter|param missing|require|required|repeat|only|combination|together|twice`,
    causes: [
      "A required parameter is missing or empty: redirect_uri, code_challenge, code, or the one that error_description names.",
      "redirect_uri is not registered: then a page shows the error, and nothing is sent to the application.",
      "The body is JSON instead of a form, or a parameter stands in the query of a POST.",
      "A parameter was sent twice, or the client authenticates in two ways at once.",
    ],
    application: "Read error_description, and compare the request with it.",
    guide: "static/docs/flows.md",
  },
  unauthorized_client: {
    tells:
      "public > 2 ; not the token holder > The token was issued to another client: its aud must have the client that exchanges it.",
    title: "unauthorized_client: the client may not use this grant type or response type",
    signs: `
      client|application|app not_allow|not_authorize|unauthorized|not_permit|not_enable|not_allowed|disallow|disabled|not_authorized grant|flow|direct_access|service_account|grant_type|standard_flow|implicit|response_type|use|request|access_token|offline|method !http_client|redirect|origin|scope|user`,
    causes: [
      "The client is not registered for the grant type: client_credentials, refresh_token, device code …",
      "A public client asks for a grant that needs a secret, such as client_credentials.",
      "The application has the client_id of another environment or kind of application.",
    ],
    application: "Use the grant that the client is registered for.",
    server: 'Add it to the client: "grant_types": ["authorization_code", "refresh_token"].',
    guide: "static/docs/configure.md#the-configuration-file",
  },
  unsupported_grant_type: {
    tells: "urn: > 3 ; password|implicit|disabled > 2",
    title: "unsupported_grant_type: the token endpoint does not know this grant_type",
    signs: `
      grant|grant_type|granttype unsupported|not_support|not_allow|unknown|not_enable|not_allowed|not_permit|missing|invalid|disabled type|grant_type|client|flow|password|credentials|implicit|code|server !invalid_grant|sql|privilege`,
    causes: [
      "grant_type is misspelled, missing, or in a JSON body, which is not read.",
      "The grant is off, or gone from OAuth 2.1: password, implicit.",
      "The URN of an extension is not exact, such as urn:ietf:params:oauth:grant-type:device_code.",
    ],
    application: "Send grant_type in a form, with a value of grant_types_supported of the metadata.",
    server: "The metadata lists grant_types_supported; a profile or a setting adds others.",
    guide: "static/docs/get-a-token.md",
  },
  invalid_scope: {
    tells:
      "scopes?[:=][ +]*(?:[&\"'\\]}]|$) > The list of scopes is empty: configure them, with openid for a login. ; [a-z],[a-z]|misspel > 2 ; exceed|refresh > 3",
    title: "invalid_scope: a scope value is unknown, or the client may not request it",
    signs: `
      scope|scopes ${unknown}|invalid|unsupported|not_support|not_allow|not_allowed|malformed|unrecognized|not_permit|not_valid|exceed|disallow|wrong|not_assigned|not_authorized client|request|requested|server|authorization|oauth|openid|allow|allowed|scope|value|exceed|configured !variable|function|javascript|lexical|block|global|insufficient|css|this_scope|insufficient_scope
      scope|scopes must|contain|missing|include|no openid
      4>scope change from|to|oauth|openid`,
    causes: [
      "The client may not request a value, because its registration has a scope without it (openid, offline_access, an API's scope); or the server does not know the value.",
      "A value is misspelled, or separated by commas instead of blanks.",
      "A refresh or an exchange asks for more than was granted.",
      "The server granted other values than were requested, and the library compares them: request what it grants.",
    ],
    application: "Request values of scopes_supported that the client is registered for, separated by blanks.",
    server: 'Add it: "scope" of the client, or "scopes" of the server.',
    guide: "static/docs/configure.md#the-configuration-file",
  },
  access_denied: {
    tells:
      "useragent > Google refuses web views inside an application: open the login in the browser of the system. ; service not found > The audience is the identifier of no API of the tenant: compare it letter by letter. ; \\brbac\\b > 2 ; cancel|declin|denied by (?:the )?user|user denied > 1 ; assign|organi[sz]ation|member|given you|polic|group|allowed|not verified|blocked|tenant|locked|disabled > 2",
    title: "access_denied: the user or a rule denied the access",
    signs: `
      user|resource_owner|owner|end_user|consent|admin|administrator cancel|cancelled|canceled|deny|denied|decline|declined|reject|rejected|refuse|abort|abandon|not_assign|not_member|blocked|not_authorized|not_allowed|forbidden login|consent|access|request|authorization|sign_in|authentication|user|application|grant|permission|flow|group|role !database|mysql|postgres|password_authentication|file|eacces|ftp|sudo|using_password|userinfo|user_info|pull_access|access_denied_for|publickey|imap|smtp
      2>user|account|you|email|domain|role not_belong|not_member|not_add|not_give|not_authorize|not_permit|not_assign organization|group|team|list|application|app|tenant
      2>?your|account credential not_allow|not_authorize
      2>?user|account|sign_up|signup|registration disabled|lock|locked|not_confirmed|not_active|not_assign|suspend|deactivated|blocked|not_permit|forgotten !rate|attempt|client
      ?user|login|account|access|auth|authentication|flow cancel|cancelled|canceled|denied|declined|not_allowed|not_authorized|not_permitted !jwt`,
    causes: [
      "The user cancelled the login or the consent.",
      "The user is not allowed: not assigned to the application, blocked, or without a required group.",
      "A test or a setting decides so: a queued denial, a login page with Deny.",
    ],
    application: "Show that the login was cancelled, and offer it again: this is no failure of the application.",
    server: "/flows shows who denied. --login auto never asks.",
    guide: "static/docs/users.md#show-a-login-page-and-a-consent-page",
  },
  unsupported_response_type: {
    title: "unsupported_response_type: the server does not offer this response_type or response_mode",
    signs: `
      not_support obtain method|code|response
      response_type|response_mode|response_types|responsetype ${wrong}|unsupported|not_support|not_allow|unknown|missing|invalid|not_permit|not_enable|disabled !content|schema|arraybuffer`,
    causes: [
      "The application asks for token or id_token (implicit), which OAuth 2.1 removed.",
      "response_type is misspelled, or code is missing.",
    ],
    application: "Use response_type=code with PKCE.",
    server: 'Setting responseTypes allows "code id_token" and others; a profile of a provider may.',
    guide: "static/docs/authorization-requests.md#response-types-id-tokens-in-authorization-responses",
  },
  server_error: {
    title: "server_error: the server failed",
    signs: "unexpected_condition prevent|encounter|fulfill request|server",
    causes: ["A test queued this error, or a hook of a plugin threw.", "The store cannot be reached or is full."],
    application: "Treat it as temporary: show an error, retry later, do not loop.",
    server: "The terminal shows the error with its stack.",
    guide: "static/docs/stores.md",
  },
  temporarily_unavailable: {
    title: "temporarily_unavailable: the server cannot answer now",
    signs: `
      ?temporary|temporarily|currently|maintenance overload|maintenance|unable|unavailable server|request|authorization_server !name|resolution`,
    causes: [
      "A limit was reached: requests at once, passwords that wait, registrations.",
      "A document or key of the client cannot be fetched (jwks_uri, metadata document).",
      "The store is not reachable, or a test queued this error.",
    ],
    application: "Wait for Retry-After, then try again.",
    guide: "static/docs/limits.md",
  },
  invalid_token: {
    tells: "revoked > 4 ; \\bid.?token > 3 ; audience|issuer > 2",
    title: "invalid_token: the access token is expired, revoked, malformed, or for another API",
    signs: `
      ?token|access_token|bearer|introspection inactive|not_active|active_false|revoked|revoke|not_recognized|unknown|introspect|no_longer_active|is_not_valid|not_valid|blacklisted !refresh|code|csrf|id_token_hint|yet|before|alg|signature|unexpected_token|reset|device|audience|issuer|time|json
      ?active_false
      must login unauthorized
      introspection|introspect ${fails}|401|inactive|active|not|endpoint|response`,
    causes: [
      "The access token has expired.",
      "It is for another resource (aud) or of another issuer, such as an older run of the server.",
      "An ID token or a refresh token was sent, or the header has quotes or the word Bearer twice.",
      "It was revoked: by logout, by a code or refresh token that was used twice.",
    ],
    application: "Refresh once at 401, then log in again.",
    server: "/tokens shows what a token is and whether it is active; /flows shows why it was rejected.",
    guide: "static/docs/resource-servers.md",
  },
  insufficient_scope: {
    tells:
      "user ?info > The login did not request the scope openid, which userinfo requires. ; scope_|authorit > 3 ; \\broles?\\b|\\bscp\\b > 2",
    title: "insufficient_scope: the access token is valid, but lacks a scope of the API",
    signs: `
      privilege|scope|permission|authority higher|more|additional require|need|necessary|than request|access|token|resource
      scope|permission|permissions|authority|authorities|privilege|scopes insufficient|lack|lacks|missing|require|required|not_have|not_contain|inadequate|not_sufficient|deny|not_grant|higher|necessary token|access|api|bearer|scope|access_token|claim|resource|request|jwt|forbidden|403 !file|openid_scope|invalid_scope|directory|database|operation_not|mkdir|eacces
      insufficient|missing|lack scope|scopes !scopes_supported`,
    causes: [
      "The login did not request the scope, or the user or client was not granted it.",
      "The API reads another claim: scp or roles instead of scope, a list instead of a text.",
      "Spring adds the prefix SCOPE_ to authorities.",
    ],
    application: "Request the scope that WWW-Authenticate names, in a new authorization request.",
    server: 'Add it to "scope" of the client.',
    guide: "static/docs/resource-servers.md",
  },
  insufficient_user_authentication: {
    title: "insufficient_user_authentication: the API wants a newer or stronger login",
    signs: `
      authentication different|recent|strong|stronger|newer|higher level|require|required|enough|necessary`,
    causes: ["The login is older than max_age, or has a weaker acr than acr_values of the challenge."],
    application: "Begin a new authorization request with acr_values and max_age of the challenge.",
    server: "A user or the login page decides on acr.",
    guide: "static/docs/authorization-requests.md#step-up-authentication-acr_values",
  },
  login_required: {
    title: "login_required: prompt=none, and the user is not logged in",
    signs: `
      4>prompt|max_age|auth_time|reauthentication|reauthenticate login|auth_time|old|older|before|happened|require|required|max_age !silent
      login|authentication|sign_in|session|reauthentication require|required|not_login|not_logged|not_authenticated|no_session|must prompt_none|silent|none|prompt|authorize|sso|authorization_server|idp|provider`,
    causes: [
      "A silent login (prompt=none, an iframe) without a session at the server: the first visit, or after logout.",
      "The browser sends no third-party cookies to the frame.",
      "The session is older than max_age, or the hint names another user.",
      "The client asked for a new login (prompt=login, max_age), and the user did not log in again: auth_time is older than the request.",
    ],
    application: "This is an answer, no failure: begin a login without prompt=none.",
    server: "--login auto needs no page. /flows shows which check asked for one.",
    guide: "static/docs/sessions.md#stay-logged-in",
  },
  interaction_required: {
    title: "interaction_required: prompt=none, and the user must act",
    signs: "?user|end_user require|required|must|need interaction|interact",
    ...silentLogin,
  },
  consent_required: {
    title: "consent_required: the user must consent first",
    signs: "?user|end_user require|required|must|need consent",
    ...silentLogin,
    causes: [
      "The user, or an administrator where the provider demands it, has not consented to the application or to a new scope.",
      ...silentLogin.causes,
    ],
  },
  account_selection_required: {
    title: "account_selection_required: prompt=none, and the user must choose an account",
    signs: "?user|end_user require|required|must select|selection|choose|choice session|account",
    ...silentLogin,
  },
  invalid_target: {
    title: "invalid_target: the resource or audience is unknown, or not allowed for the client",
    signs: `
      request_resource|resource_parameter|resource_indicator invalid|malformed|unknown|not_allow|not_register`,
    causes: [
      "resource is not the URL that the API has registered: a slash at the end, http and https, the port.",
      "resource of the token request was not in the authorization request.",
      "audience of a token exchange is not an API or client that is allowed.",
    ],
    application: "Send resource letter by letter as the API's metadata names it.",
    server: '"resources" of the server or of the client.',
    guide: "static/docs/resource-servers.md",
  },
  authorization_pending: {
    title: "authorization_pending: the user has not decided yet: keep polling",
    signs: `
      authorization|user|device pending|not_yet|waiting|await|not_complete authorization|authorize|approve|user|login|device|code|flow !promise|job|poll`,
    causes: ["Nothing is wrong: the user has not entered the code, or not confirmed."],
    application: "Wait interval seconds, and ask again.",
    server: "/device takes the code; a test confirms it through the API.",
    guide: "static/docs/grants.md",
  },
  slow_down: {
    title: "slow_down: the client polls too often",
    signs: `
      poll fast|faster|often|frequent|frequently|slower|early|soon|increase interval|specified|client|too|wait|less|than|device !build|change|file|queue
      often|frequent|frequently|too_fast request|ask|call token|device_token|device_code
      ?increase|wait poll|interval interval|poll`,
    causes: ["The polls are closer than interval seconds.", "interval was not raised by 5 after the last slow_down."],
    application: "Add 5 seconds to the interval at each slow_down.",
    guide: "static/docs/grants.md",
  },
  invalid_dpop_proof: {
    tells: "jkt|thumbprint|bound > 2 ; \\bath\\b > 3 ; jti|replay|\\biat\\b > 4",
    title: "invalid_dpop_proof: the DPoP proof is missing or not valid for this request",
    signs: `
      dpop|proof_possession|dpop_proof|jkt|htu|htm ${wrong}|${absent}|mismatch|require|required|bound|expire|thumbprint|ath|verify|fail|replay|old|binding|proof
      2>dpop|cnf|jkt thumbprint|bound|binding|key|cnf|jkt ${wrong}|mismatch|different|${absent}`,
    causes: [
      "htu is not the URL as the server sees it (a proxy, a port, http and https), or htm is another method.",
      "The token is bound to another key than the one of the proof (jkt).",
      "ath is missing or of another access token.",
      "The proof was sent before (jti), or iat is off: the clock.",
    ],
    application: "A new proof for each request: htm, htu without query, iat, jti, and ath at the API.",
    guide: "static/docs/mutual-tls.md#dpop",
    compares: { scheme: 1, host: 1, port: 1, loopback: 1, path: 1 },
  },
} as const satisfies Readonly<Record<string, Omit<ProblemFacts, "server" | "seen"> & { readonly server?: string }>>;

/**
 * Codes that few clients meet, a line each: the code, what happened, the causes, what to change in the application, the
 * guide, and the signs.
 */
const rareCodes = `
invalid_redirect_uri | a redirect_uris of a registration is not accepted | http on another host than localhost, a fragment, a wildcard, or a custom scheme for a web application. | Register https URLs, or http on localhost. | static/docs/registration.md#dynamic-client-registration | one_more redirection_uri|redirect_uri invalid
expired_token | the device code or auth_req_id has expired | The user took longer than expires_in. ; The client polls with the code of an earlier attempt. | Begin again with a new code. | static/docs/grants.md | device|user_code|device_code code|flow|device_code|user_code|authorization|login expire|expired|timeout|timed_out|not_found|invalid|already|used|no_longer !certificate|refresh
use_dpop_nonce | the proof needs the nonce of the server | Nothing is wrong: the response has the header DPoP-Nonce, and the request must be sent again with it. ; The nonce is an older one, or of another server (API and token endpoint have their own). | Repeat the request once with nonce in the proof; keep the newest of each server. | static/docs/mutual-tls.md#dpop | dpop nonce ${wrong}|${absent}|require|required|use|stale|must|expected|header|retry
request_not_supported | the parameter request (a signed request) is not accepted | The client has no registered keys, or the server is without signed requests. | Send the parameters by themselves, or register jwks. | static/docs/signed-requests.md#signed-authorization-requests-jar | request_parameter not_support|unsupported|not_accept
request_uri_not_supported | request_uri is not accepted | request_uri is a URL; only those of a pushed request are accepted. | Push the request, and send the request_uri of its response. | static/docs/signed-requests.md#pushed-authorization-requests-par | request_uri not_support|unsupported|not_accept
invalid_request_uri | request_uri is unknown, expired, already used, or of another client | It was used before: a reload, or a link that a scanner opened. ; It expired: a pushed request lives for a short time. ; It was pushed by another client, or the server restarted. | Push a new request for each login. | static/docs/signed-requests.md#pushed-authorization-requests-par | request_uri ${wrong}|expire|used|error|not_found
invalid_request_object | the signed request cannot be verified | aud is not the issuer, or iss is not the client_id. ; The key or the algorithm is not the registered one, or the JWT has expired. | Sign with the registered key: iss = client_id, aud = issuer, exp within minutes. | static/docs/signed-requests.md#signed-authorization-requests-jar | request_object|signed_request ${wrong}|expire|signature|verify|decrypt
registration_not_supported | the parameter registration is not accepted | The request is for a self-issued provider. | Register the client, or give its metadata document as client_id. | static/docs/registration.md
unmet_authentication_requirements | the login does not reach the acr that is essential | No user can log in at the level of acr_values or of the claims request. | Ask for a level of acr_values_supported. | static/docs/authorization-requests.md#step-up-authentication-acr_values | authentication_requirement not|unmet
invalid_software_statement | the software statement of a registration is not valid | The issuer or its key is not configured as trusted. ; The statement has expired or is malformed. | Send a statement of a trusted issuer, or none. | static/docs/registration.md#dynamic-client-registration | software_statement ${wrong}|expire
unapproved_software_statement | nobody trusts the issuer of the software statement | The issuer or its key is not configured as trusted. ; The statement has expired or is malformed. | Send a statement of a trusted issuer, or none. | static/docs/registration.md#dynamic-client-registration | software_statement not_approve|not_trust|untrusted|unapproved
expired_login_hint_token | the login_hint_token has expired | The token that identifies the user is too old. | Get a new one for each request. | static/docs/ciba.md
unknown_user_id | the hint names no user | login_hint is not the sub, name or e-mail address of a user here. ; id_token_hint is of another server. | Send a hint that the server knows. | static/docs/ciba.md | user|end_user identify|determine|unknown hint|login_hint|login_hint_token|id_token_hint
missing_user_code | the user has a code, and the request has none | The client was registered with backchannel_user_code_parameter. | Ask the user for the code, and send it as user_code. | static/docs/ciba.md | user_code missing|absent|require
invalid_user_code | user_code is wrong | The client was registered with backchannel_user_code_parameter. | Ask the user for the code, and send it as user_code. | static/docs/ciba.md | user_code invalid|wrong|incorrect
invalid_binding_message | binding_message is not acceptable | It is longer than the limit, or has characters that a phone may not show. | Send a short plain text. | static/docs/ciba.md | binding_message ${wrong}|unacceptable|too_long
transaction_failed | the server could not finish the request (push mode) | The user or the device could not be reached. | Begin again. | static/docs/ciba.md
invalid_authorization_details | authorization_details is not valid | type is unknown, or a member is missing, unknown or of another type. ; The text is no JSON array. | Send a JSON array of objects with a type of authorization_details_types_supported. | static/docs/authorization-requests.md#rich-authorization-requests-authorization_details | authorization_details ${wrong}|unsupported
unsupported_token_type | the revocation endpoint cannot revoke this type | token_type_hint or the token is of a type that cannot be revoked, such as an ID token. | Revoke access and refresh tokens. | static/docs/sessions.md#log-out | revocation|revoke not_support|unsupported type|token_type
request_denied | the authorization server denied the request (UMA) | A policy denies the user or client, or the owner has not approved yet. | Do not repeat the request; ask the owner. | static/docs/standards.md
invalid_client_metadata | a member of a registration is not accepted | A value is unknown or contradicts another: grant_types without response_types, an algorithm, a URL. ; A member has another type: a text instead of a list. | error_description names the member. | static/docs/registration.md#dynamic-client-registration | client_metadata ${wrong}|unsupported|field
`;

const rare: Readonly<Record<string, Omit<ProblemFacts, "server">>> = Object.fromEntries(
  rareCodes.trim().split("\n").map((line) => {
    const [code = "", happened, causes = "", application = "", guide = "", signs] = line.split(" | ");
    return [code, { title: `${code}: ${happened}`, causes: causes.split(" ; "), application, guide, signs }];
  }),
);

/** What an error code means, by the code. */
export const errorProblems: Readonly<Record<string, ProblemFacts>> = Object.fromEntries(
  Object.entries({ ...codes, ...rare }).map(([code, facts]) => [code, {
    server: "/flows shows the rejected request: expected, received and the fix.",
    seen: ["rejection"],
    ...facts,
  }]),
);

/**
 * Numbered errors by what numbers them: a line with `@` names the prefix or the domain, each below it a problem with
 * the cause that stands first (`popup>2`) and its numbers. `*` stands for further digits.
 */
const numberedErrors = `
@ IDX
iss 10204 10205 10211 10212 10262 10266 40001 40002 40003
aud 10206 10207 10208 10214 10215 10268 10231
exp 10223 10225 10230
nbf 10222 10224
typ 10256 10257
jwks>6 10500
kid 10501 10502 10503 10513 10515 10516 10517
signature 10504 10505 10508 10511 10512 10514
alg 10518 10634 10640 10652 10696 10697 14000
jwe 10603 10609 10610 10611 10612 10615 10618 10619 10654
key_format 10630 10631 10653 10703 10720 10661
not_jwt 12709 12723 12729 12741 14100 14101 14102 14120
https 20108
discovery 20803 20804 20806 20807 10261
jwks>4 10818 20805
nonce 21319 21320 21323 21324 21325 21326 21349
state 21327 21328 21329 21330
at_hash 21300 21301 21347 21348 21309 21312
sub 21338
claims 21345 21336
no_id_token 21314 21333 21334
@ AADSTS
redirect_uri 50011 500112 500113 900971 70004 700009
invalid_client 7000215 7000222 700016 70002 7000112 700011 700030
invalid_client>2 7000218 700025
assertion 50012 50013 500133 50048 700021 700027
nbf 700024
invalid_grant 70000 54005 700005 50089
invalid_grant>7 700082 700084 70043 50173
invalid_grant>3 70008
invalid_grant>6 50126 50034 50056 50064 50144 50055 51004
pkce 50147 501481 501491 50148 9002325
cors 9002326 9002327
invalid_scope 70011 28002 28003 650053 700022 700023
invalid_target 50001 500011 65005 650052 650054 650057 901002
invalid_request 900144 90004 90005 90013 90014 90023 90056 90100 9002313
post_only 900561
unsupported_response_type 700051 700054 70005 70007
unsupported_grant_type 70003
unauthorized_client 70001 7000114
authorization_pending 70016
expired_token 70018 70019
discovery 90002 900021 900023 90019 50049 50059 50107 50128 50169
iss 50194 90124 90130 9001023 9002332
access_denied>2 50002 500021 500022 500212 500213 50005 50014 50020 50057 50105 50131 50177 50178 90072 16003 53* 130* 135*
access_denied 65004
rate 50053 90055
consent_required 65* 90008 90009 90093 90094 90095 90099 52004
login_required 50058 50132 50133 16002 160021
interaction_required 16* 50072 50074 50076 50078 50079 50085 50097 50125 50127 50129 50140 50155 50158 50199 51006 700020
redirect_loop 50196
header_size 90015
logout_uri 50061 50068 50070 50071
signature 50006 900384
kid 50003 50146
server_error 50000 90036 80*
temporarily_unavailable 50033 90006 90024 90033 90090
@ AADB2C
redirect_uri 90006 90007
invalid_client 90008 90011 90018 90068 90079 90081 90084 90092
assertion 90016 90017 90039
invalid_scope 90010 90012 90055 90110 90115 90117 90146 90205
unsupported_response_type 90013 90014 90057
unauthorized_client 90058 90224
unsupported_grant_type 90086
invalid_grant 90080 90087 90088 90128 90129
invalid_grant>6 90052 90053 90054 90225
access_denied 90091
access_denied>2 90111 90114 90118 90151 90157
login_required 90077
invalid_request 90043 90083 90120
pkce 90182 90183 90184 99059
state 90046 90211 90212
discovery 90022
no_id_token 90107
logout_uri 90036 90067
exp 90208 90235
aud 90209 90237
iss 90232 90238
signature 90233
temporarily_unavailable 90035
server_error 90048 90085
@ NSURLErrorDomain
name -1003 -1006
refused -1004
timeout -1001 -1009 -1018 -1020
reset -1005
certificate -1202 -1203
certificate>4 -1201 -1204
tls -1200
https -1022
url -1000 -1002
redirect_loop -1007
@ WebAuthenticationSession ASWebAuthenticationSessionErrorDomain SFAuthenticationErrorDomain SafariServices.Authentication
popup>2 1
popup 2 3
@ AuthorizationError
popup>2 1001
configuration 1000
@ appauth.general appauth0
discovery -2 0
popup>2 -3 -4 1 2
timeout -5 3
token_request -6 -7 -8 -9 -11 4 5 6
not_jwt -14 8
jwt_claims -15
popup -10
mcp 7
state -16
@ oauth_token oauth_authorization oauth_registration appauth1 appauth2
invalid_request -2 1000 2000
unauthorized_client -3 1001 2003
access_denied -4 1002
unsupported_response_type -5 1003
invalid_scope -6 1004 2005
server_error -7 1005
temporarily_unavailable -8 1006
invalid_client -9 2001
invalid_grant -10 2002
unsupported_grant_type -11 2004
invalid_redirect_uri -12
invalid_client_metadata -13
callback 1007 1008
token_request 2006 2007
@ MSALErrorDomain MSALInternalErrorCodeKey
popup>2 -50005
interaction_required -50002 -50142
invalid_scope -50003
access_denied>2 -50004 -50001
server_error -50006
redirect_uri -42001 -42011
popup>4 -42402
https -42602
invalid_client -42003
invalid_grant -42004
@ ApiException
invalid_client 10 12500
popup>2 12501 16
popup>4 12502
timeout 7 15
login_required 4
@ GIDSignIn
popup>2 -5
login_required -4
@ claim attribute
iss iss
aud aud
azp azp
exp exp
nbf nbf iat
nonce nonce
sub sub
at_hash at_hash c_hash s_hash
auth_time auth_time
typ typ
metadata_issuer issuer
mcp>2 resource
@ type error
redirect_uri invalid_redirect_uri
invalid_grant REFRESH_TOKEN_ERROR
userinfo>1 USER_INFO_REQUEST_ERROR
`;

/** The numbered errors, such as `NSURLErrorDomain -1004`, with the problem and its cause. */
const numbered: Readonly<Record<string, string>> = Object.fromEntries(
  numberedErrors.trim().split("@ ").slice(1).flatMap((section) => {
    const [domains = "", ...lines] = section.trim().split("\n");
    return lines.flatMap((line) => {
      const [problem = "", ...numbers] = line.split(" ");
      return domains.split(" ").flatMap((domain) => numbers.map((number) => [`${domain} ${number}`, problem]));
    });
  }),
);

/** The problem of a numbered error with its cause, `popup>2`: its own, or that of the longest class of numbers. */
export function problemOfNumber(domain: string, number: string): string | undefined {
  const classes = Array.from(number, (_, index) => `${number.slice(0, index + 1)}*`);
  const known = [...classes, number].findLast((one) => Object.hasOwn(numbered, `${domain} ${one}`));
  return known === undefined ? undefined : numbered[`${domain} ${known}`];
}

/** Codes of providers and libraries that mean the same as another problem, by it and its cause. */
const codesByProblem = `
redirect_uri redirect_uri_mismatch mismatching_redirect_uri missing_redirect_uri invalid_redirect_url redirect_mismatch
invalid_grant bad_verification_code expired_code code_not_found invalid_refresh_token user_session_not_found invalid_code
invalid_client incorrect_client_credentials invalid_client_secret invalid_client_id deleted_client client_not_found invalid_client_credentials
pkce pkce_verification_failed code_verifier_missing invalid_code_verifier
access_denied disallowed_useragent rejected_by_user auth_denied user_cancelled_login user_cancelled_authorize user_cancelled application_suspended
no_access_token unauthorized
token_response missing_token
claims unverified_user_email
interaction_required mfa_required
invalid_grant>6 invalid_user_credentials user_not_found wrong_password invalid_username_or_password
unauthorized_client not_allowed device_flow_disabled
expired_token incorrect_device_code
iss invalid_issuer
signature invalid_signature
nonce invalid_nonce
state invalid_state state_mismatch csrf_detected
no_code missing_code empty_response
no_code>4 hash_empty_error no_state_in_hash
https insecure_transport
hidden invalid_id_token
invalid_token token_inactive
exp token_expired
rate too_many_requests too_many_attempts rate_limit_exceeded over_request_rate_limit
cors invalid_origin origin_mismatch
popup empty_window_error block_nested_popups monitor_popup_timeout popup_window_error popup_failed_to_open popup_blocked
popup>2 popup_closed_by_user popup_closed authentication_canceled
silent timed_out block_iframe_reload redirect_in_iframe iframe_closed_prematurely monitor_window_timeout idpiframe_initialization_failed
browser_state state_not_found no_cached_authority_error unable_to_parse_state state_interaction_type_mismatch
login_required no_account_error no_tokens_found refresh_token_expired immediate_failed user_interaction_required failed_to_acquire_token_silently no_account_in_silent_request
configuration stubbed_public_client_application_called
timeout no_network_connectivity network_not_available network_error no_network
access_denied>2 user_disabled user_not_confirmed account_disabled org_internal admin_policy_enforced not_whitelisted
discovery invalid_authority openid_config_error
invalid_scope invalid_resource_scope
invalid_target invalid_resource
`;
export const otherCodes: Readonly<Record<string, string>> = Object.fromEntries(
  codesByProblem.trim().split("\n").flatMap((line) => {
    const [problem = "", ...codes] = line.split(" ");
    return codes.map((code) => [code, problem]);
  }),
);

/** Whether a word is an error code of OAuth, or one that providers use for it. */
export const isErrorCode = (word: string): boolean =>
  Object.hasOwn(errorProblems, word) || Object.hasOwn(otherCodes, word);
