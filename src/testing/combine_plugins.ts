/** Several plugins as one. */

import type { Plugin } from "../server/assembly/plugin.ts";

/** One plugin with the functions of several, except for endpoints and links. The first one is the outermost. */
export function combinePlugins(plugins: readonly Plugin[]): Plugin {
  return {
    setup(...assembled) {
      for (const plugin of plugins) plugin.setup?.(...assembled);
    },
    handle: (next) => plugins.reduceRight((inner, plugin) => plugin.handle?.(inner) ?? inner, next),
    extend: (server, context) =>
      plugins.reduceRight((inner, plugin) => plugin.extend?.(inner, context) ?? inner, server),
    onEvent(event, context) {
      for (const plugin of plugins) plugin.onEvent?.(event, context);
    },
    close() {
      for (const plugin of plugins) plugin.close?.();
    },
  };
}
