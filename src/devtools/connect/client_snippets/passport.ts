/** Passport with passport-oauth2: a strategy with PKCE and state, which public clients can use too. */

import type { SnippetText } from "./snippet_text.ts";

export const passport: SnippetText = {
  name: "passport",
  library: "Passport",
  placement: "JavaScript, with Express",
  redirectUri: "http://localhost:3000/auth/callback",
  otherRedirectUris: ["http://localhost:3000/auth/latchkey/callback"],
  methods: ["client_secret_post", "none"],
  webScope: [],
  text: `
import OAuth2Strategy from "passport-oauth2";

export const strategy = new OAuth2Strategy(
  {
    authorizationURL: {{authorizeUrl}},
    tokenURL: {{tokenUrl}},
    clientID: {{clientId}},
{{?!secret}}    // A public client: passport-oauth2 sends an empty client_secret all the same.{{/}}
    clientSecret: {{secret}},
    callbackURL: {{redirectUri}},
    scope: [{{scopes}}],
    state: true,
    pkce: true,
  },
  (accessToken, refreshToken, tokens, profile, done) => done(null, { tokens }),
);`,
};
