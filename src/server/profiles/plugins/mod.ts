/** The plugins of the profiles of providers: their shapes, and what data cannot say. */

import type { Plugin } from "../../assembly/plugin.ts";
import type { WithProviders } from "../../config/with_providers.ts";

const github = async () => (await import("./github_api.ts")).githubApi();
const google = async () => (await import("./google.ts")).google();

/** Loads the plugin of a provider, by the name of its profile. */
const loaders: Readonly<Record<string, () => Promise<Plugin>>> = {
  auth0: async () => (await import("./auth0.ts")).auth0(),
  apple: async () => (await import("./apple_login.ts")).appleLogin(),
  cognito: async () => (await import("./cognito_logout.ts")).cognitoLogout(),
  entra: async () => (await import("./entra_tenants.ts")).entraTenants(),
  google,
  "google@2025": google,
  github,
  "github@2025": github,
  keycloak: async () => (await import("./keycloak_quirks.ts")).keycloakQuirks(),
  okta: async () => (await import("./okta_quirks.ts")).oktaQuirks(),
};

/** The plugins of these profiles; the first one is the outermost. */
export async function providerPlugins(
  { names, ownNames, shapes }: Pick<WithProviders<object>, "names" | "ownNames" | "shapes">,
): Promise<Plugin[]> {
  const own = new Set(ownNames.flatMap((name) => Object.hasOwn(loaders, name) ? [loaders[name]!] : []));
  const { shapesPlugin } = await import("./shapes/shapes_plugin.ts");
  return [
    ...await Promise.all([...own].map((load) => load())),
    ...shapes === undefined ? [] : [shapesPlugin(shapes, names.join(", "))],
  ];
}
