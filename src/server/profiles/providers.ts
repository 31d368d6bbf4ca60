/** The list of the profiles of providers. To add one, add its file, its name here, and its rows in the README. */

import type { ProviderProfile } from "../config/provider_profile.ts";
import { keycloak } from "./keycloak.ts";
import { okta } from "./okta.ts";

/** The name of the profile of a provider. */
export type ProviderName = "keycloak" | "okta";

export const providers: Readonly<Record<ProviderName, ProviderProfile>> = { keycloak, okta };
