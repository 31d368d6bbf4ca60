/** Measures Latchkey, beside others wherever there are any, on each runtime in one run: `deno task bench --help`. */

import { printAims } from "./aims.ts";
import { compare } from "./comparison.ts";
import { embedded } from "./embedded.ts";
import { growth } from "./growth.ts";
import { memory } from "./memory.ts";
import { help, readOptions } from "./options.ts";
import type { Options, PartName } from "./options.ts";
import { endAll, pinning, start } from "./processes.ts";
import type { Running } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import { soak } from "./soak.ts";
import { startUp } from "./start.ts";
import { stores } from "./stores.ts";

const parts: Readonly<Record<PartName, (options: Options, load: Running) => Promise<void>>> = {
  start: startUp,
  memory,
  embedded,
  stores,
  growth,
  soak,
};

const options = optionsOrEnd();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    endAll();
    Deno.exit(130);
  });
}

try {
  console.log(`On this machine ${pinning}.`);
  await using load = start((await findRuntime("deno")).command("load"), 1);
  if (options.what.length > 0) await compare(options, load);
  for (const part of options.parts) await parts[part](options, load);
  printAims(options.rounds);
} catch (error) {
  console.error(`\n${(error as Error).message}`);
  endAll();
  Deno.exit(1);
}

function optionsOrEnd(): Options {
  try {
    const options = readOptions(Deno.args);
    if (options !== undefined) return options;
    console.log(help.trimEnd());
    Deno.exit(0);
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(2);
  }
}
