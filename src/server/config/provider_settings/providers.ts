/** The list of the profiles of providers. To add one, add its file, its name here, and its rows in the README. */

import type { ProviderName, ProviderProfile } from "../provider_profile.ts";

export const providers: Readonly<Record<ProviderName, () => Promise<ProviderProfile>>> = {
  apple: async () => (await import("./apple.ts")).appleProfile,
  auth0: async () => (await import("./auth0.ts")).auth0Profile,
  cognito: async () => (await import("./cognito.ts")).cognitoProfile,
  entra: async () => (await import("./entra.ts")).entraProfile,
  github: async () => (await import("./github.ts")).githubProfile,
  "github@2025": async () => (await import("./github.ts")).github2025Profile,
  google: async () => (await import("./google.ts")).googleProfile,
  "google@2025": async () => (await import("./google.ts")).google2025Profile,
  keycloak: async () => (await import("./keycloak.ts")).keycloakProfile,
  okta: async () => (await import("./okta.ts")).oktaProfile,
};
