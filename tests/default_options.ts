/** The defaults of servers in tests. `deno task alone` replaces this file. */

import { inspector } from "../src/devtools/mod.ts";
import type { LatchkeyOptions } from "../src/mod.ts";

/** Adds the pages for developers, unless a plugin brings such pages. */
export function withDefaults({ plugins = [], ...options }: LatchkeyOptions): LatchkeyOptions {
  const pages = plugins.some(({ demoSteps }) => demoSteps !== undefined) ? [] : [inspector({ requests: false })];
  return { ...options, plugins: [...pages, ...plugins] };
}
