/** Flows under a rebound host name (group FL). */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import { assertPage } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

test("[FL-05, DI-04] a LAN name rebound to this machine reads no flow and adds no user", async () => {
  await using as = await latchkey({ plugins: [inspector()] });
  const get = (path: string, init: RequestInit = {}) => as.fetch(new Request(as.issuer + path, init));
  for (const host of ["mypc.corp.internal:9000", "evil.example.com:9000", "mypc:9000", "evil.test:9000"]) {
    for (const path of ["/flows", "/flows/1?show=secrets", "/users", "/clients"]) {
      await assertPage(await get(path, { headers: { host } }), 403);
    }
    const headers = { host, origin: `http://${host}`, "content-type": "application/x-www-form-urlencoded" };
    await assertPage(await get("/users", { method: "POST", headers, body: "sub=mallory" }), 403);
  }
  assertEquals(as.users.find("mallory"), undefined);
});
