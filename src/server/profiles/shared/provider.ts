/** What the functions of a provider of this server have besides those of a profile of a program. */

import type { App } from "../../assembly/context.ts";
import type { Plugin } from "../../assembly/plugin.ts";
import type { ProviderFunctions } from "../provider_functions.ts";
import type { Server } from "../../oauth/server.ts";

/** The functions of a provider. `handle` is outside of all others. */
export interface Provider extends ProviderFunctions<Server>, Pick<Plugin, "setup" | "routes" | "extend" | "handle"> {
  /** The path at which the server serves a request. Default: that of the request. */
  path?(path: string, app: App): string;
}
