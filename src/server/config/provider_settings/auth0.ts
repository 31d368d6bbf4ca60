import type { ProviderProfile } from "../provider_profile.ts";

/** A tenant of Auth0: `https://<tenant>.<region>.auth0.com/`. */
export const auth0Profile: ProviderProfile = {
  name: "auth0",
  loginPage: "auth0",
  // https://github.com/axa-group/oauth2-mock-server/issues/353: the issuer ends with a slash.
  issuerPath: "/",
  // https://auth0.com/docs/get-started/applications/configure-applications-with-oidc-discovery: a tenant's document.
  paths: {
    authorization_endpoint: "/authorize",
    token_endpoint: "/oauth/token",
    userinfo_endpoint: "/userinfo",
    jwks_uri: "/.well-known/jwks.json",
    revocation_endpoint: "/oauth/revoke",
    device_authorization_endpoint: "/oauth/device/code",
    end_session_endpoint: "/oidc/logout",
    registration_endpoint: "/oidc/register",
    pushed_authorization_request_endpoint: "/oauth/par",
    backchannel_authentication_endpoint: "/bc-authorize",
  },
  // The same document: response types without access tokens.
  responseTypes: ["code", "id_token", "code id_token"],
  // Members that the document lacks, and the methods that it lists.
  metadata: {
    authorization_response_iss_parameter_supported: null,
    introspection_endpoint: null,
    code_challenge_methods_supported: ["S256", "plain"],
  },
  scopes: ["openid", "profile", "email", "address", "phone", "offline_access"],
  defaultScope: "",
  // https://auth0.com/docs/secure/tokens/id-tokens/id-token-structure
  idTokenClaims: "like-userinfo",
  unmappedClaims: "none",
  alg: "RS256",
  // https://auth0.com/docs/secure/tokens/access-tokens/access-token-profiles: at+jwt in the RFC 9068 profile only.
  accessTokenTyp: "JWT",
  pkce: { insecureAllowPlain: true },
  // https://auth0.com/docs/secure/tokens/access-tokens: opaque without an audience.
  accessTokenFormat: "opaque",
  // https://auth0.com/docs/secure/tokens/access-tokens/update-access-token-lifetime, id-tokens/update-id-token-lifetime,
  // refresh-tokens/configure-refresh-token-expiration
  lifetimes: { access_token: 86400, id_token: 36000, refresh_token: 2592000, refresh_token_idle: 1296000 },
  // https://auth0.com/docs/secure/tokens/refresh-tokens/get-refresh-tokens
  refresh: { onlyOffline: true },
  // https://auth0.com/docs/get-started/applications/application-grant-types: grants of new applications.
  refreshesByDefault: true,
  accepts: {
    // auth0/auth0-spa-js src/api.ts
    token_endpoint: ["json"],
    // passport-auth0 lib/index.js sends the token in the query.
    userinfo_endpoint: ["query"],
    // auth0/go-auth0 test/data/recordings/authentication/TestRevokeRefreshToken
    revocation_endpoint: ["json"],
  },
};
