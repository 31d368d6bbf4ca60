import type { ProviderProfile } from "../provider_profile.ts";

/** Sign in with Apple: `https://appleid.apple.com`. */
export const appleProfile: ProviderProfile = {
  name: "apple",
  loginPage: "apple",
  origins: { issuer: "https://appleid.apple.com" },
  // Paths, metadata, scopes: the published discovery document.
  paths: {
    authorization_endpoint: "/auth/authorize",
    token_endpoint: "/auth/token",
    revocation_endpoint: "/auth/revoke",
    jwks_uri: "/auth/keys",
  },
  metadata: {
    authorization_response_iss_parameter_supported: null,
    subject_types_supported: ["pairwise"],
    token_endpoint_auth_methods_supported: ["client_secret_post"],
    claims_supported: [
      ...["aud", "email", "email_verified", "exp", "iat", "is_private_email", "iss", "nonce", "nonce_supported"],
      ...["real_user_status", "sub", "transfer_sub"],
    ],
  },
  metadataMembers: [
    ...["issuer", "authorization_endpoint", "token_endpoint", "revocation_endpoint", "jwks_uri", "scopes_supported"],
    ...["response_types_supported", "response_modes_supported", "id_token_signing_alg_values_supported"],
  ],
  scopes: ["openid", "email", "name"],
  defaultScope: "",
  unmappedClaims: "none",
  idTokenClaims: "like-userinfo",
  alg: "RS256",
  responseModes: ["query", "fragment", "form_post"],
  // better-auth packages/core/src/social-providers/apple.ts
  responseTypes: ["code", "code id_token"],
  // The response to a code: https://developer.apple.com/documentation/signinwithapplerestapi/tokenresponse
  accessTokenFormat: "opaque",
  lifetimes: { access_token: 3600, id_token: 86400, refresh_token: 315360000, refresh_token_idle: 315360000 },
  refresh: { reuse: "same" },
  refreshesByDefault: true,
};
