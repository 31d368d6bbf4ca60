/** Health checks of a server with several names. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import { health } from "../../../src/cli/operating/mod.ts";
import { encode, forEachCase, goodRequest } from "../../kit.ts";
import { metadataPath, open, send } from "../../server/from_host.ts";

test("[HT-24] from-host: any other host is rejected at every endpoint but health checks, and caches nothing", async () => {
  const plugins = [health(), inspector()];
  await using as = await open({ plugins, issuerHosts: ["latchkey", "host.docker.internal"] });
  const hosts = [
    "evil.example.com",
    "attacker:9000",
    "localhost.evil.com",
    "10.0.0.7:9000",
    "latchkey.evil.com",
    "0.0.0.0",
  ];
  await forEachCase(hosts, async (host) => {
    for (const path of [metadataPath, "/oauth2/jwks", "/", "/flows", `/oauth2/authorize?${encode(goodRequest)}`]) {
      const response = await send(as, "http://localhost:9000", path, { headers: { host } });
      const text = await response.text();
      assertEquals([response.status, response.headers.get("location")], [421, null], path);
      assert(!text.includes(`http://${host}`), path);
    }
    assertEquals((await send(as, "http://localhost:9000", "/healthz", { headers: { host } })).status, 200);
  });
  assertEquals((await send(as, "http://host.docker.internal:9000", metadataPath)).status, 200);
});
