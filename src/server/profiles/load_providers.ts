/** Loads the functions of the profiles of providers. */

import type { Plugin } from "../hosting/options.ts";
import type { Deviation, ProviderName } from "../config/provider_profile.ts";
import { providerPlugin } from "./provider_plugin.ts";
import type { Provider } from "./shared/provider.ts";

const github = async () => (await import("./github.ts")).githubProvider();
const google = async () => (await import("./google.ts")).googleProvider();

/** Loads the functions of a provider, by the name of its profile. */
const loaders: Readonly<Record<ProviderName, () => Promise<Provider>>> = {
  apple: async () => (await import("./apple.ts")).appleProvider(),
  auth0: async () => (await import("./auth0.ts")).auth0Provider(),
  cognito: async () => (await import("./cognito.ts")).cognitoProvider(),
  entra: async () => (await import("./entra.ts")).entraProvider(),
  github,
  "github@2025": github,
  google,
  "google@2025": google,
  keycloak: async () => (await import("./keycloak.ts")).keycloakProvider(),
  okta: async () => (await import("./okta.ts")).oktaProvider(),
};

/** Creates the plugin of the profiles of providers. */
export async function loadProviders(
  { names, functions, data }: Deviation,
): Promise<Plugin> {
  return providerPlugin(
    names.join(", "),
    data,
    await Promise.all(functions.map((one) => typeof one === "string" ? loaders[one]() : one)),
  );
}
