/** Packages inside a bundle, and their licences. */

import { globSync } from "node:fs";

/** Names of the packages that these files belong to. Files outside node_modules are the project's own. */
export function getPackageNames(paths: readonly string[]): string[] {
  const names = paths.map((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** Full licence texts, each under the package's name and version. `paths` are files of the packages. */
export async function readLicenses(paths: readonly string[]): Promise<string> {
  const texts = getPackageNames(paths).map(async (name) => {
    const path = paths.find((path) => path.includes(`node_modules/${name}/`))!;
    const home = path.slice(0, path.lastIndexOf(`node_modules/${name}/`) + `node_modules/${name}`.length);
    const { version, license, author } = JSON.parse(await Deno.readTextFile(`${home}/package.json`));
    const [file] = globSync("{LICENSE,LICENCE,license,licence,UNLICENSE,COPYING}*", { cwd: home });
    // Some packages name their licence without its text.
    if (file === undefined && license === undefined) throw new Error(`${name} comes without a licence.`);
    const text = file !== undefined
      ? await Deno.readTextFile(`${home}/${file}`)
      : license === "MIT" && typeof author === "string"
      ? (await Deno.readTextFile("LICENSE")).replace(/^Copyright .*$/m, `Copyright (c) ${author}`)
      : `Licence: ${license}, https://spdx.org/licenses/${license}.html`;
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join("\n\n");
}
