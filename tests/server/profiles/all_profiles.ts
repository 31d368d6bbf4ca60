/** The profiles of all providers, loaded. */

import type { ProviderName, ProviderProfile } from "../../../src/server/config/provider_profile.ts";
import { providers } from "../../../src/server/config/provider_settings/providers.ts";

const loaded = Object.entries(providers).map(async ([name, load]) => [name, await load()] as const);

/** By name. */
export const providerProfiles = Object.fromEntries(await Promise.all(loaded)) as Readonly<
  Record<ProviderName, ProviderProfile>
>;
