/** Settings for express-openid-connect. */

import { authMethodUnsupportedReason, joinLines, stringLiteral, webUnsupportedReason } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "express-openid-connect";
const placement = "JavaScript, with Express";

/** The middleware, which has the routes of login, callback and logout. It takes the user from the ID token. */
export const expressOpenidConnect: SnippetWriter = (info) => {
  const unsupportedReason = webUnsupportedReason(info) ??
    authMethodUnsupportedReason(info, ["client_secret_basic", "client_secret_post"]);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const { origin, pathname, search } = new URL(info.redirectUri!);
  const text = joinLines(
    `import { auth } from "express-openid-connect";`,
    "",
    `export const login = auth({`,
    `  issuerBaseURL: ${stringLiteral(info.issuer)},`,
    `  baseURL: ${stringLiteral(origin)},`,
    `  routes: { callback: ${stringLiteral(pathname + search)} },`,
    `  clientID: ${stringLiteral(info.clientId)},`,
    `  clientSecret: ${stringLiteral(info.secret ?? "")},`,
    info.authMethod !== "client_secret_basic" && `  clientAuthMethod: ${stringLiteral(info.authMethod)},`,
    `  authorizationParams: { response_type: "code", scope: ${stringLiteral(info.scope.join(" "))} },`,
    `  authRequired: false,`,
    `  secret: crypto.randomUUID(),`,
    `});`,
  );
  const hasFurtherClaims = info.scope.some((value) => value === "profile" || value === "email");
  const notes = hasFurtherClaims
    ? [
      "req.oidc.user has the claims of the ID token; req.oidc.fetchUserInfo() returns the others, such as name and email.",
    ]
    : [];
  return { library, placement, text, notes };
};
