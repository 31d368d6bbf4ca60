/** The server that the browser looks at. */

import { inspector } from "../../src/devtools/mod.ts";
import { latchkey as withoutPages } from "../../src/mod.ts";
import type { Latchkey, LatchkeyOptions } from "../../src/mod.ts";

/** A server with the pages for developers, as the program has them. */
export function latchkey({ plugins = [], ...options }: LatchkeyOptions = {}): Promise<Latchkey> {
  return withoutPages({ ...options, plugins: [inspector({ requests: false }), ...plugins] });
}
