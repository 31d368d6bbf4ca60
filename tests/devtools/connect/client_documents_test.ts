/** Clients of metadata documents on the page of clients (group MC). */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { assertPage, encode } from "../../kit.ts";
import { documentServer, url } from "../../server/extensions/client_documents/document_server.ts";

test("[MC-03] /clients lists the clients of documents in memory, read-only, and fetches none", async () => {
  const b = await documentServer();
  const list = async () =>
    await assertPage(await b.get("/clients"), 200).catch(async () => (await b.get("/clients")).text());
  const page = async (path: string) => {
    const response = await b.get(path);
    return `${response.status} ${(await response.text()).replaceAll("<wbr/>", "")}`;
  };
  const path = `/clients/${encodeURIComponent(url)}`;
  assertMatch(await page(path), /^404/);
  assertEquals(b.fetched, []);
  await b.code({ client_id: url });
  assertMatch(await list(), /With a client ID metadata document[^]*Example client/);
  const html = await page(path);
  assertMatch(html, /^200[^]*fetched at 2026-01-01T00:00:00\.000Z, valid until 2026-01-01T00:05:00\.000Z/);
  assert(!html.includes("Remove"));
  const post = await b.get(path, { method: "POST", body: encode({}) });
  assert(post.status >= 400);
});
