/** The defaults of servers in tests. */

import process from "node:process";
import { inspector } from "../src/devtools/mod.ts";
import { extensions, type LatchkeyOptions } from "../src/mod.ts";

/** With this variable, servers have all extensions in the reverse order: no test may depend on their order. */
const isReversed = process.env.LATCHKEY_TEST_EXTENSIONS === "reversed";

/** Adds the pages for developers. An inspector of the plugins replaces them. */
export function withDefaults({ plugins = [], ...options }: LatchkeyOptions): LatchkeyOptions {
  return {
    ...isReversed && { extensions: [...extensions].reverse() },
    ...options,
    plugins: [inspector({ requests: false }), ...plugins],
  };
}
