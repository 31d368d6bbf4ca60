/**
 * The page of each rule, to which rejections link: a plugin. `latchkey explain` prints the same.
 *
 * 1. {@link rulePages} adds the route; the program turns it on.
 * 2. `rule.ts` describes a rule; `handlers.ts`, loaded at the first visit, responds.
 * 3. `pages/` renders it.
 *
 * @module
 */

import type { Plugin } from "../../server/assembly/plugin.ts";
import type { ReadRules } from "./rules_file.ts";

/**
 * Creates the plugin: the pages below `/docs/rules`. They are the same for each visitor and contain no data of the
 * server.
 */
export function rulePages(readRules: ReadRules): Plugin {
  return {
    rulesPath: "/docs/rules",
    routes: ({ site: { base } }) => [{
      name: "rule",
      path: `${base}/docs/rules/*`,
      methods: ["GET"],
      caller: "browser",
      title: "Rule",
      errors: "page",
      load: () => ({ GET: async (context) => await (await import("./handlers.ts")).showRule(context, readRules) }),
    }],
  };
}
