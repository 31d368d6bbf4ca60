/** The server as plugins extend it. */

import { immediate, withImmediateFunctions } from "../../core/immediate.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Plugin } from "./options.ts";

/** The server with the members that plugins replace, the first plugin outermost. */
export function withPlugins(server: HostedServer, plugins: readonly Plugin[]): HostedServer {
  return plugins.reduceRight((inner, plugin) => {
    const outer = immediate("extend of a plugin", plugin.extend?.(inner));
    return outer === undefined ? inner : withImmediateFunctions(inner, outer, "a plugin");
  }, server);
}
