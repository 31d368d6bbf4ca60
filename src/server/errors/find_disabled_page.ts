/** Pages that settings turn off. On a test host, the 404 response explains how to turn the page on. */

import type { Context } from "../../core/context.ts";
import { type DisabledPage, disabledPagesOf } from "../app.ts";

/** The pages of every server, by the first segment of the path below the base. */
const ownPages: Readonly<Record<string, DisabledPage>> = {
  account: {
    message: "The page Account is off, because logins are automatic",
    fix:
      'Start the server with --login interactive, or set login to "interactive" in the configuration file or in the options of latchkey().',
    command: "npx -y deno task start --login interactive",
  },
};

/** The page that would be at this path if it were on; `undefined` for any other path, and on real hosts. */
export function findDisabledPage(context: Context): DisabledPage | undefined {
  const { app, server, site, target: { path } } = context;
  const name = /^\/(\w+)(?:\/|$)/.exec(path.startsWith(site.base) ? path.slice(site.base.length) : "")?.[1] ?? "";
  const disabledPages = { ...ownPages, ...disabledPagesOf(context) };
  if (!server.settings.allows.explanations || !Object.hasOwn(disabledPages, name)) return undefined;
  const start = `${site.base}/${name}`;
  const isOn = app.endpoints.some((endpoint) => endpoint.path === start || endpoint.path.startsWith(`${start}/`));
  return isOn ? undefined : disabledPages[name];
}
