/** The plugin of the profile of a provider. */

import type { Plugin } from "../../assembly/plugin.ts";
import type { Server } from "../../oauth/server.ts";
import type { TokenShape } from "../../oauth/tokens/override_claims.ts";

/** A plugin, and the form of the provider's tokens, also of those that are issued outside of a request. */
export interface ProviderPlugin extends Plugin, Partial<TokenShape<Server>> {}
