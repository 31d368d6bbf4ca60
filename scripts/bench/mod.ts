/** Measures Latchkey, beside others wherever there are any, on each runtime in one run: `deno task bench --help`. */

import { printTargets } from "./targets.ts";
import { compare } from "./comparison.ts";
import { control } from "./control.ts";
import { extensions } from "./extensions.ts";
import { embedded } from "./embedded.ts";
import { growth } from "./growth.ts";
import { memory } from "./memory.ts";
import { help, parseOptions } from "./options.ts";
import type { Options, PartName } from "./options.ts";
import { recording } from "./recording.ts";
import { killAll, pinning, startProcess } from "./processes.ts";
import type { RunningProcess } from "./processes.ts";
import { findRuntime } from "./runtimes.ts";
import { soak } from "./soak.ts";
import { measureStart } from "./start.ts";
import { tenants } from "./tenants.ts";
import { stores } from "./stores.ts";

const parts: Readonly<Record<PartName, (options: Options, load: RunningProcess) => Promise<void>>> = {
  start: measureStart,
  memory,
  recording,
  extensions,
  control,
  embedded,
  stores,
  tenants,
  growth,
  soak,
};

const options = optionsOrEnd();
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    killAll();
    Deno.exit(130);
  });
}

try {
  console.log(`On this machine ${pinning}.`);
  await using load = startProcess((await findRuntime("deno")).command("load"), 1);
  if (options.requestNames.length > 0) await compare(options, load);
  for (const part of options.parts) await parts[part](options, load);
  printTargets(options.rounds);
} catch (error) {
  console.error(`\n${(error as Error).message}`);
  killAll();
  Deno.exit(1);
}

function optionsOrEnd(): Options {
  try {
    const options = parseOptions(Deno.args);
    if (options !== undefined) return options;
    console.log(help.trimEnd());
    Deno.exit(0);
  } catch (error) {
    console.error((error as Error).message);
    Deno.exit(2);
  }
}
