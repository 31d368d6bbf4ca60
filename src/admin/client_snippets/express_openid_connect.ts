/** Settings for express-openid-connect. */

import { authMethodUnsupportedReason, joinLines, stringLiteral, webUnsupportedReason } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "express-openid-connect";
const placement = "JavaScript, with Express";

/** The middleware, which has the routes of login, callback and logout. */
export const expressOpenidConnect: SnippetWriter = (info) => {
  const unsupportedReason = webUnsupportedReason(info) ??
    authMethodUnsupportedReason(info, ["client_secret_basic", "client_secret_post"]);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const { origin, pathname, search } = new URL(info.redirectUri!);
  const text = joinLines(
    `import { auth } from "express-openid-connect";`,
    "",
    `// app.use(login): /login starts a login, and request.oidc.user is the user.`,
    `export const login = auth({`,
    `  issuerBaseURL: ${stringLiteral(info.issuer)},`,
    `  baseURL: ${stringLiteral(origin)},`,
    `  routes: { callback: ${stringLiteral(pathname + search)} },`,
    `  clientID: ${stringLiteral(info.clientId)},`,
    `  clientSecret: ${stringLiteral(info.secret ?? "")},`,
    `  clientAuthMethod: ${stringLiteral(info.authMethod)},`,
    `  authorizationParams: { response_type: "code", scope: ${stringLiteral(info.scope.join(" "))} },`,
    `  authRequired: false,`,
    `  secret: crypto.randomUUID(), // of the session; a fixed one keeps users logged in after a restart`,
    `});`,
  );
  const notes = [
    'This library takes the user from the ID token: the setting "idTokenClaims": "like-userinfo" of the server puts ' +
    "name and e-mail address there.",
  ];
  return { library, placement, text, notes };
};
