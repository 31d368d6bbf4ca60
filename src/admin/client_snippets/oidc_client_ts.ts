/** Settings for oidc-client-ts, for applications that run in the browser. */

import { lines, literal, unfitForWeb } from "./about.ts";
import type { WriteSettings } from "./about.ts";

const library = "oidc-client-ts";
const place = "JavaScript, in the browser";

/** A user manager that finds the rest by discovery. */
export const oidcClientTs: WriteSettings = (about) => {
  const unfit = unfitForWeb(about) ??
    (about.authMethod === "none"
      ? undefined
      : "This library runs in the browser, where a secret would be everybody's. It is for public clients.");
  if (unfit !== undefined) return { library, place, notes: [unfit] };
  const text = lines(
    `import { UserManager } from "oidc-client-ts";`,
    "",
    `export const manager = new UserManager({`,
    `  authority: ${literal(about.issuer)},`,
    `  client_id: ${literal(about.clientId)},`,
    `  redirect_uri: ${literal(about.redirectUri!)},`,
    about.postLogoutRedirectUri !== undefined &&
      `  post_logout_redirect_uri: ${literal(about.postLogoutRedirectUri)},`,
    `  scope: ${literal(about.scope.join(" "))},`,
    `  loadUserInfo: true, // name and e-mail address come from userinfo`,
    `});`,
    "",
    `// To begin: await manager.signinRedirect(). At the redirect URI: await manager.signinCallback().`,
  );
  return { library, place, text, notes: [] };
};
