/** The pages that the settings of a server turn off. On a test host, the 404 says how to turn one on. */

import { hasTestHost } from "../oauth/config/settings.ts";
import type { Context } from "./context.ts";

/** A page that is off. */
export interface OffPage {
  /** What it shows, and that it is off: one sentence without its full stop. */
  readonly message: string;
  /** How to turn it on. */
  readonly fix: string;
  /** The command that starts the server with the page. */
  readonly command: string;
}

const directory = (of: string): OffPage => ({
  message: `The page that lists and changes ${of} is off`,
  fix: 'Set directory to "edit" or "read" in the configuration file, or in the options of latchkey().',
  command: "latchkey --config latchkey.json",
});

/** By the first segment of the path, below the base. */
const offPages: Readonly<Record<string, OffPage>> = {
  account: {
    message: "The page where users see and revoke what they allowed is off, because users log in without a page",
    fix: 'Set login to "interactive" in the configuration file, or in the options of latchkey().',
    command: "latchkey --login interactive",
  },
  clients: directory("clients"),
  faults: {
    message: "The page that injects faults, moves the clock and rotates keys is off",
    fix: "Set faults to true in the configuration file. In a program, use testLatchkey() instead.",
    command: "latchkey --faults on",
  },
  flows: {
    message: "The page that shows each login step by step is off",
    fix: "Set inspector to true in the configuration file. In a program, add inspector() to the plugins of latchkey().",
    command: "latchkey --inspector on",
  },
  users: directory("users"),
};

/** The page at a path that no route matches; `undefined` if it is none of these, and on real hosts. */
export function findOffPage({ server, site, target: { path } }: Context): OffPage | undefined {
  const name = /^\/(\w+)(?:\/|$)/.exec(path.startsWith(site.base) ? path.slice(site.base.length) : "")?.[1] ?? "";
  return hasTestHost(server.issuer) && Object.hasOwn(offPages, name) ? offPages[name] : undefined;
}
