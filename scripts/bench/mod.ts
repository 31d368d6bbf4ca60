/** Measures Latchkey, beside others wherever there are any, on each runtime in one run: `deno task bench --help`. */

import { besideReference } from "./against_reference.ts";
import { embedded } from "./embedded.ts";
import { readOptions } from "./options.ts";
import type { Options, PartName } from "./options.ts";
import { endAll, findRuntime, pinning, start } from "./runtimes.ts";
import type { Running } from "./runtimes.ts";
import { soak } from "./soak.ts";
import { stores } from "./stores.ts";

const parts: Readonly<Record<PartName, (options: Options, load: Running) => Promise<void>>> = {
  embedded,
  stores,
  soak,
};

const options = readOptions(Deno.args);
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  Deno.addSignalListener(signal, () => {
    endAll();
    Deno.exit(130);
  });
}

try {
  console.log(`On this machine ${pinning}.`);
  await using load = start((await findRuntime("deno")).command("load"), 1);
  if (options.what.length > 0) await besideReference(options, load);
  for (const part of options.parts) await parts[part](options, load);
} catch (error) {
  console.error(`\n${(error as Error).message}`);
  endAll();
  Deno.exit(1);
}
