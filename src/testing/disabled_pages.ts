/** How to turn on the control over HTTP and the page of faults, for visitors of a server without them. */

import type { DisabledPage } from "../server/app.ts";

/** By the first segment of the path. */
export const disabledPages: Readonly<Record<string, DisabledPage>> = {
  _control: {
    message: "The control over HTTP is off",
    fix:
      "Start the server with --control on, or set control to true in the configuration file or in the options of testLatchkey().",
    command: "npx -y deno task start --control on",
  },
  faults: {
    message: "Faults are off",
    fix:
      "Start the server with --faults on, or set faults to true in the configuration file: they are on by default only if no other machine can reach the server. In a program, use testLatchkey() instead.",
    command: "npx -y deno task start --faults on",
  },
};
