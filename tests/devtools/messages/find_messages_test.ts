/** The matcher of the messages of client libraries: what it finds, and what it must not find. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { findMessages, type FoundMessage } from "../../../src/devtools/messages/find_messages.ts";
import { problems, problemsByName } from "../../../src/devtools/messages/messages.ts";
import { forEachCase } from "../../kit.ts";

const all = problems.flatMap((problem) => problem.messages.map((message) => ({ problem, message })));
/** The names of the problems of a text. */
const namesOf = (text: string) =>
  findMessages(text).map((found) => Object.keys(problemsByName).find((name) => problemsByName[name] === found.problem));

/** A message with values, as a library writes it. */
const written = (text: string) => text.replaceAll("*", "http://localhost:9000");

test("every message is found alone, in a stack trace, in a log as JSON, and without the quotes that a shell takes", async () => {
  const places: readonly ((text: string) => string)[] = [
    (text) => text,
    (text) => `OperationProcessingError: ${text}\n    at validate (file:///app/node_modules/x/index.js:12:3)`,
    (text) => JSON.stringify({ level: "error", message: `Error: ${text}` }),
    (text) => `Caused by: org.example.Exception: ${text.replaceAll(" ", "\n  ")}`,
    (text) => text.replaceAll(/["'`]/g, ""),
  ];
  await forEachCase(all, ({ problem, message }) => {
    for (const place of places) {
      const found = findMessages(place(written(message?.text)));
      assertEquals(found.map((one) => one.problem.title), [problem.title], place(written(message?.text)));
    }
  });
});

test("a few words of a message are enough if they are about nothing else", () => {
  for (
    const [text, name] of [
      ["unexpected aud", "aud"],
      ["no matching state found", "browser_state"],
      ["issuer did not match the issuer returned", "metadata_issuer"],
    ] as const
  ) assertEquals(namesOf(text)[0], name, text);
  for (const text of ["does not match", "was missing", "jwt"]) assertEquals(namesOf(text), [], text);
});

test("each kind is recognized by its words, in any language and library, and other texts are not", async () => {
  const texts: Readonly<Record<string, readonly string[]>> = {
    name: [
      "getaddrinfo ENOTFOUND id.test",
      "dial tcp: lookup id.test on 127.0.0.11:53: no such host",
      "java.net.UnknownHostException: id.test",
      "socket.gaierror: [Errno -2] Name or service not known",
      "No such host is known. (id.test:443)",
      "cURL error 6: Could not resolve host: id.test",
      "dns error: failed to lookup address information: Name or service not known",
      "net::ERR_NAME_NOT_RESOLVED",
    ],
    refused: [
      "connect ECONNREFUSED ::1:9000",
      "dial tcp [::1]:9000: connect: connection refused",
      "No connection could be made because the target machine actively refused it.",
      "tcp connect error: Connection refused (os error 61)",
      "Failed to connect to localhost port 9000: Connection refused",
    ],
    reset: ["socket hang up", "read ECONNRESET", "Remote end closed connection without response"],
    timeout: [
      "connect ETIMEDOUT 10.0.0.1:443",
      "net/http: request canceled (Client.Timeout exceeded while awaiting headers)",
    ],
    certificate: [
      "x509: certificate signed by unknown authority",
      "PKIX path building failed: unable to find valid certification path to requested target",
      "invalid peer certificate: UnknownIssuer",
      "net::ERR_CERT_AUTHORITY_INVALID",
      "SSL certificate problem: unable to get local issuer certificate",
    ],
    tls: ["tls: first record does not look like a TLS handshake", "Unsupported or unrecognized SSL message"],
    csp: [`Refused to connect to 'http://localhost:9000' because it violates the document's Content Security Policy.`],
    cookie: ["This Set-Cookie header was blocked because it had the SameSite=None attribute but not Secure"],
    exp: ["JWTExpired", "ExpiredSignatureError", "The token is expired", "io.jsonwebtoken.ExpiredJwtException"],
    aud: ["InvalidAudienceError", "token has invalid audience", "IDX10214: Audience validation failed."],
    kid: ["JSON::JWK::Set::KidNotFound", "IDX10501: Signature validation failed.", "ERR_JWKS_NO_MATCHING_KEY"],
    iss: ["The claim 'iss' value doesn't match the required one", "token has invalid issuer"],
    invalid_client: ["AADSTS7000215: Invalid client secret provided.", "Invalid client or Invalid client credentials"],
    redirect_uri: ["redirect_uri_mismatch", "AADSTS50011: The redirect URI specified in the request does not match"],
  };
  await forEachCase(Object.entries(texts), ([name, examples]) => {
    for (const text of examples) assertEquals(namesOf(text)[0], name, text);
  });
  // What a test of an API and its HTTP client print around the message.
  const around: readonly (readonly [text: string, name: string | undefined, cause: RegExp])[] = [
    ['Token is missing the "aud" claim', "aud", /no such claim/],
    ['jwt.exceptions.MissingRequiredClaimError: Token is missing the "exp" claim', "jwt_claims", /no such claim/],
    ['Token is missing the "iss" claim', "iss", /no such claim/],
    ['E       AssertionError: {"error": "Invalid issuer"}\nE       assert 401 == 200', "iss", /slash at the end/],
    ["AssertionError [ERR_ASSERTION]: Invalid issuer", "iss", /slash at the end/],
    ["org.opentest4j.AssertionFailedError: Invalid issuer ==> expected: <200> but was: <401>", "iss", /slash/],
    ["E  AssertionError: assert {'error': 'Signature has expired'} == {}", "exp", /lifetime/],
    [
      "requests.exceptions.HTTPError: 404 Client Error: Not Found for url: http://a.test//oauth2/token",
      "token_request",
      /^404: nothing/,
    ],
    ["requests.exceptions.HTTPError: 404 Client Error: Not Found for url: http://a.test/orders", undefined, /^/],
    [
      "requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: http://a.test/oauth2/token",
      "token_request",
      /^401/,
    ],
    ["E       assert 200 == 401", "test_status", /^200 instead/],
    ["expected 401, got 200", "test_status", /^200 instead/],
    ["expected: <403> but was: <200>", "test_status", /^200 instead/],
    ["AssertionError: 401 != 200", "test_status", /^401 instead/],
  ];
  await forEachCase(around, ([text, name, cause]) => {
    assertEquals(namesOf(text)[0], name, text);
    if (name !== undefined) assertMatch(findMessages(text)[0]!.causes[0]!, cause, text);
    assert(!namesOf(text).some((one) => one === "assertion" || one === "no_access_token"), text);
  });
  const others = [
    "npm error ERESOLVE unable to resolve dependency tree",
    "TypeError: Cannot read properties of undefined (reading 'token')",
    `SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON`,
    "psycopg2.OperationalError: connection to server at port 5432 failed: Connection refused",
    "ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES), mysql",
    "Invalid signature in the PDF document",
    "Each child in a list should have a unique key prop",
    "git@example.test: Permission denied (publickey).",
    "requests.exceptions.MissingSchema: Invalid URL 'foo': No scheme supplied",
    "The user requires a license to interact with this file",
    "Error: Cannot find module './key'",
    "error[E0308]: mismatched types: expected `String`, found `Vec<&str>`",
    "json: cannot unmarshal string into Go struct field Config.replicas of type int",
    "ImportError: cannot import name 'soft_unicode' from 'markupsafe'",
    "Missing required parameter: name",
    "mysqli_connect(): (HY000/2002): Connection refused mysql",
    'Error Domain=NSCocoaErrorDomain Code=3840 "Unexpected end of file"',
    "java.lang.IllegalArgumentException: No enum constant Color.PINK",
    "docker: Error response from daemon: pull access denied for web, repository does not exist",
    "unexpected EOF while looking for matching `\"'",
    "E: Unable to locate package libfoo",
    "RuntimeError: expected scalar type Float but found Double",
    "The build is polling for changes too slowly",
    "fatal: refusing to merge unrelated histories",
    "Unhandled exception: type 'String' is not a subtype of type 'int'",
    'kubectl: error: the server doesn\'t have a resource type "pod"',
    "fopen(/tmp/a): failed to open stream: No such file or directory",
    // Short words of the field and wrappers of logs, in programs of other fields.
    "connect ECONNREFUSED 127.0.0.1:5432",
    "Objects are not valid as a React child (found: object with keys {id, name})",
    '{"level":"error","correlation_id":"01HX","msg":"failed to save the order"}',
    "panic: invalid memory address or nil pointer dereference (*errors.errorString)",
    "Key (email) not found in object",
    "Error(s) in loading state_dict for Net: Missing key(s) in state_dict",
    "Could not find file 'C:\\temp\\key.txt'.",
    "The following signatures couldn't be verified because the public key is not available",
    "Could not initialize proxy - no Session",
    "Quota exceeded: disk quota of the device",
    "Failed to query available provider packages: could not retrieve the list of versions",
    "Timed out retrying after 4000ms: Expected to find element: `#submit`",
    "ExpiredToken when calling the ListBuckets operation: The provided token has expired.",
  ];
  await forEachCase(others, (text) => assertEquals(namesOf(text), [], text));
});

/** A problem as it stands first in the answer, with the cause that the text tells: `certificate>2`. */
function firstOf(text: string): string {
  const [found] = findMessages(text);
  const [name, problem] = Object.entries(problemsByName).find(([, problem]) => problem === found?.problem) ?? [];
  const cause = found?.causes.map((cause) => problem!.causes.indexOf(cause)).find((index) => index >= 0);
  return cause ? `${name}>${cause + 1}` : `${name}`;
}

test("the innermost part, a claim with its fault, a code and a demand for a parameter decide, whatever wraps them", async () => {
  const texts: Readonly<Record<string, readonly string[]>> = {
    // What the text shows decides on the cause: two values, an empty fragment, an ended session.
    "no_code>4": ["hash_empty_error: Hash value cannot be processed because it is empty."],
    "token_request>2": ["Failed to contact token endpoint: Failed to parse server response"],
    "aud>5": ["jwt.exceptions.InvalidAudienceError: Invalid audience"],
    "aud>2": ["error validating claims: aud claim does not match any bound audience"],
    userinfo: ["(openid_connect) API Access Faild: OpenIDConnect::BadRequest"],
    reset: [
      'failed to exchange token: Post "https://sso.acme.test/oauth/token": EOF',
      'Could not get JWKS: Get "http://idp:8080/keys": read tcp 10.0.0.2:5000->10.0.0.3:8080: read: connection reset by peer',
      "aiohttp.client_exceptions.ServerDisconnectedError: Server disconnected",
      "Exception in login callback: The request was aborted: The connection was closed unexpectedly.",
      "OAuth2::Error: Failed to redeem the code: end of file reached (EOFError)",
      'Error Domain=NSURLErrorDomain Code=-1005 "The network connection was lost."',
    ],
    "certificate>2": [
      'failed to refresh token: Post "https://auth.acme.test/token": x509: certificate is valid for localhost, not auth.acme.test',
      'oidc: failed to get provider: Get "https://10.0.0.4/.well-known/openid-configuration": x509: cannot validate certificate for 10.0.0.4 because it doesn\'t contain any IP SANs',
      "OAuth login failed: Hostname/IP does not match certificate's altnames: Host: idp. is not in the cert's altnames: DNS:localhost",
      "Error fetching JWKS ---> javax.net.ssl.SSLPeerUnverifiedException: Certificate for <idp.test> doesn't match any of the subject alternative names: [localhost]",
    ],
    "certificate>4": [
      "NSURLErrorDomain -1201",
      'oauth2: cannot fetch token: Post "https://id.test/token": x509: certificate has expired or is not yet valid',
    ],
    certificate: [
      'Failed to get token: Post "https://id.test/token": tls: failed to verify certificate: x509: certificate signed by unknown authority',
      "The operation couldn’t be completed. (NSURLErrorDomain error -1202.)",
    ],
    tls: [
      'Authentication failure! because "SSL_connect returned=1 errno=0 state=error: wrong version number"',
      "OpenID discovery failed: SSL_connect returned=1 errno=0 peeraddr=127.0.0.1:9000 state=error: packet length too long",
      "login callback error: write EPROTO 140:error:0A00010B:SSL routines:ssl3_get_record:wrong version number",
      "token exchange failed: ssl.SSLError: [SSL] record layer failure (_ssl.c:1006)",
      "Unable to fetch user profile: http: server gave HTTP response to HTTPS client",
    ],
    url: [
      'failed to get token: Post "": unsupported protocol scheme ""',
      "requests.exceptions.MissingSchema: Invalid URL '/oauth/token': No scheme supplied. Perhaps you meant https:///oauth/token?",
      "OAuth token request: builder error: relative URL without a base",
      'parse ":9000/.well-known/openid-configuration": missing protocol scheme',
      "OpenID: An invalid request URI was provided. Either the request URI must be an absolute URI or BaseAddress must be set.",
      "httpx.UnsupportedProtocol: Request URL is missing an 'http://' or 'https://' protocol. (oauth token endpoint)",
      "java.lang.IllegalArgumentException: URI is not absolute (oauth2 issuer-uri)",
      "[next-auth][error][SIGNIN_OAUTH_ERROR] Only absolute URLs are supported",
      "TypeError [ERR_INVALID_URL]: Invalid URL while building the issuer",
      "oidc provider: no Host in request URL",
    ],
    blocked_address: [
      "OpenID Connect discovery: URL is blocked: Requests to the local network are not allowed",
      "URL is blocked: Requests to localhost are not allowed",
      "DNS lookup 127.0.0.1(family:4, host:127.0.0.1) is not allowed. Because, It is private IP address.",
      "Fetching jwks_uri failed: the host resolves to a private IP address, which is blocked",
      "oauth: prohibited IP address: 192.168.1.5 is in a private range",
      "SSRF protection: request to internal host idp.local forbidden",
    ],
    refused: [
      'Error redeeming code: Post "http://localhost:9000/token": dial tcp [::1]:9000: connect: connection refused',
      "openid_connect: discovery failed ---> System.Net.Http.HttpRequestException: Connection refused (localhost:9000)",
      'Error Domain=NSURLErrorDomain Code=-1004 "Could not connect to the server."',
    ],
    name: [
      'Failed to load JWKS: Get "http://idp/keys": dial tcp: lookup idp: no such host',
      "Error Domain=NSURLErrorDomain Code=-1003",
    ],
    timeout: [
      'failed to obtain access token because "execution expired: Net::OpenTimeout connection timed out"',
      "Error when fetching user info: context deadline exceeded (Client.Timeout exceeded while awaiting headers)",
    ],
    discovery: [
      `Unable to resolve the Configuration with the provided Issuer of "http://idp:8080/realms/a"`,
      "IDX20803: Unable to obtain configuration from: 'https://id.test/.well-known/openid-configuration'. Response status code does not indicate success: 404 (Not Found).",
    ],
    jwks: [
      "Couldn't retrieve remote JWK set: 404 Not Found",
      "[oidc] Warning: Got non-200 response code when querying JWKs",
    ],
    "jwks>4": [
      "JWKS response is not valid JSON",
      'Invalid JWKS: "keys" must be an array',
      "The JWK Set did not contain any keys",
      "Failed to discover OpenID Provider\n\nCaused by:\n    0: Failed to parse server response\n    1: missing field `keys`",
      "oidc: failed to decode keys: invalid character '<' looking for beginning of value <html>",
    ],
    "alg>4": [
      "Unsigned JWTs are not supported",
      "Unsigned Claims JWTs are not supported.",
      "io.jsonwebtoken.UnsupportedJwtException: Unsecured JWSs (those with an alg header of none) are disallowed by default",
      "Authlib: failed to decode token: plain JWT rejected",
      'The token is unsigned: alg "none" is not accepted',
      "jwt: 'none' signature type is not allowed",
    ],
    "alg>5": [
      "Algorithm 'ES256' could not be found. Do you have cryptography installed? (jwt)",
      'jose: unsupported key type for algorithm: kty "OKP", alg "EdDSA"',
      "java.security.NoSuchAlgorithmException: Ed25519 KeyFactory not available (JWK kty OKP)",
      'NotImplementedError: Algorithm not supported for JWK: {"kty":"OKP","crv":"Ed448","kid":"a","use":"sig"}',
      "The JWK has an unsupported kty: OKP",
      "UnknownKeyType: no algorithm for key with kty EC and crv secp256k1",
    ],
    "kid>4": [
      "No kid found in the JWT header",
      "No JWK can be chosen: neither kid nor x5t is in the header of the token",
      "JWT header is missing the 'kid' member",
      'Token verification failed: "kid" is absent from the header {"alg":"RS256","typ":"JWT"}',
      "The JOSE header does not contain a kid",
      "jwt: kid header not found in token",
      "JWT has no key id: cannot choose a key of the JWKS",
    ],
    kid: [
      "The JWK Set has no key with use=sig",
      "Failed to verify claims: Signature verification failed: No matching key found",
      "Unknown kid abc in the token",
      'No key with kid "abc" found in JWKS',
      'the JWKS does not have a key with kid k2: header {"alg":"RS256","typ":"JWT","kid":"k2"}',
    ],
    signature: [
      "Failed to decode token. Cause: signature is invalid",
      "Could not decode JWT: Signature verification raised",
    ],
    exp: [
      "Failed to decode JWT: token is expired",
      'Error Domain=org.openid.appauth.general Code=-15 "ID Token expired"',
    ],
    "cookie>2": [
      `Cookie "state" has been rejected because it is in a cross-site context and its "SameSite" is "Lax" or "Strict".`,
    ],
    invalid_token: ['{"active":false}', "error validating token: token is not active"],
    aud: [
      '{"message":"Invalid JWT: the audience does not match"}',
      'error="invalid_token", error_description="The audience is invalid"',
      "Error while decoding the JWT: audience mismatch",
      "audience of the access token does not equal api://web",
    ],
    not_jwt: [
      "The JWT could not be decoded",
      "Failed to decode token: not a JWT",
      "Error decoding token headers: Not enough segments",
    ],
    claim_type: [
      "json: cannot unmarshal array into Go struct field Claims.aud of type string",
      'jwt: the claim "aud" must be a string, got a list',
      "Cannot deserialize value of type java.lang.String from Array value: claim aud of the ID token",
      "JWT claim aud: expected string, got array",
    ],
    "claim_type>2": [
      "json: cannot unmarshal string into Go struct field claims.email_verified of type bool",
    ],
    "claim_type>3": [
      "invalid type for claim groups: expected a list, got string (jwt)",
      "The claim scope of the access token is an array, but a string was expected",
    ],
    "claim_type>4": [
      "oidc: json: cannot unmarshal string into Go struct field idToken.exp of type int64",
      "jwt: exp claim must be a number",
    ],
    "claim_type>5": [
      "jwt.exceptions.InvalidSubjectError: Subject must be a string",
    ],
    azp: [
      "id token 'azp' and token 'client_id' do not match",
      "AZP missing in multi-audience ID token",
      "ID token has multiple audiences but no authorized party",
      "Unexpected authorized party (azp) claim value",
      "Authorized party of the token is not this client",
      'invalid id_token: azp claim "web" is not allowed',
    ],
    nbf: [
      "The token was issued more than 300 seconds in the future",
      "iat is 12 minutes after the current time: id_token rejected",
      "id_token: issued at time is too far away from now",
      "Token issued at 10:00, which is ahead of the local time",
      'ID Token "issued at" claim is not within 5 minutes of the current time',
    ],
    use_dpop_nonce: [
      '{"error":"use_dpop_nonce","error_description":"nonce is missing or wrong in the DPoP proof"}',
      'WWW-Authenticate: DPoP error="use_dpop_nonce", error_description="Resource server requires nonce in DPoP proof"',
      "Authorization server requires nonce in DPoP proof",
    ],
    "login_required>4": [
      "error=login_required&error_description=reauthentication is required because of prompt=login",
      "login_required: auth_time is older than max_age",
    ],
    login_required: [
      "error=login_required&error_description=User is not logged in",
      "The Authorization Server requires End-User authentication",
    ],
    invalid_client: [
      "We are sorry... Client not found.",
      'oauth2: cannot fetch token: 401 Unauthorized Response: {"error":"invalid_client"}',
      'oauth2: "unauthorized_client" "Invalid client secret"',
      '{"error":"invalid_client","error_description":"Bad audience of the token"}',
      '{"error":"invalid_client","error_description":"The redirect URI was expected to be https"}',
      "Client authentication failed (e.g., unknown client, no client authentication included, or unsupported authentication method)",
    ],
    invalid_scope: [
      '{"error":"invalid_scope","error_description":"The client is not allowed to ask for email"}',
      "The requested scope is invalid, unknown, or malformed",
    ],
    unauthorized_client: [
      "error: unauthorized_client, error_description: redirect_uri or client invalid",
      "The client is not authorized to request an authorization code using this method",
    ],
    consent_required: [
      "?error=consent_required&error_description=The+user+must+log+in+and+consent",
      "The Authorization Server requires End-User consent",
    ],
    unsupported_grant_type: [
      '{"error":"unsupported_grant_type","error_description":"client credential is invalid"}',
      "The authorization grant type is not supported by the authorization server",
    ],
    pkce: [
      '{"error":"invalid_grant","error_description":"PKCE verification failed"}',
    ],
    "pkce>4": [
      "error=invalid_request&error_description=code_challenge is required",
      "Browser requests to the token endpoint must use Proof Key for Code Exchange.",
    ],
    "redirect_uri>4": [
      'oidc_get_redirect_uri: the URL scheme (http) of the configured OIDCRedirectURI does not match the URL scheme of the URL being accessed (https): the "state" cookies will not be shared',
      "Invalid redirect URL: the protocol and host (including port) must match and the path must be within allowed URLs",
    ],
    redirect_uri: [
      "error=invalid_request&error_description=redirect_uri is not registered",
    ],
    invalid_target: [
      '{"error":"invalid_target","error_description":"audience is not expected by the access token"}',
      "The requested resource is invalid, missing, unknown, or malformed",
    ],
    "logout_uri>2": [
      "id_token_hint is required when post_logout_redirect_uri is used",
      "post_logout_redirect_uri only works with id_token_hint or client_id",
      "Missing parameters: id_token_hint",
    ],
    slow_down: [
      "The client polls too frequently",
      "polling too fast, wait 5 seconds (device login)",
      "Slow down! You are requesting the device token too often",
      "device flow: increase the polling interval",
    ],
    invalid_request: [
      "subject_token_type is required",
      "actor_token_type may only be used in combination with actor_token",
      "login_hint cannot be used together with id_token_hint",
      "Missing required parameter: device_code (token endpoint)",
      "The OAuth request is missing a required parameter, includes an unsupported parameter value, or repeats a parameter",
    ],
    unsupported_response_type: [
      "The authorization server does not support obtaining an authorization code using this method",
    ],
    server_error: [
      "The authorization server encountered an unexpected condition that prevented it from fulfilling the request",
    ],
    temporarily_unavailable: [
      "The authorization server is currently unable to handle the request due to a temporary overloading or maintenance of the server",
    ],
    "invalid_grant>6": ["NotAuthorizedException: Incorrect username or password.", "AADSTS50126", "AADB2C90225"],
    "access_denied>2": ["AADSTS53004: the device is not in the required state", "AADSTS530999"],
    rate: ["LimitExceededException: Attempt limit exceeded", "Firebase: Error (auth/too-many-requests)."],
    cors: [
      "AADSTS9002326: Cross-origin token redemption is permitted only for the 'Single-Page Application' client-type.",
    ],
    "claims>2": [
      "policy claim missing from the JWT token (*errors.errorString)",
      "The SSO account's e-mail is not verified",
      "OIDCConfig: email not verified for alice",
    ],
    "popup>4": ["BrowserAuthError: interaction_in_progress: Interaction is currently in progress."],
    invalid_grant: [
      'Error Domain=org.openid.appauth.oauth_token Code=-10 "(null)"',
      "The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client",
      'AuthorizationException: {"type":2,"code":2002}',
    ],
    insufficient_scope: [
      "The request requires higher privileges than provided by the access token",
    ],
    authorization_pending: [
      "The authorization request is still pending as the end user hasn't yet completed the user-interaction steps",
    ],
    expired_token: [
      "The device_code has expired, and the device authorization session has concluded",
    ],
    interaction_required: [
      "The Authorization Server requires End-User interaction of some form to proceed",
      "Error Domain=MSALErrorDomain Code=-50002",
    ],
    account_selection_required: [
      "The End-User is required to select a session at the Authorization Server",
    ],
    invalid_request_uri: [
      "The request_uri in the authorization request returns an error or contains invalid data",
    ],
    invalid_request_object: [
      "The request parameter contains an invalid request object",
    ],
    request_not_supported: [
      "The provider does not support use of the request parameter",
    ],
    request_uri_not_supported: [
      "The provider does not support use of the request_uri parameter",
    ],
    unsupported_token_type: [
      "The authorization server does not support the revocation of the presented token type",
    ],
    invalid_client_metadata: [
      "The value of one of the client metadata fields is invalid",
    ],
    invalid_redirect_uri: [
      "The value of one or more redirection URIs is invalid",
    ],
    invalid_software_statement: [
      "The software statement presented is invalid",
    ],
    insufficient_user_authentication: [
      "A different authentication level is required: the authentication of the access token is not recent enough",
    ],
    unknown_user_id: [
      "The OpenID provider is not able to identify which end-user the client wishes to be authenticated by means of the hint provided",
    ],
    invalid_binding_message: [
      "The binding message is invalid or unacceptable",
    ],
    invalid_authorization_details: [
      "The authorization_details contain an unknown type",
    ],
    invalid_dpop_proof: [
      "DPoP proof is invalid",
    ],
    "popup>2": [
      'Error Domain=com.apple.AuthenticationServices.WebAuthenticationSession Code=1 "(null)"',
      "The operation couldn’t be completed. (com.apple.SafariServices.Authentication error 1.)",
      'Error Domain=org.openid.appauth.general Code=-3 "(null)"',
      "De bewerking kan niet worden voltooid. (org.openid.appauth.general fout -3.)",
      'AuthorizationException: {"type":0,"code":1,"errorDescription":"User cancelled flow"}',
      "MSALErrorDomain Code=-50005",
    ],
    popup: [
      "Error Domain=com.apple.AuthenticationServices.WebAuthenticationSession Code=2",
    ],
    "https>3": [
      'Error Domain=NSURLErrorDomain Code=-1022 "The resource could not be loaded because the App Transport Security policy requires the use of a secure connection."',
      "java.io.IOException: Cleartext HTTP traffic to 10.0.2.2 not permitted",
      "net::ERR_CLEARTEXT_NOT_PERMITTED",
    ],
    access_denied: [
      'AuthorizationException: {"type":1,"code":1002}',
    ],
    "csp>2": [
      "Refused to display 'https://sso.acme.test/' in a frame because it set 'X-Frame-Options' to 'sameorigin'.",
    ],
    // What the words and values say of the cause, and which party speaks.
    "url>2": [
      'oidc discovery: Get "idp:8080/.well-known/openid-configuration": unsupported protocol scheme "idp"',
    ],
    "redirect_loop>4": ["ERR_TOO_MANY_REDIRECTS behind traefik (oauth)"],
    "no_code>3": ["code not found in the query: the response is in the fragment (oauth callback)"],
    "mcp>3": ["MCP: authorization server metadata does not include code_challenge_methods_supported S256"],
    "key_format>3": ["The specified key byte array is 88 bits, which is not secure enough for HMAC-SHA of a JWT"],
    "browser_state>2": ["No matching state found in storage: it has another origin"],
    "refused>3": ["connect ECONNREFUSED ::1:9000"],
    "state>5": [
      "handling the remote login: Unable to unprotect the message.State.",
      "securecookie: the value is not valid (OAuth)",
    ],
    "state>6": ["ActionController::InvalidAuthenticityToken: omniauth"],
    "state>7": ['{"error":"invalid_state","error_description":"the state does not have enough characters"}'],
    "state>3": [
      "state mismatch, expected RwhVinjI5y6RSkR3vNjdCFglT, got: bnLUTlvkch0IggJp3zZTpU3",
      "authenticate(): state from argument: e308653d5e92e20a9b93d884 does not match state restored from session: d24508a745b72ca268f972c1",
      'msg="Error validating csrf cookie" error="CSRF cookie does not match state" (oauth)',
    ],
    "invalid_client>3": [
      "Client authentication failed: the method is 'client_secret_post', the client has 'client_secret_basic'",
    ],
    "invalid_grant>2": ['{"error":"invalid_grant","error_description":"Redirect URI differs"}'],
    "invalid_grant>3": ['{"error":"invalid_grant","error_description":"Authorization code has expired"}'],
    "invalid_grant>7": [
      '"error":"invalid_grant","error_description":"Token is not active"',
      '{"error":"invalid_grant","error_description":"Session not active"}',
      "NotAuthorizedException: Refresh Token has expired",
    ],
    "discovery>4": [
      'ParseException: Missing JSON object member with key "subject_types_supported"',
      "{:configuration_load_failed, {:missing_config_property, :scopes_supported}}",
    ],
    "jwks>6": ["IDX10500: Signature validation failed. No security keys were provided to validate the signature."],
    "cookie>3": ["securecookie: the value is too long", "ActionDispatch::Cookies::CookieOverflow"],
    "header_size>2": ["the number of state cookies has exceeded the limit"],
    token_response: [
      "oauth2: server response missing access_token",
      "(missing_token) Missing access token parameter.",
      "missing field `access_token` at line 1 column 38",
      '"response" body "access_token" property must be a string',
    ],
    app_scheme: [
      "redirect_uri is not handled by any activity in this app! Ensure that the appAuthRedirectScheme is configured",
      "net::ERR_UNKNOWN_URL_SCHEME",
      "Failed to launch 'myapp://callback?code=1&state=2' because the scheme does not have a registered handler.",
    ],
    account_link: [
      "OAuthAccountNotLinked: Another account already exists with the same e-mail address",
      "Firebase: Error (auth/account-exists-with-different-credential).",
    ],
    "invalid_scope>4": ["Scope has changed from 'openid email' to 'openid'."],
    "pkce>2": ['{"error":"invalid_grant","error_hint":"The code challenge does not match the verifier."}'],
  };
  await forEachCase(Object.entries(texts), ([name, examples]) => {
    for (const text of examples) assertEquals(firstOf(text), name, text);
  });
});

test("of several messages the innermost cause decides; fields and lines about other things do not", async () => {
  const texts: Readonly<Record<string, readonly string[]>> = {
    name: [
      "IllegalArgumentException: Unable to resolve the Configuration with the provided Issuer\nCaused by: ResourceAccessException: I/O error\nCaused by: java.net.UnknownHostException: idp",
    ],
    exp: [
      "ExpiredSignatureError: Signature has expired\n\nDuring handling of the above exception, another exception occurred:\n\nHTTPException: 401: the token has an invalid audience",
      'InvalidJwtException: JWT (claims->{"iat":1676357932,"email_verified":false,"scope":"email profile"}) rejected: the JWT is no longer valid, it is past the Expiration Time',
    ],
    aud: [
      'time=10:00 level=debug msg="the signature of the token is not valid yet" aud=web\ntime=10:01 level=error msg="token has invalid audience" nonce=none',
    ],
    "aud>2": [
      "ClientError: unexpected JWT claim value encountered {\n  [cause]: { expected: 'web', claims: { nonce: 'x', aud: 'other' }, claim: 'aud' } }",
      "authorize_and_exchange_code_failed: Failed to authorize: Audience mismatch",
    ],
    nonce: ["E0711 auth.go:63] the ID token has the wrong nonce\nI0711 wrap.go:42] invalid_grant"],
    signature: ['error for aud "argo-cd": failed to verify signature: failed to verify id token signature'],
    "discovery>2": [
      "E0711 authentication.go:63] Unable to authenticate: oidc: authenticator not initialized\nI0711 wrap.go:42] GET /api: 401",
    ],
    discovery: [
      "Failed to verify connection: {URL:https://id.test/.well-known/openid-configuration VerifyCert:true}, err: 404 Not Found",
    ],
    "pkce>4": [
      "http://localhost:4200/callback?error=invalid_request&error_description=Code+challenge+required.&state=e10",
    ],
    "invalid_grant>6": [
      'type="LOGIN_ERROR", clientId="web", error="invalid_user_credentials", userSession="null", redirect_uri="http://a/"',
    ],
    "invalid_grant>7": [
      'type="REFRESH_TOKEN_ERROR", clientId="web", error="invalid_token", reason="Session not active"',
    ],
    redirect_uri: [
      'type="LOGIN_ERROR", clientId="web", error="invalid_redirect_uri", redirect_uri="http://a/"',
      'Invalid redirect_uri: http://a.test/cb\n{\n  "ClientId": "web",\n  "AllowedRedirectUris": ["https://a.test/cb"] }',
    ],
    "kid>4": [
      "No key found in http://id/certs with kid null",
      "No KID specified and JWKS endpoint returned more than 1 key",
    ],
    "tls>3": ["EPROTO error:14094410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:rec_layer_s3.c:1544"],
    client_certificate: ["remote error: tls: certificate required"],
    timeout: ["net/http: TLS handshake timeout"],
    mcp: [
      "Received error: Error POSTing to endpoint (HTTP 405): Method Not Allowed\nConnection error: Error: Incompatible auth server: does not support dynamic client registration",
      "Connection error: ServerError\n    at parseErrorResponse (/a.js:1:2)\n    at async registerClient (/a.js:2:3)",
    ],
    metadata_issuer: [
      'Could not read the discovery document for "MyCloud": "Issuer name does not match authority: https://a.test/".',
    ],
    token_response: ["Failed to make identity provider oauth callback: No access_token from server."],
    "token_response>2": ["Failed to make identity provider oauth callback: Could not decode access token response."],
    userinfo: [
      "[org.keycloak.events] type=USER_INFO_REQUEST_ERROR, clientId=null, error=invalid_token\n401 Client Error: Unauthorized for url: http://a/userinfo",
    ],
    // The function that failed, where the message does not tell.
    "userinfo>3": [
      "SyntaxError: Unexpected token 'e', \"eyJhbGciOi\"... is not valid JSON\n    at JSON.parse (<anonymous>)\n    at Client.userinfo (/app/client.js:1:2)",
    ],
    undefined: ["Cannot find module './state' imported from /app/callback.ts", "No module named 'nonce'"],
  };
  await forEachCase(Object.entries(texts), ([name, examples]) => {
    for (const text of examples) assertEquals(firstOf(text), name, text);
  });
});

test("the values of a message are compared, and their difference stands first", async () => {
  const differences: readonly (readonly [expected: string, received: string, words: string])[] = [
    ["http://localhost:9000", "http://localhost:9000/", "a slash at the end"],
    ["https://id.example:443/realm", "https://id.example/realm", "the default port, which only one of them names"],
    ["http://localhost:9000", "http://127.0.0.1:9000", "127.0.0.1 instead of localhost"],
    ["http://localhost:9000", "http://localhost:9001", "the port, 9001 instead of 9000"],
    ["http://localhost:9000", "https://localhost:9000", "the scheme"],
    ["http://localhost:9000/A", "http://localhost:9000/a", "letter case"],
    ["http://id.test", "http://localhost", "the host, localhost instead of id.test"],
    ["http://id.test/realms/a", "http://id.test/realms/b", "the path"],
  ];
  await forEachCase(differences, ([expected, received, words]) => {
    for (
      const text of [
        `unexpected iss value, expected ${expected}, got: ${received}`,
        `invalid issuer of the token: expected "${expected}" but was "${received}"`,
        `oidc: id token issued by a different provider, expected "${expected}" got "${received}"`,
      ]
    ) {
      const [first] = findMessages(text);
      assertEquals(first!.causes[0]!.includes(words), true, `${text}: ${first!.causes[0]}`);
      assertEquals(first!.causes[0]!.endsWith(`expected ${expected}, received ${received}.`), true, text);
    }
  });
});

test("a compared value that is missing, and the status that a wrapper names, stand first", () => {
  for (
    const [text, words, cause] of [
      ["Wrong nonce: undefined", "The value that was received is missing", 3],
      ["nonce mismatch: expected undefined, got x", "The value that was expected is missing", 2],
      ['unexpected issuer: expected "https://sso.acme.test", got ""', "The value that was received is missing", 1],
      ['POST https://appleid.apple.com/auth/token: {"error":"invalid_client"}', "Apple's client secret is a JWT", 1],
      ["oauth2: cannot fetch token: 503 Service Unavailable\nResponse:", "503: the server is not up yet", 1],
      ["Failed to fetch the token: request failed with status code 401", "401: the server accepted neither", 1],
      ["OIDC discovery failed: unexpected status 404", "404: nothing is at this URL", 1],
    ] as const
  ) {
    const [{ problem, causes }] = findMessages(text) as [FoundMessage];
    assert(causes[0]!.startsWith(words), `${text}: ${causes[0]}`);
    assertEquals(causes[1], problem.causes[cause - 1], text);
  }
});

test("frames, categories of a log and the state of a process are no messages", async () => {
  const lines = [
    "    at Microsoft.IdentityModel.JsonWebTokens.JsonWebTokenHandler.ValidateSignature(JsonWebToken jwtToken)",
    "  json-jwt (1.11.0) lib/json/jws.rb:131:in `verify_failed'",
    "fail: Microsoft.AspNetCore.Authentication.JwtBearer.JwtBearerHandler[1]",
    'State: {:state, :undefined, "http://localhost:4010"}',
    '  File "/app/jwt/api_jwk.py", line 48, in __init__\n    raise PyJWKError("invalid token")',
    "#0 /var/www/html/login.php(33): OpenIDConnectClient->verifyTokenFailed()",
  ];
  await forEachCase(lines, (line) => assertEquals(namesOf(`${line}\nConnection refused\n${line}`), ["refused"], line));
});

test("the times of a message are compared", () => {
  const cases = [
    ["ValidTo (UTC): '3/1/2025 10:00:00 AM', Current time (UTC): '3/1/2025 10:09:12 AM'", "9 minutes"],
    ["exp 1740823200, now 1740823260", "1 minute"],
    ["at 2025-03-01T10:00:00Z. Current time: 2025-03-01T12:00:00Z", "2 hours"],
    ["expired at 2025-03-01 10:00:00 +0000, now 2025-03-03 10:00:00 +0000", "2 days"],
  ] as const;
  for (const [times, words] of cases) {
    const [found] = findMessages(`the token is expired: ${times}`);
    assertEquals(found!.causes[0]!.startsWith(`The times of the message are ${words} apart`), true, found!.causes[0]);
  }
  const clock = findMessages("the token is expired: exp 1740823200, now 1740823260")[0]!;
  assertEquals(clock.causes[1], problemsByName.exp!.causes[1]);
});

test("every message has its facts, and the texts differ", () => {
  for (const { causes, application, server, guide, title, tells } of problems) {
    assert(causes.length > 0 && application !== "" && server !== "" && /^[\w/.-]+\.md(#[\w-]+)?$/.test(guide), title);
    for (const cause of tells?.split(" ; ").map((tell) => tell.split(" > ")[1]!) ?? []) {
      assert(/^[A-Z]/.test(cause) || causes[+cause - 1], title);
    }
  }
  const texts = all.map(({ message }) => message?.text);
  assertEquals(texts.filter((text, index) => texts.indexOf(text) !== index), []);
  assert(texts.length >= 80 && new Set(all.flatMap(({ message }) => message.libraries)).size >= 25);
});

test("of two error codes in a line the inner one is explained, unless it says less than the outer one", async () => {
  const codes = problems.flatMap((problem) => problem.messages.map(({ text, cause }) => ({ problem, text, cause })))
    .filter(({ text }) => /^[a-z]+(?:_[a-z]+)+$/.test(text));
  assert(codes.length > 10);
  await forEachCase(codes, (outer) => {
    for (const inner of codes) {
      const saysLess = inner.problem.hides && inner.cause === undefined && inner.problem !== outer.problem;
      if (inner === outer || saysLess) continue;
      const text = `AuthError: ${outer.text}: it failed. ConfigurationError: ${inner.text}: it is not known.`;
      assertEquals(findMessages(text)[0]!.found, inner.text, text);
    }
  });
});

test("a value may have the words of the message that follow it", () => {
  const text = "Protected resource http://a does not match expected http://b (or origin)";
  for (const value of ["http://a does not match expected", "b does not match expected c (or"]) {
    const found = findMessages(text.replace("http://a", value));
    assertEquals(found[0]?.message?.text, "Protected resource * does not match expected * (or origin)");
  }
});
