/** The server that the browser looks at. */

import { inspector } from "../../src/devtools/mod.ts";
import { type Latchkey, latchkey as withoutPages, type LatchkeyOptions } from "../../src/mod.ts";

/** A server with the pages for developers, as the program has them. */
export function latchkey({ plugins = [], ...options }: LatchkeyOptions = {}): Promise<Latchkey> {
  return withoutPages({ ...options, plugins: [inspector({ requests: false }), ...plugins] });
}
