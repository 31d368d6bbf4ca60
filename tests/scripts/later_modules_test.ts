/** Every module that `src` imports when it is first needed is loaded once the program listens, or is no part of serving. */

import { assertEquals } from "@std/assert";
import { globSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path/posix";
import { test } from "node:test";

/** Imports of these files and folders, with the reason why no request of a running server is the first to need them. */
const others: Readonly<Record<string, string>> = {
  "src/main.ts": "commands",
  "src/cli/": "commands and the start",
  "src/platform/": "the start chooses the runtime",
  "src/server/hosting/open_app.ts": "the start opens the app",
  "src/server/hosting/listen.ts": "the start opens the port",
  "src/server/hosting/create_app.ts: src/server/hosting/server_by_host.ts": "the start assembles the app",
  "src/server/profiles/load_providers.ts": "the start loads providers",
  "src/server/config/provider_settings/providers.ts": "the start reads settings",
  "src/testing/check_practices.ts": "tests",
  "src/testing/control": "the control, which only tests call",
};

test("no request of a running program is the first to import a module", () => {
  const loader = "src/cli/products/modules.ts";
  const found = globSync("src/**/*.{ts,tsx}").flatMap((path) =>
    path.endsWith(".gen.ts")
      ? []
      : [...readFileSync(path, "utf8").matchAll(/(?<!typeof |: )\bimport\(\s*"(?!node:)([^"]+)"/g)].map(
        ([, specifier]) => {
          const to = specifier!.startsWith(".") ? relative(".", resolve(join(path, ".."), specifier!)) : specifier!;
          return { path, to };
        },
      )
  );
  const loaded = new Set(found.flatMap(({ path, to }) => path === loader ? to : []));
  const missing = found.filter(({ path, to }) =>
    path !== loader && !loaded.has(to) && !Object.keys(others).some((one) => `${path}: ${to}`.startsWith(one))
  );
  assertEquals(missing, []);
  assertEquals([...loaded].filter((to) => !found.some((one) => one.path !== loader && one.to === to)), []);
});
