/** Settings for Auth.js (NextAuth 5). */

import { authMethodUnsupportedReason, joinLines, stringLiteral, webUnsupportedReason } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "Auth.js";
const placement = "JavaScript: the list of providers in auth.js";

/** A custom provider; its ID is the last path segment of the redirect URI. */
export const authJs: SnippetWriter = (info) => {
  const unsupportedReason = webUnsupportedReason(info) ??
    authMethodUnsupportedReason(info, ["none", "client_secret_basic", "client_secret_post"]);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const id = /\/callback\/([A-Za-z0-9_-]+)$/.exec(new URL(info.redirectUri!).pathname)?.[1];
  const text = joinLines(
    `export const providers = [`,
    `  {`,
    `    id: ${stringLiteral(id ?? "latchkey")},`,
    `    name: "Latchkey",`,
    `    type: "oidc",`,
    `    issuer: ${stringLiteral(info.issuer)},`,
    `    clientId: ${stringLiteral(info.clientId)},`,
    info.secret !== undefined && `    clientSecret: ${stringLiteral(info.secret)},`,
    info.authMethod !== "client_secret_basic" &&
      `    client: { token_endpoint_auth_method: ${stringLiteral(info.authMethod)} },`,
    `    idToken: false, // name and e-mail address come from userinfo`,
    `    authorization: { params: { scope: ${stringLiteral(info.scope.join(" "))} } },`,
    `    checks: ["pkce", "state", "nonce"],`,
    `  },`,
    `];`,
  );
  const notes = id === undefined
    ? [
      "The redirect URI of Auth.js is /api/auth/callback/latchkey in Next.js and /auth/callback/latchkey elsewhere; none is registered for this client.",
    ]
    : [];
  return { library, placement, text, notes };
};
