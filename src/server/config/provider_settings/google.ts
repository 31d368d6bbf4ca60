import type { ProviderProfile } from "../provider_profile.ts";

const emailScope = "https://www.googleapis.com/auth/userinfo.email";
const profileScope = "https://www.googleapis.com/auth/userinfo.profile";

/** Google's OpenID Connect, with applications of a web server: `https://accounts.google.com`. */
export const googleProfile: ProviderProfile = {
  name: "google",
  loginPage: "google",
  // https://developers.google.com/identity/openid-connect/openid-connect: origins, paths, scopes, claims, alg.
  origins: {
    issuer: "https://accounts.google.com",
    token_endpoint: "https://oauth2.googleapis.com",
    revocation_endpoint: "https://oauth2.googleapis.com",
    device_authorization_endpoint: "https://oauth2.googleapis.com",
    userinfo_endpoint: "https://openidconnect.googleapis.com",
    jwks_uri: "https://www.googleapis.com",
    // The APIs of the samples and quick starts of googleapis/google-api-nodejs-client.
    google_docs: "https://docs.googleapis.com",
    google_drive: "https://drive.googleapis.com",
    google_gmail: "https://gmail.googleapis.com",
    google_people: "https://people.googleapis.com",
    google_photos: "https://photoslibrary.googleapis.com",
    google_sheets: "https://sheets.googleapis.com",
    google_slides: "https://slides.googleapis.com",
    google_tasks: "https://tasks.googleapis.com",
    google_youtube: "https://youtube.googleapis.com",
  },
  paths: {
    authorization_endpoint: "/o/oauth2/v2/auth",
    token_endpoint: "/token",
    userinfo_endpoint: "/v1/userinfo",
    jwks_uri: "/oauth2/v3/certs",
    device_authorization_endpoint: "/device/code",
  },
  // Values of the published document; `metadataMembers` has its other members.
  metadata: {
    scopes_supported: ["openid", "email", "profile"],
    code_challenge_methods_supported: ["plain", "S256"],
    token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
  },
  metadataMembers: [
    ...["issuer", "authorization_endpoint", "device_authorization_endpoint", "token_endpoint", "userinfo_endpoint"],
    ...["revocation_endpoint", "jwks_uri", "response_types_supported", "response_modes_supported"],
    ...["subject_types_supported", "id_token_signing_alg_values_supported", "claims_supported"],
    ...["grant_types_supported", "authorization_response_iss_parameter_supported"],
  ],
  // https://accounts.google.com/.well-known/openid-configuration, without the types with token.
  responseTypes: ["code", "id_token", "code id_token"],
  scopes: ["openid", "email", "profile", emailScope, profileScope],
  defaultScope: "",
  claims: {
    [emailScope]: ["email", "email_verified", "hd"],
    [profileScope]: ["name", "given_name", "family_name", "picture"],
    email: ["hd"],
  },
  unmappedClaims: "none",
  idTokenClaims: "like-userinfo",
  alg: "RS256",
  accessTokenFormat: "opaque",
  // The published document lists both; google-auth-library-nodejs src/auth/oauth2client.ts sends none by default.
  pkce: { insecureAllowMissing: true, insecureAllowPlain: true },
  // https://developers.google.com/identity/protocols/oauth2#expiration: unused refresh tokens expire after six months.
  lifetimes: { access_token: 3599, id_token: 3600, refresh_token: 315360000, refresh_token_idle: 15552000 },
  // googleapis/google-auth-library-nodejs src/auth/oauth2client.ts: the response to a refresh has no refresh token.
  refresh: { reuse: "same" },
  refreshesByDefault: true,
  // https://developers.google.com/identity/protocols/oauth2/web-server: the examples
  tokenPrefixes: { code: "4/0A", access_token: "ya29.", refresh_token: "1//0" },
  accepts: {
    // passport-google-oauth20 lib/strategy.js sends the token in the query.
    userinfo_endpoint: ["query"],
    google_userinfo: ["query"],
    // Not documented; published applications send JSON.
    token_endpoint: ["json"],
  },
};

/** Google before 2026, whose callbacks have no `iss`: https://github.com/openiddict/openiddict-core/issues/2428 */
export const google2025Profile: ProviderProfile = {
  ...googleProfile,
  name: "google@2025",
  metadata: { ...googleProfile.metadata, authorization_response_iss_parameter_supported: null },
};
