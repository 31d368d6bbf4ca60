/** Settings for Passport with passport-oauth2. */

import { authMethodUnsupportedReason, joinLines, stringLiteral, webUnsupportedReason } from "./client_info.ts";
import type { SnippetWriter } from "./client_info.ts";

const library = "Passport";
const placement = "JavaScript, with Express";

/** A strategy with PKCE and state, which public clients can use too. */
export const passport: SnippetWriter = (info) => {
  const unsupportedReason = webUnsupportedReason(info, []) ??
    authMethodUnsupportedReason(info, ["none", "client_secret_post"]);
  if (unsupportedReason !== undefined) return { library, placement, notes: [unsupportedReason] };
  const text = joinLines(
    `import OAuth2Strategy from "passport-oauth2";`,
    "",
    `export const strategy = new OAuth2Strategy(`,
    `  {`,
    `    authorizationURL: ${stringLiteral(info.authorize)},`,
    `    tokenURL: ${stringLiteral(info.token)},`,
    `    clientID: ${stringLiteral(info.clientId)},`,
    ...info.secret === undefined
      ? ["    // A public client: passport-oauth2 sends an empty client_secret all the same."]
      : [],
    `    clientSecret: ${stringLiteral(info.secret ?? "")},`,
    `    callbackURL: ${stringLiteral(info.redirectUri!)},`,
    `    scope: ${JSON.stringify(info.scope)},`,
    `    state: true,`,
    `    pkce: true,`,
    `  },`,
    `  (accessToken, refreshToken, tokens, profile, done) => done(null, { tokens }),`,
    `);`,
  );
  return { library, placement, text, notes: [] };
};
