import type { ProviderProfile } from "../provider_profile.ts";

/** GitHub's OAuth apps and GitHub Apps: OAuth 2.0 without OpenID Connect, at `https://github.com/login/oauth`. */
export const githubProfile: ProviderProfile = {
  name: "github",
  loginPage: "github",
  // github/github-mcp-server issues 921 and 2901: the metadata is at the inserted form of this issuer.
  issuerPath: "/login/oauth",
  origins: { issuer: "https://github.com", github_api: "https://api.github.com" },
  // github/docs content/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps.md, as all below without a source
  paths: {
    authorization_endpoint: "/authorize",
    token_endpoint: "/access_token",
    device_authorization_endpoint: "/../device/code",
  },
  // GitHub has no OpenID Connect, and no other endpoints.
  metadataMembers: [
    ...["issuer", "authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "scopes_supported"],
    ...["response_types_supported", "response_modes_supported", "grant_types_supported"],
    ...["token_endpoint_auth_methods_supported", "code_challenge_methods_supported"],
    "authorization_response_iss_parameter_supported",
  ],
  // content/apps/oauth-apps/building-oauth-apps/scopes-for-oauth-apps.md; no_scope stands for "(no scope)".
  scopes: [
    ...["no_scope", "repo", "repo:status", "repo_deployment", "public_repo", "repo:invite", "security_events"],
    ...["admin:repo_hook", "write:repo_hook", "read:repo_hook", "admin:org", "write:org", "read:org"],
    ...["admin:public_key", "write:public_key", "read:public_key", "admin:org_hook", "gist", "notifications"],
    ...["user", "read:user", "user:email", "user:follow", "project", "read:project", "delete_repo"],
    ...["write:packages", "read:packages", "delete:packages", "admin:gpg_key", "write:gpg_key", "read:gpg_key"],
    ...["codespace", "workflow", "read:audit_log"],
  ],
  defaultScope: "no_scope",
  // The examples of the same page; those of GitHub Apps begin with ghu_.
  accessTokenFormat: "opaque",
  tokenPrefixes: { access_token: "gho_", refresh_token: "ghr_" },
  // content/apps/creating-github-apps/authenticating-with-a-github-app/refreshing-user-access-tokens.md
  lifetimes: { code: 600, access_token: 28800, refresh_token: 15897600, refresh_token_idle: 15897600 },
  refresh: { rotateConfidential: true },
  // The same page requires neither redirect_uri in the token request nor PKCE, whose only method is S256:
  // https://github.blog/changelog/2025-07-14-pkce-support-for-oauth-and-github-app-authentication
  tokenRedirectUri: "optional",
  pkce: { insecureAllowMissing: true },
  // octokit/oauth-methods.js src/utils.ts sends JSON. Parameters may stand in the query: earlier versions of this page.
  accepts: { token_endpoint: ["json", "query"], device_authorization_endpoint: ["json"] },
};

/** GitHub before 2026, whose callbacks have no `iss`: https://github.com/nextauthjs/next-auth/pull/13410 */
export const github2025Profile: ProviderProfile = {
  ...githubProfile,
  name: "github@2025",
  metadata: { authorization_response_iss_parameter_supported: null },
};
