/** How to turn on pages of the inspector, for visitors of one that is off. */

import type { DisabledPage } from "../server/app.ts";

const directory = (of: string): DisabledPage => ({
  message: `The list of ${of} is off`,
  fix: 'Set directory to "edit" or "read" in the configuration file, or in the options of latchkey().',
});

const requests = (message: string): DisabledPage => ({
  message,
  fix:
    "Start the server with --inspector on, or set inspector to true in the configuration file. In a program, add inspector() to the plugins of latchkey() or testLatchkey().",
  command: "npx -y deno task start --inspector on",
});

/** By the first segment of the path. */
export const disabledPages: Readonly<Record<string, DisabledPage>> = {
  clients: directory("clients"),
  docs: {
    message: "The pages of rules are not part of this server",
    fix:
      "Run latchkey explain with the ID of the rule: it prints the same. The program serves the page of each rule on test hosts.",
    command: "npx -y deno task start explain PK-09",
  },
  flows: requests("Flows are off"),
  tokens: requests("The page that decodes tokens is off"),
  users: directory("users"),
};
