/** Writes static/api.txt, the public names of the package: `deno task api --help`. */

import { readFile, writeFile } from "node:fs/promises";
import { findDifferences, printApi } from "./api_text.ts";
import { CommandError, exitWithError, readCommand } from "./command.ts";
import manifest from "../deno.json" with { type: "json" };

const path = "static/api.txt";

const { flags } = readCommand({
  call: "deno task api",
  does: `Writes ${path}: the public names of every entry of the package with their signatures, from the output of ` +
    "deno doc.",
  flags: { check: { does: `compares with ${path} instead, and prints the difference` } },
});

try {
  const text = await printApi(manifest.exports);
  if (!flags.check) await writeFile(path, text);
  else {
    const differences = findDifferences(await readFile(path, "utf8"), text);
    if (differences.length > 0) {
      throw new CommandError(
        `The public names differ from ${path}:\n${differences.join("\n")}\n` +
          "If users need the change, accept it: deno task api, and describe it in static/changes.md. If they do not, " +
          "export nothing, and mark a type that a public signature names with @internal.",
      );
    }
  }
  const names = new Set(text.match(/^(?!internal )\S+ \S+: (?!as in )/gm));
  console.log(`${path}: ${names.size} public names`);
} catch (error) {
  exitWithError(error);
}
