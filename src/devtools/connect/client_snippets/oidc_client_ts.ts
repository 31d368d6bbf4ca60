/** oidc-client-ts, for applications that run in the browser: a user manager with discovery. */

import type { SnippetText } from "./snippet_text.ts";

export const oidcClientTs: SnippetText = {
  name: "oidc-client-ts",
  library: "oidc-client-ts",
  placement: "JavaScript, in the browser",
  aliases: ["react-oidc-context", "react", "vue"],
  redirectUri: "http://localhost:5173/callback",
  otherRedirectUris: ["http://localhost:5173/", "http://localhost:3000/callback", "http://localhost:3000/"],
  isPublic: true,
  webScope: ["openid"],
  unfit: ({ none }) =>
    none ? undefined : "This library runs in the browser, which cannot keep a secret. Use it with a public client.",
  text: `
import { UserManager } from "oidc-client-ts";

export const manager = new UserManager({
  authority: {{issuer}},
  client_id: {{clientId}},
  redirect_uri: {{redirectUri}},
{{?postLogoutRedirectUri}}  post_logout_redirect_uri: {{postLogoutRedirectUri}},{{/}}
  scope: {{scope}},
  loadUserInfo: true, // name and e-mail address come from userinfo
});

// To begin: await manager.signinRedirect(). At the redirect URI: await manager.signinCallback().`,
};
