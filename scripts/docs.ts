/** Builds the site of the documents: `deno task docs --help`. */

import { readFileSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exitWithError, readCommand } from "./command.ts";
import { bundleAssets } from "./docs/assets.ts";
import { buildSite } from "./docs/site.ts";
import { serveSite } from "./docs/serve.ts";
import { installModules } from "./modules.ts";

const { flags: { output = "dist/docs", port, repository } } = readCommand({
  call: "deno task docs",
  does: "Builds a site from the guides, the code and the READMEs. Fails if a link leads nowhere.",
  flags: {
    output: { value: "FOLDER", does: "where the files go, instead of dist/docs" },
    port: { value: "NUMBER", does: "serves the site on localhost until Ctrl-C; 0 takes any free port" },
    repository: { value: "URL", does: "where the files of the repository are, for links to code" },
  },
});

try {
  await installModules();
  const started = performance.now();
  const assets = await bundleAssets();
  const read = (path: string) => readFileSync(path, "utf8");
  const { files, pages } = buildSite({ read, assets, repository });
  await rm(output, { recursive: true, force: true });
  for (const folder of new Set([...files.keys()].map((path) => dirname(join(output, path))))) {
    await mkdir(folder, { recursive: true });
  }
  await Promise.all([...files].map(([path, body]) => writeFile(join(output, path), body)));
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${output}: ${pages} pages in ${seconds} s`);
  if (port === undefined) console.log("To read it: deno task docs --port 9080");
  else console.log(`Open ${serveSite(output, Number(port)).origin}/`);
} catch (error) {
  exitWithError(error);
}
