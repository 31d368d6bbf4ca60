import type { ProviderProfile } from "../provider_profile.ts";

/** A user pool of Amazon Cognito with its hosted pages: `https://cognito-idp.<region>.amazonaws.com/<pool>`. */
export const cognitoProfile: ProviderProfile = {
  name: "cognito",
  loginPage: "cognito",
  // awsdocs/amazon-cognito-developer-guide doc_source/token-endpoint.md names this pool.
  issuerPath: "/us-east-1_example",
  origins: {
    issuer: "https://cognito-idp.us-east-1.amazonaws.com",
    authorization_endpoint: "https://mydomain.auth.us-east-1.amazoncognito.com",
    token_endpoint: "https://mydomain.auth.us-east-1.amazoncognito.com",
    userinfo_endpoint: "https://mydomain.auth.us-east-1.amazoncognito.com",
    revocation_endpoint: "https://mydomain.auth.us-east-1.amazoncognito.com",
    end_session_endpoint: "https://mydomain.auth.us-east-1.amazoncognito.com",
  },
  // Paths, metadata: the published discovery document.
  paths: {
    authorization_endpoint: "/../oauth2/authorize",
    token_endpoint: "/../oauth2/token",
    userinfo_endpoint: "/../oauth2/userInfo",
    revocation_endpoint: "/../oauth2/revoke",
    end_session_endpoint: "/../logout",
    jwks_uri: "/.well-known/jwks.json",
  },
  metadata: {
    authorization_response_iss_parameter_supported: null,
    response_types_supported: ["code", "token"],
    token_endpoint_auth_methods_supported: ["client_secret_basic", "client_secret_post"],
  },
  metadataMembers: [
    ...["issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "revocation_endpoint", "jwks_uri"],
    ...["end_session_endpoint", "scopes_supported", "subject_types_supported"],
    "id_token_signing_alg_values_supported",
  ],
  // doc_source/authorization-endpoint.md
  scopes: ["openid", "email", "phone", "profile", "aws.cognito.signin.user.admin"],
  defaultScope: "openid email phone profile aws.cognito.signin.user.admin",
  unmappedClaims: "none",
  idTokenClaims: "like-userinfo",
  alg: "RS256",
  // doc_source/amazon-cognito-user-pools-using-the-access-token.md: the header has kid and alg alone.
  accessTokenTyp: "none",
  responseModes: ["query"],
  // The same page: a challenge is optional, and rejected without its method, which is S256.
  pkce: { requireMethod: true, insecureAllowMissing: true },
  // doc_source/token-endpoint.md: the response to a refresh has no refresh token.
  refresh: { reuse: "same" },
  refreshesByDefault: true,
  lifetimes: { code: 300, access_token: 3600, id_token: 3600, refresh_token: 2592000, refresh_token_idle: 2592000 },
};
