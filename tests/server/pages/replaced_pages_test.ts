/** The option `pages`: an embedding program replaces single pages for users. */

import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError, latchkey } from "../../../src/mod.ts";
import type { Pages } from "../../../src/server/pages.ts";
import { testServer } from "../../kit.ts";

test("a replaced page gets the props of the page of the server, and the other pages stay", async () => {
  const error: Pages["error"] = ({ status, rule }) => `<p>${status} by ${rule}</p>`;
  const server = await testServer({ pages: { error } });
  const response = await server.get("/nowhere");
  assertEquals([response.status, await response.text()], [404, "<p>404 by HT-01</p>"]);
  assertStringIncludes(await (await server.get("/oauth2/logout")).text(), "<!DOCTYPE html>");
});

test("a page that cannot be replaced, and a function instead of the object, are rejected at the start", async () => {
  for (const pages of [{ home: () => "" }, () => ({})]) {
    await assertRejects(async () => await latchkey({ pages: pages as Pages }), ConfigurationError, "pages");
  }
});
