/** express-openid-connect: the routes of login, callback and logout. It takes the user from the ID token. */

import type { SnippetText } from "./snippet_text.ts";

export const expressOpenidConnect: SnippetText = {
  name: "express-openid-connect",
  library: "express-openid-connect",
  placement: "JavaScript, with Express",
  aliases: ["express"],
  redirectUri: "http://localhost:3000/callback",
  methods: ["client_secret_basic", "client_secret_post"],
  webScope: ["openid"],
  derive: ({ scope }) => ({ hasFurtherClaims: /\b(?:profile|email)\b/.test(String(scope)) }),
  text: `
import { auth } from "express-openid-connect";

export const login = auth({
  issuerBaseURL: {{issuer}},
  baseURL: {{redirectOrigin}},
  routes: { callback: {{redirectPath}} },
  clientID: {{clientId}},
  clientSecret: {{secret}},
{{?!client_secret_basic}}  clientAuthMethod: {{authMethod}},{{/}}
  authorizationParams: { response_type: "code", scope: {{scope}} },
  authRequired: false,
  secret: crypto.randomUUID(),
});`,
  notes: `
{{?hasFurtherClaims}}req.oidc.user has the claims of the ID token; req.oidc.fetchUserInfo() returns the others, such as name and email.{{/}}`,
};
