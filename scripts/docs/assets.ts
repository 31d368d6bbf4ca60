/** The style sheet and the scripts of the site. */

import { build, stop } from "esbuild";

/** The style sheet and the scripts, bundled. */
export async function bundleAssets(): Promise<[path: string, body: string][]> {
  const folder = "static/docs";
  const entries = { "site.css": "site.css", "site.js": "site.ts", "search.js": "search.ts" };
  try {
    return await Promise.all(
      Object.entries(entries).map(async ([name, file]): Promise<[string, string]> => {
        const { outputFiles } = await build({
          ...{ entryPoints: [`${folder}/${file}`], bundle: true, format: "esm", minify: true, write: false },
          target: ["es2022", "chrome111", "firefox115", "safari16.4"],
        });
        return [name, outputFiles[0]!.text];
      }),
    );
  } finally {
    await stop();
  }
}
