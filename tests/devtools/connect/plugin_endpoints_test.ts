/** Endpoints of plugins in metadata and on the home page. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Plugin } from "../../../src/mod.ts";
import type { Endpoint } from "../../../src/server/extension.ts";
import { testServer } from "../../kit.ts";

test("[MD-04] a plugin's named endpoint is listed there and on the home page; an unnamed one is not", async () => {
  const endpoint = (path: string, metadataName?: string): Endpoint => ({
    name: "further",
    metadataName,
    path,
    methods: ["GET"],
    caller: "any",
    title: "Further endpoint",
    errors: "json",
    load: () => ({ GET: () => ({ status: 200, headers: {}, body: "here" }) }),
  });
  const plugin: Plugin = {
    routes: ({ site }) => [
      endpoint(`${site.base}/oauth2/further`, "further_endpoint"),
      endpoint("/beside", "beside_endpoint"),
      endpoint(`${site.base}/nameless`),
    ],
  };
  for (const issuer of ["https://as.test", "https://as.test/t1", "https://as.test/t1/"]) {
    const b = await testServer({ issuer, plugins: [plugin] });
    const ask = (url: string) => b.as.fetch(new Request(url));
    const text = await (await ask(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)).text();
    const { further_endpoint, beside_endpoint } = JSON.parse(text);
    assertEquals([further_endpoint, beside_endpoint], [
      `${issuer.replace(/\/$/, "")}/oauth2/further`,
      "https://as.test/beside",
    ]);
    for (const url of [further_endpoint, beside_endpoint]) assertEquals(await (await ask(url)).text(), "here");
    assertEquals(text.includes("nameless"), false);
    const home = (await (await ask(`${issuer.replace(/\/$/, "")}/`)).text()).replaceAll("<wbr/>", "");
    assert(home.includes(further_endpoint) && home.includes("further_endpoint"), home);
  }
});
