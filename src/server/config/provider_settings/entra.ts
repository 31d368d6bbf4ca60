import type { ProviderProfile } from "../provider_profile.ts";

/** Microsoft's sample tenant: https://learn.microsoft.com/style-guide/urls-web-addresses */
const tenant = "aaaabbbb-0000-cccc-1111-dddd2222eeee";

/** Microsoft Entra ID, the Microsoft identity platform v2.0, with one tenant that `common` also leads to. */
export const entraProfile: ProviderProfile = {
  name: "entra",
  loginPage: "entra",
  // docs/identity-platform/v2-protocols-oidc.md
  issuerPath: `/${tenant}/v2.0`,
  origins: {
    issuer: "https://login.microsoftonline.com",
    userinfo_endpoint: "https://graph.microsoft.com",
    // The other names of the same endpoints that msal-common src/authority/AuthorityMetadata.ts lists.
    ...{ login: "https://login.microsoft.com", earlier_login: "https://login.windows.net" },
    sts: "https://sts.windows.net",
  },
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
  metadataMembers: [
    ...["issuer", "authorization_endpoint", "token_endpoint", "userinfo_endpoint", "device_authorization_endpoint"],
    ...["jwks_uri", "end_session_endpoint", "token_endpoint_auth_methods_supported", "response_types_supported"],
    ...["response_modes_supported", "id_token_signing_alg_values_supported", "claims_supported"],
    ...["frontchannel_logout_supported"],
  ],
  // docs/identity-platform/scopes-oidc.md
  scopes: [
    ...["openid", "profile", "email", "offline_access", "User.Read", "https://graph.microsoft.com/User.Read"],
    ...["Mail.Read", "https://graph.microsoft.com/Mail.Read", "https://graph.microsoft.com/.default", ".default"],
  ],
  // docs/identity-platform/v2-protocols-oidc.md#send-a-sign-out-request: it must match a redirect URI of the application.
  redirectsAfterLogout: true,
  defaultScope: "",
  unmappedClaims: "none",
  alg: "RS256",
  // https://learn.microsoft.com/entra/identity-platform/access-token-claims-reference: header claims.
  accessTokenTyp: "JWT",
  responseModes: ["query", "fragment", "form_post"],
  // docs/identity-platform/v2-protocols-oidc.md
  responseTypes: ["code", "id_token", "code id_token"],
  // docs/identity-platform/v2-oauth2-auth-code-flow.md: both methods; single-page applications need one.
  pkce: { insecureAllowPlain: true },
  // docs/identity-platform/refresh-tokens.md: each use returns a new one, and the old one is not revoked; 90 days.
  refresh: { onlyOffline: true, reuse: "another" },
  refreshesByDefault: true,
  lifetimes: { access_token: 3599, id_token: 3599, code: 600, refresh_token: 7776000, refresh_token_idle: 7776000 },
};
