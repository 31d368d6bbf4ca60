/** The server of the program has the policy that its configuration resulted in. */

import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { openServer } from "../../src/cli/open_server.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { serverPolicy } from "../../src/server/config/server_policy.ts";
import { commandEnvironment, readRules } from "./command_runs.ts";

const cases: readonly (readonly string[])[] = [
  [],
  ["--profile", "fapi2-security,next-2026.11:warn"],
  ["--profile", "okta,vary:7", "--control", "on"],
  ["--issuer", "http://localhost:9100/tenant", "--user", "bob"],
  ["--issuer", "from-host", "--login", "interactive", "--mcp-server", "/mcp"],
];

for (const flags of cases) {
  test(`the program resolves its settings once: ${flags.join(" ") || "no flags"}`, async () => {
    const environment = commandEnvironment(["--log", "off", ...flags]);
    const config = await readConfiguration(environment);
    assert(config.kind === "run");
    const { server, app } = await openServer(config, environment, readRules);
    try {
      const { policy, issuer } = config.resolved;
      // A hosted resource adds its scope values to the lists of the server.
      const { scopes: _, userScopes: __, ...members } = policy;
      for (const [name, value] of Object.entries(members)) {
        assertStrictEquals(serverPolicy(app.server.settings)[name as keyof typeof policy], value, name);
      }
      assertEquals(server.issuer, issuer);
      assertEquals(app.initialEntries().users[0]!.sub, flags.includes("--user") ? "bob" : "alice");
    } finally {
      await server.close();
    }
  });
}
