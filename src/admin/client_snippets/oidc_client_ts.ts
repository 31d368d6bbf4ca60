/** Settings for oidc-client-ts, for applications that run in the browser. */

import { joinLines, stringLiteral, webUnsupportedReason } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "oidc-client-ts";
const placement = "JavaScript, in the browser";

/** A user manager with discovery. */
export const oidcClientTs: SnippetWriter = (info) => {
  const unsupportedReason = webUnsupportedReason(info) ??
    (info.authMethod === "none"
      ? undefined
      : "This library runs in the browser, which cannot keep a secret. Use it with a public client.");
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const text = joinLines(
    `import { UserManager } from "oidc-client-ts";`,
    "",
    `export const manager = new UserManager({`,
    `  authority: ${stringLiteral(info.issuer)},`,
    `  client_id: ${stringLiteral(info.clientId)},`,
    `  redirect_uri: ${stringLiteral(info.redirectUri!)},`,
    info.postLogoutRedirectUri !== undefined &&
      `  post_logout_redirect_uri: ${stringLiteral(info.postLogoutRedirectUri)},`,
    `  scope: ${stringLiteral(info.scope.join(" "))},`,
    `  loadUserInfo: true, // name and e-mail address come from userinfo`,
    `});`,
    "",
    `// To begin: await manager.signinRedirect(). At the redirect URI: await manager.signinCallback().`,
  );
  return { library, placement, text, notes: [] };
};
