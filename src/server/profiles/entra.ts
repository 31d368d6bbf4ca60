import type { ProviderProfile } from "../config/provider_profile.ts";
import type { ErrorShape, Members } from "../config/provider_shapes.ts";

/** Microsoft's sample tenant: https://learn.microsoft.com/style-guide/urls-web-addresses */
const tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee";

/**
 * MicrosoftDocs/entra-docs docs/identity-platform/reference-error-codes.md has these numbers, except 7000215 and 90014.
 * Not confirmed: the number for a token request with another redirect URI.
 */
const cases: ErrorShape["cases"] = {
  "CI-06": {
    number: 54005,
    text: "The authorization code was already used. Retry with a new valid code.",
  },
  "PK-09": {
    number: 501481,
    text: "The Code_Verifier does not match the code_challenge of the authorization request.",
  },
  "TK-15": { number: 70004, text: "The redirect URI does not match that of the authorization request." },
  invalid_grant: { number: 70008, text: "The provided authorization code or refresh token has expired or is revoked." },
  // github.com issues of clients: the number of a wrong secret
  invalid_client: { number: 7000215, text: "Invalid client secret provided." },
  unauthorized_client: { number: 70001, text: "The application is disabled or was not found in the directory." },
  unsupported_grant_type: { number: 70003, text: "The app returned an unsupported grant type." },
  unsupported_response_type: { number: 70005, text: "The app returned an unsupported response type." },
  invalid_scope: { number: 70011, text: "The provided value for the input parameter 'scope' is not valid." },
  access_denied: { number: 65004, text: "User declined to consent to access the app." },
  consent_required: { number: 65001, text: "The user or administrator has not consented to use the application." },
  login_required: { number: 50058, text: "A silent sign-in request was sent but no user is signed in." },
  interaction_required: { number: 50058, text: "A silent sign-in request was sent but no user is signed in." },
  "*": { number: 90014 },
};

const described = {
  error_description:
    "AADSTS{number}: {text|error_description} Trace ID: {$uuid} Correlation ID: {$uuid2} Timestamp: {$time}",
};

/** Claims that follow from the profile of the user: docs/identity-platform/id-token-claims-reference.md */
const profileClaims: Members = {
  name: "{name}",
  oid: "{oid|$guid}",
  preferred_username: "{preferred_username|email}",
};
const tokenClaims: Members = {
  ...{ ver: "2.0", nbf: "{iat}", uti: "{$uuid}", roles: "{roles}", groups: "{groups}" },
};

/** Microsoft Entra ID, the Microsoft identity platform v2.0, with one tenant that `common` also leads to. */
export const entra: ProviderProfile = {
  name: "entra",
  // docs/identity-platform/v2-protocols-oidc.md
  issuerPath: `/${tenant}/v2.0`,
  origins: { issuer: "https://login.microsoftonline.com", userinfo_endpoint: "https://graph.microsoft.com" },
  paths: {
    authorization_endpoint: "/../oauth2/v2.0/authorize",
    token_endpoint: "/../oauth2/v2.0/token",
    device_authorization_endpoint: "/../oauth2/v2.0/devicecode",
    end_session_endpoint: "/../oauth2/v2.0/logout",
    jwks_uri: "/../discovery/v2.0/keys",
    userinfo_endpoint: "/../../oidc/userinfo",
  },
  // The published document lacks these members, and has the others.
  metadata: {
    authorization_response_iss_parameter_supported: null,
    subject_types_supported: ["pairwise"],
    scopes_supported: ["openid", "profile", "email", "offline_access"],
    request_uri_parameter_supported: false,
    tenant_region_scope: "NA",
    cloud_instance_name: "microsoftonline.com",
    cloud_graph_host_name: "graph.windows.net",
    msgraph_host: "graph.microsoft.com",
    rbac_url: "https://pas.windows.net",
  },
  // docs/identity-platform/scopes-oidc.md
  scopes: [
    ...["openid", "profile", "email", "offline_access", "User.Read", "https://graph.microsoft.com/User.Read"],
    ...["https://graph.microsoft.com/mail.read", "https://graph.microsoft.com/.default", ".default"],
  ],
  defaultScope: "",
  unmappedClaims: "none",
  alg: "RS256",
  responseModes: ["query", "fragment", "form_post"],
  // docs/identity-platform/v2-protocols-oidc.md
  responseTypes: ["code", "id_token", "code id_token"],
  // docs/identity-platform/v2-oauth2-auth-code-flow.md: both methods; single-page applications need one.
  pkce: { insecureAllowPlain: true },
  // docs/identity-platform/refresh-tokens.md: each use returns a new one, and the old one is not revoked; 90 days.
  refresh: { onlyOffline: true, reuse: "another" },
  lifetimes: { access_token: 3599, id_token: 3600, code: 600, refresh_token: 7776000, refresh_token_idle: 7776000 },
  shapes: {
    metadata: [
      ...["issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "device_authorization_endpoint"],
      ...["jwks_uri", "end_session_endpoint", "token_endpoint_auth_methods_supported", "response_types_supported"],
      ...["response_modes_supported", "id_token_signing_alg_values_supported", "claims_supported"],
      ...["frontchannel_logout_supported"],
    ],
    endpoints: {
      // A published document of keys: no alg.
      jwks_uri: { items: { alg: null } },
      // docs/identity-platform/v2-oauth2-auth-code-flow.md
      token_endpoint: {
        members: { ext_expires_in: "{expires_in}" },
        errors: {
          cases,
          members: {
            ...described,
            error_codes: ["{number}"],
            timestamp: "{$time}",
            trace_id: "{$uuid}",
            correlation_id: "{$uuid2}",
            // The server's own page explains the error of this request.
            error_uri: "{error_uri}",
          },
        },
      },
      authorization_endpoint: { errors: { cases, members: described } },
      graph_me: {
        errors: {
          // https://learn.microsoft.com/graph/errors
          cases: { invalid_token: { code: "InvalidAuthenticationToken" }, "*": { code: "ResourceNotFound" } },
          members: {
            error: { code: "{code}", message: "{error_description}" },
            error_description: null,
            error_uri: null,
          },
        },
      },
    },
    // msal-common src/constants/AADServerParamKeys.ts
    callback: { session_state: "{$uuid}" },
    // The at_hash of ID tokens from the token endpoint: id-token-claims-reference.md
    idToken: { "*": { ...tokenClaims, at_hash: null }, profile: profileClaims, email: { email: "{email}" } },
    // docs/identity-platform/access-token-claims-reference.md
    accessToken: {
      "*": {
        ...{ ...tokenClaims, ...profileClaims, azp: "{client_id}", azpacr: "1", scp: "{scope}" },
        ...{ client_id: null, scope: null },
      },
    },
    // docs/identity-platform/userinfo.md: email_verified is no member.
    userinfo: { email: { email_verified: null } },
  },
};
