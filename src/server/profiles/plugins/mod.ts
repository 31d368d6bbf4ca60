/** The plugins of the profiles of providers: their shapes, and what data cannot say. */

import type { Plugin } from "../../assembly/plugin.ts";
import type { WithProviders } from "../../config/with_providers.ts";
import type { Server } from "../../oauth/server.ts";
import type { ShapeClaims, TokenShape } from "../../oauth/tokens/override_claims.ts";
import type { ProviderPlugin } from "./provider_plugin.ts";

const github = async () => (await import("./github_api.ts")).githubApi();
const google = async () => (await import("./google.ts")).google();

/** Loads the plugin of a provider, by the name of its profile. */
const loaders: Readonly<Record<string, () => Promise<ProviderPlugin>>> = {
  auth0: async () => (await import("./auth0.ts")).auth0(),
  apple: async () => (await import("./apple_login.ts")).appleLogin(),
  cognito: async () => (await import("./cognito.ts")).cognito(),
  entra: async () => (await import("./entra_tenants.ts")).entraTenants(),
  google,
  "google@2025": google,
  github,
  "github@2025": github,
  keycloak: async () => (await import("./keycloak_quirks.ts")).keycloakQuirks(),
  okta: async () => (await import("./okta_quirks.ts")).oktaQuirks(),
};

/** The plugins of these profiles, the outermost one first, and the form of their tokens. */
export async function providerPlugins(
  { names, ownNames, shapes }: Pick<WithProviders<object>, "names" | "ownNames" | "shapes">,
): Promise<{ readonly plugins: readonly Plugin[]; readonly tokenShape: TokenShape<Server> }> {
  const own = new Set(ownNames.flatMap((name) => Object.hasOwn(loaders, name) ? [loaders[name]!] : []));
  const { shapesPlugin } = await import("./shapes/shapes_plugin.ts");
  const plugins: readonly ProviderPlugin[] = [
    ...await Promise.all([...own].map((load) => load())),
    ...shapes === undefined ? [] : [shapesPlugin(shapes, names.join(", "))],
  ];
  const claims: ShapeClaims<Server> = (server, kind, issued, context) =>
    plugins.reduceRight((shaped, plugin) => plugin.claims?.(server, kind, shaped, context) ?? shaped, issued);
  const issuedClaims = plugins.find((plugin) => plugin.issuedClaims !== undefined)?.issuedClaims;
  return { plugins, tokenShape: { claims, issuedClaims } };
}
