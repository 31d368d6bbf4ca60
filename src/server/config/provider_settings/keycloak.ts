import type { ProviderProfile } from "../provider_profile.ts";

/** A realm of Keycloak 26 with its defaults: `<base>/realms/<realm>`. */
export const keycloakProfile: ProviderProfile = {
  name: "keycloak",
  // https://www.keycloak.org/getting-started/getting-started-docker names the realm.
  issuerPath: "/realms/myrealm",
  // keycloak/keycloak docs/guides/securing-apps/partials/oidc/available-endpoints.adoc
  paths: {
    authorization_endpoint: "/protocol/openid-connect/auth",
    token_endpoint: "/protocol/openid-connect/token",
    userinfo_endpoint: "/protocol/openid-connect/userinfo",
    jwks_uri: "/protocol/openid-connect/certs",
    revocation_endpoint: "/protocol/openid-connect/revoke",
    introspection_endpoint: "/protocol/openid-connect/token/introspect",
    end_session_endpoint: "/protocol/openid-connect/logout",
    device_authorization_endpoint: "/protocol/openid-connect/auth/device",
    backchannel_authentication_endpoint: "/protocol/openid-connect/ext/ciba/auth",
    registration_endpoint: "/clients-registrations/openid-connect",
  },
  // https://www.keycloak.org/docs/latest/server_admin/#_client_scopes_protocol: a client has some of them by default.
  scopes: [
    ...["openid", "profile", "email", "address", "phone", "offline_access"],
    ...["roles", "web-origins", "acr", "basic", "microprofile-jwt"],
  ],
  // keycloak-js asks for fragment unless its option responseMode says otherwise.
  responseModes: ["query", "fragment", "form_post"],
  // keycloak/keycloak OIDCWellKnownProvider.DEFAULT_RESPONSE_TYPES_SUPPORTED, without the types with token.
  responseTypes: ["code", "id_token", "code id_token"],
  defaultScope: "profile email",
  // The same section: the mappers of profile and email add to both tokens, those of roles to the access token alone.
  idTokenClaims: "like-userinfo",
  unmappedClaims: "none",
  accessTokenClaims: [
    ...["realm_access", "resource_access", "name", "preferred_username", "given_name", "family_name"],
    ...["email", "email_verified"],
  ],
  // The same section: the scope roles adds the clients of a user's roles to aud, of which every user has account.
  audience: "account",
  alg: "RS256",
  loginPage: "keycloak",
  // keycloak/keycloak OIDCAdvancedConfigWrapper.getPostLogoutRedirectUris: without its attribute, "+", the redirect URIs.
  redirectsAfterLogout: true,
  // keycloak/keycloak TokenManager.encodeTokens: JWSBuilder.type("JWT").
  accessTokenTyp: "JWT",
  // keycloak/keycloak RepresentationToModel.importRealm: accessTokenLifespan, ssoSessionIdleTimeout,
  // ssoSessionMaxLifespan, accessCodeLifespan.
  lifetimes: {
    ...{ code: 60, access_token: 300, id_token: 300, refresh_token: 36000, refresh_token_idle: 1800, session: 36000 },
  },
  // https://www.keycloak.org/docs/latest/server_admin/#_oidc_clients: a client has no PKCE method unless it is set.
  pkce: { insecureAllowMissing: true, insecureAllowPlain: true },
  // keycloak/keycloak TokenManager: a used refresh token stays valid unless the realm revokes it.
  refresh: { reuse: "another" },
  refreshesByDefault: true,
  // keycloak-js lib/keycloak.js decodes a refresh token as a JWT: {"alg":"HS512","typ":"JWT"} and {"typ":"Refresh"}.
  tokenPrefixes: { refresh_token: "eyJhbGciOiJIUzUxMiIsInR5cCI6IkpXVCJ9.eyJ0eXAiOiJSZWZyZXNoIn0." },
};
