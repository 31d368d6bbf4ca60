/** Auth.js (NextAuth 5): a custom provider, whose ID is the last path segment of the redirect URI. */

import type { SnippetText } from "./snippet_text.ts";

export const authJs: SnippetText = {
  name: "auth.js",
  library: "Auth.js",
  placement: "JavaScript: the list of providers in auth.js",
  aliases: ["next-auth", "nextjs", "sveltekit"],
  redirectUri: "http://localhost:3000/api/auth/callback/latchkey",
  otherRedirectUris: [
    "http://localhost:3000/auth/callback/latchkey", // Express
    "http://localhost:5173/auth/callback/latchkey", // SvelteKit
  ],
  methods: ["client_secret_basic", "client_secret_post", "none"],
  webScope: ["openid"],
  derive: ({ redirectPath }) => ({ providerId: /\/callback\/([A-Za-z0-9_-]+)$/.exec(String(redirectPath))?.[1] }),
  text: `
export const providers = [
  {
{{?providerId}}    id: {{providerId}},{{/}}
{{?!providerId}}    id: "latchkey",{{/}}
    name: "Latchkey",
    type: "oidc",
    issuer: {{issuer}},
    clientId: {{clientId}},
{{?secret}}    clientSecret: {{secret}},{{/}}
{{?!client_secret_basic}}    client: { token_endpoint_auth_method: {{authMethod}} },{{/}}
    idToken: false, // name and e-mail address come from userinfo
    authorization: { params: { scope: {{scope}} } },
    checks: ["pkce", "state", "nonce"],
  },
];`,
  notes: `
{{?!providerId}}The redirect URI of Auth.js is /api/auth/callback/latchkey in Next.js and /auth/callback/latchkey elsewhere; none is registered for this client.{{/}}`,
};
