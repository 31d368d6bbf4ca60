/** Settings for Passport, by passport-oauth2. */

import { endpointOf, lines, literal, unfitForWeb, unfitMethod } from "./about.ts";
import type { WriteSettings } from "./about.ts";

const library = "Passport";
const place = "JavaScript, with Express";

/** A strategy with PKCE and state, which public clients can use too. */
export const passport: WriteSettings = (about) => {
  const unfit = unfitForWeb(about, []) ?? unfitMethod(about, ["none", "client_secret_post"]);
  if (unfit !== undefined) return { library, place, notes: [unfit] };
  const text = lines(
    `import OAuth2Strategy from "passport-oauth2";`,
    "",
    `export const strategy = new OAuth2Strategy(`,
    `  {`,
    `    authorizationURL: ${literal(endpointOf(about, "authorize"))},`,
    `    tokenURL: ${literal(endpointOf(about, "token"))},`,
    `    clientID: ${literal(about.clientId)},`,
    `    clientSecret: ${literal(about.secret ?? "")},`,
    `    callbackURL: ${literal(about.redirectUri!)},`,
    `    scope: ${JSON.stringify(about.scope)},`,
    `    state: true,`,
    `    pkce: true,`,
    `  },`,
    `  (accessToken, refreshToken, tokens, profile, done) => done(null, { tokens }),`,
    `);`,
  );
  return { library, place, text, notes: [] };
};
