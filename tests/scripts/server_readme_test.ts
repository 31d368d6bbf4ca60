/** The table in `src/server/README.md`: the members that each function adds to a server or replaces. */

import { assertEquals } from "@std/assert";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { withLimitedAuthentication } from "../../src/server/clients/client_authentication.ts";
import { clientsAndUsers, withChangingClients } from "../../src/server/clients/mod.ts";
import { withOwnScope } from "../../src/server/clients/own_scope.ts";
import { withAnyClient } from "../../src/server/clients/unregistered_clients.ts";
import type { HostedServer } from "../../src/server/hosted_server.ts";
import { withResourceIndicators } from "../../src/server/hosting/resource_indicators.ts";
import { withExplanations } from "../../src/server/hosting/with_explanations.ts";
import { withHosting } from "../../src/server/hosting/with_hosting.ts";
import { issuerMembers } from "../../src/server/hosting/with_issuer.ts";
import { withResponses } from "../../src/server/hosting/with_responses.ts";
import { withAnnouncedIss } from "../../src/server/metadata_setting.ts";
import { registeredSecrets } from "../../src/server/redaction/registered_secrets.ts";
import { withRedaction } from "../../src/server/redaction/with_redaction.ts";
import { withStoredRequests } from "../../src/server/stored_requests.ts";
import { forEachCase } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";

const issuerInEffect = { current: "https://other.example" };

const functions: Readonly<Record<string, (server: HostedServer) => object>> = {
  clientsAndUsers: (server) =>
    clientsAndUsers({ ...server, clients: [], users: [], recordPrefix: "", hasPages: false, userWarnings: undefined }),
  withResourceIndicators,
  withChangingClients,
  withExplanations,
  withResponses,
  withRedaction: (server) => withRedaction(server, registeredSecrets()),
  withHosting: (server) => withHosting(server, { keyRotation: { ...server.keyRotation }, issuerInEffect }),
  withOwnScope,
  withAnyClient,
  withStoredRequests,
  withAnnouncedIss,
  withLimitedAuthentication,
  issuerMembers: (server) => ({
    ...server,
    ...issuerMembers(server.policy, { tokenPath: "/token" })(issuerInEffect.current),
  }),
};

/** The members that the table names, by function. */
const named = new Map(
  [...readFileSync("src/server/README.md", "utf8").matchAll(/^\| `(\w+)` +\| (`.*) \|$/gm)].map((
    [, name = "", cell = ""],
  ) => [name, [...cell.split(":")[0]!.matchAll(/`(\w+)`/g)].map(([, member = ""]) => member).sort()]),
);

/** A copy that is another value, so that a member that stays differs from one that is replaced. */
function copy(value: unknown): unknown {
  if (typeof value === "function") return value.bind(undefined);
  if (Array.isArray(value)) return [...value];
  if (value === undefined) return {};
  return typeof value === "object" ? Object.assign(Object.create(Object.getPrototypeOf(value)), value) : value;
}

const servers: HostedServer[] = [];
await latchkey({ clients: "any", plugins: [{ setup: (app) => void servers.push(app.server) }] });

test("each function returns the members that its row names", async () => {
  await forEachCase(Object.entries(functions), ([name, change]) => {
    const before = Object.fromEntries(Object.entries(servers[0]!).map(([name, value]) => [name, copy(value)]));
    const after = Object.entries(change(before as unknown as HostedServer));
    assertEquals(after.flatMap(([name, value]) => value === before[name] ? [] : name).sort(), named.get(name), name);
  });
});
