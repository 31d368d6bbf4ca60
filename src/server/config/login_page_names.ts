/** The forms of the login page. */

/**
 * The login pages, by the setting `loginPage`: `latchkey`, which lists the users, and the forms of providers, each with
 * the name of its fields, ids, steps and words. A second name of a provider is another generation of its form.
 */
export const loginPageNames = [
  "latchkey",
  ...["adfs", "adfs-paginated", "apple", "auth0", "auth0-classic", "auth0-classic-username"] as const,
  ...["auth0-identifier-first", "authentik", "authentik-one-page", "cognito", "cognito-managed"] as const,
  ...["cognito-managed-one-page", "dex", "dex-connectors", "dex-no-approval", "duende", "entra"] as const,
  ...["entra-b2c", "entra-b2c-logonidentifier", "entra-b2c-signinname", "entra-no-kmsi", "fusionauth"] as const,
  ...["github", "github-no-consent", "google", "google-2019", "google-2021", "google-consent"] as const,
  ...["identityserver4", "keycloak", "keycloak-identifier-first", "keycloak-v1"] as const,
  ...["keycloak-v1-identifier-first", "mock-oauth2-server", "oidc-provider", "okta", "okta-classic"] as const,
  ...["okta-classic-identifier-first", "okta-classic-passwordless", "okta-gen3"] as const,
  ...["okta-gen3-identifier-first", "okta-identifier-first", "onelogin", "pingfederate"] as const,
  ...["pingfederate-identifier-first", "pingone", "zitadel", "zitadel-v2"] as const,
] as const;

export type LoginPageName = typeof loginPageNames[number];
