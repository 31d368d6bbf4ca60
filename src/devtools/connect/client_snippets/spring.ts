/** Spring Security in Spring Boot: a registration and its provider. */

import type { SnippetText } from "./snippet_text.ts";

const path = "/login/oauth2/code/latchkey";

export const spring: SnippetText = {
  name: "spring",
  library: "Spring Boot",
  placement: "The file application.yml",
  redirectUri: `http://localhost:8080${path}`,
  methods: ["client_secret_basic", "client_secret_post", "none"],
  webScope: ["openid"],
  unfit: ({ clientId, redirectUri, scope }) =>
    /\$\{/.test(`${clientId}${redirectUri}${scope}`) || /[{}]/.test(String(redirectUri))
      ? "Spring replaces text between braces, and values of this client contain braces."
      : undefined,
  derive: ({ redirectPath }) => ({ hasDefaultPath: redirectPath === path }),
  text: `
spring:
  security:
    oauth2:
      client:
        registration:
          latchkey:
            client-id: {{clientId}}
{{?secret}}            client-secret: {{secret}}{{/}}
            client-authentication-method: {{authMethod}}
            authorization-grant-type: authorization_code
            redirect-uri: {{redirectUri}}
            scope: [{{scopes}}]
        provider:
          latchkey:
            issuer-uri: {{issuer}}`,
  notes: `
{{?!hasDefaultPath}}The default redirect URI of Spring is ${path}: register it, or set the base URI of the redirection endpoint.{{/}}`,
};
