/** Operating plugins of a server with tenants: what they do for the server, they do for its tenants. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { host, type Plugin } from "../../../src/mod.ts";
import { programControl } from "../../../src/testing/control/program_control.ts";
import * as operating from "../../../src/cli/operating/mod.ts";
import { basic, encode, webToken } from "../../kit.ts";
import { until } from "../../until.ts";

const web = {
  ...{ client_id: "web", client_secret: "web-secret", redirect_uris: ["https://web.test/cb"] },
  grant_types: ["client_credentials"],
};

/** A server with these plugins outside, and the issuer of a tenant of it. */
async function openTenant(plugins: readonly Plugin[]) {
  const server = await host({ origin: "http://localhost:9000" });
  await server.app({ plugins: [...plugins, ...programControl({}).plugins] });
  const post = (path: string, body: string | ReadableStream, type: string, headers: Record<string, string> = {}) =>
    server.fetch(
      new Request(`http://localhost:9000${path}`, {
        method: "POST",
        body,
        headers: { "content-type": type, ...headers },
        ...typeof body !== "string" && { duplex: "half" },
      } as RequestInit),
      { address: "127.0.0.1" },
    );
  const created = await post("/_control/tenants/create", JSON.stringify({ clients: [web] }), "application/json");
  const { issuer } = await created.json();
  const { pathname } = new URL(issuer);
  const token = (secret = "web-secret") =>
    post(
      `${pathname}/oauth2/token`,
      encode({ ...webToken, redirect_uri: undefined, grant_type: "client_credentials" }),
      "application/x-www-form-urlencoded",
      basic("web", secret),
    );
  return { server, pathname, post, token };
}

const form = "application/x-www-form-urlencoded";

/** The options of every operating plugin. */
const options = {
  write: () => {},
  format: "json",
} as const;

test("every operating plugin that handles requests or events does so for tenants", () => {
  const plugins = Object.entries(operating).map(([name, create]) =>
    [name, (create as (given: typeof options) => Plugin)(options)] as const
  );
  const wrapping = plugins.filter(([, plugin]) => plugin.handle !== undefined || plugin.onEvent !== undefined);
  assertEquals(wrapping.map(([name]) => name).sort(), ["limitConcurrency", "logging"]);
  for (const [name, plugin] of wrapping) {
    const added = plugin.forAddedApp?.();
    assert(added !== undefined && added !== plugin, name);
    for (const member of ["handle", "onEvent", "onPassed", "extend", "forRequest"] as const) {
      assertEquals(added[member] === undefined, plugin[member] === undefined, `${name}.${member}`);
    }
  }
});

test("[OP-01] requests to tenants count for the limit of the server, and a rejected one is in the log", async () => {
  const lines: string[] = [];
  const log = operating.logging({ write: (line) => lines.push(line), format: "json" });
  const { server, pathname, post, token } = await openTenant([operating.limitConcurrency({ maxInFlight: 8 }), log]);
  const release = Promise.withResolvers<void>();
  const statuses: number[] = [];
  const waiting = Array.from({ length: 40 }, async () => {
    const body = new ReadableStream({
      async pull(controller) {
        await release.promise;
        controller.close();
      },
    });
    statuses.push((await post(`${pathname}/oauth2/token`, body, form)).status);
  });
  // At most 8 wait for their body; one network has fewer places.
  await until(() => statuses.length >= 32);
  assertEquals(statuses.filter((status) => status !== 503), []);
  // The server itself has no place either.
  assertEquals((await post("/oauth2/token", "a=b", form)).status, 503);
  release.resolve();
  await Promise.all(waiting);
  const handled = statuses.filter((status) => status !== 503).length;
  assert(handled > 0 && handled <= 8, statuses.join());
  assertEquals((await token()).status, 200);
  assert(lines.some((line) => line.includes("OP-01")), lines.join("\n"));
  await server.close();
});

test("[HT-15] rejections at a tenant are in each log with their fix, and requests with their id, never with a secret", async () => {
  for (const format of ["text", "json"] as const) {
    const lines: string[] = [];
    const log = operating.logging({ write: (line) => lines.push(line), format, verbose: true });
    const { server, pathname, token } = await openTenant([log]);
    lines.length = 0;
    const rejected = await token("a-wrong-secret-of-the-client");
    assertEquals(rejected.status, 401);
    const id = rejected.headers.get("x-request-id")!;
    assertMatch(id, /^[0-9a-f]{16}$/);
    const text = lines.join("\n");
    assertStringIncludes(text, "CA-07");
    assertStringIncludes(text, id);
    assertStringIncludes(text, `${pathname}/oauth2/token`);
    lines.length = 0;
    assertEquals((await token()).status, 200);
    assert(lines.length > 0, "a success is in the log");
    for (const secret of ["a-wrong-secret-of-the-client", "web-secret"]) assert(!text.includes(secret));
    await server.close();
  }
});
