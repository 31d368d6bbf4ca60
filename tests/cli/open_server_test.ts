/** The server of the program has the policy that its configuration resulted in. */

import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { test } from "node:test";
import { openServer } from "../../src/cli/open_server.ts";
import { readConfiguration } from "../../src/cli/read_config.ts";
import { asServerPolicy } from "../../src/server/config/server_policy.ts";
import { commandEnvironment, readRules } from "./command_runs.ts";

const cases: readonly (readonly string[])[] = [
  [],
  ["--profile", "fapi2-security,next-2026.11"],
  ["--profile", "okta", "--control", "on"],
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
        assertStrictEquals(asServerPolicy(app.server.policy)[name as keyof typeof policy], value, name);
      }
      assertEquals(server.issuer, issuer);
      assertEquals(app.initialEntries().users[0]!.sub, flags.includes("--user") ? "bob" : "alice");
    } finally {
      await server.close();
    }
  });
}

test("[AZ-02] a request of an unknown client causes one warning for each change of the configuration file", async () => {
  let text = JSON.stringify({ clients: [{ client_id: "spa", redirect_uris: ["http://localhost:3000/cb"] }] });
  let time = Date.UTC(2026, 0, 1);
  const lines: string[] = [];
  const environment = {
    ...commandEnvironment(["--log", "text", "--config", "latchkey.json"]),
    readTextFile: () => Promise.resolve(text),
    writeLogLine: (line: string) => void lines.push(line),
    now: () => time,
  };
  const config = await readConfiguration(environment);
  assert(config.kind === "run");
  const { server } = await openServer(config, environment, readRules);
  /** How often the log warns after two requests of this client, which are a minute apart. */
  const warnings = async (client_id: string) => {
    lines.length = 0;
    for (let i = 0; i < 2; i++) {
      time += 60_000;
      await server.fetch(new Request(`${server.issuer}/oauth2/authorize?client_id=${client_id}&response_type=code`));
      await new Promise((resolve) => setTimeout(resolve));
    }
    return lines.join("\n").match(/latchkey\.json: The file was changed after the start/g)?.length ?? 0;
  };
  try {
    assertEquals(await warnings("web"), 0);
    text = JSON.stringify({ clients: [{ client_id: "web" }] });
    assertEquals(await warnings("spa"), 0);
    assertEquals(await warnings("web"), 1);
    assertEquals(await warnings("web"), 0);
    text = JSON.stringify({ clients: [{ client_id: "shop" }] });
    assertEquals(await warnings("shop"), 1);
  } finally {
    await server.close();
  }
});
