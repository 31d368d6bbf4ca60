/** The defaults of servers in tests. */

import { inspector } from "../src/devtools/mod.ts";
import type { LatchkeyOptions } from "../src/mod.ts";

/** Adds the pages for developers. An inspector of the plugins replaces them. */
export function withDefaults({ plugins = [], ...options }: LatchkeyOptions): LatchkeyOptions {
  return { ...options, plugins: [inspector({ requests: false }), ...plugins] };
}
