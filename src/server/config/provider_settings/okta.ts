import type { ProviderProfile } from "../provider_profile.ts";

/** Okta's custom authorization server `default`: `https://<org>.okta.com/oauth2/default`. */
export const oktaProfile: ProviderProfile = {
  name: "okta",
  loginPage: "okta",
  // Paths, metadata, scopes, alg: the discovery document of such a server, as an integrator published it.
  issuerPath: "/oauth2/default",
  paths: {
    authorization_endpoint: "/v1/authorize",
    token_endpoint: "/v1/token",
    userinfo_endpoint: "/v1/userinfo",
    jwks_uri: "/v1/keys",
    revocation_endpoint: "/v1/revoke",
    introspection_endpoint: "/v1/introspect",
    end_session_endpoint: "/v1/logout",
    device_authorization_endpoint: "/v1/device/authorize",
    pushed_authorization_request_endpoint: "/v1/par",
  },
  // The document lacks this member, and lists a response mode that is not a setting.
  metadata: {
    authorization_response_iss_parameter_supported: null,
    response_modes_supported: ["query", "fragment", "form_post", "okta_post_message"],
  },
  responseModes: ["query", "fragment", "form_post"],
  responseTypes: ["code", "id_token", "code id_token"],
  scopes: ["openid", "profile", "email", "address", "phone", "offline_access", "device_sso"],
  defaultScope: "",
  alg: "RS256",
  // Published tokens: the header has kid and alg alone.
  accessTokenTyp: "none",
  // https://developer.okta.com/docs/guides/request-user-consent/main/ (Verification): phone_number in an ID token.
  idTokenClaims: "like-userinfo",
  // The same page: exp is an hour after iat. https://developer.okta.com/docs/guides/customize-authz-server: an access
  // policy ends no refresh token that is used within seven days.
  lifetimes: { access_token: 3600, id_token: 3600, refresh_token: 315360000, refresh_token_idle: 604800 },
  // okta/okta-auth-js test/support/tokens.js: the default audience of the server `default`.
  audience: "api://default",
  // https://developer.okta.com/docs/guides/refresh-tokens/main/: also the grace period of 30 seconds.
  refresh: { onlyOffline: true, grace: 30 },
};
