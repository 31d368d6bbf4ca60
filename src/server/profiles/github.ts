import type { ProviderProfile } from "../config/provider_profile.ts";

/** Where a troubleshooting page of GitHub explains an error. */
const docs = "https://docs.github.com/apps/managing-oauth-apps/troubleshooting";
const tokenErrors = `${docs}-oauth-app-access-token-request-errors/#`;

/** The members of the metadata: GitHub has no OpenID Connect, and no other endpoints. */
const metadataMembers = [
  ...["issuer", "authorization_endpoint", "token_endpoint", "device_authorization_endpoint", "scopes_supported"],
  ...["response_types_supported", "response_modes_supported", "grant_types_supported"],
  ...["token_endpoint_auth_methods_supported", "code_challenge_methods_supported"],
  "authorization_response_iss_parameter_supported",
];

/** GitHub's OAuth apps and GitHub Apps: OAuth 2.0 without OpenID Connect, at `https://github.com/login/oauth`. */
export const github: ProviderProfile = {
  name: "github",
  // github/github-mcp-server issues 921 and 2901: the metadata is at the inserted form of this issuer.
  issuerPath: "/login/oauth",
  origins: { issuer: "https://github.com", github_api: "https://api.github.com" },
  // github/docs content/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps.md, as all below without a source
  paths: {
    authorization_endpoint: "/authorize",
    token_endpoint: "/access_token",
    device_authorization_endpoint: "/../device/code",
  },
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
  shapes: {
    metadata: metadataMembers,
    endpoints: {
      authorization_endpoint: {
        // The documented parameters lack response_type. octokit/oauth-authorization-url.js joins scopes with commas.
        parameters: { response_type: "code" },
        scopeSeparator: ",",
      },
      token_endpoint: {
        // The documented parameters lack grant_type. octokit/oauth-methods.js src/utils.ts sends JSON. Parameters may
        // stand in the query: the examples of earlier versions of this page.
        parameters: { grant_type: "authorization_code" },
        accepts: ["json", "query"],
        format: "form",
        scopeSeparator: ",",
        hiddenScope: "no_scope",
        members: { token_type: "bearer" },
        // Tokens of OAuth apps do not expire; those of GitHub Apps do, and have refresh tokens.
        ifPresent: { refresh_token: { refresh_token_expires_in: 15897600 } },
        ifAbsent: { refresh_token: { expires_in: null } },
        // octokit/oauth-methods.js src/exchange-web-flow-code.ts computes the end of a token from this header.
        headers: { date: "{$date}" },
        errors: {
          // octokit/oauth-methods.js src/utils.ts: "error" in the data of a successful response
          status: 200,
          // content/apps/oauth-apps/maintaining-oauth-apps/troubleshooting-oauth-app-access-token-request-errors.md
          cases: {
            invalid_client: {
              error: "incorrect_client_credentials",
              error_description: "The client_id and/or client_secret passed are incorrect.",
              docs: `${tokenErrors}incorrect-client-credentials`,
            },
            "TK-15": {
              error: "redirect_uri_mismatch",
              error_description: "The redirect_uri MUST match the registered callback URL for this application.",
              docs: `${tokenErrors}redirect-uri-mismatch`,
            },
            invalid_grant: {
              error: "bad_verification_code",
              error_description: "The code passed is incorrect or expired.",
              docs: `${tokenErrors}bad-verification-code`,
            },
            "RT-02": {
              error: "bad_refresh_token",
              error_description: "The refresh token passed is incorrect or expired.",
            },
            "RT-04": {
              error: "bad_refresh_token",
              error_description: "The refresh token passed is incorrect or expired.",
            },
            "RT-07": {
              error: "bad_refresh_token",
              error_description: "The refresh token passed is incorrect or expired.",
            },
          },
          members: {
            error: "{error}",
            error_description: "{error_description}",
            // The server's own page explains the error of this request.
            error_uri: "{error_uri|docs}",
          },
        },
      },
      device_authorization_endpoint: { accepts: ["json"], format: "form", scopeSeparator: "," },
      github_api: {
        errors: {
          // content/rest/overview/troubleshooting.md
          cases: {
            invalid_token: { message: "Bad credentials", status: "401" },
            invalid_client: { message: "Bad credentials", status: "401" },
            "*": { message: "Not Found", status: "404" },
          },
          members: {
            message: "{message}",
            documentation_url: "https://docs.github.com/rest",
            status: "{status}",
            error: null,
            error_description: null,
            error_uri: null,
          },
        },
      },
    },
  },
};

/** GitHub before 2026, whose callbacks have no `iss`: https://github.com/nextauthjs/next-auth/pull/13410 */
export const github2025: ProviderProfile = {
  ...github,
  name: "github@2025",
  metadata: { authorization_response_iss_parameter_supported: null },
};
