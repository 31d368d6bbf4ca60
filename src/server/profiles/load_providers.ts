/** Loads the functions of the profiles of providers. */

import type { Plugin } from "../hosting/options.ts";
import type { Deviation } from "./provider_profile.ts";
import { providerPlugin } from "./provider_plugin.ts";
import type { ProviderName } from "./provider_profile.ts";
import type { Provider } from "./shared/provider.ts";

const github = async () => (await import("./github.ts")).github();
const google = async () => (await import("./google.ts")).google();

/** Loads the functions of a provider, by the name of its profile. */
const loaders: Readonly<Record<ProviderName, () => Promise<Provider>>> = {
  apple: async () => (await import("./apple.ts")).apple(),
  auth0: async () => (await import("./auth0.ts")).auth0(),
  cognito: async () => (await import("./cognito.ts")).cognito(),
  entra: async () => (await import("./entra.ts")).entra(),
  github,
  "github@2025": github,
  google,
  "google@2025": google,
  keycloak: async () => (await import("./keycloak.ts")).keycloak(),
  okta: async () => (await import("./okta.ts")).okta(),
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
