/** The endpoint of the style sheets and scripts of a plugin's pages. */

import type { Asset } from "../pages/asset.ts";
import type { Site } from "../pages/layout.tsx";
import type { Endpoint } from "../endpoint.ts";

/**
 * Serves the files below `/static/{folder}/`.
 *
 * @param load Loads them at the first request, by their names.
 */
export function staticEndpoint(
  { base }: Pick<Site, "base">,
  folder: string,
  load: () => Promise<{ readonly assets: Readonly<Record<string, Asset>> }>,
): Endpoint {
  return {
    name: `static_${folder}`,
    path: `${base}/static/${folder}/*`,
    methods: ["GET"],
    caller: "browser",
    title: "Static file",
    errors: "page",
    async load() {
      const [{ pluginAssets }, { assets }] = await Promise.all([import("./static_files.ts"), load()]);
      return pluginAssets(folder, assets);
    },
  };
}
