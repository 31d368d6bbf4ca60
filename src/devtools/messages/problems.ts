/**
 * What goes wrong when a login or a token fails: the title, the causes in the order in which they happen, and what to
 * change on each side. The one home of these texts for `latchkey explain`, the search of `/flows`, the tool of
 * `latchkey mcp` and `static/docs/troubleshooting.md`.
 */

import type { ProblemFacts } from "./problem.ts";
import { absent, fails, typed, withoutClaim, wrong } from "./words.ts";

/** The problems that no OAuth error code reports alone. */
export const libraryProblems = {
  state: {
    compares: { loopback: 1, value: 3 },
    tells:
      "entropy|characters|too (?:short|weak) > 7 ; authenticity > 6 ; unprotect|hmac|decrypt|securecookie|secret > 5 ; [:\\s]([0-9a-f]{16,})\\b.{1,60} match .{1,60}[:\\s](?!\\1)[0-9a-f]{16,} > 3 ; cookie does not match|newer|another login|already|replay|\\bback\\b > 3 ; correlation|samesite|secure cookie > 2 ; expired|\\bstore\\b|redis|restart > 4",
    title: "State mismatch or missing cookie: the callback came without the session in which the login began",
    signs: `
      cookie|cookies callback|csrf|login|oauth2|oauth ${absent}|fail|invalid|not_valid !cookie_secret|exceed|loop|local_storage|session_storage|reject|block|samesite|secure|ignore
      session|state ${absent}|expire|invalid|not_exist oauth|oidc|callback|login|authenticate|authentication|cookie|state !state_machine|token
      state|correlation|relay_state|login_session|transaction oauth|oidc|openid|auth|authorization|callback|login|param|parameter|session|cookie|request ${wrong}|${absent}|expire|lost !userinfo|loop|local_storage|session_storage|exceed
      ?state|correlation ${wrong}|${absent}|already|replay !illegal
      state mismatch|mismatching|not_match|differ
      5>?unprotect|securecookie|secure_cookie|hmac message|state|value|cookie|not_valid|validation|decrypt !too_long|too_large
      6>?authenticity token|error|invalid
      ?cross_site_request|csrf_attack forgery|csrf
      state|session matching|different|differ session|authentication_request|request|sent|sent_authentication not_find|could_not|parameter|not !token
      csrf|xsrf oauth|oauth2|openid|authorization|state|sso|oidc ${wrong}|${absent}|detected|warning
      ?csrf|xsrf ${wrong}|${absent}
      ?session|transaction|login_request|authentication_request|authorization_request ${absent}|lost !token|exceed
      4>?session|transaction|login_request expire|stale !token|exceed`,
    causes: [
      "The login began on another host than its callback, such as localhost and 127.0.0.1, which have different cookies.",
      "The browser dropped the cookie, or did not send it: a Path that the callback is not below, SameSite=None without Secure, Secure on plain http, or SameSite=Strict. With response_mode=form_post the callback is a POST of another site, which carries no SameSite=Lax cookie.",
      "The callback was opened a second time (reload, back button, bookmark), or another login replaced its state: two tabs, or requests at once that each began one.",
      "The session store forgot it: it is in memory and the application restarted, or another instance got the callback.",
      "The cookie is of another secret: the secret changed, is made anew at each start, or differs between instances.",
      "The form by which the login begins lacks the CSRF token of the application: begin it with its form, not a link.",
      "The authorization request had no state or a short one, and the server demands one: send a random one.",
    ],
    application:
      "Open the login at the host of the redirect URI. Set the cookie with SameSite=Lax and Path=/, and with Secure only where the application has https. Keep the values of each login under its own state.",
    server:
      "The terminal and /flows warn of a login that began on another name of the machine than its callback (RU-16), and note a code that was not exchanged (CI-12). Without response_mode the callback is a GET, which carries SameSite=Lax cookies.",
    guide: "static/docs/containers-and-ci.md#docker-compose-the-hostname-of-the-issuer",
    seen: ["login host", "code"],
  },
  browser_state: {
    signs: `
      no_matching_state
      3>state|initial_state missing|lost|cleared|inaccessible storage
      state|request storage|session_storage|local_storage no|not_found|match|matching|missing`,
    tells: "127\\.0\\.0\\.1|origin > 2 ; cleared|inaccessible|partition|private mode > 3",
    title: "No matching state in the browser: the application has no record of this login",
    causes: [
      "The callback was handled twice: React StrictMode runs effects twice, two components call it, or the page was reloaded with code and state still in the address.",
      "The login began at another origin: localhost and 127.0.0.1, another port, http and https have different storage.",
      "The storage was cleared or is of one tab: sessionStorage with a login that returned in another tab, private mode, an expired record.",
    ],
    application:
      "Handle the callback once, then replace the address by one without code and state. Begin the login at the origin of the redirect URI.",
    server: "/flows shows the redirect URI and whether the code was exchanged; a second exchange is CI-06 there.",
    guide: "static/docs/flows.md",
    decides: 2,
    seen: ["login host", "code"],
  },
  metadata_issuer: {
    compares: { loopback: 1, port: 1, slash: 2, path: 2, host: 3, scheme: 3 },
    tells: "multi-?tenant|/common|tenantid > 4 ; /\\.well-known\\b[^/]*/?$ > 2",
    title: "Issuer mismatch: the metadata names another issuer than the one that the application is configured with",
    signs: `
      issuer discovery|metadata|configuration|document|well_known|returned_provider|discovered|provider_configuration ${wrong}|different|equal !certificate|claim|token
      issuer returned|requested|requested_issuer|issuer_returned ${wrong}|different !token|jwt|claim
      issuer url|configured|requested|authority ${wrong}|different !certificate|claim|token|jwt|registered`,
    causes: [
      "127.0.0.1 instead of localhost, or another port: the issuer is compared letter by letter.",
      "A slash at the end, or a path too many or too few, such as a copied /.well-known/openid-configuration.",
      "In containers the application reaches the server under another name than the browser does.",
      "A profile of a provider has a path in its issuer, such as /realms/master.",
    ],
    application: "Configure the issuer exactly as the metadata has it, in the member issuer.",
    server:
      "The terminal shows the issuer. --issuer sets another one; --issuer from-host makes every host that a request names an issuer.",
    guide: "static/docs/containers-and-ci.md#the-issuer-in-a-container-which-hostname",
    seen: ["issuer asked for", "metadata path"],
  },
  iss: {
    compares: { loopback: 1, port: 1, slash: 1, host: 2, path: 3, scheme: 1 },
    tells: withoutClaim +
      "multi-?tenant > The application is for one tenant: put the ID of the tenant into the authority, not /common.",
    title: "Wrong issuer (iss): the token comes from another issuer than the application expects",
    signs: `
      iss|issuer claim|token|jwt ${absent} !audience|certificate
      iss ${wrong}|different|check !parameter|param|response|callback|authorization_response
      issuer|issued_by|authority|tenant token|jwt|id_token|claim|access_token|bearer|security_token ${wrong}|different !certificate|cert|x509|authorization_response|audience|discovery|metadata
      ?issuer ${wrong}|different !certificate|cert|x509|ssl|tls|audience|local
      iss no_credential|no_credentials`,
    causes: [
      "127.0.0.1 instead of localhost, another port, or a slash at the end in the configured issuer.",
      "In containers, the token was obtained under one name of the server and verified under another.",
      "The token is of another environment, or an old one of a server that had another port.",
      "A test queued the fault id-token/iss-wrong, or minted the token with another issuer; then the message is right.",
    ],
    application: "Configure the issuer exactly as the claim iss has it. /tokens decodes a token.",
    server:
      "If only a slash differs, change nothing: iss here equals the issuer in the metadata. In containers, set --issuer to the URL at which all applications reach the server, and frontChannelUrl to that of the browser.",
    guide: "static/docs/verify-tokens.md",
    seen: ["iss", "issuer asked for"],
  },
  azp: {
    compares: {},
    title: "Wrong or missing azp: the ID token names another client, or none, as its authorized party",
    signs: `
      azp|authorized_party ${wrong}|${absent}|equal|not|different
      azp|authorized_party token|id_token|client|client_id|audience|claim|jwt ${wrong}|${absent}|equal|not|different`,
    causes: [
      "The ID token has several audiences: then azp must be there, and be the client_id of the application.",
      "The token is of another client, such as one that was exchanged or passed on.",
      "The application configured another client_id than the one that logged in.",
    ],
    application: "Compare azp with the client_id; log in with the client that reads the ID token.",
    server: "An ID token here has the client as its only aud, unless a test or a plugin edits it.",
    guide: "static/docs/flows.md#decode-and-check-a-jwt-tokens",
    seen: ["aud"],
  },
  claim_type: {
    title: "Claim of another type: the application reads a text where the token has a list, or the reverse",
    signs: `
      1>?aud|audience ${typed}
      2>email_verified|phone_number_verified ${typed}
      3>?scope|scp|role|group|permission|amr|acr ${typed}
      4>?exp|iat|nbf|auth_time|expires_in ${typed}
      5>?sub|subject ${typed}
      ?claim|nonce|jti ${typed}`,
    causes: [
      "aud is a list of names, and the application reads a single text, or the reverse: RFC 7519 allows both.",
      'email_verified is true or false, and a provider or a user here has the text "true".',
      "scope is one text with blanks (RFC 9068), and scp, roles or groups of providers are lists.",
      "Times are numbers of seconds, not texts.",
      "sub is a text: a number must be written in quotes.",
    ],
    application: "Read both a text and a list, or use a version of the library that does.",
    server: "/tokens shows each claim as it is. A profile, a user or a plugin decides on the form of a claim.",
    guide: "static/docs/flows.md#decode-and-check-a-jwt-tokens",
    seen: ["aud"],
  },
  aud: {
    tells: withoutClaim +
      "\\bid.?token|client_?id|bound audience|callback|exchange.{0,10}code > 2 ; not (?:given|provided|specified|set) > 5",
    compares: { kind: 1, value: 2 },
    title: "Wrong audience (aud): the token is not for the application or API that received it",
    signs: `
      audience not_match|mismatch|values|allowed|configured|expected|intended|strict|not_contain|not_include|found|none ${wrong}|${absent}|allowed|configured|found|strict|values
      aud ${wrong}|${absent}|check|contain|different
      audience|recipient token|jwt|id_token|claim|access_token|bearer|client_id ${wrong}|${absent}|contain|different|include
      ?audience ${wrong}|${absent}|contain|different|include|match
      recipient|required_audience|payload_audience ${wrong}|payload|different
      not_intended token|jwt|audience|client|recipient|relying_party`,
    causes: [
      "An API expects its own name, but the client asked for none: without resource, an access token here has the issuer as aud.",
      "The application configured another client_id than the one that logged in.",
      "An access token was verified as an ID token, or an ID token was sent to an API.",
      "A test queued the fault id-token/aud-wrong, or minted another aud; then the message is right.",
      "The check was given no audience: PyJWT and others then reject each token that has an aud.",
    ],
    application:
      "API: expect the value of aud, or let the client send resource in the authorization and the token request. ID token: expect the client_id.",
    server: '"audience": "https://api.example" is the aud of access tokens of requests without resource.',
    guide: "static/docs/resource-servers.md",
    seen: ["aud"],
  },
  typ: {
    tells: "\\bid.?token > 2",
    compares: {},
    title: "Wrong token type (typ): the API accepts other tokens than at+jwt",
    signs: `
      typ ${wrong}|${absent}|check|header|accept
      ?token|jwt type|typ ${wrong}|not_accept !path|grant|unsupported_token_type|content|none|claim|algorithm`,
    causes: [
      "Access tokens here are at+jwt (RFC 9068), and the API accepts only JWT, or tokens without typ.",
      "The API expects at+jwt, and got an ID token, whose typ is JWT.",
      "The library accepts any typ until an option or a newer version checks it, such as Spring Security 7.",
    ],
    application: "Accept at+jwt for access tokens. It keeps ID tokens from being used as access tokens.",
    server:
      'Set "accessTokenTyp": "JWT", as Keycloak, Auth0 and Entra send it, or "none", as Okta and Cognito do. The default is at+jwt, which RFC 9068 requires.',
    guide: "static/docs/verify-tokens.md",
    seen: ["typ"],
  },
  exp: {
    compares: { minutes: 2, hours: 1 },
    title: "Token expired (exp)",
    signs: `
      token|jwt|jws|assertion|ticket|bearer|exp|claim|id_token|access_token|signature expire|expiry|expiration|expired|lapsed|past|too_old|no_longer_valid|stale|exceeded !refresh|code|certificate|cert|x509|cookie|secret|login_hint|iat|not_before|expires_in|password|session_expire|session_token
      exp ${wrong}|check|past|elapsed
      ?lifetime ${wrong}|validation !refresh
      token used too_late
      token age|too_old|max_age exceed|old|maximum !auth_time`,
    causes: [
      "The application kept the token longer than its lifetime, and does not refresh it.",
      "A clock is wrong: in a virtual machine or a container, or the clock of this server was moved by a test.",
      "A test queued the fault id-token/exp-past, or minted the token as expired; then the message is right.",
    ],
    application: "Refresh before expires_in, or log in again. Allow some seconds of clock tolerance, not minutes.",
    server: '"lifetimes": { "access_token": 3600, "id_token": 3600 } in seconds. as.clock.now() is the time.',
    guide: "static/docs/configure.md#token-lifetime-when-access-tokens-expire",
  },
  nbf: {
    compares: { minutes: 1, hours: 2 },
    title: "Token not valid yet (nbf, iat): the clocks of the server and the application differ",
    signs: `
      token|jwt|nbf|iat|assertion|id_token|bearer|signature not_yet|future|early|immature|premature|used_before|before_use|before_issue|prior|not_before|not_valid_before|before_nbf|nbf !certificate|cert|x509
      nbf|iat ${wrong}|check|future|before
      jwt|nbf not_active
      clock|time skew|drift|out_sync|not_synchronized|differ|tolerance
      issued future|ahead token|jwt|iat|id|clock
      iat|issued more|second|minute|hour|far|within|not|ahead current|now|time|future|past|before|after !certificate|year`,
    causes: [
      "The clock of the application is behind: a virtual machine or container after sleep.",
      "The clock of this server was moved forward by a test (as.clock, the verb clock.advance), and the application has the real time.",
      "A test queued the fault id-token/nbf-future; then the message is right.",
    ],
    application: "Synchronize the clock, and allow some seconds of clock tolerance.",
    server: "Do not move the server's clock ahead of the application: reset it, or give the library the same clock.",
    guide: "static/docs/mock.md#a-real-browser",
  },
  signature: {
    tells: "truncat|4096|base64 > 2 ; hmac|hs256|client secret|(?<!a)symmetric > 3",
    title: "Invalid signature: the signature of the token does not verify",
    signs: `
      signature not_validate|not_valid|not_verify|invalid|unverified|validation_fail|verification_fail|verify_fail token|jwt|jws|key|id_token|assertion|access_token
      signature token|jwt|jws|id_token|bearer|claim|assertion ${wrong}|error|verif|not_verify|tampered !algorithm|hs256|nbf|expire|dpop|none
      ?signature|signing|mac ${wrong}|error|not_verify|verification_error|tampered !immature|nbf|expire|dpop|not_before|reached|algorithm|key|kid
      -jws|jwt|id_token verify|verification fail|failure|error|not !claim
      rsa|ecdsa|ed25519|hmac|crypto verification_error|verify_error`,
    causes: [
      "The application has another key: the key of another server or realm, an old JWKS from a cache, or a fixed key in its settings.",
      "The token was changed or cut: by a copy, a proxy, or a cookie of more than 4096 bytes.",
      "A secret was given where a public key is needed, or the client secret where HS256 is not used.",
      "A test queued the fault id-token/signed-by-stranger, or minted the token with signedBy; then the message is right.",
    ],
    application: "Fetch the keys from jwks_uri, select by kid, and fetch them again once if a kid is unknown.",
    server:
      "The memory store has new keys after each start: restart the application, or keep them with --store sqlite:latchkey.db.",
    guide: "static/docs/team.md#signing-keys-and-their-rotation",
  },
  kid: {
    tells:
      '"typ": ?"Refresh" > The token is a refresh token, which only its issuer can check: verify the access or ID token. ; another algorithm expected > 5',
    title: "No matching key (kid): the JWKS of the server does not have the key of the token",
    signs: `
      no_match|appropriate|no_suitable|no_applicable|no_usable|usable_signing|not_find|no_matching key|keys|jwk|signing_key|verification_key !module|dictionary|api_key|primary_key|foreign|object|algorithm|kty
      4>kid|x5t|key_id header|headers missing|no|absent|without|neither|not_set|not_find|not_found|not_contain|lack|empty|null !match|key_set
      4>kid|key_id empty|null|undefined|blank|not_set|absent|omit|without|not_specify|not_provide token|jwt|jws|header|lookup|unable|key|member !match
      4>jwt|jws|token no|without|lack|missing kid|key_id choose|select|lookup|header
      4>no_kid|without_kid|missing_kid|kid_missing
      kid|key_id ${absent}|${wrong}|match|find|resolve key|jwk|jwt|token|header|sign|set
      jwk|jwks|key_set|jwk_set no|without key use|usage|sig|signing
      no_pem|unable_find|not_find envelope|kid|key algorithm|found|kid !pem_file
      kid not_found|unknown|match|missing|lookup|no_match|unrecognized|mismatch|find
      jwk|jwks|key_set|jwk_set|keyset match|suitable|applicable|multiple|kid|find|not_found|select|no_key_for !algorithm|kty|fetch|retrieve|load|download|request|timeout|http|url|member
      ?signing|verification|public|suitable|matching|json_web key not_found|unable|no|match|find|resolve|select|locate|missing|applicable !certificate|parse|format|pem|private|algorithm|kty`,
    causes: [
      "The server restarted with new keys (memory store), and the application or its cache has the old ones; or the token is old.",
      "The keys are of another server or realm than the token.",
      "A test rotated the keys, or queued the faults id-token/signed-by-stranger or keys.stale; then the message is right, and a second fetch must help.",
      "The header of the token has no kid: the token is not of this server, or its issuer has a single key without a name.",
      "The token is signed with another algorithm than the application accepts.",
    ],
    application: "Fetch the keys again once if a kid is unknown, then log in again.",
    server: "Keep the keys over a restart with --store sqlite:latchkey.db.",
    guide: "static/docs/team.md#signing-keys-and-their-rotation",
  },
  alg: {
    tells: "hs256 > 2",
    compares: {},
    title: "Unexpected algorithm (alg): the token is signed with another one than the application accepts",
    signs: `
      hs256|rs256|es256|eddsa|ps256|rs512|hs512 require|expected|but|instead|wrong|unexpected|not_allow|only sign|signed|token|jwt|algorithm|alg|signature
      alg ${wrong}|support|not_allow|unsupported|not_support|none|disallow|reject|whitelist|accept|check
      algorithm token|jwt|jws|signature|sign|header|key|claim|alg|id_token ${wrong}|unsupported|not_support|not_allow|disallow|reject|not_permit|none|confusion|whitelist|accept !encryption|decrypt
      ?algorithm ${wrong}|unsupported|not_support|not_allow|disallow|reject|not_permit|not_accept|confusion !encryption|decrypt|proxy
      4>unsecured|unsigned|plain|plaintext jwt|jws|token|id_token|claims reject|not|disallow|unsupported|invalid|is|forbidden|none|require|expected !http|https|password|text_plain
      signing_method ${wrong}|unsupported
      4>unsecured|unsigned|plain jwt|jws !http|https|password|text_plain
      4>none alg|algorithm|signature token|jwt|jws|alg|header|not_allow|not_accept|disallow|unsigned|reject|type
      5>key|jwk|kty|crv|keytype|jwt algorithm|alg|kty|crv|key_type unsupported|not_support|unable|not_find|no|not_available|no_such|not_implemented|unknown|install !match|header|kid_not|certificate|encryption
      5>rs256|es256|ps256|eddsa|ed25519|es512|es256k|ed448 algorithm|key|kty|jwk|keyfactory not_find|not_found|no_such|not_available|not_support|unsupported|install|not_implemented|cryptography`,
    causes: [
      "The application accepts a fixed algorithm, and the server signs with another: RS256 here by default, EdDSA or ES256 if the setting alg or a mock says so.",
      "The application expects HS256 with the client secret, which this server does not issue by default.",
      "A test minted the token with another alg; then the message is right.",
      "The token has no signature (alg none): a test queued the fault id-token/alg-none, or something else made the token.",
      "The library cannot use keys of this kind: the package or version that knows the algorithm is not installed, such as cryptography for PyJWT.",
    ],
    application: "Accept the algorithm of id_token_signing_alg_values_supported, and never none.",
    server: '"alg": "RS256", the default, works with every library; a client may set id_token_signed_response_alg.',
    guide: "static/docs/configure.md#the-signing-algorithm",
  },
  nonce: {
    compares: { lost: 2, missing: 3 },
    tells: "requirenonce|cookie|session|not found|null > 2",
    title: "Nonce mismatch: the ID token belongs to another login",
    signs: `
      nonce ${wrong}|${absent}|replay|reuse|check !dpop|csp|script|style|inline
      nonce mismatch|not_match id|token|claim|session !dpop|csp`,
    causes: [
      "The application compares with the nonce of another login: two tabs, a reload, or a callback that ran twice.",
      "The nonce cookie or session is lost: the login began on another host, or SameSite and Secure do not fit.",
      "The application sent a nonce and does not give it to the check at the callback, or expects one that it did not send.",
      "A test queued the fault id-token/nonce-wrong; then the message is right.",
    ],
    application: "Keep the nonce of each login with its state, and use it once.",
    server: "/flows shows the nonce of the request and of the ID token: the server copies it.",
    guide: "static/docs/flows.md",
    decides: 2,
    seen: ["login host"],
  },
  at_hash: {
    title: "at_hash mismatch: the ID token belongs to another access token",
    signs: `
      at_hash|c_hash|s_hash ${wrong}|${absent}|check
      access_token|code hash ${wrong}`,
    causes: [
      "The ID token and the access token are of different responses, such as a kept ID token with a refreshed access token.",
      "The application computes the hash with another algorithm than the one of the signature.",
      "A test queued the fault id-token/at-hash-wrong, or replaced the access token; then the message is right.",
    ],
    application: "Verify the ID token together with the access token of the same response.",
    server: "Nothing: the server computes at_hash from the access token beside it.",
    guide: "static/docs/break-it.md",
  },
  response_iss: {
    compares: { loopback: 2, host: 2, port: 2 },
    title: "Missing or wrong iss in the callback: the response does not name the expected server (RFC 9207)",
    signs: `
      iss|issuer authorization_response|callback|response_parameter|response_param|auth_response|redirect|9207|mix_up|mixup|authorization_server ${wrong}|${absent} !token|jwt|discovery|metadata
      iss parameter|param|response|callback ${wrong}|${absent} !jwt|id_token|claim`,
    causes: [
      "The application built the callback parameters itself and left iss out: it must pass the whole URL.",
      "The callback is of another server than the metadata, such as 127.0.0.1 and localhost.",
      "A test queued the fault response/iss-missing or response/iss-wrong; then the message is right.",
    ],
    application: "Pass the URL or all parameters of the callback to the library, not only code and state.",
    server: "Every callback of this server has iss, and the metadata says so.",
    guide: "static/docs/break-it.md",
    seen: ["issuer asked for"],
  },
  https: {
    tells: "cleartext|app transport|network security > 3 ; proxy|forwarded > 2",
    title: "HTTPS required: the library rejects an issuer with plain http",
    signs: `
      insecure|plain http|issuer|url|scheme|connection refuse|reject|forbid|blocked|not openid|oauth|oidc|provider|issuer|authorization_server
      https require|must|only|enforce|need|mandatory|not_https|non_https|should|use !expect_continue|proxy|mixed|content_security
      insecure|plain|unsecured|non_tls transport|http|request|issuer|url|scheme not_allow|require|forbidden|disallow|error|not_permit|prohibit|reject|only|is
      ?http|scheme not_allow|not_permit|not_secure|insecure|disallow
      cleartext http|traffic|not_permitted|communication
      app_transport_security`,
    causes: [
      "The issuer is http://localhost, which the library rejects unless an option allows it.",
      "A proxy ends TLS, and the application builds http URLs.",
      "The system of a phone forbids plain http: cleartext traffic on Android, App Transport Security on iOS.",
    ],
    application: "Set the option of the library for development, never in production.",
    server: "--tls self-signed serves https://localhost; latchkey exec makes most runtimes trust the certificate.",
    guide: "static/docs/containers-and-ci.md#the-issuer-in-a-container-which-hostname",
  },
  tls: {
    isTransport: true,
    title: "SSL error, wrong version number: the client speaks https and the server http, or the reverse",
    signs: `
      wrong_version_number|unknown_protocol|err_ssl_protocol_error|ssl_error_rx_record_too_long|record_too_long|eproto
      http_response https_client
      record_layer|packet_length|ssl3_get_record ssl|tls|state|fail|failure|error|too_long
      plain http https port|server|client
      unrecognized|unsupported ssl message|record
      tls|ssl first_record|handshake|packet_length|record|frame not_look|too_long|corrupted|unexpected_message|invalid_content_type|http_request|oversized
      ssl|tls protocol error|version|wrong !certificate
      3>tls|ssl|handshake handshake_failure|no_common|protocol_version|cipher|no_shared|alert|unrecognized_name !timeout
      -ssl_connection|secure_channel not_establish|could_not_create|not_create
      corrupted|corrupt|frame message|frame|record invalid_content_type|invalidcontenttype|corrupted_frame|size`,
    causes: [
      "The issuer is http, and the application or the address has https.",
      "A proxy or a library upgraded the URL to https.",
      "Both speak TLS and do not agree: no common version or cipher, or the server demands a client certificate or another server name (SNI).",
    ],
    application: "Use the issuer exactly as the terminal shows it, with http or https.",
    server: "Start with --tls self-signed, or with --tls-cert and --tls-key, for https.",
    guide: "static/docs/containers-and-ci.md#the-issuer-in-a-container-which-hostname",
  },
  certificate: {
    tells: "zscaler|netskope|corporate > 3",
    isTransport: true,
    title: "Self-signed certificate: the client does not trust the certificate of the server",
    signs: `
      certificate|cert|x509|pkix|peer_certificate|ca|chain ${wrong}|verify|verification|self_sign|selfsigned|unknown_authority|untrusted|trust|trusted|unable|path_building|unknown_issuer|authority|sign|revoke|unknown !client_certificate|certificate_required|thumbprint|x5t|bound|assertion|bearer|sign_request|keychain|connect_cert
      2>certificate|cert|x509|altname|altnames|san|hostname valid_for|not_valid_name|altname|altnames|subject_alternative|name_mismatch|common_name|hostname_mismatch|not_contain_ip|contain_any_ip|ip_san|not_match|not_valid|mismatch|doesn_match|alternative !signature|client_certificate|url_hostname|redirect_uri
      2>x509 valid not !yet|expire|authority
      4>certificate|cert|x509 expire|expired|not_yet|date_invalid|notafter|has_expired !client_secret
      pkix|certification_path|cert_path|trust_anchor|keystore|truststore unable|fail|path|find|empty|error !password
      self_sign|selfsigned|self_signed_cert certificate|cert|chain|tls|ssl|not_trust
      untrusted_root|remote_certificate_name_mismatch|remote_certificate_chain|unknownissuer|sec_error_unknown_issuer|unable_verify_first|unable_verify_leaf|depth_zero|partial_chain|err_cert|notvalidforname|notvalidforname
      ssl|tls certificate|cert|trust problem|error|bad|fail|unknown_ca|unknown !certificate_required
      tls|ssl|trust not_establish|unknown_ca|unknown_authority|trust_relationship`,
    causes: [
      "The certificate is self-signed (--tls self-signed), and the client does not know it.",
      "The name in the URL is not in the certificate: 127.0.0.1 or a container name instead of localhost.",
      "A corporate proxy replaces certificates.",
      "The certificate has expired, or the clock of the client is wrong.",
    ],
    application: "Trust the certificate of the server in the client; do not switch the verification off.",
    server:
      "latchkey exec --tls self-signed trusts it for Node, Deno, Bun, OpenSSL, Go, .NET, curl and requests; LATCHKEY_CA_FILE names the file for others.",
    guide: "static/docs/test-in-any-language.md#run-your-tests-beside-a-server",
  },
  refused: {
    tells: "econnrefused ::1 > 3",
    isTransport: true,
    title: "Connection refused: nothing listens where the client connects",
    signs: `
      econnrefused|connrefused|connection_refused|connectionrefused|actively_refuse|10061|err_connection_refused|connect_refuse|wsaeconnrefused
      connect|connection|connected|dial|tcp|socket refuse|refused|econnrefused !policy|directive
      -not_connect|failed_connect|unable_connect|not_open_connection|fail_connect|connect_fail|no_connection server|host|localhost|port|127|remote|socket|url|http|https|address|attempt !oauth2|refresh|400|401|403|dns|resolve|lookup|name|certificate|tls|ssl|timeout|timed|mongo|database
      all_connection_attempt|connect_call|assign_request fail|address
      errno_111|errno_61|os_error_111|os_error_61|os_error_10061`,
    causes: [
      "The client runs in a container, where localhost is the container itself.",
      "The server does not run (yet), or has another port.",
      "localhost is ::1 for the client and 127.0.0.1 for the server, or the reverse.",
    ],
    application: "In a container, use the service's name or host.docker.internal. Wait for /readyz before the tests.",
    server: "--host 0.0.0.0 listens for other machines and containers; all must know the name of the issuer.",
    guide: "static/docs/containers-and-ci.md",
  },
  discovery: {
    title: "Cannot find the discovery document: /.well-known/openid-configuration is 404, or could not be read",
    signs: `
      discovery|metadata|openid_configuration|well_known|oidc_config|openid_config|provider_configuration|authorization_server_metadata|configuration_endpoint|discovery_document|openid_provider_metadata|provider_metadata ${fails}|${absent}|404|invalid|not_found|status|unexpected !issuer_mismatch|resource_metadata|did_not_match
      configuration resolve|unable issuer|provider not|unable|resolve !mismatch|not_match
      ?configuration|discover|discovery provider|issuer|openid|oidc|authority|document obtain|unable|fail|retrieve|resolve|get|load|error|initialize|fetch|not|404|find !mismatch|not_match
      authorization_endpoint|token_endpoint|end_session_endpoint|jwks_uri|userinfo_endpoint|revocation_endpoint|introspection_endpoint missing|not_provide|no|undefined|not_contain|not_advertise|not_available|not_set|not_have metadata|discovery|authorization_server|provider|server|well_known|available
      oidc|openid server not_available|unavailable|unreachable|not_reach|down
      oidc|openid|oauth|oauth2 initialize|init|setup|create|configure|start|boot plugin|provider|authenticator|verifier|connector|client ${fails}|not_found
      query provider 404|error|fail|not_find|not_found
      4>types_supported|values_supported|scopes_supported|methods_supported|modes_supported|algorithms_supported ${absent}|property|field|key|require|expected
      4>?jwks_uri|token_endpoint|authorization_endpoint|userinfo_endpoint|jwks_url missing|must_configure|not_configure|required|undefined !fetch|load|http|url|parameter
      3>json parse|decode|unexpected|character error|expected|not|fail|invalid oidc|oauth|openid|discovery !jwt|jwk|jwks|token|key|userinfo|id_token
      ?provider|issuer|authority initialize|discover|query|setup|init|load|contact|resolve|lookup|reach ${fails}
      3>?doctype|html|text_html json|not_valid|expected|unexpected|parse|content_type|response !token|jwks
      ?realm|tenant|provider ${absent}|unknown|exist|disabled|404 !callback|invalid_token`,
    hides: true,
    tells:
      "not (?:yet )?initiali > 2 ; missing (?:required )?(?:field|member|property|key)|field required|_supported\\b > 4 ; 404|not found|not exist > 1 ; html|doctype|content.?type > 3",
    causes: [
      "The URL is wrong: another path (a realm, a tenant), another port, or the metadata URL where the issuer is expected.",
      "The server cannot be reached from there: containers, TLS, a proxy. The cause below the message says so.",
      "The URL returns a page: of another program, a proxy or a login.",
      "The document lacks a member that the library requires, or gives it another form: the message names it.",
    ],
    application: "Open ISSUER/.well-known/openid-configuration from the machine of the application, such as by curl.",
    server:
      'The terminal shows the issuer. /flows lists requests for documents that do not exist, with the outcome "metadata, keys and missing pages".',
    guide: "static/docs/containers-and-ci.md",
    seen: ["metadata path", "issuer asked for"],
  },
  cors: {
    tells:
      "redirected from|/authorize\\b > 2 ; failed to fetch|load failed|networkerror > 3 ; AADSTS900232[67] > The platform of the redirect URI: SPA for a page, Web for a server.",
    title: "CORS error: the browser blocked the response, because it does not allow the origin of the page",
    signs: `
      cors ${fails}|policy|block|preflight|header|origin|allow|not|error|request|failed
      cross_origin request|block|policy|isolation|fetch|resource !opener
      access_control_allow_origin|access_control_allow_headers|access_control|preflight|access_control_allow_credentials
      origin not_allow|not_allowed|null|disallow|not_permit|blocked|forbidden access|access_control|cors|request|origin|web|javascript|allow
      cross_origin|origin token redemption|spa|single_page
      origin not_valid|not_register|unregistered client|client_id|javascript
      ?origin not_allow|not_match|disallow|forbidden|reject|invalid !state|issuer|redirect
      3>type_error failed_fetch|load_failed|network_error|network_request_failed
      3>networkerror|network_error attempting_fetch|attempting|resource
      3>?failed_fetch|load_failed !claim|key|jwk|token|metadata|discovery|config|configuration|openid|document|certificate|profile|userinfo|module|from|script|chunk
      private_network_access|address_space|local_network_access`,
    causes: [
      "The origin of the page is neither on a test host nor the origin of a registered redirect URI.",
      "The page called an endpoint that is for redirects, such as the authorization endpoint, with fetch.",
      'The server cannot be reached, or a proxy responded: browsers report both as CORS errors or "Failed to fetch".',
    ],
    application:
      "Navigate to the authorization endpoint, do not fetch it. Compare the page's origin with the redirect URI.",
    server: 'Add the origin: "allowedOrigins": ["https://app.example"].',
    guide: "static/docs/test-hosts.md",
  },
  web_crypto: {
    title: "Web Crypto is not available: the page has plain http on another host than localhost",
    signs: `
      crypto subtle|digest|random_uuid undefined|not_available|unavailable|null|secure_context|only|require|not_defined|importkey|unsupported|reading|not_support|not_function
      web_crypto|webcrypto undefined|not_available|unavailable|secure_context|only|require|not_defined|unsupported|not_support
      secure_context|secure_origin|insecure_context crypto|require|only|available|needed|must|pkce|subtle|window
      undefined_reading|null_reading subtle|digest|randomuuid`,
    causes: [
      "The page is plain http on another host than localhost: an address of the network, a name of a container or of the hosts file.",
    ],
    application: "Open it as http://localhost or with https.",
    server: "Nothing: the origin of the application counts, not the origin of the server.",
    guide: "static/docs/test-hosts.md",
  },
  redirect_uri: {
    tells: "being accessed|allowed urls|whitelist|invalid redirect\\b(?!.ur) > 4 ; client_?id|environment > 3",
    compares: { slash: 1, loopback: 1, port: 1, scheme: 1, host: 2 },
    title: "Redirect URI mismatch: the redirect_uri of the login is not registered for the client",
    signs: `
      redirect_uri|redirect_url|redirection_uri|redirect_uris|callback_url|callback_uri|reply_url|reply_address|return_url|redirecturi|redirecturl|redirect ${wrong}|${absent}|unregistered|registered|register|allow|allowed|whitelist|permit|disallow|mismatching|unauthorized !post_logout|logout|signout|too_many|loop|silent|another_client
      scheme|hostname url configured|redirect_uri not_match|mismatch|differ accessed|redirect_uri|request
      redirect_uri|redirect_url|callback_url must|should registered|login_redirect|one|app|settings|start|match
      4>invalid|reject redirect domain|port|host whitelist|protocol|match
      2>domain|app_domain unauthorized|not_authorize oauth|operation|redirect
      redirect|callback|reply|return uri|url|uris|urls|urn|address ${wrong}|register|registered|whitelist|authorized|not_match|mismatch|configured|unauthorized !unauthorized_url|request_uri|post_logout|logout|signout|sign_out|loop|silent|too_many|another_client`,
    causes: [
      "The URL differs by a slash at its end, its port, http or https, or localhost and 127.0.0.1: it must match character for character.",
      "The framework derives the URL from the request or from a setting such as AUTH_URL, and a proxy or a container changes it.",
      "The application uses the client_id of another environment.",
      "The application or its proxy checks the address itself: its own public URL is set to another one (url, base URL, whitelist), or the proxy does not pass on scheme and host (X-Forwarded-Proto).",
    ],
    application:
      "Copy the redirect_uri from the authorization request in the address bar, and register exactly this. The token request must send it again.",
    server:
      "The error page shows the registered and the received URL with the difference marked, and on a test host a button that registers it.",
    guide: "static/docs/configure.md#register-a-redirect-uri",
    seen: ["rejection"],
  },
  pkce: {
    tells:
      "AADSTS9002325 > The redirect URI is registered for the platform SPA, and a server exchanges the code: register it as Web. A page sends code_verifier. ; challenge (?:did|does) not match > 2 ; must (?:use|include)|enforce|proof key|(?:challenge|pkce)\\W+(?:is\\W)?(?:required|missing)|requires? pkce|missing.{0,30}challenge > 4",
    title: "PKCE verification failed: the code_verifier is missing, or of another login",
    signs: `
      pkce|code_verifier|verifier|code_challenge|challenge_method|codeverifier|proof_key ${wrong}|${absent}|require|support|verify|lost|must|too_short|need !signature|provider_verifier|token_verifier
      ?verifier|challenge ${wrong}|${absent}|require !signature|provider_verifier|token_verifier|nonce|dpop|device|authenticate|bearer|www`,
    causes: [
      "The verifier was lost between the authorization request and the callback: another tab, a second login, a cookie that did not come back.",
      "The code_challenge is not the SHA-256 of the verifier in base64url without padding, or code_challenge_method is missing.",
      "The authorization request has a code_challenge, and the token request comes from code that does not know the verifier.",
      "The application uses no PKCE, and the server demands it: switch it on, as a public client without a secret.",
    ],
    application:
      "Keep the verifier of each login under its own state, and let the library compute the challenge. The verifier has 43 to 128 characters.",
    server: "/flows shows the challenge, the verifier and the challenge that belongs to it.",
    guide: "static/docs/flows.md",
    seen: ["rejection"],
  },
  callback: {
    title: "Error in the callback: the server rejected the authorization request, or the user denied it",
    hides: true,
    signs: "-oauth_callback|callback_route|auth_callback|callback_handler error|fail|failure",
    causes: [
      "The request is wrong, such as one without PKCE or with an unknown scope: error and error_description say what.",
      "The user denied the access or cancelled the login: access_denied.",
      "With prompt=none the user must log in or consent first: login_required, consent_required.",
    ],
    application: "Print the parameters error and error_description of the callback, and explain the error_description.",
    server: "The terminal and /flows show the rejected request: expected, received and the fix.",
    guide: "static/docs/flows.md",
    seen: ["rejection"],
  },
  hidden: {
    title: "The message hides its cause",
    hides: true,
    causes: [
      "A value differs from what the login expects, such as the state, the issuer or the nonce: the cause names it.",
      "The client reached no server: the cause has a code such as ECONNREFUSED or ENOTFOUND, or the code of a certificate error.",
    ],
    application: "Print the whole error, such as console.dir(error, { depth: null }), and explain its cause.",
    server: "/flows shows whether the server received the request, and what it responded.",
    guide: "static/docs/flows.md",
    seen: ["rejection", "login host", "issuer asked for"],
  },
  token_request: {
    tells:
      "\\b200\\b|(?:expected|invalid|not(?: valid)?|no) json|<!doctype|unexpected token '?<|\\bpars(?:e|ing)\\b|deserializ|decod|content.?type > 2",
    title: "Token request failed: the message hides the error of the server",
    signs: `
      token|code|access_token exchange|retrieve|retrieving|fetch|obtain|request|acquire|get|endpoint|retrieval|redeem|redeeming ${fails} !refresh|jwks|key|unexpected_token|csrf|discovery|silent|metadata|userinfo|user_info|verif|profile|npm|git
      400|401|403|404|405|415|500 url|post|endpoint|resulted connect_token|oauth_token|oauth2_token|v1_token|token_endpoint
      2>token|invalid_oauth response|extract html|content_type|error json|html|converter
      ?token_endpoint|token_response|token_request ${fails}|400|401|403|404|405|415|500|status|non_success`,
    hides: true,
    causes: [
      "The library prints only a part: error and error_description are in the cause, the response body or the debug log.",
      "The token URL returns a page, a redirect or the error of a proxy, not JSON: compare it with token_endpoint of the metadata.",
      "This text does not tell the cause. A guess: the error code is invalid_client or invalid_grant.",
    ],
    application: "Print the whole error, such as console.dir(error, { depth: null }); explain its error_description.",
    server: "The terminal and /flows show the rejected request: expected, received and the fix.",
    guide: "static/docs/flows.md",
    seen: ["rejection"],
  },
  no_id_token: {
    tells: "required|requested > 2",
    title: "No ID token in the token response",
    signs: `
      id_token|idtoken|identity_token missing|no|not_present|absent|not_contain|not_found|without|not_return|null|undefined|not_include|not_receive|empty|must_string|not_provide|not_available|expected|lack !hint|claim|aud|nonce|kid|exp|sub|email|issuer|signature|no_longer|no_matching|alg
      not_authorize openid scope`,
    causes: [
      "The scope of the login lacks openid: without it the login is OAuth, not OpenID Connect.",
      "The server is one for OAuth alone, or did not grant openid; or the application uses a strategy of the other kind: OAuth for OpenID Connect, or the reverse.",
      "The tokens are of a grant without a user, such as client_credentials, or of a profile such as github.",
    ],
    application: "Request the scope openid.",
    server: 'A client with a scope must have openid in it: "scope": "openid profile email".',
    guide: "static/docs/users.md#add-claims-or-roles-to-access-tokens-and-id-tokens",
  },
  claims: {
    tells: "user-?name-?attribute|missing attribute ' > 4 ; verified|policy|group|role > 2",
    title: "Missing claims: the user has no e-mail address, name or role",
    signs: `
      email|e_mail|name|preferred_username|username|group|groups|role|roles|upn|mail|login_name|phone|attribute claim|token|userinfo|user_info|id_token|profile|provider|attribute|idp|oidc|oauth|jwt|scope|response|identity missing|no|not_found|absent|empty|null|not_return|not_contain|not_present|without|not_verify|unverified|not_have|lack|undefined|could_not|not_provide|require|required|not_set|not_include|find !issuer|audience|realm_not|host|file|dns|hostname|server|client_id|kid|scope_not|type|header|access_token_missing
      email|e_mail not_verify|unverified|verify|email_verified|not_found|missing|not_provide|blank|email_verified !smtp|valid_email|password|confirmation
      ?claim ${absent}|require|mapping|map !verify|validate|validation|iss|aud|exp|nbf|iat|nonce|issuer|audience|kid|alg|typ|sub|azp|acr`,
    causes: [
      "The scope value is not requested: email for email, profile for name.",
      "The user has no such member here, or email_verified is false or missing.",
      "The claim is in userinfo, and the application reads the ID token alone.",
      "The application takes the name of the user from a claim that the server does not send, such as user-name-attribute of Spring.",
    ],
    application: "Request openid profile email, or read userinfo.",
    server:
      'Give the user the claim, with "email_verified": true. "idTokenClaims": "like-userinfo" puts the claims into ID tokens too.',
    guide: "static/docs/users.md#add-claims-or-roles-to-access-tokens-and-id-tokens",
  },
  sub: {
    compares: {},
    title: "sub mismatch: userinfo is about another user than the ID token",
    signs: `
      sub|subject userinfo|user_info|id_token|idtoken|token|claim|profile ${wrong}|different|equal !certificate|altname|x509|alternative|line|email|subject_token
      sub ${wrong}|${absent} claim|userinfo|id|token`,
    causes: [
      "The access token is of another login than the ID token: two users, or a kept token.",
      "A test queued the fault userinfo.edited or idToken.edited; then the message is right.",
    ],
    application: "Use the tokens of one response together, and drop the session.",
    server: "Nothing: sub is the same in both.",
    guide: "static/docs/break-it.md",
  },
  not_jwt: {
    title: "Not a JWT: the token is opaque, empty or something else",
    signs: `
      jwt|jws|id_token|access_token|bearer_token|token malformed|segment|segments|deserialize|parse|parsing|well_formed|three_part|dots|period|periods|delimiter|compact|base64|base64url|opaque|unparsable|not_jwt|number_segments|parts|corrupt|wrong_number|json !verify|verification|decode|decoding|unexpected_token|fetch|response_body|csrf|key|jwk|pem|syntax|jwks|html|doctype|template|secret|url|endpoint|header_size|algorithm|none|encrypted|unmarshal|claim|subject|missing_field|response|property
      jwt|jws|token string|compact invalid|must|malformed|not|format|not_valid !claim|aud|active|subject|exp|unexpected_token|csrf|key|type_error|path|undefined_reading|not_string_literal
      -jwt|jws|id_token|access_token|bearer_token|token decode|decoding|deserialize !unexpected_token|fetch|csrf|secret|endpoint
      ?segment|segments not_enough|too_many|wrong|number|invalid
      jwt|jws ${wrong} format|structure|serialization|header|payload|encoding`,
    causes: [
      "The token is undefined, empty, or has quotes or the word Bearer around it.",
      "The access token is opaque: the client or the resource has access_token_format opaque, or the provider issues no JWTs.",
      "The whole response was passed instead of its member access_token or id_token.",
    ],
    application: "Print the first characters: a JWT has two dots and begins with ey. Introspect opaque tokens.",
    server: "access_token_format of the client decides; /tokens shows what a token is.",
    guide: "static/docs/flows.md#decode-and-check-a-jwt-tokens",
    seen: ["typ"],
  },
  no_access_token: {
    title: "Missing access token: the API received none",
    signs: `
      jwt missing|absent|not_found|require|not_present !claim|claims|header|kid|alg|typ|key|signature|aud|iss|exp|nonce|payload|library|module|response|field|property|parameter|option
      access_token|bearer_token missing|no|absent|require|not_provide|not_found|undefined|empty|null|without !refresh|id_token|hash|signature|alg|header_typ|response|field|body|property|parameter|option|invalid|expired|scope|nonce|claim
      bearer|access_token|authorization|jwt|auth_token|token missing|no|absent|require|required|not_provide|not_found|not_present|empty|without|undefined|null|not_supply|lack|not_sent header|token|authorization|bearer|request|authorization_header|headers|full_authentication !alg|algorithm|signature|type|logout_token|typ|part|id_token|refresh|csrf|xsrf|code|hint|claim|kid|aud|iss|key|exp|nbf|matching|segment|endpoint|npm|unexpected_token|issuer|audience|subject|sub|email|nonce|state|scope|response|field|body|property|parameter|option|identity|device|database
      full_authentication require|required
      ?unauthorized|401 no|missing|without token|credential|credentials|header|authorization !client|secret|id_token|refresh`,
    causes: [
      "The request has no header Authorization, or not in the form Bearer TOKEN.",
      "A proxy or a redirect to another origin removed the header.",
      "The preflight request of CORS (OPTIONS) reached the check of the token.",
    ],
    application: "Send Authorization: Bearer and the access token; handle CORS before the check.",
    server: "Nothing: the API rejects the request.",
    guide: "static/docs/resource-servers.md",
  },
  token_response: {
    tells: "content.?type|text/plain > 2",
    title: "No access token in the token response: the application cannot read it there",
    signs: `
      access_token|accesstoken missing|no|not_present|must_string|absent|lack|not_contain|not_return|not_found|require|not_pass response|body|property|field|member|reply|parse|option|parameter !header|authorization|request
      2>token_response|access_token_response decode|parse|read not|could_not|fail|unable|error
      access_token no|missing|not_return server|provider !header|request
      token_value empty|null|blank`,
    causes: [
      "The response is an error or a page with status 200, or of another URL than token_endpoint of the metadata.",
      "The response is JSON under another content type (text/plain, none), or a form where JSON is expected.",
      "The provider names the token otherwise, or returns an ID token alone.",
    ],
    application: "Print the response: status, Content-Type and body. Use token_endpoint of the metadata.",
    server: "Token responses here are application/json. /flows shows them.",
    guide: "static/docs/flows.md",
    seen: ["rejection"],
  },
  app_scheme: {
    tells:
      "failed, null|queries > On Android 11 and later the application sees no browser until its manifest has <queries> for it. ; unknown_url_scheme|placeholder > 1 ; prevent|not allowed to launch|user gesture > 3",
    title: "Redirect scheme not registered: the system knows no application for the redirect URI",
    signs: `
      url_scheme|scheme|schemes unknown|not_register|not_have|missing|support|handler|err|placeholder launch|registered|unknown|url|app|handler|redirect_scheme !authentication|no_scheme|protocol_scheme
      authorize|code fail null_null
      no_activity|find_activity|no_browser|browser_app|not_handle|activity handle intent|activity|redirect_uri|redirect
      app_auth_redirect|bundle_url|intent_filter
      unknown_protocol navigation|prevent|prevented`,
    causes: [
      "The application does not register the scheme: CFBundleURLSchemes in Info.plist, an intent filter or appAuthRedirectScheme on Android.",
      "The redirect URI has another scheme than the one that is registered, such as capitals, _ or :// in it.",
      "The browser opens no application by itself: only after a click, or not in an embedded one.",
    ],
    application: "Register the scheme of the redirect URI in the application, and install it again.",
    server: "Nothing: the callback was sent to the redirect URI.",
    guide: "static/docs/stacks.md#a-mobile-application-ios-simulator-android-emulator-react-native",
    seen: ["code"],
  },
  account_link: {
    title: "Account exists: another login has the same e-mail address",
    signs: `
      account|user|email exist|already|use|linked|associate|taken|another different_credential|already|another|not_linked|associated|email|use !token|code|state|redirect_uri|refresh|pending
      account not_linked oauth|error|sign`,
    causes: [
      "The application has a user with this e-mail address from another way to log in, and does not join them by itself.",
      "The issuer or the sub changed, such as another server or a new database: for the application it is another user.",
    ],
    application: "Log in the first way and link the account, or delete the old user of the application.",
    server: "A user may have a fixed sub and another e-mail address: see /users.",
    guide: "static/docs/users.md",
  },
  no_refresh_token: {
    title: "No refresh token: the access token has expired and cannot be renewed",
    signs: `
      refresh|refresh_token|refreshtoken token|tokens|missing|no|without missing|no|not_available|absent|not_set|without|empty|null|undefined|not_present|not_receive|not_return|not_provide|not_found|unable|not_contain !invalid|expire|expired|revoke|revoked|used|reuse`,
    causes: [
      "The login did not ask for one: this server issues a refresh token if the client is registered for refresh_token; other servers need the scope offline_access.",
      "The application did not keep the refresh token of the last response.",
      "The session ended, or a test queued the fault refresh/token-omitted.",
    ],
    application: "Keep refresh_token of every token response; request offline_access if it must outlive the session.",
    server: '"grant_types": ["authorization_code", "refresh_token"] in the client.',
    guide: "static/docs/sessions.md#refresh-token-rotation",
  },
  silent: {
    title: "Silent login timed out: the hidden frame did not come back",
    signs: `
      silent|iframe|hidden_frame|frame|prompt_none|sso_silent|silent_renew|check_session|session_iframe|third_party timeout|timed_out|fail|failed|not_respond|error|block|blocked|not_load|timedout|cookie|response|require|required !npm|csp|frame_ancestors|x_frame|refused_display|refuse|install|silently_ignored
      3rd_party|third_party cookie|cookies|check|iframe block|timeout|blocked|disabled|not|phase`,
    causes: [
      "The browser sends no third-party cookies, so the frame shows a login page: application and server are on different sites.",
      "The redirect URI of the frame is not registered: the frame shows an error page.",
      "The page of the redirect URI does not pass the response on, or the application is loaded in the frame again.",
    ],
    application:
      "Use refresh tokens. Frames need a page of their own as redirect URI, and a login after login_required.",
    server: "Register the silent redirect URI too. Ports of localhost are the same site, so cookies are sent.",
    guide: "static/docs/users.md#show-a-login-page-and-a-consent-page",
  },
  popup: {
    title: "Popup blocked or closed: the login window did not come back",
    signs: `
      popup|pop_up|login_window|popupwindow block|blocked|close|closed|timeout|fail|failed|not_open|cancel|cancelled|window|null|error|open
      2>popup|pop_up|login_window|browser close|closed|cancel|cancelled user|by_user|request !timeout
      4>?interaction|login|sign_in|signin|authentication|redirect in_progress|progress|already_running|currently_running
      coop|cross_origin_opener_policy window|popup|close|closed|block|opener|call`,
    causes: [
      "The login was not started by a click, so the browser blocked the window.",
      "The user closed or cancelled it; in a mobile application also: the scheme of the redirect URI is not the one that it waits for.",
      "Its page has Cross-Origin-Opener-Policy, which cuts it off.",
      "Another login of the application has not ended: it started two, or did not await the handler of the redirect.",
    ],
    application: "Open the popup in the handler of a click, or redirect.",
    server: "Nothing.",
    guide: "static/docs/users.md#show-a-login-page-and-a-consent-page",
  },
  configuration: {
    title: "Missing configuration: the application did not reach the server",
    signs: `
      client_id|clientid|client_secret|clientsecret|issuer|authority|domain|redirect_uri|redirecturi|base_url|baseurl|secret|discovery_url|userinfo_uri|user_info_uri|authorization_endpoint|oauth|oidc|provider|audience|jwks_uri|token_url config|configuration|option|options|env|environment|setting|settings|variable|property|properties|argument|configured|parameter|set|defined|constructor|specify|client_registration missing|require|required|not_set|undefined|must|empty|not_configured|not_defined|need|needed|no|null|unset|invalid|blank !token|claim|jwt|request|response|callback|header|kid|redirect_uri_mismatch|registered|matching|algorithm|not_match|scope|query|discovery|login_redirect|post_logout
      client_id|clientid|issuer|authority|discovery_url oidc|oauth|openid not_provide|not_give|not_supply|not_configure
      bean|client_registration|client_registration_repository not_find|could_not|no_qualify|require oauth2|oauth|oidc|registration
      ?session middleware|support require|required|forget|need|missing|not`,
    causes: ["A setting of the library is missing; the message names it."],
    application: "Set it.",
    server: "/clients has settings to paste for each library.",
    guide: "static/docs/stacks.md#client-libraries",
  },
  test_status: {
    tells: "200 [=!]==? 40[13]|expected\\D{1,20}40[13] > 1 ; 40[13] [=!]==? 200|expected\\D{1,20}200 > 2",
    title: "A test of an API got another status than it expected",
    signs: `
      -200 401|403`,
    causes: [
      "200 instead of 401 or 403: the API does not check what the test changed, such as aud, typ, exp or scope.",
      "401 instead of 200: the API rejects the good token. Its response or log says why: pass that text to latchkey explain.",
    ],
    application: "Assert 200 for a good token first; then change one thing, and assert the reason too.",
    server: "/tokens checks a token as an API should.",
    guide: "static/docs/verify-tokens.md#in-a-test-of-the-api",
  },
  jwt_claims: {
    tells: withoutClaim + "\\b(?:aud|audience)\\b > 2 ; nonce > 3 ; issued at|expire|\\b(?:exp|iat|nbf)\\b > 4",
    title: "Token claims rejected: iss, aud, exp or nonce is not what the application expects",
    hides: true,
    signs: `
      token|jwt|access_token|id_token|bearer verify|validate|verification|validation unable|not|fail|failure|error|invalid !signature|claim_requirements
      claim|claims verify|validation|validate|verification|check ${fails}
      jwt|token|id_token claims|claim invalid|not_valid|rejected
      invalid id_token
      claim missing|require exp|iat|nbf|iss|sub`,
    causes: [
      "iss: the configured issuer differs, by a slash at the end, localhost and 127.0.0.1, or a port.",
      "aud: the application has another client_id than the one that logged in, or an API expects its own name.",
      "nonce: the session in which the login began is lost.",
      "exp, iat: a clock is wrong, or the token is old.",
    ],
    application: "Let the library print the claim, or decode the token and compare each of these.",
    server: "/tokens decodes a token and checks it.",
    guide: "static/docs/flows.md#decode-and-check-a-jwt-tokens",
    seen: ["iss", "aud", "login host"],
  },
  mcp: {
    tells: "s256|code_challenge > 3 ; protected.resource|resource.metadata|www-authenticate > 2",
    compares: { path: 2, host: 2, port: 2, slash: 2, loopback: 2 },
    title: "MCP authorization failed: the MCP client finds no way to log in",
    signs: `
      register_client ${fails}
      mcp|sse authorization|auth|oauth|login|registration|resource|metadata|unauthorized|401|register ${fails}|${wrong}|${absent}|support|require|required
      registration|dynamic_client_registration|dynamic_registration|registration_endpoint|dcr ${absent}|not_support|unsupported|disabled|fail|failed|not_enable|not_offer|require|required|unavailable !bean|userinfo|signature|user_info|id_token|user_registration|invalid_redirect|service_worker
      protected_resource metadata|document|mismatch|not_match|resource ${wrong}|${absent}|not_implement|${fails}
      ?resource|protected_resource ${wrong} metadata|url|server|expected|identifier !token|audience|file`,
    causes: [
      "The authorization server allows no registration, and the client has neither a client ID nor a metadata document.",
      "The protected resource metadata is missing, or names another resource than the URL of the MCP server.",
      "The metadata lacks what MCP requires, such as S256.",
    ],
    application:
      "Serve /.well-known/oauth-protected-resource with resource equal to the URL of the MCP server, and authorization_servers.",
    server:
      "Start with --profile mcp: registration, client ID metadata documents and PKCE are on. --mcp-server PATH adds a server to try.",
    guide: "static/docs/mcp.md",
    seen: ["metadata path"],
  },
  url: {
    tells: '\\$\\{|\\{\\{ > 3 ; (?<!/)localhost:|(?:scheme|protocol):? ?"\\w > 2',
    isTransport: true,
    title: "No absolute URL: the address of the server is empty, or has no scheme",
    signs: `
      unsupported|missing|unknown protocol_scheme|url_scheme|protocol !err|app|following
      ?missing_schema|invalid_schema|no_connection_adapter|no_scheme_supply|relative_url_without|no_host_request|first_path_segment
      ?scheme|host|protocol no|missing|not_supply|without|empty|not_specify url|uri|request !origin|redirect
      ?absolute url|uri|urls not|only|must|support
      ?invalid_url|err_invalid_url|malformed_url|malformedurl|parse_url|url_parse|bad_uri|invalid_uri issuer|token|oauth|oidc|openid|discovery|authority|provider|endpoint !redirect|callback|registration|redirection`,
    causes: [
      "A setting of the application is empty: the variable with the issuer or the endpoint is not set where it runs.",
      "The scheme is missing: localhost:9000 instead of http://localhost:9000.",
      "Quotes, blanks or a variable that was not replaced stand in the URL.",
    ],
    application: "Print the setting as the application reads it, and write the whole URL: http://localhost:9000.",
    server: "The terminal shows the issuer; /clients has settings to paste for each library.",
    guide: "static/docs/stacks.md#client-libraries",
  },
  blocked_address: {
    isTransport: true,
    title: "Address blocked: the program refuses to call private or local addresses",
    signs: `
      private|internal|loopback|link_local|reserved|local_network|local_access|localhost|local ip_address|host|rule|request not_allow|block|violate|prohibit|forbid|disallow|not_permit|not_connect !cors|content_security|origin|redirect|callback|issuer
      ?ssrf
      prohibit|block|forbid ip_address|private_ip|private_address|internal_address
      private_ip|internal_ip|loopback address|range|host`,
    causes: [
      "The program protects itself against requests to its own network (SSRF), and the server has such an address.",
      "A name of the server leads to a private address, such as host.docker.internal or a name of the hosts file.",
    ],
    application:
      "Allow this address in the settings of the program, for development only: Nextcloud has allow_local_remote_servers, GitLab the outbound requests of the admin area.",
    server: "Nothing: the request does not leave the application. A public name with https reaches it otherwise.",
    guide: "static/docs/containers-and-ci.md#the-issuer-in-a-container-which-hostname",
  },
  name: {
    tells: "eai_again|\\w\\.localhost > 3",
    isTransport: true,
    title: "Name not found: no DNS server or hosts file of the client knows the host",
    signs: `
      enotfound|eai_again|eai_noname|getaddrinfo|gaierror|unknown_host|nxdomain|no_such_host|name_not_resolve|name_not_known|err_name_not_resolved|ns_error_unknown_host|eai_nodata|unknownhostexception
      name|host|hostname|dns|domain|address not_resolve|resolution|lookup|resolve|servname|nodename|not_known|no_address|no_such fail|failure|failed|error|not|no|unknown|temporary|could_not|not_known|provided !private|internal|block|not_allow
      lookup misbehave|misbehaving|server_misbehave
      host not_found upstream|name|lookup|resolve|dns
      resolver no|not_define resolve|defined
      not_resolve|not_look_up|unable_resolve|fail_resolve|fail_lookup|failed_lookup|cant_resolve host|hostname|name|address|domain|proxy|server|nodename`,
    causes: [
      "The host is a name of another network: a service of Docker Compose from outside of it, host.docker.internal on plain Linux, a name that only the hosts file of another machine has.",
      "The name is misspelled, or the scheme or a path stands in a setting that wants a host alone.",
      "The runtime does not look up names below localhost, such as login.localhost, or the machine has no network (EAI_AGAIN).",
    ],
    application: "Look the name up where the client runs (getent hosts NAME), in the container. Use one that it knows.",
    server:
      "The issuer must have a name that both the browser and the containers know: --issuer, or frontChannelUrl for the browser.",
    guide: "static/docs/containers-and-ci.md#the-issuer-in-a-container-which-hostname",
    seen: ["issuer asked for"],
  },
  reset: {
    isTransport: true,
    title: "Connection closed: the other side ended the connection without a response",
    signs: `
      econnreset|connection_reset|socket_hang_up|err_empty_response|empty_reply|remote_disconnected|server_disconnected|other_side_close|premature_close|epipe|und_err_socket|err_connection_closed|err_connection_reset|forcibly_close|broken_pipe|connection_abort|10054|incomplete_message|ns_error_net_reset|err_connection_aborted
      connection|socket|peer|server|upstream|remote|host reset|abort|aborted|prematurely|forcibly|unexpectedly|hung_up|without_response|disconnect close|closed|peer|connection|response|send|header|before|prematurely|remote|server
      connection|stream closed|close before|prematurely|unexpectedly|without|while|message|remotely|peer
      unexpected|error eof|end_file|end_stream post|get|http|read|response|connection|body|server|oauth2|token|reading|stream
      ?eof|eoferror|end_file post|get|http|token|oidc|oauth|oauth2|discovery|code
      connection lost|was_lost network`,
    causes: [
      "The client speaks http to a port with https, or the reverse: some servers and proxies then close without a word.",
      "A proxy, a container port without a process behind it, or a firewall accepted the connection and closed it.",
      "The server stopped or restarted during the request, or an idle connection of a pool was used again.",
      "A test queued the fault drop; then the message is right.",
    ],
    application: "Compare scheme and port with the issuer; retry a request that is safe to repeat once.",
    server: "/flows shows whether the request arrived. Without an entry something in front of the server closed it.",
    guide: "static/docs/containers-and-ci.md",
  },
  timeout: {
    isTransport: true,
    title: "No answer in time: the address cannot be reached, or it answers too late",
    signs: `
      etimedout|econnaborted|connect_timeout|connection_timeout|err_connection_timed_out|und_err_connect_timeout|headers_timeout|und_err_headers_timeout|und_err_body_timeout|read_timeout|socket_timeout|gateway_timeout|deadline_exceeded|i_o_timeout|io_timeout|errno_110|10060|jwks_timeout|ns_error_net_timeout|request_timeout|connecttimeout|readtimeout|sockettimeout|connecttimeouterror|oauth_timeout
      timeout|timed_out|time_out|timedout|deadline_exceed|elapsing|elapsed connect|handshake|connection|request|read|reading|socket|http|network|host|response|operation|await|awaiting|server|fetch|url|after|client !iframe|frame|popup|silent|window|login|session|jest|test|element|retry|hook|lock|database|query|transaction
      network_error platform|exception|android|ios|authorize|description
      timeout reason|httpoison|mint|finch
      enetunreach|ehostunreach|network_unreachable|network_request_fail|connection_offline|appear_offline|no_route_host|host_unreachable|err_address_unreachable|err_network_changed|err_internet_disconnected|network_is_unreachable|ns_error_offline`,
    causes: [
      "A firewall, a VPN or a network of containers drops the packets: the address is of another network.",
      "A proxy setting (HTTP_PROXY) sends the request to a proxy that cannot reach the server; NO_PROXY lacks its name.",
      "The server waits: for a page that no one confirms, for a document of the client that it fetches, or because a test queued a delay.",
    ],
    application: "Try curl -v ISSUER/.well-known/openid-configuration on the same machine or in the same container.",
    server: "/flows shows whether the request arrived. --host 0.0.0.0 listens for other machines and containers.",
    guide: "static/docs/containers-and-ci.md",
  },
  proxy: {
    tells: "407|tunnel|corporate > 4 ; plain http|wrong version > 2",
    title: "Bad gateway: a proxy in front of the server could not get its response",
    signs: `
      502|bad_gateway|503|upstream|no_healthy|504|service_unavailable gateway|upstream|unavailable|proxy|healthy|connect|error|server|bad|nginx|envoy|traefik|response
      proxy ${fails}|authentication|407|tunnel|tunneling|connect|response|refuse|required !oauth2_proxy|client_id|reverse_proxy|trust|trusted
      tunnel|tunneling|407 socket|proxy|connection|establish|required|authentication
      upstream connect_error|disconnect|reset|prematurely|unavailable|no_live|timed_out|error|invalid|failed !too_big`,
    causes: [
      "The proxy names a host or port where no server listens: in a container, localhost is the proxy itself.",
      "The proxy speaks http to a server with https, or the reverse.",
      "The server starts later than the proxy.",
      "A corporate proxy (HTTP_PROXY) stands between, and NO_PROXY lacks the server.",
    ],
    application:
      "Read the log of the proxy: it names the address that it tried. Put localhost and the server's name into NO_PROXY.",
    server: "Behind a proxy: --trust-proxy, and the URL of the proxy as --issuer. /readyz says when the server is up.",
    guide: "static/docs/team.md",
  },
  header_size: {
    title: "Header too large: cookies, a token or a URL exceed a limit of the proxy or server",
    signs: `
      header|headers|cookie|request_header|uri|request_uri|url too_large|too_big|too_long|overflow|oversized|too_many_bytes|431|494|buffer|414|exceed|larger !certificate|scope|secret|state|record|cookie_overflow|cookies|session_cookie|securecookie|value
      431|hpe_header_overflow|414 header|headers|uri|url|request|too_long|fields|overflow
      2>state cookie|cookies number|many|limit|generate
      3>upstream too_big header|response`,
    causes: [
      "The session cookie holds all tokens, and they have many claims or groups.",
      "Each failed login leaves a state cookie; after a loop they fill the header.",
      "The response of the application sets large cookies, and the buffer of its proxy is small.",
    ],
    application:
      "Keep tokens in a session on the server and a short id in the cookie; delete the cookies of ended logins. nginx: proxy_buffer_size 16k, large_client_header_buffers.",
    server: "Leave out claims: request fewer scopes, or give the user fewer groups.",
    guide: "static/docs/users.md#add-claims-or-roles-to-access-tokens-and-id-tokens",
  },
  redirect_loop: {
    tells: "x-forwarded|traefik|nginx|ingress|proxy > 4 ; protected > 2",
    title: "Too many redirects: the application begins a new login after each one that succeeded",
    signs: `
      err_too_many_redirects|too_many_redirect|redirect_too_many|redirected_too_many|toomanyredirects|too_many_http_redirects|redirect_loop|redirection_loop|infinite_redirect|endless_redirect|loop_detect|redirect_count_exceed
      redirect|redirects|redirection|redirected too_many|many_times|maximum|max|stopped|stop|loop|exceed|limit|circular|never_complete|not_redirecting_properly !uri|url_mismatch|registered`,
    causes: [
      "The session cookie is not stored after the callback: Secure on plain http, another host or path, or more than 4096 bytes.",
      "The callback itself, or a page that needs no login, is protected too.",
      "The application rejects the tokens and begins again instead of showing the error.",
      "A proxy ends TLS, and the application redirects to https again and again: it does not trust X-Forwarded-Proto.",
    ],
    application:
      "Delete the cookies, log in with the developer tools open, and look for the cookie that the callback sets. Exclude the callback from the protection.",
    server: "/flows shows the logins in a row, and whether each code was exchanged.",
    guide: "static/docs/flows.md#the-login-fails-but-the-server-rejected-nothing",
    seen: ["login host", "code"],
  },
  cookie: {
    tells: "cross-site|third.?party|form_post > 2",
    title: "Cookie rejected: the browser did not store or send a cookie of the application",
    signs: `
      2>cookie cross_site|third_party|lax|strict reject|block|ignore|not_sent|invalid|context
      cookie|set_cookie reject|block|blocked|samesite|same_site|ignore|dropped|not_store|not_set|not_sent|third_party|secure|domain|overwrite|not_accept|invalid|partition|discard !login_required|state|correlation|nonce|csrf|not_found|missing|pkce|transaction
      cookie samesite|same_site|secure|third_party block|reject|none|lax|strict|attribute|missing|without|context|insecure
      3>cookie|securecookie|session_cookie|set_cookie too_large|too_big|too_long|overflow|4096|4093|size|exceed|oversized|large|larger !header|headers|request_header|state`,
    causes: [
      "SameSite=None needs Secure, and Secure needs https (browsers except for localhost).",
      "The request comes from another site: a frame, a fetch, or a POST (response_mode=form_post) carries no SameSite=Lax or Strict cookie, and browsers block third-party cookies.",
      "The cookie is larger than 4096 bytes, or its Domain is another host than the page: localhost and 127.0.0.1 differ.",
    ],
    application: "SameSite=Lax, Path=/, no Domain, Secure only with https. Keep tokens out of the cookie.",
    server: "Without response_mode the callback is a GET with SameSite=Lax cookies. --tls self-signed serves https.",
    guide: "static/docs/sessions.md#cookies-and-localhost",
    seen: ["login host"],
  },
  csp: {
    tells: "x-frame-options|frame-ancestors > 2",
    title: "Content Security Policy: the page forbids the browser to load, frame or submit to this address",
    signs: `
      content_security_policy|csp
      frame_ancestors|form_action|x_frame_options|connect_src|frame_src|default_src|script_src
      refuse display|frame|connect|load|send_form|execute|apply frame|policy|directive|violate|because|deny|sameorigin !connection_refused|certificate`,
    causes: [
      "The page that is named has a policy without the other origin: connect-src for fetch, form-action for a form and the redirects after it, frame-src for a frame.",
      "A login page does not allow to be framed (frame-ancestors, X-Frame-Options). In a silent login it appears as the session has ended, or as its cookie is blocked in a frame.",
      "An inline script or style has no nonce or hash.",
    ],
    application: "Add the issuer's origin to the directive that is named; open the login as a page, not in a frame.",
    server: "The pages of this server allow no frames; the frames of --profile keycloak (session, silent login) do.",
    guide: "static/docs/test-hosts.md",
  },
  mixed_content: {
    title: "Mixed content: a page with https loads or submits something over plain http",
    signs: `
      mixed_content|mixed_block|blocked_loading_mixed
      page loaded_over_https|https_page insecure|mixed|http`,
    causes: [
      "The application has https, and the issuer is http.",
      "A proxy ends TLS, and the application builds http URLs behind it.",
    ],
    application: "Use https for both, or http for both on localhost. Behind a proxy, trust X-Forwarded-Proto.",
    server: "--tls self-signed, or --tls-cert and --tls-key. Behind a proxy with TLS, --issuer is its https URL.",
    guide: "static/docs/configure.md#https-on-localhost-a-self-signed-certificate",
  },
  jwks: {
    tells:
      "no security keys|not (?:yet )?(?:loaded|initiali)|placeholder > 6 ; (?:any|no) (?:signing|usable|suitable) keys > 5",
    title: "Cannot fetch the keys: the JWKS could not be loaded, or has no keys",
    signs: `
      ?key get|fetch|fetching|download ${fails}|404 !match|find|kid|api_key|access_key
      jwk|jwks|jwk_set|key_set|keyset|signing_key|public_key|cert|certs|remote_key|jwks_uri|json_web_key|signing_keys ${fails} fetch|retrieve|retrieving|load|download|get|obtain|read|request|refresh|reach|remote|endpoint|http|200|status|query|update|uri|url !kid|find|matching|certificate
      2>jwk|jwks|jwk_set get|fetch|load|retrieve|obtain openid_configuration|file_not_found
      jwk|jwks|jwks_uri|jwk_set fetch|retrieve|200|404|500|status|http_response|expected_200|malformed|timeout|unable|fail|error|failed
      4>jwk|jwks|jwk_set|jwks_uri|key_set|keyset|json_web_key json|array|object|malformed|empty|parse|decode|unmarshal|deserialize|no_key|not_contain|not_include|not_return|missing_key|key_missing|without_key|invalid|looking_for keys|set|endpoint|json|parse|decode|response|url|html|member|character|not_valid|malformed !kid|match|suitable|applicable|use|kty|algorithm|curve|find|private
      4>keys missing_field|missing_member|missing_property|missing_key
      4>decode|parse|unmarshal|invalid key|keys html|character|json|doctype jwks|oidc|openid|endpoint|beginning`,
    hides: true,
    causes: [
      "The API cannot reach the host of jwks_uri: in a container the issuer has another name than for the browser.",
      "A fixed URL of the keys is wrong: another path than jwks_uri of the metadata.",
      "TLS, a proxy or a timeout: the cause below the message says so.",
      "The URL returns no key set: a page, an error, or JSON without keys.",
      "The keys have no kid, or not the use sig: some libraries skip such keys.",
      "The application has no keys at all: it was not told the issuer or jwks_uri, or could not load the metadata when it started.",
    ],
    application: "Open jwks_uri of the metadata from the machine of the API, such as by curl.",
    server: "The keys are at jwks_uri of the metadata. /flows lists the requests for them.",
    guide: "static/docs/verify-tokens.md",
    seen: ["metadata path", "issuer asked for"],
  },
  logout_uri: {
    title: "Logout redirect rejected: post_logout_redirect_uri is not registered, or id_token_hint is missing or wrong",
    signs: `
      post_logout|logout|signout|sign_out|log_out redirect|return|uri|url|returnto ${wrong}|${absent}|register|allow|whitelist|permit|configured
      id_token_hint ${wrong}|${absent}|require
      2>id_token_hint missing|require|only|must|without|absent
      2>post_logout|logout id_token_hint|hint only|require|combination|without|must|together|missing|absent`,
    causes: [
      "post_logout_redirect_uri is not registered for the client, character for character; redirect_uris do not count.",
      "The logout request has neither id_token_hint nor client_id, so the client is unknown.",
      "The ID token of the hint is of another server, or of one that restarted with new keys.",
    ],
    application: "Send id_token_hint with the ID token of the login, and the registered URI.",
    server: 'Register it: "post_logout_redirect_uris": ["http://localhost:3000/"].',
    guide: "static/docs/sessions.md#log-out",
    seen: ["rejection"],
    compares: {},
  },
  no_code: {
    tells: "hash|router|clear(?:ed|ing) > 4 ; called without|bookmark|reload > 2 ; fragment|#code|form_post > 3",
    title: "No code in the callback: the application was called without an authorization response",
    signs: `
      ?code missing|no|absent !non|response_code|status|verifier|challenge|source|error_code|country|device
      code authorization|auth|callback|oauth|login|query|parameter|param ${absent}|not_receive|no_code|expected !device|verifier|challenge|error_code|status|expire|used|redeem|invalid|grant_type|non|response_code
      ?missing|no|without authorization_code|code parameter|param|callback|query|response !device|status|verifier|challenge`,
    causes: [
      "The response is an error: the callback has error and error_description instead of code.",
      "The callback was opened by itself: a bookmark, a reload, a health check.",
      "The response mode differs: fragment (after #) never reaches a server, form_post arrives as a POST body.",
      "A router or a script of the page removed the query or the fragment (#) before the library read it: let the redirect URI be a page of its own.",
    ],
    application: "Read error first. A server uses response_mode=query; let the callback read what its mode sends.",
    server: "/flows shows each callback with its parameters.",
    guide: "static/docs/flows.md",
    seen: ["rejection", "code"],
  },
  userinfo: {
    tells: "jwt|signed > 3 ; \\bid.?token > 2",
    title: "Userinfo failed: the userinfo endpoint rejected the request, or its response is unusable",
    signs: `
      userinfo|user_info|user_profile|api_access|userinfo_endpoint|user_information|profile_url ${fails}|401|403|status|invalid|unexpected|retrieve|fetch|unable|not_found|unauthorized|error|faild !sub|subject|npm
      3>unexpected_token|json userinfo ey_jhb
      -?user|profile|userdetails retrieve|fetch|obtain|load|get profile|info|information|details|data ${fails}`,
    hides: true,
    causes: [
      "The access token has no scope openid, is expired, or is for another resource (aud).",
      "The application sends the ID token, or the header without Bearer.",
      "The response is a signed JWT (userinfo_signed_response_alg), and the application expects JSON, or the reverse.",
    ],
    application: "Send the access token of the same login as Authorization: Bearer.",
    server: "/flows shows the request and why it was rejected.",
    guide: "static/docs/users.md#add-claims-or-roles-to-access-tokens-and-id-tokens",
    seen: ["rejection"],
  },
  jwe: {
    tells: "session|cookie > 3",
    title: "Encrypted token (JWE): the token cannot be decrypted, or the application does not expect encryption",
    signs: `
      jwe|encrypted|decrypt|decryption|cek|keydecryption token|jwt|id_token|key|fail|failed|support|not|unable|jwe|algorithm|payload|five !ssl|tls|cookie|session|database|disk|password|git
      3>?jwe|decryption cookie|session
      ?decrypt|decryption|encrypted|jwe ${fails}|invalid|not`,
    causes: [
      "The application decrypts with another key than the one it registered, or the key set changed.",
      "The client is registered for encrypted tokens (id_token_encrypted_response_alg), and the application reads signed ones only.",
      "A session cookie is encrypted with a secret that changed: a JWE of the session, not of the server.",
    ],
    application:
      "Configure the private key that belongs to the registered public key. After a new session secret, delete the cookies.",
    server: "Remove id_token_encrypted_response_alg from the client to get signed tokens.",
    guide: "static/docs/signed-requests.md#encrypted-id-tokens-and-userinfo-jwe",
  },
  key_format: {
    tells: "\\bbits?\\b|\\bbytes?\\b.{0,40}(?:short|secure|least|minimum) > 3 ; secretor|symmetric > 2",
    title: "Unusable key: the key cannot be read, or is too short for the algorithm",
    signs: `
      rsa|hmac|ec|cryptographic|elliptic_curve|symmetric key not|invalid|below|short|must|least|bytes !kid|matching|ssh|host_key|cache|session
      ?read|load|open|parse key|key_file|private_key|public_key not|unable|could_not|fail|error !ssh|api_key|jwks|cache|registry
      key|secret|hmac|pem|jwk size|length|bits|bit|bytes|short|weak|too_small|long|256 not|short|weak|least|minimum|secure|too|invalid|less|required|must|enough|greater !header|ssh|cookie|dh|tls|ssl|password|aws|session|url
      key algorithm|rs256|hs256|es256 must_one|must_instance
      key valid|format|invalid|parse|read|convert|unable rsa|ecdsa|ec|ed25519|eddsa|hmac|pem|public|private|pkcs8|pkcs1 !kid|matching|ssh|api_key|expire
      ?key|pem|spki|pkcs8|pkcs1|asn1|der|private_key|public_key ${wrong}|parse|decode|import|unsupported|format|could_not|malformed|load|read|deserialize|begin !no_matching|kid|jwks_uri|ssh|signature|not_found|api_key|expired|type_error|message_key|key_ring
      pem|spki|pkcs8|asn1|asymmetric_key|secretorpublickey|secretorprivatekey|secret_or_public|secretorpublickey|secretorprivatekey key|must|string|format|value|encoded|parse|error|line|invalid|required|certificate !tls_cert|nginx|apache`,
    causes: [
      "A PEM lost its line breaks in an environment variable, has another type (PKCS#1, PKCS#8, SPKI, certificate), or is a path.",
      "A client secret or a URL was given where a public key is needed.",
      "The secret of HS256 has fewer than 256 bits (32 bytes).",
    ],
    application: "Fetch the public keys from jwks_uri, configure none. An HMAC secret has at least 32 random bytes.",
    server: "The public keys are at jwks_uri; client secrets that the server makes are long enough.",
    guide: "static/docs/verify-tokens.md",
  },
  auth_time: {
    tells: "\\bacr\\b|\\bamr\\b|mfa|factor > 2",
    title: "Login too old or too weak: auth_time, acr or amr is not what the application requires",
    signs: `
      auth_time|max_age|authentication_time|authtime ${wrong}|${absent}|too_old|old|exceed|past|elapsed|must|require|greater|future|check
      acr|amr|authentication_context|acr_values|assurance|step_up|mfa|second_factor|multi_factor ${wrong}|${absent}|require|required|level|not_meet|unmet|insufficient|not_satisfy|need|must !csp`,
    causes: [
      "The session of the user is older than max_age, or the response has no auth_time because max_age was not requested.",
      "The login does not reach the level that is required (acr), such as a second factor.",
    ],
    application: "Request max_age, prompt=login or acr_values, and handle the refusal by a new login.",
    server: "A user, a login page or a test chooses acr and amr; the clock of a mock moves auth_time.",
    guide: "static/docs/authorization-requests.md#step-up-authentication-acr_values",
  },
  assertion: {
    tells: "\\baud|audience > 1 ; signature|\\bkey|jwks > 2 ; expired|jti|replay|clock > 3 ; \\bsub\\b|\\biss\\b > 4",
    title: "Client assertion rejected: the JWT by which the client authenticates is not valid",
    signs: `
      client_assertion|private_key_jwt|client_secret_jwt|assertion|jwt_bearer ${wrong}|${absent}|expire|replay|jti|verify|fail|require|required|audience|aud|not_yet|expired|signature|mismatch|not_found|failed !saml|debug|junit|expect|node_assert|err_assertion|unit
      2>keys|key client suit|not_used`,
    causes: [
      "aud of the assertion is not the issuer (or the token endpoint), letter by letter.",
      "The key is not registered: the public key of another pair, or jwks_uri of the client cannot be fetched.",
      "The assertion is expired, from a clock that is ahead, or was sent a second time (jti).",
      "iss and sub are not both the client_id.",
    ],
    application:
      "A new assertion for each request, with iss = sub = client_id, aud = the issuer, exp within minutes and a new jti.",
    server: "/flows shows the assertion with the claim that was rejected. Register jwks or jwks_uri of the client.",
    guide: "static/docs/standards.md",
    seen: ["rejection"],
    compares: { slash: 1, loopback: 1, port: 1, path: 1 },
  },
  client_certificate: {
    tells: "bound|thumbprint|x5t > 2 ; subject|\\bdn\\b > 3",
    title: "Client certificate: mutual TLS without the certificate that is expected",
    signs: `
      client_certificate|mutual_tls|mtls|x5t|certificate_bound|tls_client_auth ${wrong}|${absent}|require|required|thumbprint|mismatch|bound|expected|presented|request|not_sent|handshake
      certificate_required tls|ssl|alert`,
    causes: [
      "The client sent no certificate: a proxy ends TLS, or the library was not given key and certificate.",
      "The token is bound to another certificate (cnf x5t#S256) than the one of this connection.",
      "The registered subject or key of the client is another one.",
    ],
    application: "Use the same certificate for the token request and for the API.",
    server: "/flows shows the certificate of the request. Behind a proxy, the proxy must pass it on.",
    guide: "static/docs/mutual-tls.md#mutual-tls-client-certificates",
    seen: ["rejection"],
  },
  post_only: {
    tells: "form_post|callback > 2 ; json|urlencoded|media type > 1 ; authorize|well-known > 3",
    title: "Wrong method or body: the endpoint takes another HTTP method or content type",
    signs: `
      method post|get|405|http not_allow|not_allowed|not_support|only|require|must|405 token|endpoint|authorize|oauth|callback|url|userinfo|login|authorization !npm|payment|shipping|not_function|undefined|auth_method|client_secret_post|client_secret_basic
      415|unsupported_media_type|content_type form|json|urlencoded|x_www_form_urlencoded|media_type|unsupported|token|expected|must|415 !html|jwt_typ|image|response`,
    causes: [
      "The token endpoint takes only POST with application/x-www-form-urlencoded, and the request is a GET or has JSON.",
      "The callback receives a POST (response_mode=form_post), and the route takes only GET, or the reverse.",
      "The URL is of another endpoint: a metadata or authorization URL where the token endpoint is expected.",
    ],
    application: "Send parameters as a form: curl -d, URLSearchParams.",
    server: "/flows shows the method and the body. A provider's profile takes what that provider takes.",
    guide: "static/docs/get-a-token.md",
    seen: ["rejection"],
  },
  rate: {
    title: "Too many requests: a limit of attempts was reached",
    signs: `
      429|too_many_request|too_many_requests|rate_limit|rate_limited|ratelimit|throttle|throttled|rate_exceed|global_limit|quota|attempt_limit
      too_many attempt|attempts|login|tries|requests|failures`,
    causes: [
      "Passwords were tried too often for one user or from one address.",
      "A loop: the application begins login after login, or polls faster than interval.",
    ],
    application: "Wait for Retry-After; find the loop with the developer tools.",
    server: "/flows shows the requests in a row. Tests with many logins use --login auto, or the API of the mock.",
    guide: "static/docs/limits.md",
    seen: ["rejection"],
  },
} as const satisfies Readonly<Record<string, ProblemFacts>>;
