/** The forms of the login page. */

/**
 * The login pages, by the setting `loginPage`: `latchkey`, which lists the users, and the forms of providers, each with
 * the name of its fields, ids, steps and words. A second name of a provider is another generation of its form.
 */
export const loginPageNames = [
  "latchkey",
  ...["apple", "auth0", "auth0-classic", "auth0-identifier-first", "authentik", "cognito", "cognito-managed"] as const,
  ...["dex", "dex-no-approval", "duende", "entra", "entra-b2c", "entra-b2c-logonidentifier"] as const,
  ...["entra-b2c-signinname", "github", "google", "identityserver4", "keycloak", "keycloak-v1"] as const,
  ...["mock-oauth2-server", "okta", "okta-classic", "zitadel"] as const,
] as const;

/** The name of a login page. */
export type LoginPageName = typeof loginPageNames[number];
