/** Whose code is inside a bundle, and under which licence. */

import { globSync } from "node:fs";

/** The names of the packages that these files belong to; files outside node_modules are ours. */
export function getPackageNames(paths: readonly string[]): string[] {
  const names = paths.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** Their licences in full, each under the package's name and version. `paths` are files of theirs, to find them by. */
export async function readLicenses(paths: readonly string[]): Promise<string> {
  const texts = getPackageNames(paths).map(async (name) => {
    const path = paths.find((path) => path.includes(`node_modules/${name}/`))!;
    const home = path.slice(0, path.lastIndexOf(`node_modules/${name}/`) + `node_modules/${name}`.length);
    const { version, license } = JSON.parse(await Deno.readTextFile(`${home}/package.json`));
    const [file] = globSync("{LICENSE,LICENCE,license,licence,UNLICENSE,COPYING}*", { cwd: home });
    // Some packages name their licence and leave it at that.
    if (file === undefined && license === undefined) throw new Error(`${name} comes without a licence.`);
    const text = file === undefined
      ? `Licence: ${license}, https://spdx.org/licenses/${license}.html`
      : await Deno.readTextFile(`${home}/${file}`);
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join("\n\n");
}
