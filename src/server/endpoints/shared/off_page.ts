/**
 * The pages that the settings of a server turn off. On a test host, the 404 response explains how to turn the page on.
 */

import type { Context } from "../../assembly/context.ts";

export interface OffPage {
  /** States that the page is off: one sentence without its full stop. */
  readonly message: string;
  /** How to turn it on. */
  readonly fix: string;
  /** The command that starts the server with the page, in a copy of the source. Absent: no flag turns it on. */
  readonly command?: string;
}

const directory = (of: string): OffPage => ({
  message: `The list of ${of} is off`,
  fix:
    'Set directory to "edit" or "read" in the configuration file, or in the options of latchkey(). In a program, add developerPages() to the plugins of latchkey() too.',
});

const start = "npx -y deno task start";

/** By the first segment of the path, below the base. */
const offPages: Readonly<Record<string, OffPage>> = {
  _control: {
    message: "The control over HTTP is off",
    fix:
      "Start the server with --control on, or set control to true in the configuration file or in the options of testLatchkey().",
    command: `${start} --control on`,
  },
  account: {
    message: "Account is off: logins are automatic",
    fix:
      'Start the server with --login interactive, or set login to "interactive" in the configuration file or in the options of latchkey().',
    command: `${start} --login interactive`,
  },
  clients: directory("clients"),
  docs: {
    message: "The pages of rules are not part of this server",
    fix:
      "Run latchkey explain with the ID of the rule: it prints the same. The program serves the page of each rule on test hosts.",
    command: `${start} explain PK-09`,
  },
  faults: {
    message: "Faults are off",
    fix:
      "Start the server with --faults on, or set faults to true in the configuration file: they are on by default only if no other machine can reach the server. In a program, use testLatchkey() instead.",
    command: `${start} --faults on`,
  },
  flows: {
    message: "Flows are off",
    fix:
      "Start the server with --inspector on, or set inspector to true in the configuration file. In a program, add inspector() to the plugins of latchkey().",
    command: `${start} --inspector on`,
  },
  users: directory("users"),
};

/** The page at a path that no route matches; `undefined` for any other path, and on real hosts. */
export function findOffPage({ app, server, site, target: { path } }: Context): OffPage | undefined {
  const name = /^\/(\w+)(?:\/|$)/.exec(path.startsWith(site.base) ? path.slice(site.base.length) : "")?.[1] ?? "";
  if (!server.settings.allows.explanations || !Object.hasOwn(offPages, name)) return undefined;
  const start = `${site.base}/${name}`;
  const isOn = app.endpoints.some((endpoint) => endpoint.path === start || endpoint.path.startsWith(`${start}/`));
  return isOn ? undefined : offPages[name];
}
