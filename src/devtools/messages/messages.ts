/**
 * What libraries and programs say when a login or a token fails: the one table behind `latchkey explain`, the search of
 * `/flows`, the tool of `latchkey mcp` and `static/docs/troubleshooting.md`.
 */

import type { Problem } from "./message.ts";

const appAuth = "openid/AppAuth-Android library/java/net/openid/appauth/";
const spring = "spring-projects/spring-security oauth2/";
const springClient = `${spring}oauth2-client/src/main/java/org/springframework/security/oauth2/client/`;
const springJwt = `${spring}oauth2-jose/src/main/java/org/springframework/security/oauth2/jwt/`;
const angular = "manfredsteyer/angular-oauth2-oidc projects/lib/src/oauth-service.ts";
const msal = "AzureAD/microsoft-authentication-library-for-js lib/";
const nimbus = "Mu-L/nimbus-jose-jwt src/main/java/com/nimbusds/";
const aspnet = "dotnet/aspnetcore src/Security/Authentication/";
const identityModel = "AzureAD/azure-activedirectory-identitymodel-extensions-for-dotnet src/Microsoft.IdentityModel.";
const springError = `${spring}oauth2-core/src/main/java/org/springframework/security/oauth2/core/OAuth2Error.java`;
const oauthlib = "oauthlib/oauthlib oauthlib/oauth2/rfc6749/errors.py";
const authlib = "lepture/authlib authlib/common/errors.py";
const opError = "panva/openid-client lib/errors.js";
const mozilla = "mozilla/mozilla-django-oidc mozilla_django_oidc/";

/** Every problem, with the messages that report it. */
export const problems: readonly Problem[] = [
  {
    title: "State mismatch or missing cookie: the callback came without the session in which the login began",
    causes: [
      "The login began on another host than its callback, such as localhost and 127.0.0.1, which have different cookies.",
      "The browser dropped the cookie: SameSite=None without Secure, Secure on plain http, or SameSite=Strict. With response_mode=form_post the callback is a POST of another site, which carries no SameSite=Lax cookie.",
      "The callback was opened a second time (reload, back button, bookmark, two tabs), and the application had already used up its state.",
      "The session store forgot it: it is in memory and the application restarted, or another instance got the callback.",
    ],
    application:
      "Open the login at the host of the redirect URI. Set the cookie with SameSite=Lax, and with Secure only where the application has https. Keep the values of each login under its own state.",
    server:
      "The terminal and /flows warn of a login that began on another name of the machine than its callback (RU-16), and note a code that was not exchanged (CI-12). Without response_mode the callback is a GET, which carries SameSite=Lax cookies.",
    guide: "static/docs/containers-and-ci.md#docker-compose-the-hostname-of-the-issuer",
    seen: ["login host", "code"],
    messages: [
      {
        libraries: ["ASP.NET Core OpenIdConnect"],
        text: "Correlation failed.",
        fix:
          'On plain http: options.ResponseMode = "query", and SameSite = Lax with SecurePolicy = SameAsRequest for CorrelationCookie and NonceCookie; they are SameSite=None with Secure by default.',
        source: `${aspnet}OpenIdConnect/src/OpenIdConnectHandler.cs`,
      },
      {
        libraries: ["ASP.NET Core OpenIdConnect"],
        text: ".AspNetCore.Correlation.*cookie not found",
        fix: 'The same as for "Correlation failed.", which follows it.',
        source: `${aspnet}Core/src/LoggingExtensions.cs`,
      },
      {
        libraries: ["ASP.NET Core OpenIdConnect"],
        text: "OpenIdConnectAuthenticationHandler: message.State is null or empty.",
        fix: "CallbackPath belongs to the handler: do not open it, link to it, or route a controller to it.",
        source: `${aspnet}OpenIdConnect/src/OpenIdConnectHandler.cs`,
      },
      {
        libraries: ["Spring Security OAuth2 Client"],
        text: "authorization_request_not_found",
        fix:
          "The HTTP session has it: two applications on localhost overwrite each other's JSESSIONID, so name one with server.servlet.session.cookie.name.",
        source: `${springClient}web/OAuth2LoginAuthenticationFilter.java`,
      },
      {
        libraries: ["passport-oauth2", "passport-openidconnect"],
        text: "Unable to verify authorization request state.",
        fix:
          "express-session: cookie.secure must be false on plain http, and saveUninitialized or the login must have saved it.",
      },
      {
        libraries: ["passport-oauth2", "passport-openidconnect"],
        text: "Invalid authorization request state.",
        fix: "A second login in the same session replaced the state: finish the newest one.",
      },
      {
        libraries: ["openid-client 5"],
        text: "checks.state argument is missing",
        fix: "Pass the kept value: client.callback(uri, params, { state, nonce, code_verifier }).",
      },
      { libraries: ["openid-client 5"], text: "state mismatch, expected *, got: *" },
      {
        libraries: ["oauth4webapi", "openid-client 6"],
        text: 'unexpected "state" response parameter value',
        fix: "Pass the state of this login: expectedState in the checks of authorizationCodeGrant().",
      },
      {
        libraries: ["oauth4webapi", "openid-client 6"],
        text: 'unexpected "state" response parameter encountered',
        fix: "The application sent a state but passes none to the callback: expectedState is missing in the checks.",
      },
      {
        libraries: ["Auth.js"],
        text: "pkceCodeVerifier value could not be parsed",
        fix:
          "Mostly the cookie did not come back: set AUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin. A cookie of another AUTH_SECRET gives the same message.",
      },
      {
        libraries: ["Auth.js"],
        text: "InvalidCheck: state value could not be parsed",
        fix:
          "Mostly the cookie did not come back: set AUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin. A cookie of another AUTH_SECRET gives the same message.",
      },
      {
        libraries: ["Auth.js"],
        text: "InvalidCheck: nonce value could not be parsed",
        fix:
          "Mostly the cookie did not come back: set AUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin. A cookie of another AUTH_SECRET gives the same message.",
      },
      {
        libraries: ["NextAuth.js"],
        text: "State cookie was missing.",
        fix: "Set NEXTAUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin.",
        source: "nextauthjs/next-auth packages/next-auth/src/core/lib/oauth/checks.ts",
      },
      {
        libraries: ["NextAuth.js"],
        text: "PKCE code_verifier cookie was missing.",
        fix: "Set NEXTAUTH_URL to the origin of the redirect URI, such as http://localhost:3000, and open that origin.",
        source: "nextauthjs/next-auth packages/next-auth/src/core/lib/oauth/checks.ts",
      },
      {
        libraries: ["better-auth"],
        text: "State mismatch: auth state cookie not found",
        fix: "Set baseURL to the origin that the browser shows.",
      },
      {
        libraries: ["better-auth"],
        text: "State mismatch: OAuth state parameter does not match stored state",
        fix: "The callback is of another login in this browser: finish the newest one.",
      },
      {
        libraries: ["better-auth"],
        text: "State mismatch: State not persisted correctly",
        fix: "Set baseURL to the origin that the browser shows. skipStateCookieCheck only removes the check.",
      },
      {
        libraries: ["better-auth"],
        text: "State mismatch: verification not found",
        fix: "The record of the login is in the database of better-auth: another database, or it was used or expired.",
      },
      {
        libraries: ["express-openid-connect"],
        text: '"auth_verification" cookie not found',
        fix: "Begin at the route /login of the application, and set baseURL to the origin that the browser shows.",
      },
      {
        libraries: ["Authlib", "OAuthlib", "requests-oauthlib"],
        text: "CSRF Warning! State not equal in request and response.",
        fix: "Flask and Starlette keep the state in the session cookie: same host, one SECRET_KEY, SameSite=Lax.",
      },
      { libraries: ["social-auth-core"], text: "Session value state missing." },
      { libraries: ["social-auth-core"], text: "Wrong state parameter given." },
      {
        libraries: ["mozilla-django-oidc"],
        text: "OIDC callback state not found in session `oidc_states`!",
        fix: "SESSION_COOKIE_SAMESITE must be Lax, and SESSION_COOKIE_SECURE False on plain http.",
        source: `${mozilla}views.py`,
      },
      {
        libraries: ["omniauth_openid_connect"],
        text: "Invalid 'state' parameter",
        fix: "The session of Rack has omniauth.state: mount the session middleware before OmniAuth.",
        source: "omniauth/omniauth_openid_connect lib/omniauth/strategies/openid_connect.rb",
      },
      {
        libraries: ["oauth2-proxy"],
        text: "CSRF cookie with name '*' was not found",
        fix: "--cookie-secure=false on plain http, and open the host of --redirect-url.",
        source: "oauth2-proxy/oauth2-proxy pkg/cookies/csrf.go",
      },
      {
        libraries: ["oauth2-proxy"],
        text: "Unable to find a valid CSRF token. Please try again.",
        fix: "--cookie-secure=false on plain http, and open the host of --redirect-url.",
        source: "oauth2-proxy/oauth2-proxy oauthproxy.go",
      },
    ],
  },
  {
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
    seen: ["login host", "code"],
    messages: [
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "No matching state found in storage",
        fix:
          "react-oidc-context: onSigninCallback must remove the parameters, window.history.replaceState({}, document.title, window.location.pathname).",
      },
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "No state in response",
        fix: "signinCallback() was called on a page that is no callback, or a router removed the parameters first.",
      },
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "authority mismatch on settings vs. signin state",
        fix: "authority changed between the login and the callback, such as localhost and 127.0.0.1: use one constant.",
      },
      {
        libraries: ["angular-oauth2-oidc"],
        text: "Validating access_token failed, wrong state/nonce.",
        fix: "Call loadDiscoveryDocumentAndTryLogin() once; the router must not remove the parameters before it.",
        source: angular,
      },
      {
        libraries: ["angular-oauth2-oidc"],
        text: "invalid_nonce_in_state",
        fix: "Call loadDiscoveryDocumentAndTryLogin() once; the router must not remove the parameters before it.",
        source: angular,
      },
      {
        libraries: ["angular-auth-oidc-client"],
        text: "authCallback incorrect state",
        fix: "Call checkAuth() once, in the root component.",
        source:
          "damienbod/angular-auth-oidc-client projects/angular-auth-oidc-client/src/lib/validation/state-validation.service.ts",
      },
      {
        libraries: ["angular-auth-oidc-client"],
        text: "could not find matching config for state *",
        fix: "Call checkAuth() once, in the root component, at the origin where the login began.",
        source:
          "damienbod/angular-auth-oidc-client projects/angular-auth-oidc-client/src/lib/auth-state/check-auth.service.ts",
      },
      {
        libraries: ["@azure/msal-browser"],
        text: "no_token_request_cache_error",
        fix:
          "Await handleRedirectPromise() once at the start of the page; cacheLocation must be the same on both pages.",
        source: `${msal}msal-browser/src/error/BrowserAuthErrorCodes.ts`,
      },
      {
        libraries: ["@azure/msal-browser"],
        text: "hash_does_not_contain_known_properties",
        fix: "A router changed the fragment before MSAL read it: let the redirect URI be a blank page.",
        source: `${msal}msal-browser/src/error/BrowserAuthErrorCodes.ts`,
      },
      {
        libraries: ["@auth0/auth0-spa-js"],
        text: "missing_transaction",
        fix: "Call handleRedirectCallback() only if the address has code and state, and once.",
        source: "auth0/auth0-spa-js src/Auth0Client.ts",
      },
      {
        libraries: ["AppAuth-JS"],
        text: "Mismatched request (state and request_uri) dont match.",
        source: "openid/AppAuth-JS src/redirect_based_handler.ts",
      },
      {
        libraries: ["AppAuth-Android"],
        text: "Response state param did not match request state",
        fix: "Keep the AuthState of the request over a restart of the activity.",
        source: `${appAuth}AuthorizationException.java`,
      },
    ],
  },
  {
    title: "Issuer mismatch: the metadata names another issuer than the one that the application is configured with",
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
    messages: [
      {
        libraries: ["oauth4webapi", "Auth.js"],
        text: '"response" body "issuer" property does not match the expected value',
      },
      { libraries: ["openid-client 6"], text: "discovered metadata issuer does not match the expected issuer" },
      {
        libraries: ["go-oidc", "oauth2-proxy", "kubelogin"],
        text: "oidc: issuer did not match the issuer returned by provider, expected * got *",
        fix:
          "oidc.InsecureIssuerURLContext accepts another one; oauth2-proxy: --insecure-oidc-skip-issuer-verification.",
      },
      {
        libraries: ["Spring Security OAuth2 Client", "Spring Security Resource Server"],
        text: 'The Issuer "*" provided in the configuration metadata did not match the requested issuer "*"',
        fix: "issuer-uri must equal the issuer, without a slash at the end.",
        source: `${springClient}registration/ClientRegistrations.java`,
      },
      {
        libraries: ["angular-oauth2-oidc"],
        text: "invalid issuer in discovery document",
        fix: "issuer of AuthConfig must equal the issuer; skipIssuerCheck removes the check.",
        source: angular,
      },
      {
        libraries: ["MCP SDK"],
        text: "Issuer mismatch in authorization server metadata (RFC 8414 §3.3): expected *, received *",
        fix: "authorization_servers of the protected resource must have the issuer, letter by letter.",
      },
    ],
  },
  {
    title: "Wrong issuer (iss): the token comes from another issuer than the application expects",
    causes: [
      "127.0.0.1 instead of localhost, another port, or a slash at the end in the configured issuer.",
      "In containers, the token was obtained under one name of the server and verified under another.",
      "The token is of another environment, or an old one of a server that had another port.",
      "A test queued the fault idToken.wrongIssuer, or minted the token with another issuer; then the message is right.",
    ],
    application: "Configure the issuer exactly as the claim iss has it. /tokens decodes a token.",
    server:
      "Set --issuer to the URL under which all applications reach the server, or frontChannelUrl for the browser.",
    guide: "static/docs/containers-and-ci.md#the-issuer-in-a-container-which-hostname",
    seen: ["iss", "issuer asked for"],
    messages: [
      {
        libraries: ["jose", "MCP SDK"],
        text: 'unexpected "iss" claim value',
        fix: "The option issuer of jwtVerify().",
      },
      { libraries: ["oauth4webapi", "openid-client 6", "Auth.js"], text: 'unexpected JWT "iss" (issuer) claim value' },
      { libraries: ["openid-client 5", "NextAuth.js"], text: "unexpected iss value, expected *, got: *" },
      { libraries: ["jsonwebtoken", "express-jwt", "passport-jwt"], text: "jwt issuer invalid. expected: *" },
      {
        libraries: ["express-oauth2-jwt-bearer"],
        text: "Unexpected 'iss' value",
        fix: "The issuer in the metadata of issuerBaseURL counts; the option issuer replaces it.",
      },
      { libraries: ["passport-openidconnect"], text: "ID token not issued by expected OpenID provider." },
      {
        libraries: ["go-oidc", "oauth2-proxy"],
        text: "oidc: id token issued by a different provider, expected * got *",
      },
      {
        libraries: ["Spring Security Resource Server"],
        text: "The iss claim is not valid",
        source: `${springJwt}JwtClaimValidator.java`,
      },
      {
        libraries: ["ASP.NET Core JwtBearer", "ASP.NET Core OpenIdConnect"],
        text: "IDX10205: Issuer validation failed.",
        fix: "TokenValidationParameters.ValidIssuer, or Authority if it is not set.",
        source: `${identityModel}Tokens/LogMessages.cs`,
      },
      { libraries: ["PyJWT", "python-jose", "social-auth-core"], text: "Invalid issuer" },
      { libraries: ["Authlib"], text: 'invalid_claim: Invalid claim "iss"' },
      { libraries: ["ruby-jwt"], text: "Invalid issuer. Expected *, received *" },
      { libraries: ["openid_connect", "omniauth_openid_connect"], text: "Invalid ID token: Issuer does not match" },
      { libraries: ["angular-oauth2-oidc"], text: "Wrong issuer: *", source: angular },
      {
        libraries: ["angular-auth-oidc-client"],
        text: "authCallback incorrect iss does not match authWellKnownEndpoints issuer",
        source:
          "damienbod/angular-auth-oidc-client projects/angular-auth-oidc-client/src/lib/validation/state-validation.service.ts",
      },
      {
        libraries: ["@auth0/auth0-spa-js"],
        text: "Issuer (iss) claim mismatch in the ID token; expected *, found *",
        fix: "The library expects the issuer https://DOMAIN/ with a slash: start with --profile auth0.",
        source: "auth0/auth0-spa-js src/jwt.ts",
      },
      { libraries: ["keycloak-connect"], text: "invalid token (wrong ISS)" },
      {
        libraries: ["AppAuth-Android"],
        text: "Issuer mismatch",
        source: `${appAuth}IdToken.java`,
      },
    ],
  },
  {
    title: "Wrong audience (aud): the token is not for the application or API that received it",
    causes: [
      "An API expects its own name, but the client asked for none: without resource, an access token here has the issuer as aud.",
      "The application configured another client_id than the one that logged in.",
      "An access token was verified as an ID token, or an ID token was sent to an API.",
      "A test queued the fault idToken.wrongAudience, or minted another aud; then the message is right.",
    ],
    application:
      "API: expect the value of aud, or let the client send resource in the authorization and the token request. ID token: expect the client_id.",
    server:
      'The setting audience is the aud of access tokens of requests without resource: "audience": "https://api.example".',
    guide: "static/docs/resource-servers.md",
    seen: ["aud"],
    messages: [
      {
        libraries: ["jose", "MCP SDK"],
        text: 'unexpected "aud" claim value',
        fix: "The option audience of jwtVerify().",
      },
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: 'unexpected JWT "aud" (audience) claim value',
      },
      { libraries: ["openid-client 5", "NextAuth.js"], text: "aud mismatch, expected *, got: *" },
      {
        libraries: ["openid-client 5", "NextAuth.js"],
        text: "aud is missing the client_id, expected * to be included in *",
      },
      { libraries: ["jsonwebtoken", "express-jwt", "passport-jwt"], text: "jwt audience invalid. expected: *" },
      {
        libraries: ["express-oauth2-jwt-bearer"],
        text: "Unexpected 'aud' value",
        fix: "The option audience of auth().",
      },
      { libraries: ["passport-openidconnect"], text: "ID token not intended for this relying party." },
      {
        libraries: ["go-oidc", "kubelogin"],
        text: "oidc: expected audience * got *",
        fix:
          "For access tokens of another audience: oidc.Config{SkipClientIDCheck: true}, and check the audience yourself.",
      },
      {
        libraries: ["oauth2-proxy"],
        text: "audience claims * do not exist in claims: *",
        fix: "--oidc-audience-claim names a claim that the token does not have.",
        source: "oauth2-proxy/oauth2-proxy pkg/providers/oidc/verifier.go",
      },
      {
        libraries: ["oauth2-proxy"],
        text: "audience from claim aud with value * does not match with any of allowed audiences *",
        fix: "--oidc-extra-audience names a further audience.",
        source: "oauth2-proxy/oauth2-proxy pkg/providers/oidc/verifier.go",
      },
      {
        libraries: ["Spring Security Resource Server"],
        text: "The aud claim is not valid",
        fix: "spring.security.oauth2.resourceserver.jwt.audiences.",
        source: `${springJwt}JwtClaimValidator.java`,
      },
      {
        libraries: ["ASP.NET Core JwtBearer", "ASP.NET Core OpenIdConnect"],
        text: "IDX10214: Audience validation failed.",
        fix: "JwtBearer: options.Audience.",
        source: `${identityModel}Tokens/LogMessages.cs`,
      },
      {
        libraries: ["ASP.NET Core JwtBearer"],
        text: "IDX10208: Unable to validate audience.",
        fix: "Set options.Audience, or TokenValidationParameters.ValidateAudience = false.",
        source: `${identityModel}Tokens/LogMessages.cs`,
      },
      {
        libraries: ["PyJWT", "python-jose", "social-auth-core"],
        text: "Invalid audience",
        fix:
          "The argument audience of jwt.decode(); PyJWT says it too if the token has aud and the argument is missing.",
      },
      { libraries: ["Authlib"], text: 'invalid_claim: Invalid claim "aud"' },
      { libraries: ["ruby-jwt"], text: "Invalid audience. Expected *, received *" },
      { libraries: ["openid_connect", "omniauth_openid_connect"], text: "Invalid ID token: Audience does not match" },
      { libraries: ["angular-oauth2-oidc"], text: "Wrong audience: *", source: angular },
      {
        libraries: ["angular-auth-oidc-client"],
        text: "authCallback incorrect aud",
        source:
          "damienbod/angular-auth-oidc-client projects/angular-auth-oidc-client/src/lib/validation/state-validation.service.ts",
      },
      {
        libraries: ["@auth0/auth0-spa-js"],
        text: "Audience (aud) claim mismatch in the ID token; expected *",
        source: "auth0/auth0-spa-js src/jwt.ts",
      },
      {
        libraries: ["keycloak-connect"],
        text: "invalid token (wrong audience)",
        fix: "Tokens need the client in aud if verifyTokenAudience is on: --profile keycloak, with an audience mapper.",
      },
      { libraries: ["AppAuth-Android"], text: "Audience mismatch", source: `${appAuth}IdToken.java` },
    ],
  },
  {
    title: "Wrong token type (typ): the API accepts other tokens than at+jwt",
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
    messages: [
      {
        libraries: ["Spring Security Resource Server"],
        text: "the given typ value needs to be one of [*]",
        fix: "NimbusJwtDecoder with JwtValidators.createAtJwtValidator(), or a JwtTypeValidator of JWT and at+jwt.",
        source: `${springJwt}JwtTypeValidator.java`,
      },
      {
        libraries: ["Nimbus JOSE + JWT"],
        text: "JOSE header typ (type) * not allowed",
        fix: 'new DefaultJOSEObjectTypeVerifier<>(new JOSEObjectType("at+jwt")) as the type verifier of the processor.',
        source: `${nimbus}jose/proc/DefaultJOSEObjectTypeVerifier.java`,
      },
      {
        libraries: ["jose"],
        text: 'unexpected "typ" JWT header value',
        fix: 'The option typ: "at+jwt" of jwtVerify().',
      },
      {
        libraries: ["oauth4webapi"],
        text: 'unexpected JWT "typ" header parameter value',
        fix: "validateJwtAccessToken() requires at+jwt: pass it an access token.",
      },
      {
        libraries: ["express-oauth2-jwt-bearer"],
        text: "Unexpected 'typ' value",
        fix: "strict: true requires at+jwt: send an access token, not an ID token.",
      },
    ],
  },
  {
    title: "Token expired (exp)",
    causes: [
      "The application kept the token longer than its lifetime, and does not refresh it.",
      "A clock is wrong: in a virtual machine or a container, or the clock of this server was moved by a test.",
      "A test queued the fault idToken.expired, or minted the token as expired; then the message is right.",
    ],
    application: "Refresh before expires_in, or log in again. Allow some seconds of clock tolerance, not minutes.",
    server:
      '"lifetimes": { "access_token": 3600, "id_token": 3600 } are the seconds. as.clock.now() is the time of a mock.',
    guide: "static/docs/configure.md#token-lifetime-when-access-tokens-expire",
    messages: [
      { libraries: ["jose", "MCP SDK", "express-oauth2-jwt-bearer"], text: '"exp" claim timestamp check failed' },
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: 'unexpected JWT "exp" (expiration time) claim value, expiration is past current timestamp',
        fix: "client[clockTolerance] in seconds.",
      },
      { libraries: ["openid-client 5", "NextAuth.js"], text: "JWT expired, now *, exp *" },
      { libraries: ["jsonwebtoken", "express-jwt", "passport-jwt"], text: "jwt expired" },
      { libraries: ["passport-openidconnect"], text: "ID token has expired." },
      { libraries: ["go-oidc", "oauth2-proxy", "kubelogin"], text: "oidc: token is expired (Token Expiry: *)" },
      {
        libraries: ["Spring Security Resource Server"],
        text: "Jwt expired at *",
        source: `${springJwt}JwtTimestampValidator.java`,
      },
      {
        libraries: ["Nimbus JOSE + JWT"],
        text: "Expired JWT",
        source: `${nimbus}jwt/proc/DefaultJWTClaimsVerifier.java`,
      },
      {
        libraries: ["ASP.NET Core JwtBearer", "ASP.NET Core OpenIdConnect"],
        text: "IDX10223: Lifetime validation failed. The token is expired.",
        source: `${identityModel}Tokens/LogMessages.cs`,
      },
      { libraries: ["PyJWT", "python-jose", "social-auth-core", "ruby-jwt"], text: "Signature has expired" },
      { libraries: ["Authlib"], text: "expired_token: The token is expired" },
      { libraries: ["openid_connect", "omniauth_openid_connect"], text: "Invalid ID token: Expired token" },
      {
        libraries: ["angular-oauth2-oidc"],
        text: "Token has expired",
        fix: "clockSkewInSec of AuthConfig; timeoutFactor for the refresh.",
        source: angular,
      },
      {
        libraries: ["angular-auth-oidc-client"],
        text: "authCallback id token expired",
        source:
          "damienbod/angular-auth-oidc-client projects/angular-auth-oidc-client/src/lib/validation/state-validation.service.ts",
      },
      { libraries: ["keycloak-connect"], text: "invalid token (expired)" },
      { libraries: ["AppAuth-Android"], text: "ID Token expired", source: `${appAuth}IdToken.java` },
    ],
  },
  {
    title: "Token not valid yet (nbf, iat): the clocks of the server and the application differ",
    causes: [
      "The clock of the application is behind: a virtual machine or container after sleep.",
      "The clock of this server was moved forward by a test (as.clock, the verb clock.advance), and the application has the real time.",
      "A test queued the fault idToken.notYetValid; then the message is right.",
    ],
    application: "Synchronize the clock, and allow some seconds of clock tolerance.",
    server:
      "Do not move the clock of the server ahead of the application: reset it, or give the library the same clock.",
    guide: "static/docs/mock.md#a-real-browser",
    messages: [
      { libraries: ["jose", "MCP SDK"], text: '"nbf" claim timestamp check failed' },
      {
        libraries: ["jose", "express-oauth2-jwt-bearer"],
        text: '"iat" claim timestamp check failed (it should be in the past)',
      },
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: 'unexpected JWT "nbf" (not before) claim value',
        fix: "client[clockTolerance] in seconds.",
      },
      {
        libraries: ["openid-client 5", "NextAuth.js"],
        text: "JWT not active yet, now *, nbf *",
        fix: "client[custom.clock_tolerance] in seconds.",
      },
      {
        libraries: ["openid-client 1 and 2"],
        text: "id_token issued in the future",
        fix: "Newer versions do not reject iat: update, or set client.CLOCK_TOLERANCE in seconds.",
        source: "panva/openid-client test/client/client_instance.test.js",
      },
      { libraries: ["jsonwebtoken", "express-jwt", "passport-jwt"], text: "jwt not active" },
      { libraries: ["go-oidc", "kubelogin"], text: "oidc: current time * before the nbf (not before) time: *" },
      {
        libraries: ["Spring Security Resource Server"],
        text: "Jwt used before *",
        source: `${springJwt}JwtTimestampValidator.java`,
      },
      {
        libraries: ["ASP.NET Core JwtBearer", "ASP.NET Core OpenIdConnect"],
        text: "IDX10222: Lifetime validation failed. The token is not yet valid.",
        source: `${identityModel}Tokens/LogMessages.cs`,
      },
      { libraries: ["PyJWT"], text: "The token is not yet valid (iat)", fix: "The argument leeway of jwt.decode()." },
      { libraries: ["PyJWT", "python-jose", "social-auth-core"], text: "The token is not yet valid (nbf)" },
      { libraries: ["Authlib"], text: "invalid_token: The token is not valid yet" },
      { libraries: ["ruby-jwt"], text: "Signature nbf has not been reached" },
      { libraries: ["social-auth-core"], text: "Incorrect id_token: iat" },
      {
        libraries: ["angular-auth-oidc-client"],
        text: "authCallback Validation, iat rejected id_token was issued too far away from the current time",
        fix: "maxIdTokenIatOffsetAllowedInSeconds.",
        source:
          "damienbod/angular-auth-oidc-client projects/angular-auth-oidc-client/src/lib/validation/state-validation.service.ts",
      },
      {
        libraries: ["AppAuth-Android"],
        text: "Issued at time is more than 10 minutes before or after the current time",
        source: `${appAuth}IdToken.java`,
      },
    ],
  },
  {
    title: "Invalid signature: the signature of the token does not verify",
    causes: [
      "The application has another key: the key of another server or realm, an old JWKS from a cache, or a fixed key in its settings.",
      "The token was changed or cut: by a copy, a proxy, or a cookie of more than 4096 bytes.",
      "A secret was given where a public key is needed, or the client secret where HS256 is not used.",
      "A test queued the fault idToken.wrongSignature, or minted the token with signedBy; then the message is right.",
    ],
    application:
      "Fetch the keys from jwks_uri of the metadata, select by kid, and fetch them again once if a kid is unknown.",
    server:
      "The memory store has new keys after each start: restart the application, or keep them with --store sqlite:latchkey.db.",
    guide: "static/docs/team.md#signing-keys-and-their-rotation",
    messages: [
      { libraries: ["jose", "MCP SDK", "express-oauth2-jwt-bearer"], text: "signature verification failed" },
      { libraries: ["oauth4webapi", "openid-client 6", "Auth.js"], text: "JWT signature verification failed" },
      { libraries: ["openid-client 5", "NextAuth.js"], text: "failed to validate JWT signature" },
      { libraries: ["jsonwebtoken", "express-jwt", "passport-jwt"], text: "invalid signature" },
      { libraries: ["go-oidc", "oauth2-proxy", "kubelogin"], text: "failed to verify id token signature" },
      {
        libraries: ["Nimbus JOSE + JWT", "Spring Security Resource Server"],
        text: "Signed JWT rejected: Invalid signature",
        source: `${nimbus}jwt/proc/DefaultJWTProcessor.java`,
      },
      {
        libraries: ["ASP.NET Core JwtBearer", "ASP.NET Core OpenIdConnect"],
        text: "IDX10511: Signature validation failed.",
        source: `${identityModel}Tokens/LogMessages.cs`,
      },
      {
        libraries: ["PyJWT", "python-jose", "social-auth-core", "ruby-jwt"],
        text: "Signature verification failed",
      },
      { libraries: ["Authlib"], text: "bad_signature" },
      {
        libraries: ["mozilla-django-oidc"],
        text: "JWS token verification failed.",
        fix: "OIDC_OP_JWKS_ENDPOINT must be the jwks_uri; OIDC_RP_IDP_SIGN_KEY replaces it.",
        source: `${mozilla}auth.py`,
      },
      {
        libraries: ["keycloak-connect"],
        text: "invalid token (signature)",
        source: "keycloak/keycloak-nodejs-connect middleware/auth-utils/grant-manager.js",
      },
    ],
  },
  {
    title: "No matching key (kid): the JWKS of the server does not have the key of the token",
    causes: [
      "The server restarted with new keys (memory store), and the application or its cache has the old ones; or the token is old.",
      "The keys are of another server or realm than the token.",
      "A test rotated the keys, or queued the faults idToken.unknownKid or keys.stale; then the message is right, and a second fetch must help.",
    ],
    application: "Fetch the keys again once if a kid is unknown, then log in again.",
    server: "Keep the keys over a restart with --store sqlite:latchkey.db.",
    guide: "static/docs/team.md#signing-keys-and-their-rotation",
    messages: [
      {
        libraries: ["jose", "MCP SDK", "express-oauth2-jwt-bearer"],
        text: "no applicable key found in the JSON Web Key Set",
      },
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: "error when selecting a JWT verification key, no applicable keys found",
      },
      {
        libraries: ["openid-client 5", "NextAuth.js"],
        text: "no valid key found in issuer's jwks_uri for key parameters *",
      },
      {
        libraries: ["jwks-rsa", "express-jwt", "passport-jwt"],
        text: "Unable to find a signing key that matches '*'",
        source: "auth0/node-jwks-rsa src/JwksClient.js",
      },
      {
        libraries: ["Nimbus JOSE + JWT", "Spring Security Resource Server"],
        text: "Signed JWT rejected: Another algorithm expected, or no matching key(s) found",
        fix: "Spring accepts RS256 alone unless jws-algorithms says otherwise: set it to the alg of the server.",
        source: `${nimbus}jwt/proc/DefaultJWTProcessor.java`,
      },
      {
        libraries: ["ASP.NET Core JwtBearer", "ASP.NET Core OpenIdConnect"],
        text: "IDX10503: Signature validation failed.",
        source: `${identityModel}Tokens/LogMessages.cs`,
      },
      {
        libraries: ["ASP.NET Core JwtBearer"],
        text: "IDX10500: Signature validation failed. No security keys were provided to validate the signature.",
        fix:
          "The metadata could not be fetched: Authority, RequireHttpsMetadata = false on plain http, MetadataAddress.",
        source: `${identityModel}Tokens/LogMessages.cs`,
      },
      { libraries: ["PyJWT"], text: 'Unable to find a signing key that matches: "*"' },
      { libraries: ["ruby-jwt"], text: "Could not find public key for kid *" },
      {
        libraries: ["mozilla-django-oidc"],
        text: "Could not find a valid JWKS.",
        source: `${mozilla}auth.py`,
      },
    ],
  },
  {
    title: "Unexpected algorithm (alg): the token is signed with another one than the application accepts",
    causes: [
      "The application accepts a fixed algorithm, and the server signs with another: RS256 here by default, EdDSA or ES256 if the setting alg or a mock says so.",
      "The application expects HS256 with the client secret, which this server does not issue by default.",
      "A test queued the fault idToken.unsigned, or minted the token with another alg; then the message is right.",
    ],
    application: "Accept the algorithm of id_token_signing_alg_values_supported, and never none.",
    server:
      '"alg": "RS256" is the default and works with every library; id_token_signed_response_alg of a client replaces it.',
    guide: "static/docs/configure.md#the-signing-algorithm",
    messages: [
      { libraries: ["jose"], text: '"alg" (Algorithm) Header Parameter value not allowed' },
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: 'unexpected JWT "alg" header parameter',
        fix: "client.id_token_signed_response_alg; without it, openid-client expects RS256 or what the metadata has.",
      },
      {
        libraries: ["openid-client 5", "NextAuth.js"],
        text: "unexpected JWT alg received, expected *, got: *",
        fix: "id_token_signed_response_alg of the client; NextAuth.js: client: { id_token_signed_response_alg }.",
      },
      {
        libraries: ["jsonwebtoken", "express-jwt", "passport-jwt"],
        text: "invalid algorithm",
        fix: "The option algorithms.",
      },
      { libraries: ["express-oauth2-jwt-bearer"], text: "Unexpected 'alg' value", fix: "The option tokenSigningAlg." },
      {
        libraries: ["go-oidc", "oauth2-proxy"],
        text: "oidc: id token signed with unsupported algorithm, expected * got *",
        fix: "SupportedSigningAlgs of oidc.Config; without it, RS256 or what the metadata has.",
      },
      {
        libraries: ["go-oidc"],
        text: "unexpected signature algorithm *; expected *",
        fix: "SupportedSigningAlgs of oidc.Config; without it, RS256 or what the metadata has.",
        source: "go-jose/go-jose jws.go",
      },
      {
        libraries: ["Spring Security Resource Server"],
        text: "Unsupported algorithm of *",
        fix: "spring.security.oauth2.resourceserver.jwt.jws-algorithms.",
        source: `${springJwt}NimbusJwtDecoder.java`,
      },
      {
        libraries: ["PyJWT", "python-jose"],
        text: "The specified alg value is not allowed",
        fix: "The argument algorithms.",
      },
      { libraries: ["Authlib"], text: "unsupported_algorithm" },
      { libraries: ["ruby-jwt"], text: "Expected a different algorithm", fix: "The option algorithms of JWT.decode." },
      {
        libraries: ["mozilla-django-oidc"],
        text: "The provider algorithm * does not match the client's OIDC_RP_SIGN_ALGO.",
        fix: 'OIDC_RP_SIGN_ALGO = "RS256"; its default is HS256.',
        source: `${mozilla}auth.py`,
      },
      {
        libraries: ["@auth0/auth0-spa-js"],
        text: 'Signature algorithm of "*" is not supported. Expected the ID token to be signed with "RS256".',
        source: "auth0/auth0-spa-js src/jwt.ts",
      },
    ],
  },
  {
    title: "Nonce mismatch: the ID token belongs to another login",
    causes: [
      "The application compares with the nonce of another login: two tabs, a reload, or a callback that ran twice.",
      "The nonce cookie or session is lost: the login began on another host, or SameSite and Secure do not fit.",
      "The application sends no nonce but expects one, or the reverse.",
      "A test queued the fault idToken.wrongNonce or idToken.missingNonce; then the message is right.",
    ],
    application: "Keep the nonce of each login with its state, and use it once.",
    server: "/flows shows the nonce of the request and of the ID token: the server copies it.",
    guide: "static/docs/flows.md",
    seen: ["login host"],
    messages: [
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: 'unexpected ID Token "nonce" claim value',
        fix: "expectedNonce in the checks of authorizationCodeGrant().",
      },
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: 'JWT "nonce" (nonce) claim missing',
        fix: "The authorization request had no nonce: send the one that expectedNonce has.",
      },
      {
        libraries: ["openid-client 5", "NextAuth.js"],
        text: "nonce mismatch, expected *, got: *",
        fix: 'client.callback(uri, params, { nonce }); NextAuth.js: checks: ["nonce"].',
      },
      { libraries: ["passport-openidconnect"], text: "ID token contains invalid nonce." },
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "nonce in id_token does not match nonce in client storage",
      },
      {
        libraries: ["keycloak-js"],
        text: "Invalid nonce.",
        fix: "useNonce: false in init() removes the check.",
        source: "keycloak/keycloak-js lib/keycloak.js",
      },
      { libraries: ["angular-oauth2-oidc"], text: "Wrong nonce: *", source: angular },
      {
        libraries: ["angular-auth-oidc-client"],
        text: "authCallback incorrect nonce, did you call the checkAuth() method multiple times?",
        fix: "Call checkAuth() once, in the root component.",
        source:
          "damienbod/angular-auth-oidc-client projects/angular-auth-oidc-client/src/lib/validation/state-validation.service.ts",
      },
      { libraries: ["Authlib"], text: 'invalid_claim: Invalid claim "nonce"' },
      { libraries: ["Authlib"], text: 'missing_claim: Missing "nonce" claim' },
      {
        libraries: ["social-auth-core"],
        text: "Incorrect id_token: nonce",
        source: "python-social-auth/social-core social_core/backends/open_id_connect.py",
      },
      {
        libraries: ["mozilla-django-oidc"],
        text: "JWT Nonce verification failed.",
        source: `${mozilla}auth.py`,
      },
      { libraries: ["openid_connect", "omniauth_openid_connect"], text: "Invalid ID Token: Nonce does not match" },
      {
        libraries: ["Spring Security OAuth2 Client"],
        text: "[invalid_nonce]",
        source: `${springClient}oidc/authentication/OidcAuthorizationCodeAuthenticationProvider.java`,
      },
      {
        libraries: ["ASP.NET Core OpenIdConnect"],
        text: "IDX21323: RequireNonce is '*'.",
        fix:
          "NonceCookie is SameSite=None with Secure by default: on plain http, SameSite = Lax and SecurePolicy = SameAsRequest.",
        source: `${identityModel}Protocols.OpenIdConnect/LogMessages.cs`,
      },
      {
        libraries: ["kubelogin"],
        text: "nonce did not match (wants * but got *)",
        source: "int128/kubelogin pkg/oidc/client/client.go",
      },
      {
        libraries: ["oauth2-proxy"],
        text: "id_token nonce claim does not match the session nonce",
        source: "oauth2-proxy/oauth2-proxy providers/provider_data.go",
      },
      {
        libraries: ["@azure/msal-browser"],
        text: "nonce_mismatch",
        source: `${msal}msal-common/src/error/ClientAuthErrorCodes.ts`,
      },
      { libraries: ["AppAuth-Android"], text: "Nonce mismatch", source: `${appAuth}IdToken.java` },
    ],
  },
  {
    title: "at_hash mismatch: the ID token belongs to another access token",
    causes: [
      "The ID token and the access token are of different responses, such as a kept ID token with a refreshed access token.",
      "The application computes the hash with another algorithm than the one of the signature.",
      "A test queued the fault idToken.wrongAtHash, or replaced the access token; then the message is right.",
    ],
    application: "Verify the ID token together with the access token of the same response.",
    server: "Nothing: the server computes at_hash from the access token beside it.",
    guide: "static/docs/break-it.md",
    messages: [
      { libraries: ["openid-client 5", "NextAuth.js"], text: "at_hash mismatch, expected *, got: *" },
      { libraries: ["angular-oauth2-oidc"], text: "Wrong at_hash", source: angular },
      { libraries: ["Authlib"], text: 'invalid_claim: Invalid claim "at_hash"' },
      {
        libraries: ["python-jose", "social-auth-core"],
        text: "at_hash claim does not match access_token.",
        fix: "jwt.decode(…, access_token=token) of the same response.",
      },
      { libraries: ["go-oidc"], text: "access token hash does not match value in ID token" },
    ],
  },
  {
    title: "Missing or wrong iss in the callback: the response does not name the expected server (RFC 9207)",
    causes: [
      "The application built the callback parameters itself and left iss out: it must pass the whole URL.",
      "The callback is of another server than the metadata, such as 127.0.0.1 and localhost.",
      "A test queued the faults authorizationResponse.missingIss or wrongIss; then the message is right.",
    ],
    application: "Pass the URL or all parameters of the callback to the library, not only code and state.",
    server: "Every callback of this server has iss, and the metadata says so.",
    guide: "static/docs/break-it.md",
    seen: ["issuer asked for"],
    messages: [
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: 'response parameter "iss" (issuer) missing',
        fix: "openid-client 6: authorizationCodeGrant(config, currentUrl, …) with the URL as the browser requested it.",
      },
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: 'unexpected "iss" (issuer) response parameter value',
      },
      {
        libraries: ["openid-client 5", "NextAuth.js"],
        text: "iss missing from the response",
        fix: "Pass client.callbackParams(request) to client.callback().",
      },
      { libraries: ["openid-client 5", "NextAuth.js"], text: "iss mismatch, expected *, got: *" },
      {
        libraries: ["MCP SDK"],
        text: "Issuer mismatch in authorization response (RFC 9207): expected *, received *",
        fix: "Pass the parameters of the callback to finishAuth(), iss included.",
      },
    ],
  },
  {
    title: "HTTPS required: the library rejects an issuer with plain http",
    causes: [
      "The issuer is http://localhost, which the library rejects unless an option allows it.",
      "A proxy ends TLS, and the application builds http URLs.",
    ],
    application: "Set the option of the library for development, never in production.",
    server: "--tls self-signed serves https://localhost; latchkey exec makes most runtimes trust the certificate.",
    guide: "static/docs/containers-and-ci.md#the-issuer-in-a-container-which-hostname",
    messages: [
      {
        libraries: ["oauth4webapi", "openid-client 6"],
        text: "only requests to HTTPS are allowed",
        fix:
          "openid-client: execute: [client.allowInsecureRequests]; oauth4webapi: [oauth.allowInsecureRequests]: true.",
      },
      {
        libraries: ["ASP.NET Core OpenIdConnect", "ASP.NET Core JwtBearer"],
        text:
          "The MetadataAddress or Authority must use HTTPS unless disabled for development by setting RequireHttpsMetadata=false.",
        fix: "options.RequireHttpsMetadata = false.",
        source: `${aspnet}OpenIdConnect/src/OpenIdConnectPostConfigureOptions.cs`,
      },
      {
        libraries: ["ASP.NET Core OpenIdConnect", "ASP.NET Core JwtBearer"],
        text: "IDX20108: The address specified '*' is not valid as per HTTPS scheme.",
        fix: "options.RequireHttpsMetadata = false.",
        source: `${identityModel}Protocols/LogMessages.cs`,
      },
      {
        libraries: ["OAuthlib", "requests-oauthlib", "Authlib"],
        text: "OAuth 2 MUST utilize https.",
        fix:
          "OAUTHLIB_INSECURE_TRANSPORT=1; Authlib: AUTHLIB_INSECURE_TRANSPORT=1. Authlib does so for localhost by itself.",
      },
      {
        libraries: ["angular-oauth2-oidc"],
        text:
          "must use HTTPS (with TLS), or config value for property 'requireHttps' must be set to 'false' and allow HTTP (without TLS).",
        fix: "requireHttps: 'remoteOnly' allows http for localhost.",
        source: angular,
      },
      {
        libraries: ["@azure/msal-browser", "@azure/msal-node"],
        text: "authority_uri_insecure",
        fix: "MSAL has no option: start with --tls self-signed.",
      },
      {
        libraries: ["AppAuth-Android"],
        text: "Issuer must be an https URL",
        fix: "AppAuthConfiguration.Builder().setSkipIssuerHttpsCheck(true), and a ConnectionBuilder that allows http.",
        source: `${appAuth}IdToken.java`,
      },
      {
        libraries: ["MCP SDK"],
        text: "send credentials to non-https token endpoint '*'.",
        fix: "Name the server localhost, *.localhost or 127.0.0.1, which are exempt.",
      },
    ],
  },
  {
    title: "SSL error, wrong version number: the client speaks https and the server http, or the reverse",
    causes: [
      "The issuer is http, and the application or the address has https.",
      "A proxy or a library upgraded the URL to https.",
    ],
    application: "Use the issuer exactly as the terminal shows it, with http or https.",
    server: "Start with --tls self-signed, or with --tls-cert and --tls-key, for https.",
    guide: "static/docs/containers-and-ci.md#the-issuer-in-a-container-which-hostname",
    messages: [
      { libraries: ["curl", "OpenSSL", "Node", "Ruby"], text: "wrong version number" },
      { libraries: ["Python"], text: "[SSL: WRONG_VERSION_NUMBER]" },
      { libraries: ["Chromium"], text: "ERR_SSL_PROTOCOL_ERROR" },
      {
        libraries: ["Firefox"],
        text: "SSL_ERROR_RX_RECORD_TOO_LONG",
        source: "mozilla-firefox/firefox security/nss/lib/ssl/SSLerrs.h",
      },
      { libraries: ["Go"], text: "http: server gave HTTP response to HTTPS client" },
      { libraries: ["Deno", "rustls"], text: "received corrupt message of type InvalidContentType" },
      {
        libraries: ["Java"],
        text: "Unsupported or unrecognized SSL message",
      },
      {
        libraries: [".NET"],
        text: "Cannot determine the frame size or a corrupted frame was received.",
        source: "dotnet/runtime src/libraries/System.Net.Security/src/Resources/Strings.resx",
      },
    ],
  },
  {
    title: "Self-signed certificate: the client does not trust the certificate of the server",
    causes: [
      "The certificate is self-signed (--tls self-signed), and the client does not know it.",
      "The name in the URL is not in the certificate: 127.0.0.1 or a container name instead of localhost.",
      "A corporate proxy replaces certificates.",
    ],
    application: "Trust the certificate of the server in the client; do not switch the verification off.",
    server:
      "latchkey exec --tls self-signed trusts it for Node, Deno, Bun, OpenSSL, Go, .NET, curl and requests; LATCHKEY_CA_FILE names the file for others.",
    guide: "static/docs/test-in-any-language.md#run-your-tests-beside-a-server",
    messages: [
      {
        libraries: ["Node", "Ruby", "OpenSSL"],
        text: "self-signed certificate",
        fix: "Node: NODE_EXTRA_CA_CERTS=latchkey.pem.",
      },
      {
        libraries: ["curl"],
        text: "SSL certificate problem: self-signed certificate",
        fix: "curl --cacert latchkey.pem.",
      },
      { libraries: ["Node"], text: "DEPTH_ZERO_SELF_SIGNED_CERT", fix: "NODE_EXTRA_CA_CERTS=latchkey.pem." },
      {
        libraries: ["Python"],
        text: "CERTIFICATE_VERIFY_FAILED",
        fix: "REQUESTS_CA_BUNDLE or SSL_CERT_FILE=latchkey.pem.",
      },
      {
        libraries: ["Go"],
        text: "x509: certificate signed by unknown authority",
        fix: "SSL_CERT_FILE=latchkey.pem.",
        source: "golang/go src/crypto/x509/verify.go",
      },
      {
        libraries: ["Java", "Spring Security OAuth2 Client"],
        text: "PKIX path building failed",
        fix: "Import it with keytool, and name the trust store by -Djavax.net.ssl.trustStore.",
      },
      { libraries: ["Chromium"], text: "ERR_CERT_AUTHORITY_INVALID" },
      {
        libraries: [".NET"],
        text: "The remote certificate is invalid",
        fix: "SSL_CERT_FILE=latchkey.pem on Linux.",
        source: "dotnet/runtime src/libraries/System.Net.Security/src/Resources/Strings.resx",
      },
    ],
  },
  {
    title: "Connection refused: nothing listens where the client connects",
    causes: [
      "The client runs in a container, where localhost is the container itself.",
      "The server does not run (yet), or has another port.",
      "localhost is ::1 for the client and 127.0.0.1 for the server, or the reverse.",
    ],
    application:
      "Use the name of the service or host.docker.internal in a container. Wait for /readyz before the tests.",
    server:
      "--host 0.0.0.0 listens for other machines and containers; the issuer must then have a name that all of them know.",
    guide: "static/docs/containers-and-ci.md",
    messages: [
      { libraries: ["Node", "Auth.js", "axios"], text: "ECONNREFUSED" },
      { libraries: ["curl"], text: "Failed to connect to * port *: Couldn't connect to server" },
      { libraries: ["Chromium"], text: "ERR_CONNECTION_REFUSED" },
      { libraries: ["Go"], text: "connect: connection refused" },
      { libraries: ["Python", "requests"], text: "[Errno 111] Connection refused" },
      { libraries: ["Java", "Spring Security OAuth2 Client"], text: "java.net.ConnectException" },
      { libraries: ["Ruby"], text: "Errno::ECONNREFUSED" },
    ],
  },
  {
    title: "Cannot find the discovery document: /.well-known/openid-configuration is 404, or could not be read",
    hides: true,
    causes: [
      "The URL is wrong: another path (a realm, a tenant), another port, or the metadata URL where the issuer is expected.",
      "The server cannot be reached from there: containers, TLS, a proxy. The cause below the message says so.",
      "The URL returns a page: of another program, a proxy or a login.",
    ],
    application: "Open ISSUER/.well-known/openid-configuration from the machine of the application, such as by curl.",
    server:
      'The terminal shows the issuer. /flows lists requests for documents that do not exist, with the outcome "metadata, keys and missing pages".',
    guide: "static/docs/containers-and-ci.md",
    seen: ["metadata path", "issuer asked for"],
    messages: [
      {
        libraries: ["oauth4webapi", "Auth.js"],
        text: '"response" is not a conform Authorization Server Metadata response (unexpected HTTP status code)',
      },
      { libraries: ["openid-client 6"], text: "unexpected HTTP response status code" },
      { libraries: ["openid-client 5", "NextAuth.js"], text: "expected 200 OK, got: *" },
      {
        libraries: ["Spring Security OAuth2 Client", "Spring Security Resource Server"],
        text: 'Unable to resolve Configuration with the provided Issuer of "*"',
        source: `${springClient}registration/ClientRegistrations.java`,
      },
      {
        libraries: ["ASP.NET Core OpenIdConnect", "ASP.NET Core JwtBearer"],
        text: "IDX20803: Unable to obtain configuration from: '*'.",
        source: `${identityModel}Protocols/LogMessages.cs`,
      },
      {
        libraries: ["ASP.NET Core OpenIdConnect", "ASP.NET Core JwtBearer"],
        text: "IDX20804: Unable to retrieve document from: '*'.",
        source: `${identityModel}Protocols/LogMessages.cs`,
      },
      { libraries: ["angular-oauth2-oidc"], text: "error loading discovery document", source: angular },
      {
        libraries: ["@azure/msal-browser", "@azure/msal-node"],
        text: "endpoints_resolution_error",
        fix: "For another server than Entra: authority, and protocolMode OIDC.",
        source: `${msal}msal-common/src/error/ClientAuthErrorCodes.ts`,
      },
      {
        libraries: ["@azure/msal-browser", "@azure/msal-node"],
        text: "untrusted_authority",
        fix: "knownAuthorities must have the host of the authority.",
        source: `${msal}msal-common/src/error/ClientConfigurationErrorCodes.ts`,
      },
      {
        libraries: ["oauth2-proxy"],
        text: "failed to discover OIDC configuration",
        source: "oauth2-proxy/oauth2-proxy pkg/providers/oidc/provider.go",
      },
      { libraries: ["kubelogin"], text: "oidc discovery error", source: "int128/kubelogin pkg/oidc/client/factory.go" },
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "Invalid response Content-Type: *, from URL: *",
        fix: "authority returns a page: it must be the issuer.",
      },
    ],
  },
  {
    title: "CORS error: the browser blocked the response, because it does not allow the origin of the page",
    causes: [
      "The origin of the page is neither on a test host nor the origin of a registered redirect URI.",
      "The page called an endpoint that is for redirects, such as the authorization endpoint, with fetch.",
      'The server cannot be reached, or a proxy responded: browsers report both as CORS errors or "Failed to fetch".',
    ],
    application:
      "Navigate to the authorization endpoint, do not fetch it. Compare the origin of the page with the redirect URI.",
    server: 'Add the origin: "allowedOrigins": ["https://app.example"].',
    guide: "static/docs/test-hosts.md",
    messages: [
      {
        libraries: ["Chromium"],
        text: "has been blocked by CORS policy",
      },
      {
        libraries: ["Firefox"],
        text: "Cross-Origin Request Blocked: The Same Origin Policy disallows reading the remote resource",
        source: "mozilla-firefox/firefox dom/locales/en-US/chrome/security/security.properties",
      },
      {
        libraries: ["Chromium", "oidc-client-ts", "react-oidc-context", "keycloak-js"],
        text: "TypeError: Failed to fetch",
      },
      {
        libraries: ["@azure/msal-browser"],
        text: "post_request_failed",
        source: `${msal}msal-browser/src/error/BrowserAuthErrorCodes.ts`,
      },
    ],
  },
  {
    title: "Web Crypto is not available: the page has plain http on another host than localhost",
    causes: [
      "The page is plain http on another host than localhost: an address of the network, a name of a container or of the hosts file.",
    ],
    application: "Open it as http://localhost or with https.",
    server: "Nothing: the origin of the application counts, not the origin of the server.",
    guide: "static/docs/test-hosts.md",
    messages: [
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "Crypto.subtle is available only in secure contexts (HTTPS).",
      },
      {
        libraries: ["keycloak-js"],
        text: "Web Crypto API is not available.",
        source: "keycloak/keycloak-js lib/keycloak.js",
      },
      {
        libraries: ["@azure/msal-browser"],
        text: "crypto_nonexistent",
        source: `${msal}msal-browser/src/error/BrowserAuthErrorCodes.ts`,
      },
      {
        libraries: ["@auth0/auth0-spa-js"],
        text: "auth0-spa-js must run on a secure origin",
        source: "auth0/auth0-spa-js src/utils.ts",
      },
      {
        libraries: ["AppAuth-JS"],
        text: "window.crypto.subtle is unavailable.",
        source: "openid/AppAuth-JS src/crypto_utils.ts",
      },
    ],
  },
  {
    title: "Redirect URI mismatch: the redirect_uri of the login is not registered for the client",
    causes: [
      "The URL differs by a slash at its end, its port, http or https, or localhost and 127.0.0.1: it must match character for character.",
      "The framework derives the URL from the request or from a setting such as AUTH_URL, and a proxy or a container changes it.",
      "The application uses the client_id of another environment.",
    ],
    application:
      "Copy the redirect_uri from the authorization request in the address bar, and register exactly this. The token request must send it again.",
    server:
      "The error page shows the registered and the received URL with the difference marked, and on a test host a button that registers it.",
    guide: "static/docs/configure.md#register-a-redirect-uri",
    seen: ["rejection"],
    messages: [
      {
        libraries: ["GitHub", "Google"],
        text: "redirect_uri_mismatch",
        fix: "The callback URL in the settings of the OAuth app or client.",
        source:
          "github/docs content/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-authorization-request-errors.md",
      },
      {
        libraries: ["Keycloak"],
        text: "Invalid parameter: redirect_uri",
        fix: "Valid redirect URIs of the client in the realm.",
        source: "keycloak/keycloak themes/src/main/resources/theme/base/login/messages/messages_en.properties",
      },
      {
        libraries: ["Microsoft Entra ID"],
        text: "AADSTS50011",
        fix: "Authentication, Redirect URIs of the app registration.",
        source: "MicrosoftDocs/entra-docs docs/identity-platform/reference-error-codes.md",
      },
    ],
  },
  {
    title: "invalid_client: the client is unknown, or its secret is wrong or missing",
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
    seen: ["rejection"],
    messages: [
      { libraries: ["golang.org/x/oauth2"], text: 'oauth2: "invalid_client"', source: "golang/oauth2 token.go" },
      { libraries: ["Spring Security OAuth2 Client"], text: "[invalid_client]", source: springError },
      { libraries: ["OAuthlib", "requests-oauthlib"], text: "(invalid_client)", source: oauthlib },
      { libraries: ["Authlib"], text: "OAuthError: invalid_client", source: authlib },
      { libraries: ["openid-client 5", "NextAuth.js"], text: "OPError: invalid_client", source: opError },
    ],
  },
  {
    title: "PKCE verification failed: the code_verifier is missing, or of another login",
    causes: [
      "The verifier was lost between the authorization request and the callback: another tab, a second login, a cookie that did not come back.",
      "The code_challenge is not the SHA-256 of the verifier in base64url without padding, or code_challenge_method is missing.",
      "The authorization request has a code_challenge, and the token request comes from code that does not know the verifier.",
    ],
    application:
      "Keep the verifier of each login under its own state, and let the library compute the challenge. The verifier has 43 to 128 characters.",
    server: "/flows shows the challenge, the verifier and the challenge that belongs to it.",
    guide: "static/docs/flows.md",
    seen: ["rejection"],
    messages: [
      {
        libraries: ["Keycloak"],
        text: "PKCE verification failed",
        source: "keycloak/keycloak services/src/main/java/org/keycloak/protocol/oidc/utils/PkceUtils.java",
      },
    ],
  },
  {
    title: "invalid_grant: the code was already used or has expired, or the refresh token is no longer valid",
    causes: [
      "The callback was handled twice: the page was reloaded, React's StrictMode ran an effect twice, or a middleware and a page both exchanged the code.",
      "redirect_uri differs from the one of the authorization request, or code_verifier does not fit its challenge.",
      "The code expired while the application stood at a breakpoint.",
      "The refresh token rotated, and the application sent the old one again, or two tabs refreshed at the same time. That revokes the whole grant.",
      "The server restarted without a store, so it no longer knows its codes and tokens.",
    ],
    application:
      "Exchange each code once, and store the new refresh token of each response before the next request. After invalid_grant at a refresh, send the user to the login.",
    server: "The terminal and /flows show which of these it was, with the earlier request.",
    guide: "static/docs/sessions.md#refresh-token-rotation",
    seen: ["rejection"],
    messages: [
      { libraries: ["golang.org/x/oauth2"], text: 'oauth2: "invalid_grant"', source: "golang/oauth2 token.go" },
      { libraries: ["Spring Security OAuth2 Client"], text: "[invalid_grant]", source: springError },
      { libraries: ["OAuthlib", "requests-oauthlib"], text: "(invalid_grant)", source: oauthlib },
      { libraries: ["Authlib"], text: "OAuthError: invalid_grant", source: authlib },
      { libraries: ["openid-client 5", "NextAuth.js"], text: "OPError: invalid_grant", source: opError },
    ],
  },
  {
    title: "Error in the callback: the server rejected the authorization request, or the user denied it",
    hides: true,
    causes: [
      "The request is wrong, such as one without PKCE or with an unknown scope: error and error_description say what.",
      "The user denied the access or cancelled the login: access_denied.",
      "With prompt=none the user must log in or consent first: login_required, consent_required.",
    ],
    application: "Print the parameters error and error_description of the callback, and explain the error_description.",
    server: "The terminal and /flows show the rejected request: expected, received and the fix.",
    guide: "static/docs/flows.md",
    seen: ["rejection"],
    messages: [
      {
        libraries: ["oauth4webapi", "openid-client 6"],
        text: "authorization response from the server is an error",
        fix: "error.cause has the parameters error and error_description.",
      },
    ],
  },
  {
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
    messages: [
      { libraries: ["openid-client 6"], text: "invalid response encountered" },
      { libraries: ["openid-client 6"], text: "unexpected JWT claim value encountered" },
      { libraries: ["openid-client 6"], text: "unexpected JSON attribute value encountered" },
      { libraries: ["Node"], text: "fetch failed" },
    ],
  },
  {
    title: "Token request failed: the message hides the error of the server",
    hides: true,
    causes: [
      "The error code is mostly invalid_client or invalid_grant: see those sections.",
      "The library prints only a part: error and error_description are in the cause, the response body or the debug log.",
    ],
    application:
      "Print the whole error, such as console.dir(error, { depth: null }), and explain its error_description.",
    server: "The terminal and /flows show the rejected request: expected, received and the fix.",
    guide: "static/docs/flows.md",
    seen: ["rejection"],
    messages: [
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: "server responded with an error in the response body",
        fix: "error.cause has error and error_description.",
      },
      {
        libraries: ["oauth4webapi", "openid-client 6"],
        text: "server responded with a challenge in the WWW-Authenticate HTTP Header",
        fix: "error.cause has the challenge, with error and error_description; mostly invalid_client.",
      },
      {
        libraries: ["passport-oauth2", "passport-openidconnect"],
        text: "Failed to obtain access token",
        fix: "error.oauthError.data is the body of the response.",
      },
      {
        libraries: ["Auth.js"],
        text: "OAuth Provider returned an error",
        fix: "debug: true logs the cause.",
      },
      {
        libraries: ["Spring Security OAuth2 Client"],
        text: "invalid_token_response",
        fix: "logging.level.org.springframework.security=TRACE shows the response.",
        source: `${springClient}endpoint/RestClientAuthorizationCodeTokenResponseClient.java`,
      },
      { libraries: ["golang.org/x/oauth2", "go-oidc", "oauth2-proxy"], text: "oauth2: cannot fetch token: *" },
      {
        libraries: ["league/oauth2-client"],
        text: "Invalid response received from Authorization Server. Expected JSON.",
        fix: "urlAccessToken must be the token endpoint of the metadata.",
        source: "thephpleague/oauth2-client src/Provider/AbstractProvider.php",
      },
      {
        libraries: ["league/oauth2-client"],
        text: "An OAuth server error was encountered that did not contain a JSON body",
        source: "thephpleague/oauth2-client src/Provider/AbstractProvider.php",
      },
    ],
  },
  {
    title: "No ID token in the token response",
    causes: [
      "The scope of the login lacks openid: without it the login is OAuth, not OpenID Connect.",
      "The application uses an OAuth strategy or provider type for OpenID Connect, or the reverse.",
      "The tokens are of a grant without a user, such as client_credentials, or of a profile such as github.",
    ],
    application: "Request the scope openid.",
    server: 'A client with a scope must have openid in it: "scope": "openid profile email".',
    guide: "static/docs/users.md#add-claims-or-roles-to-access-tokens-and-id-tokens",
    messages: [
      { libraries: ["openid-client 5", "NextAuth.js"], text: "id_token not present in TokenSet" },
      { libraries: ["passport-openidconnect"], text: "ID token not present in token response" },
      {
        libraries: ["oauth4webapi", "openid-client 6", "Auth.js"],
        text: '"response" body "id_token" property must be a string',
      },
      {
        libraries: ["oauth2-proxy"],
        text: "token response did not contain an id_token",
        fix: '--scope="openid email profile".',
        source: "oauth2-proxy/oauth2-proxy providers/oidc.go",
      },
      {
        libraries: ["kubelogin"],
        text: "id_token is missing in the token response",
        source: "int128/kubelogin pkg/oidc/client/client.go",
      },
      {
        libraries: ["Spring Security OAuth2 Client"],
        text: "Missing (required) ID Token in Token Response for Client Registration: *",
        source: `${springClient}oidc/authentication/OidcAuthorizationCodeAuthenticationProvider.java`,
      },
    ],
  },
  {
    title: "Missing claims: the user has no e-mail address, name or role",
    causes: [
      "The scope value is not requested: email for email, profile for name.",
      "The user has no such member here, or email_verified is false or missing.",
      "The claim is in userinfo, and the application reads the ID token alone.",
    ],
    application: "Request openid profile email, or read userinfo.",
    server:
      'Give the user the claim, with "email_verified": true. "idTokenClaims": "like-userinfo" puts the claims into ID tokens too.',
    guide: "static/docs/users.md#add-claims-or-roles-to-access-tokens-and-id-tokens",
    messages: [
      {
        libraries: ["oauth2-proxy"],
        text: "neither the id_token nor the profileURL set an email",
        source: "oauth2-proxy/oauth2-proxy providers/oidc.go",
      },
      {
        libraries: ["oauth2-proxy"],
        text: "email in id_token (*) isn't verified",
        fix: "--insecure-oidc-allow-unverified-email removes the check.",
        source: "oauth2-proxy/oauth2-proxy providers/provider_data.go",
      },
      {
        libraries: ["mozilla-django-oidc"],
        text: "Claims verification failed",
        fix: 'The default needs email: OIDC_RP_SCOPES = "openid email".',
        source: `${mozilla}auth.py`,
      },
      {
        libraries: ["Spring Security OAuth2 Client"],
        text: "Attribute value for '*' cannot be null",
        fix: "user-name-attribute: sub.",
        source:
          `${spring}oauth2-core/src/main/java/org/springframework/security/oauth2/core/user/DefaultOAuth2User.java`,
      },
      {
        libraries: ["better-auth"],
        text: "email_not_found",
        fix: 'scopes: ["openid", "email"], or mapProfileToUser.',
        source: "better-auth/better-auth packages/better-auth/src/oauth2/errors.ts",
      },
    ],
  },
  {
    title: "sub mismatch: userinfo is about another user than the ID token",
    causes: [
      "The access token is of another login than the ID token: two users, or a kept token.",
      "A test queued the fault userinfo.edited or idToken.wrongSubject; then the message is right.",
    ],
    application: "Use the tokens of one response together, and drop the session.",
    server: "Nothing: sub is the same in both.",
    guide: "static/docs/break-it.md",
    messages: [
      { libraries: ["oauth4webapi", "openid-client 6"], text: 'unexpected "response" body "sub" property value' },
      { libraries: ["openid-client 5"], text: "userinfo sub mismatch, expected *, got: *" },
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "subject from UserInfo response does not match subject in ID Token",
      },
      {
        libraries: ["angular-oauth2-oidc"],
        text: "if property oidc is true, the received user-id (sub) has to be the user-id",
        source: angular,
      },
      {
        libraries: ["ASP.NET Core OpenIdConnect"],
        text:
          "IDX21338: Subject claim present in 'id_token': '*' does not match the claim received from UserInfo Endpoint: '*'.",
        source: `${identityModel}Protocols.OpenIdConnect/LogMessages.cs`,
      },
    ],
  },
  {
    title: "Not a JWT: the token is opaque, empty or something else",
    causes: [
      "The token is undefined, empty, or has quotes or the word Bearer around it.",
      "The access token is opaque: the client or the resource has access_token_format opaque, or the provider issues no JWTs.",
      "The whole response was passed instead of its member access_token or id_token.",
    ],
    application: "Print the first characters: a JWT has two dots and begins with ey. Introspect opaque tokens.",
    server: "access_token_format of the client decides; /tokens shows what a token is.",
    guide: "static/docs/flows.md#decode-and-check-a-jwt-tokens",
    seen: ["typ"],
    messages: [
      { libraries: ["jose", "MCP SDK", "express-oauth2-jwt-bearer"], text: "Invalid Compact JWS" },
      { libraries: ["oauth4webapi", "openid-client 6"], text: "Invalid JWT" },
      { libraries: ["jsonwebtoken", "express-jwt", "passport-jwt"], text: "jwt malformed" },
      { libraries: ["go-oidc"], text: "oidc: malformed jwt" },
      { libraries: ["PyJWT", "python-jose"], text: "Not enough segments" },
      { libraries: ["ruby-jwt"], text: "Not enough or too many segments" },
      {
        libraries: ["ASP.NET Core JwtBearer"],
        text: "IDX14100: JWT is not well formed",
        source: `${identityModel}JsonWebTokens/LogMessages.cs`,
      },
      {
        libraries: ["Spring Security Resource Server"],
        text: "An error occurred while attempting to decode the Jwt: Malformed token",
        source: `${springJwt}NimbusJwtDecoder.java`,
      },
    ],
  },
  {
    title: "Missing access token: the API received none",
    causes: [
      "The request has no header Authorization, or not in the form Bearer TOKEN.",
      "A proxy or a redirect to another origin removed the header.",
      "The preflight request of CORS (OPTIONS) reached the check of the token.",
    ],
    application: "Send Authorization: Bearer and the access token; handle CORS before the check.",
    server: "Nothing: the API rejects the request.",
    guide: "static/docs/resource-servers.md",
    messages: [
      {
        libraries: ["express-jwt"],
        text: "No authorization token was found",
        source: "auth0/express-jwt src/index.ts",
      },
      { libraries: ["passport-jwt"], text: "No auth token" },
      {
        libraries: ["keycloak-connect"],
        text: "invalid token (missing)",
        source: "keycloak/keycloak-nodejs-connect middleware/auth-utils/grant-manager.js",
      },
    ],
  },
  {
    title: "No refresh token: the access token has expired and cannot be renewed",
    causes: [
      "The login did not ask for one: this server issues a refresh token if the client is registered for refresh_token; other servers need the scope offline_access.",
      "The application did not keep the refresh token of the last response.",
      "The session ended, or a test queued tokens.withoutRefreshToken.",
    ],
    application: "Keep refresh_token of every token response; request offline_access if it must outlive the session.",
    server: '"grant_types": ["authorization_code", "refresh_token"] in the client.',
    guide: "static/docs/sessions.md#refresh-token-rotation",
    messages: [
      { libraries: ["golang.org/x/oauth2"], text: "oauth2: token expired and refresh token is not set" },
      { libraries: ["openid-client 5"], text: "refresh_token not present in TokenSet" },
      {
        libraries: ["keycloak-js"],
        text: "Unable to update token, no refresh token available.",
        source: "keycloak/keycloak-js lib/keycloak.js",
      },
      { libraries: ["keycloak-connect"], text: "Unable to refresh without a refresh token" },
      { libraries: ["ruby oauth2"], text: "A refresh_token is not available" },
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "No silent_redirect_uri configured",
        fix: "Without a refresh token, signinSilent() needs silent_redirect_uri and an iframe.",
        source: "authts/oidc-client-ts src/UserManager.ts",
      },
    ],
  },
  {
    title: "Silent login timed out: the hidden frame did not come back",
    causes: [
      "The browser sends no third-party cookies, so the frame shows a login page: application and server are on different sites.",
      "The redirect URI of the frame is not registered: the frame shows an error page.",
      "The page of the redirect URI does not pass the response on, or the application is loaded in the frame again.",
    ],
    application:
      'Use refresh tokens. For frames, a separate page as silent redirect URI, and login_required handled as "log in".',
    server:
      "Register the silent redirect URI too. On localhost with another port both are the same site, so cookies are sent.",
    guide: "static/docs/users.md#show-a-login-page-and-a-consent-page",
    messages: [
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "IFrame timed out without a response",
        source: "authts/oidc-client-ts src/navigators/IFrameWindow.ts",
      },
      {
        libraries: ["keycloak-js"],
        text: "Timeout when waiting for 3rd party check iframe message.",
        fix: "checkLoginIframe: false in init(); --profile keycloak serves the frames.",
        source: "keycloak/keycloak-js lib/keycloak.js",
      },
      {
        libraries: ["angular-oauth2-oidc"],
        text: "silent_refresh_timeout",
        source: angular,
      },
      {
        libraries: ["@azure/msal-browser"],
        text: "monitor_window_timeout",
        source: `${msal}msal-browser/docs/errors.md`,
      },
    ],
  },
  {
    title: "Popup blocked or closed: the login window did not come back",
    causes: [
      "The login was not started by a click, so the browser blocked the window.",
      "The user closed it, or its page has Cross-Origin-Opener-Policy, which cuts it off.",
    ],
    application: "Open the popup in the handler of a click, or redirect.",
    server: "Nothing.",
    guide: "static/docs/users.md#show-a-login-page-and-a-consent-page",
    messages: [
      {
        libraries: ["oidc-client-ts", "react-oidc-context"],
        text: "Popup closed by user",
        source: "authts/oidc-client-ts src/navigators/PopupWindow.ts",
      },
      {
        libraries: ["@azure/msal-browser"],
        text: "popup_window_error",
        source: `${msal}msal-browser/src/error/BrowserAuthErrorCodes.ts`,
      },
      {
        libraries: ["@azure/msal-browser"],
        text: "interaction_in_progress",
        fix: "Await handleRedirectPromise() before another login, and start one at a time.",
        source: `${msal}msal-browser/src/error/BrowserAuthErrorCodes.ts`,
      },
    ],
  },
  {
    title: "Missing configuration: the application did not reach the server",
    causes: ["A setting of the library is missing; the message names it."],
    application: "Set it.",
    server: "/clients has settings to paste for each library.",
    guide: "static/docs/stacks.md#client-libraries",
    messages: [
      {
        libraries: ["Auth.js"],
        text: "Host must be trusted. URL was: *",
        fix: "trustHost: true, or AUTH_TRUST_HOST=true.",
      },
      { libraries: ["Auth.js"], text: "Please define a `secret`", fix: "AUTH_SECRET, or the option secret." },
      {
        libraries: ["passport-oauth2"],
        text:
          "OAuth 2.0 authentication requires session support when using state. Did you forget to use express-session middleware?",
        fix: "app.use(session(…)) before passport.",
      },
      {
        libraries: ["passport-openidconnect"],
        text: "OpenID Connect requires session support. Did you forget to use `express-session` middleware?",
        fix: "app.use(session(…)) before passport.",
      },
      {
        libraries: ["@azure/msal-browser"],
        text: "uninitialized_public_client_application",
        fix: "await instance.initialize() first.",
        source: `${msal}msal-browser/src/error/BrowserAuthErrorCodes.ts`,
      },
    ],
  },
  {
    title: "MCP authorization failed: the MCP client finds no way to log in",
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
    messages: [
      { libraries: ["MCP SDK"], text: "Incompatible auth server: does not support dynamic client registration" },
      { libraries: ["MCP SDK"], text: "Incompatible auth server: does not support code challenge method *" },
      { libraries: ["MCP SDK"], text: "Incompatible auth server: does not support response type *" },
      { libraries: ["MCP SDK"], text: "Protected resource * does not match expected * (or origin)" },
      { libraries: ["MCP SDK"], text: "Resource server does not implement OAuth 2.0 Protected Resource Metadata." },
      {
        libraries: ["MCP SDK"],
        text: "Existing OAuth client information is required when exchanging an authorization code",
        fix: "saveClientInformation() must keep it over the redirect.",
      },
    ],
  },
];
