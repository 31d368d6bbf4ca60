/** The functions of a built-in profile: those that every profile can have, and some of a plugin. */

import type { App } from "../../app.ts";
import type { Plugin } from "../../hosting/options.ts";
import type { ProviderFunctions } from "../../config/provider_functions.ts";
import type { HostedServer } from "../../hosted_server.ts";

/** The functions of a provider. `handle` gets a request before all others, and the response after them. */
export interface Provider
  extends
    ProviderFunctions<HostedServer>,
    Pick<Plugin, "setup" | "routes" | "extend" | "approve" | "forRequest" | "handle"> {
  /** The path at which the server serves a request. Default: the path of the request. */
  path?(path: string, app: App): string;
}
