/** Several plugins as one. */

import type { Plugin } from "../server/hosting/options.ts";

/** One plugin with the functions of several, except for endpoints. The first one is the outermost. */
export function combinePlugins(plugins: readonly Plugin[]): Plugin {
  return {
    setup(app, changes) {
      for (const plugin of plugins) plugin.setup?.(app, changes);
    },
    handle: (next) => plugins.reduceRight((inner, plugin) => plugin.handle?.(inner) ?? inner, next),
    extend: (server) => plugins.reduceRight((inner, plugin) => plugin.extend?.(inner) ?? inner, server),
    forRequest(server, context) {
      for (const plugin of plugins.toReversed()) plugin.forRequest?.(server, context);
    },
    onEvent(event, context) {
      for (const plugin of plugins) plugin.onEvent?.(event, context);
    },
    close() {
      for (const plugin of plugins) plugin.close?.();
    },
  };
}
