/** The forms of the login page. */

/**
 * The login pages, by the setting `loginPage`: `latchkey`, which lists the users, and the forms of providers, each with
 * the name of its fields, ids, steps and words. Further names of a provider are other versions of its form.
 */
export const loginPageNames = [
  "latchkey",
  ...["adfs", "adfs-paginated", "apple", "auth0", "auth0-classic", "auth0-classic-username"] as const,
  ...["auth0-identifier-first", "authentik", "authentik-one-page", "cognito", "cognito-managed"] as const,
  ...["cognito-managed-one-page", "dex", "dex-connectors", "dex-no-approval", "duende", "entra", "entra-b2c"] as const,
  ...["entra-b2c-logonidentifier", "entra-b2c-signinname", "entra-no-kmsi", "github", "github-no-consent"] as const,
  ...["google", "google-2019", "google-2021", "google-consent", "identityserver4", "keycloak"] as const,
  ...["keycloak-identifier-first", "keycloak-v1", "keycloak-v1-identifier-first", "mock-oauth2-server"] as const,
  ...["oidc-provider", "okta", "okta-classic", "okta-classic-identifier-first", "okta-classic-passwordless"] as const,
  ...["okta-gen3", "okta-gen3-identifier-first", "okta-identifier-first", "pingfederate"] as const,
  ...["pingfederate-identifier-first", "pingone", "zitadel", "zitadel-v2"] as const,
] as const;

export type LoginPageName = typeof loginPageNames[number];
