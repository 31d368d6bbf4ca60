/**
 * The documentation: a plugin with pages made from the READMEs, the table of rules, and the descriptions of settings,
 * faults, attacks and habits. It repeats none of their texts.
 *
 * 1. {@link documentation} adds the routes; the program turns it on.
 * 2. `handlers.ts`, loaded at the first visit, finds the page of a path.
 * 3. `rules.ts`, `guides.ts`, `settings.ts` and `catalogue.ts` compute its props; `search.ts` lists all pages,
 *    `examples.ts` has the requests of `mistakes.ts` rejected; `markdown.ts` parses READMEs.
 * 4. `ui/docs/` renders it.
 *
 * @module
 */

import type { Plugin } from "../app/plugin.ts";
import type { Handler } from "../app/route.ts";

/**
 * Creates the plugin: the pages below `/docs`. They are the same for each visitor and contain no data of the server.
 *
 * @param readText Reads a text of the project by its path from the root, such as `src/cli/README.md`.
 */
export function documentation(readText: (path: string) => Promise<string>): Plugin {
  const GET: Handler = async (context) => await (await import("./handlers.ts")).showPage(context, readText);
  return {
    links: [{ label: "Docs", path: "/docs" }],
    rulesPath: "/docs/rules",
    routes: ({ site: { base } }) =>
      ["/docs", "/docs/**"].map((path) => ({
        name: path === "/docs" ? "docs" : "docs_page",
        path: base + path,
        methods: ["GET"],
        caller: "browser",
        title: "Documentation",
        errors: "page",
        load: () => ({ GET }),
      })),
  };
}
