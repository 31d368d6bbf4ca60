/** The forms of the login page. */

/**
 * The login pages, by the setting `loginPage`: `latchkey`, which lists the users, and the forms of providers, each with
 * the name of its fields, ids, steps and words. A second name of a provider is another generation of its form.
 */
export const loginPageNames = [
  "latchkey",
  ...["apple", "auth0", "auth0-classic", "auth0-classic-username", "auth0-identifier-first"] as const,
  ...["authentik", "cognito", "cognito-managed", "dex", "dex-connectors"] as const,
  ...["dex-no-approval", "duende", "entra", "entra-b2c", "entra-b2c-logonidentifier"] as const,
  ...["entra-b2c-signinname", "entra-no-kmsi", "github", "google", "google-2019", "identityserver4"] as const,
  ...["keycloak", "keycloak-v1", "mock-oauth2-server", "oidc-provider", "okta"] as const,
  ...["okta-classic", "okta-classic-identifier-first", "okta-identifier-first", "zitadel"] as const,
] as const;

/** The name of a login page. */
export type LoginPageName = typeof loginPageNames[number];
