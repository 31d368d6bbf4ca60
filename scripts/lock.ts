/** Makes deno.lock from dev.lock: `deno task lock --help`. */

import manifest from "../deno.json" with { type: "json" };
import { exitWithError, readCommand } from "./command.ts";
import { filterLock, type Lock } from "./part_of_lock.ts";

const { flags } = readCommand({
  call: "deno task lock",
  does: "Writes deno.lock from dev.lock. Deno downloads all of deno.lock before any task runs, so it has only the " +
    "`imports` of deno.json; stores, tests and tools have dev.lock.",
  flags: { check: { does: "write nothing, and fail if it is out of date" } },
});

const devLock: Lock = JSON.parse(await Deno.readTextFile("dev.lock"));
const unlisted = Object.keys(devLock.specifiers).filter((name) => !devLock.workspace.dependencies.includes(name));
if (unlisted.length > 0) {
  exitWithError(
    `dev.lock holds ${unlisted.join(", ")}, which deno.json does not name, so every test run would download it.\n` +
      "Name it in the imports of deno.json, then make the locks again: rm dev.lock && deno task modules && deno task lock",
  );
}

const text = JSON.stringify(filterLock(Object.keys(manifest.imports), devLock), null, 2) + "\n";
if (!flags.check) await Deno.writeTextFile("deno.lock", text);
else if (text !== await Deno.readTextFile("deno.lock").catch(() => "")) {
  exitWithError("deno.lock does not match dev.lock. Run: deno task lock");
}
