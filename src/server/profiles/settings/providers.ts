/** The list of the profiles of providers. To add one, add its file, its name here, and its rows in the README. */

import type { ProviderName, ProviderProfile } from "../provider_profile.ts";

/** Loads the profile of a provider, by its name. */
export const providers: Readonly<Record<ProviderName, () => Promise<ProviderProfile>>> = {
  apple: async () => (await import("./apple.ts")).apple,
  auth0: async () => (await import("./auth0.ts")).auth0,
  cognito: async () => (await import("./cognito.ts")).cognito,
  entra: async () => (await import("./entra.ts")).entra,
  github: async () => (await import("./github.ts")).github,
  "github@2025": async () => (await import("./github.ts")).github2025,
  google: async () => (await import("./google.ts")).google,
  "google@2025": async () => (await import("./google.ts")).google2025,
  keycloak: async () => (await import("./keycloak.ts")).keycloak,
  okta: async () => (await import("./okta.ts")).okta,
};
