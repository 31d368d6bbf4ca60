/** The values as environment variables, for a library that is not in the list. */

import type { SnippetText } from "./snippet_text.ts";

export const envFile: SnippetText = {
  name: "env",
  library: ".env",
  placement: "Environment variables",
  redirectUri: "http://localhost:3000/callback",
  demands: ["par", "jar", "jarm", "dpop"],
  // A shell and the parsers of such files read no variable and no escape between single quotes.
  quote: (text) => text.includes("'") ? `"${text.replaceAll(/[\\"$\x60]/g, "\\$&")}"` : `'${text}'`,
  text: `
OIDC_ISSUER={{issuer}}
OIDC_CLIENT_ID={{clientId}}
{{?secret}}OIDC_CLIENT_SECRET={{secret}}{{/}}
OIDC_TOKEN_ENDPOINT_AUTH_METHOD={{authMethod}}
{{?redirectUri}}OIDC_REDIRECT_URI={{redirectUri}}{{/}}
OIDC_SCOPE={{scope}}`,
};
