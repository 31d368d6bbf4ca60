/**
 * What libraries and programs say when a login or a token fails, by library.
 *
 * A line with `@` names the libraries, and the repository and the file that has the texts, if no test provokes them.
 * Each line below it is the name of a problem or error code, with the cause that stands first (`popup>4`), the text
 * (`*` stands for a value), and what to write in this library.
 */
export const libraryTexts = `
@ Auth0 java-jwt @ auth0/java-jwt lib/src/main/java/com/auth0/jwt/JWTVerifier.java
aud | The Claim 'aud' value doesn't contain the required audience. | withAudience() of JWT.require().
nbf | The Token can't be used before * | acceptLeeway(seconds) of JWT.require().
@ Authelia, Ory Hydra @ ory/fosite errors.go
invalid_client | Client authentication failed (e.g., unknown client, no client authentication included, or unsupported authentication method)
invalid_grant | The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid
invalid_request | The request is missing a required parameter, includes an invalid parameter value, includes a parameter more than once, or is otherwise malformed
@ Envoy, Istio @ google/jwt_verify_lib src/status.cc
iss | Jwt issuer is not configured | issuer of the provider (Istio: jwtRules[].issuer) must equal iss, letter by letter.
aud | Audiences in Jwt are not allowed | audiences of the provider; without it, each audience is accepted.
kid | Jwks doesn't have key to match kid or alg from Jwt | cache_duration of remote_jwks: Envoy keeps the keys for 10 minutes.
jwks>3 | Jwks remote fetch is failed | remote_jwks needs a cluster with the host of jwks_uri; Istio: jwksUri as istiod reaches it.
not_jwt | Jwt is not in the form of Header.Payload.Signature
no_access_token | Jwt is missing | from_headers, or requires_any with allow_missing.
@ firebase/php-jwt @ firebase/php-jwt src/JWT.php
nbf | Cannot handle token with nbf prior to * | JWT::$leeway in seconds.
nbf | Cannot handle token with iat prior to * | JWT::$leeway in seconds.
kid | "kid" invalid, unable to lookup correct key | Fetch the JWKS again: CachedKeySet does it by itself.
@ golang-jwt @ golang-jwt/jwt errors.go
exp | token has invalid claims: token is expired | jwt.WithLeeway() allows some seconds.
aud | token has invalid audience | jwt.WithAudience().
iss | token has invalid issuer | jwt.WithIssuer().
kid | token is unverifiable | The key function returned an error: it stands behind the colon.
@ jumbojett/openid-connect-php @ jumbojett/OpenID-Connect-PHP src/OpenIDConnectClient.php
state | Unable to determine state | session_start() must find the session of the login: same host, SameSite=Lax.
jwt_claims | Unable to verify JWT claims | setIssuer() for iss; the client_id for aud; the session for nonce; setLeeway() for clocks.
discovery | The provider * could not be fetched. Make sure your provider has a well known configuration available. | The first argument of the constructor is the issuer.
@ mod_auth_openidc @ OpenIDC/mod_auth_openidc src/handle/response.c
state | state cookie found: check domain and samesite cookie settings | OIDCCookieDomain, OIDCCookieSameSite; OIDCRedirectURI at the host of the page.
@ openidconnect-rs @ ramosbugs/openidconnect-rs src/verification/mod.rs
kid | No matching key found | Discover the metadata again: it has the keys.
metadata_issuer>2 | unexpected issuer URI *
aud | must contain \`*\` (found audiences: *) | set_other_audience_verifier_fn() accepts further ones.
@ openidconnect-rs @ ramosbugs/openidconnect-rs src/types/jwks.rs
jwks>4 | missing field \`keys\`
@ PyJWT, ruby-jwt @ jpadilla/pyjwt jwt/api_jwt.py
exp | Signature has expired | The argument leeway allows a few seconds.
@ PyJWT @ jpadilla/pyjwt jwt/jwks_client.py
jwks | Fail to fetch data from the url, err: "*" | The argument of PyJWKClient is jwks_uri.
@ .NET @ dotnet/runtime src/libraries/System.Net.Security/src/Resources/Strings.resx
certificate | The remote certificate is invalid | SSL_CERT_FILE=latchkey.pem on Linux.
@ @auth0/auth0-spa-js @ auth0/auth0-spa-js src/Auth0Client.ts
browser_state | missing_transaction | Call handleRedirectCallback() only if the address has code and state, and once.
@ @auth0/auth0-spa-js @ auth0/auth0-spa-js src/jwt.ts
iss | Issuer (iss) claim mismatch in the ID token; expected *, found * | The library expects the issuer https://DOMAIN/ with a slash: start with --profile auth0.
@ @azure/msal-browser @ AzureAD/microsoft-authentication-library-for-js lib/msal-browser/src/error/BrowserAuthErrorCodes.ts
browser_state | no_token_request_cache_error | Await handleRedirectPromise() once at the start of the page; cacheLocation must be the same on both pages.
browser_state | hash_does_not_contain_known_properties | A router changed the fragment before MSAL read it: let the redirect URI be a blank page.
cors | post_request_failed
web_crypto | crypto_nonexistent
popup>4 | interaction_in_progress | Await handleRedirectPromise() before another login, and start one at a time.
configuration | uninitialized_public_client_application | await instance.initialize() first.
@ @azure/msal-browser, @azure/msal-node
https | authority_uri_insecure | MSAL has no option: start with --tls self-signed.
@ @azure/msal-browser, @azure/msal-node @ AzureAD/microsoft-authentication-library-for-js lib/msal-common/src/error/ClientAuthErrorCodes.ts
discovery | endpoints_resolution_error | For another server than Entra: authority, and protocolMode OIDC.
@ @azure/msal-browser, @azure/msal-node @ AzureAD/microsoft-authentication-library-for-js lib/msal-common/src/error/ClientConfigurationErrorCodes.ts
discovery>1 | untrusted_authority | knownAuthorities must have the host of the authority.
@ angular-auth-oidc-client @ damienbod/angular-auth-oidc-client projects/angular-auth-oidc-client/src/lib/validation/state-validation.service.ts
browser_state | authCallback incorrect state | Call checkAuth() once, in the root component.
iss | authCallback incorrect iss does not match authWellKnownEndpoints issuer
nonce | authCallback incorrect nonce, did you call the checkAuth() method multiple times? | Call checkAuth() once, in the root component.
@ angular-auth-oidc-client @ damienbod/angular-auth-oidc-client projects/angular-auth-oidc-client/src/lib/auth-state/check-auth.service.ts
browser_state | could not find matching config for state * | Call checkAuth() once, in the root component, at the origin where the login began.
@ angular-oauth2-oidc @ manfredsteyer/angular-oauth2-oidc projects/lib/src/oauth-service.ts
browser_state | Validating access_token failed, wrong state/nonce. | Call loadDiscoveryDocumentAndTryLogin() once; the router must not remove the parameters before it.
browser_state | invalid_nonce_in_state | Call loadDiscoveryDocumentAndTryLogin() once; the router must not remove the parameters before it.
metadata_issuer | invalid issuer in discovery document | issuer of AuthConfig must equal the issuer; skipIssuerCheck removes the check.
exp | Token has expired | clockSkewInSec of AuthConfig; timeoutFactor for the refresh.
https | must use HTTPS (with TLS), or config value for property 'requireHttps' must be set to 'false' and allow HTTP (without TLS). | requireHttps: 'remoteOnly' allows http for localhost.
sub | if property oidc is true, the received user-id (sub) has to be the user-id
@ AppAuth-Android @ openid/AppAuth-Android library/java/net/openid/appauth/AuthorizationException.java
browser_state | Response state param did not match request state | Keep the AuthState of the request over a restart of the activity.
@ AppAuth-Android @ openid/AppAuth-Android library/java/net/openid/appauth/IdToken.java
https | Issuer must be an https URL | AppAuthConfiguration.Builder().setSkipIssuerHttpsCheck(true), and a ConnectionBuilder that allows http.
@ Apache Kafka @ apache/kafka clients/src/main/java/org/apache/kafka/common/security/oauthbearer/internals/unsecured/OAuthBearerUnsecuredLoginCallbackHandler.java
configuration | No principal name in JWT claim: * | sasl.login.callback.handler.class must be OAuthBearerLoginCallbackHandler: without it, Kafka makes an unsigned token of its own and asks no server.
@ AppAuth-JS @ openid/AppAuth-JS src/redirect_based_handler.ts
browser_state | Mismatched request (state and request_uri) dont match.
@ ASP.NET Core JwtBearer @ AzureAD/azure-activedirectory-identitymodel-extensions-for-dotnet src/Microsoft.IdentityModel.Tokens/LogMessages.cs
aud | IDX10208: Unable to validate audience. | Set options.Audience, or TokenValidationParameters.ValidateAudience = false.
jwks>6 | IDX10500: Signature validation failed. No security keys were provided to validate the signature. | The metadata could not be fetched: Authority, RequireHttpsMetadata = false on plain http, MetadataAddress.
@ ASP.NET Core JwtBearer, ASP.NET Core OpenIdConnect @ AzureAD/azure-activedirectory-identitymodel-extensions-for-dotnet src/Microsoft.IdentityModel.Tokens/LogMessages.cs
iss | IDX10205: Issuer validation failed. | TokenValidationParameters.ValidIssuer, or Authority if it is not set.
aud | IDX10214: Audience validation failed. | JwtBearer: options.Audience.
@ ASP.NET Core OpenIdConnect @ dotnet/aspnetcore src/Security/Authentication/OpenIdConnect/src/OpenIdConnectHandler.cs
state | Correlation failed. | On plain http: options.ResponseMode = "query", and SameSite = Lax with SecurePolicy = SameAsRequest for CorrelationCookie and NonceCookie; they are SameSite=None with Secure by default.
state | OpenIdConnectAuthenticationHandler: message.State is null or empty. | CallbackPath belongs to the handler: do not open it, link to it, or route a controller to it.
@ ASP.NET Core OpenIdConnect @ dotnet/aspnetcore src/Security/Authentication/Core/src/LoggingExtensions.cs
state | .AspNetCore.Correlation.*cookie not found | The same as for "Correlation failed.", which follows it.
@ ASP.NET Core OpenIdConnect @ AzureAD/azure-activedirectory-identitymodel-extensions-for-dotnet src/Microsoft.IdentityModel.Protocols.OpenIdConnect/LogMessages.cs
nonce | IDX21323: RequireNonce is '*'. | NonceCookie is SameSite=None with Secure by default: on plain http, SameSite = Lax and SecurePolicy = SameAsRequest.
@ ASP.NET Core OpenIdConnect, ASP.NET Core JwtBearer @ dotnet/aspnetcore src/Security/Authentication/OpenIdConnect/src/OpenIdConnectPostConfigureOptions.cs
https | The MetadataAddress or Authority must use HTTPS unless disabled for development by setting RequireHttpsMetadata=false. | options.RequireHttpsMetadata = false.
@ ASP.NET Core OpenIdConnect, ASP.NET Core JwtBearer @ AzureAD/azure-activedirectory-identitymodel-extensions-for-dotnet src/Microsoft.IdentityModel.Protocols/LogMessages.cs
https | IDX20108: The address specified '*' is not valid as per HTTPS scheme. | options.RequireHttpsMetadata = false.
@ Auth.js
state | pkceCodeVerifier value could not be parsed | Mostly the cookie did not come back: set AUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin. A cookie of another AUTH_SECRET gives the same message.
state | InvalidCheck: state value could not be parsed | Mostly the cookie did not come back: set AUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin. A cookie of another AUTH_SECRET gives the same message.
state | InvalidCheck: nonce value could not be parsed | Mostly the cookie did not come back: set AUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin. A cookie of another AUTH_SECRET gives the same message.
token_request | OAuth Provider returned an error | debug: true logs the cause.
configuration | Host must be trusted. URL was: * | trustHost: true, or AUTH_TRUST_HOST=true.
configuration | Please define a \`secret\` | AUTH_SECRET, or the option secret.
@ Authlib @ authlib/authlib authlib/integrations/base_client/sync_app.py
configuration | Missing "authorize_url" value | server_metadata_url, or authorize_url and access_token_url.
@ Authlib @ authlib/authlib authlib/integrations/base_client/sync_openid.py
jwks>6 | Missing "jwks_uri" in metadata | server_metadata_url of register(), or jwks_uri.
@ Authlib
exp | expired_token: The token is expired
nbf | invalid_token: The token is not valid yet
signature | bad_signature
@ Authlib, OAuthlib, requests-oauthlib
state | CSRF Warning! State not equal in request and response. | Flask and Starlette keep the state in the session cookie: same host, one SECRET_KEY, SameSite=Lax.
@ better-auth
state | State mismatch: auth state cookie not found | Set baseURL to the origin that the browser shows.
state | State mismatch: OAuth state parameter does not match stored state | The callback is of another login in this browser: finish the newest one.
state | State mismatch: State not persisted correctly | Set baseURL to the origin that the browser shows. skipStateCookieCheck only removes the check.
state | State mismatch: verification not found | The record of the login is in the database of better-auth: another database, or it was used or expired.
@ better-auth @ better-auth/better-auth packages/better-auth/src/oauth2/errors.ts
claims | email_not_found | scopes: ["openid", "email"], or mapProfileToUser.
@ curl
certificate | SSL certificate problem: self-signed certificate | curl --cacert latchkey.pem.
@ express-oauth2-jwt-bearer
iss | Unexpected 'iss' value | The issuer in the metadata of issuerBaseURL counts; the option issuer replaces it.
aud | Unexpected 'aud' value | The option audience of auth().
typ | Unexpected 'typ' value | strict: true requires at+jwt: send an access token, not an ID token.
alg | Unexpected 'alg' value | The option tokenSigningAlg.
@ express-openid-connect
state | "auth_verification" cookie not found | Begin at the route /login of the application, and set baseURL to the origin that the browser shows.
@ GitHub, Google @ github/docs content/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-authorization-request-errors.md
redirect_uri | redirect_uri_mismatch | The callback URL in the settings of the OAuth app or client.
@ Go @ golang/go src/crypto/x509/verify.go
certificate | x509: certificate signed by unknown authority | SSL_CERT_FILE=latchkey.pem.
@ go-oidc @ go-jose/go-jose jws.go
alg | unexpected signature algorithm *; expected * | SupportedSigningAlgs of oidc.Config; without it, RS256 or what the metadata has.
@ go-oidc, kubelogin
aud | oidc: expected audience * got * | Login: oidc.Config{ClientID: clientID}. Only for access tokens of an API: SkipClientIDCheck: true, and check the audience yourself.
@ go-oidc, oauth2-proxy
iss | oidc: id token issued by a different provider, expected * got *
alg | oidc: id token signed with unsupported algorithm, expected * got * | SupportedSigningAlgs of oidc.Config; without it, RS256 or what the metadata has.
@ go-oidc, oauth2-proxy, kubelogin
metadata_issuer | oidc: issuer did not match the issuer returned by provider, expected * got * | oidc.InsecureIssuerURLContext accepts another one; oauth2-proxy: --insecure-oidc-skip-issuer-verification.
@ golang.org/x/oauth2
no_refresh_token | oauth2: token expired and refresh token is not set
token_request | oauth2: cannot fetch token: *
@ Java, Spring Security OAuth2 Client
certificate | PKIX path building failed | Import it with keytool, and name the trust store by -Djavax.net.ssl.trustStore.
refused | java.net.ConnectException
@ jose
typ | unexpected "typ" JWT header value | The option typ: "at+jwt" of jwtVerify().
@ jose, MCP SDK
iss | unexpected "iss" claim value | The option issuer of jwtVerify().
aud | unexpected "aud" claim value | The option audience of jwtVerify().
@ jsonwebtoken, express-jwt, passport-jwt
alg | invalid algorithm | The option algorithms.
@ jwks-rsa, express-jwt, passport-jwt @ auth0/node-jwks-rsa src/JwksClient.js
kid | Unable to find a signing key that matches '*'
@ jsonwebtoken of Rust @ Keats/jsonwebtoken src/errors.rs
aud>5 | InvalidAudience | validation.set_audience(&["…"]).
@ Keycloak @ keycloak/keycloak themes/src/main/resources/theme/base/login/messages/messages_en.properties
invalid_client | Client not found.
cookie | Cookie not found. Please make sure cookies are enabled in your browser.
redirect_uri | Invalid parameter: redirect_uri | Valid redirect URIs of the client in the realm.
@ keycloak-connect
aud | invalid token (wrong audience) | Tokens need the client in aud if verifyTokenAudience is on: --profile keycloak, with an audience mapper.
@ keycloak-connect @ keycloak/keycloak-nodejs-connect middleware/auth-utils/grant-manager.js
no_access_token | invalid token (missing)
@ keycloak-js @ keycloak/keycloak-js lib/keycloak.js
nonce | Invalid nonce. | useNonce: false in init() removes the check.
silent | Timeout when waiting for 3rd party check iframe message. | checkLoginIframe: false in init(); --profile keycloak serves the frames.
@ league/oauth2-client @ thephpleague/oauth2-client src/Provider/AbstractProvider.php
token_request | Invalid response received from Authorization Server. Expected JSON. | urlAccessToken must be the token endpoint of the metadata.
token_request | An OAuth server error was encountered that did not contain a JSON body
@ MCP SDK
mcp | Incompatible auth server: does not support dynamic client registration | Give the client a client_id, or a metadata document as one, if the server registers none.
metadata_issuer | Issuer mismatch in authorization server metadata (RFC 8414 §3.3): expected *, received * | authorization_servers of the protected resource must have the issuer, letter by letter.
response_iss | Issuer mismatch in authorization response (RFC 9207): expected *, received * | Pass the parameters of the callback to finishAuth(), iss included.
https | send credentials to non-https token endpoint '*'. | Name the server localhost, *.localhost or 127.0.0.1, which are exempt.
mcp | Incompatible auth server: does not support code challenge method *
mcp | Incompatible auth server: does not support response type *
mcp | Protected resource * does not match expected * (or origin)
mcp | Existing OAuth client information is required when exchanging an authorization code | saveClientInformation() must keep it over the redirect.
@ Microsoft Entra ID @ MicrosoftDocs/entra-docs docs/identity-platform/reference-error-codes.md
redirect_uri | AADSTS50011 | Authentication, Redirect URIs of the app registration.
@ mozilla-django-oidc @ mozilla/mozilla-django-oidc mozilla_django_oidc/views.py
state | OIDC callback state not found in session \`oidc_states\`! | SESSION_COOKIE_SAMESITE must be Lax, and SESSION_COOKIE_SECURE False on plain http.
@ mozilla-django-oidc @ mozilla/mozilla-django-oidc mozilla_django_oidc/auth.py
signature | JWS token verification failed. | OIDC_OP_JWKS_ENDPOINT must be the jwks_uri; OIDC_RP_IDP_SIGN_KEY replaces it.
alg | The provider algorithm * does not match the client's OIDC_RP_SIGN_ALGO. | OIDC_RP_SIGN_ALGO = "RS256"; its default is HS256.
claims | Claims verification failed | The default needs email: OIDC_RP_SCOPES = "openid email".
@ NextAuth.js @ nextauthjs/next-auth packages/next-auth/src/core/lib/oauth/checks.ts
state | State cookie was missing. | Set NEXTAUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin.
state | PKCE code_verifier cookie was missing. | Set NEXTAUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin.
@ Nimbus JOSE + JWT @ Mu-L/nimbus-jose-jwt src/main/java/com/nimbusds/jose/proc/DefaultJOSEObjectTypeVerifier.java
typ | JOSE header typ (type) * not allowed | new DefaultJOSEObjectTypeVerifier<>(new JOSEObjectType("at+jwt")) as the type verifier of the processor.
@ Nimbus JOSE + JWT, Spring Security Resource Server @ Mu-L/nimbus-jose-jwt src/main/java/com/nimbusds/jwt/proc/DefaultJWTProcessor.java
kid | Signed JWT rejected: Another algorithm expected, or no matching key(s) found | Spring accepts RS256 alone unless jws-algorithms says otherwise: set it to the alg of the server.
@ Node
certificate | DEPTH_ZERO_SELF_SIGNED_CERT | NODE_EXTRA_CA_CERTS=latchkey.pem.
hidden>2 | fetch failed
@ Node, Ruby, OpenSSL
certificate | self-signed certificate | Node: NODE_EXTRA_CA_CERTS=latchkey.pem.
@ Node, Auth.js, axios
refused | ECONNREFUSED
@ oauth2-proxy @ oauth2-proxy/oauth2-proxy pkg/cookies/csrf.go
state | CSRF cookie with name '*' was not found | --cookie-secure=false on plain http, and open the host of --redirect-url.
@ oauth2-proxy @ oauth2-proxy/oauth2-proxy oauthproxy.go
state | Cookies were found in OAuth callback, but none was a CSRF cookie. | --cookie-secure=false on plain http, and open the host of --redirect-url.
state | Unable to find a valid CSRF token. Please try again. | --cookie-secure=false on plain http, and open the host of --redirect-url.
@ oauth2-proxy @ oauth2-proxy/oauth2-proxy pkg/providers/oidc/verifier.go
aud | audience claims * do not exist in claims: * | --oidc-audience-claim names a claim that the token does not have.
aud | audience from claim aud with value * does not match with any of allowed audiences * | --oidc-extra-audience names a further audience.
@ oauth2-proxy @ oauth2-proxy/oauth2-proxy providers/provider_data.go
claims | email in id_token (*) isn't verified | --insecure-oidc-allow-unverified-email removes the check.
@ oauth2-proxy @ oauth2-proxy/oauth2-proxy providers/oidc.go
no_id_token | token response did not contain an id_token | --scope="openid email profile".
claims | neither the id_token nor the profileURL set an email
@ oauth4webapi
typ | unexpected JWT "typ" header parameter value | validateJwtAccessToken() requires at+jwt: pass it an access token.
@ oauth4webapi, Auth.js
metadata_issuer | "response" body "issuer" property does not match the expected value
@ oauth4webapi, openid-client 6
state | unexpected "state" response parameter value | Pass the state of this login: expectedState in the checks of authorizationCodeGrant().
state | unexpected "state" response parameter encountered | The application passed no expectedState: it did not find what it kept for this login, because the cookie did not come back, or does not put it into the checks.
https | only requests to HTTPS are allowed | openid-client: execute: [client.allowInsecureRequests]; oauth4webapi: [oauth.allowInsecureRequests]: true.
callback | authorization response from the server is an error | error.cause has the parameters error and error_description.
token_request | server responded with a challenge in the WWW-Authenticate HTTP Header | error.cause has the challenge, with error and error_description; mostly invalid_client.
sub | unexpected "response" body "sub" property value
not_jwt | Invalid JWT
@ oauth4webapi, openid-client 6, Auth.js
exp | unexpected JWT "exp" (expiration time) claim value, expiration is past current timestamp | client[clockTolerance] in seconds.
nbf | unexpected JWT "nbf" (not before) claim value | client[clockTolerance] in seconds.
alg | unexpected JWT "alg" header parameter | client.id_token_signed_response_alg; without it, openid-client expects RS256 or what the metadata has.
nonce>3 | unexpected ID Token "nonce" claim value | expectedNonce in the checks of authorizationCodeGrant().
nonce | JWT "nonce" (nonce) claim missing | The authorization request had no nonce: send the one that expectedNonce has.
response_iss | response parameter "iss" (issuer) missing | openid-client 6: authorizationCodeGrant(config, currentUrl, …) with the URL as the browser requested it.
token_request | server responded with an error in the response body | error.cause has error and error_description.
no_id_token | "response" body "id_token" property must be a string
@ OAuthlib, requests-oauthlib, Authlib
https | OAuth 2 MUST utilize https. | OAUTHLIB_INSECURE_TRANSPORT=1; Authlib: AUTHLIB_INSECURE_TRANSPORT=1. Authlib does so for localhost by itself.
@ oidc-client-ts, react-oidc-context
browser_state | No matching state found in storage | react-oidc-context: onSigninCallback must remove the parameters, window.history.replaceState({}, document.title, window.location.pathname).
browser_state | No state in response | signinCallback() was called on a page that is no callback, or a router removed the parameters first.
browser_state | authority mismatch on settings vs. signin state | authority changed between the login and the callback, such as localhost and 127.0.0.1: use one constant.
discovery | Invalid response Content-Type: *, from URL: * | authority returns a page: it must be the issuer.
@ oidc-client-ts, react-oidc-context @ authts/oidc-client-ts src/UserManager.ts
no_refresh_token | No silent_redirect_uri configured | Without a refresh token, signinSilent() needs silent_redirect_uri and an iframe.
@ omniauth_openid_connect @ omniauth/omniauth_openid_connect lib/omniauth/strategies/openid_connect.rb
state | Invalid 'state' parameter | The session of Rack has omniauth.state: mount the session middleware before OmniAuth.
@ openid-client 1 and 2 @ panva/openid-client test/client/client_instance.test.js
nbf | id_token issued in the future | Newer versions do not reject iat: update, or set client.CLOCK_TOLERANCE in seconds.
@ openid-client 5
state | checks.state argument is missing | Pass the kept value: client.callback(uri, params, { state, nonce, code_verifier }).
@ openid-client 5, NextAuth.js
nbf | JWT not active yet, now *, nbf * | client[custom.clock_tolerance] in seconds.
kid | no valid key found in issuer's jwks_uri for key parameters *
alg | unexpected JWT alg received, expected *, got: * | id_token_signed_response_alg of the client; NextAuth.js: client: { id_token_signed_response_alg }.
nonce | nonce mismatch, expected *, got: * | client.callback(uri, params, { nonce }); NextAuth.js: checks: ["nonce"].
response_iss | iss missing from the response | Pass client.callbackParams(request) to client.callback().
response_iss | iss mismatch, expected *, got: *
discovery | expected 200 OK, got: *
@ openid-client 6
discovery | unexpected HTTP response status code
hidden | invalid response encountered
hidden | unexpected JWT claim value encountered
hidden | unexpected JSON attribute value encountered
@ passport-jwt
no_access_token | No auth token
@ passport-oauth2
configuration | OAuth 2.0 authentication requires session support when using state. Did you forget to use express-session middleware? | app.use(session(…)) before passport.
@ passport-oauth2, passport-openidconnect
state | Unable to verify authorization request state. | express-session: cookie.secure must be false on plain http, and saveUninitialized or the login must have saved it.
state | Invalid authorization request state. | A second login in the same session replaced the state: finish the newest one.
token_request | Failed to obtain access token | error.oauthError.data is the body of the response.
@ passport-openidconnect
iss | ID token not issued by expected OpenID provider.
configuration | OpenID Connect requires session support. Did you forget to use \`express-session\` middleware? | app.use(session(…)) before passport.
@ PyJWT
nbf | The token is not yet valid (iat) | The argument leeway of jwt.decode().
kid | Unable to find a signing key that matches: "*"
@ PyJWT, python-jose
alg | The specified alg value is not allowed | The argument algorithms.
@ PyJWT, python-jose, social-auth-core
aud>5 | Invalid audience | The argument audience of jwt.decode().
@ PyJWT, python-jose, social-auth-core, ruby-jwt
signature | Signature verification failed
@ Python
certificate | CERTIFICATE_VERIFY_FAILED | REQUESTS_CA_BUNDLE or SSL_CERT_FILE=latchkey.pem.
@ python-jose, social-auth-core
at_hash | at_hash claim does not match access_token. | jwt.decode(…, access_token=token) of the same response.
@ ruby-jwt
alg | Expected a different algorithm | The option algorithms of JWT.decode.
not_jwt | Not enough or too many segments
@ Spring Security OAuth2 Client @ spring-projects/spring-security oauth2/oauth2-client/src/main/java/org/springframework/security/oauth2/client/web/OAuth2LoginAuthenticationFilter.java
state | authorization_request_not_found | The HTTP session has it: two applications on localhost overwrite each other's JSESSIONID, so name one with server.servlet.session.cookie.name.
@ Spring Security OAuth2 Client @ spring-projects/spring-security oauth2/oauth2-client/src/main/java/org/springframework/security/oauth2/client/endpoint/RestClientAuthorizationCodeTokenResponseClient.java
token_request | invalid_token_response | logging.level.org.springframework.security=TRACE shows the response.
@ Spring Security OAuth2 Client @ spring-projects/spring-security oauth2/oauth2-core/src/main/java/org/springframework/security/oauth2/core/user/DefaultOAuth2User.java
claims>4 | Attribute value for '*' cannot be null | user-name-attribute: sub.
@ Spring Security OAuth2 Client, Spring Security Resource Server @ spring-projects/spring-security oauth2/oauth2-client/src/main/java/org/springframework/security/oauth2/client/registration/ClientRegistrations.java
metadata_issuer | The Issuer "*" provided in the configuration metadata did not match the requested issuer "*" | issuer-uri must equal the issuer, without a slash at the end.
@ Spring Security Resource Server @ spring-projects/spring-security oauth2/oauth2-jose/src/main/java/org/springframework/security/oauth2/jwt/JwtClaimValidator.java
aud | The aud claim is not valid | spring.security.oauth2.resourceserver.jwt.audiences.
@ Spring Security Resource Server @ spring-projects/spring-security oauth2/oauth2-jose/src/main/java/org/springframework/security/oauth2/jwt/JwtTypeValidator.java
typ | the given typ value needs to be one of [*] | NimbusJwtDecoder with JwtValidators.createAtJwtValidator(), or a JwtTypeValidator of JWT and at+jwt.
@ Spring Security Resource Server @ spring-projects/spring-security oauth2/oauth2-jose/src/main/java/org/springframework/security/oauth2/jwt/NimbusJwtDecoder.java
alg | Unsupported algorithm of * | spring.security.oauth2.resourceserver.jwt.jws-algorithms.
`;
