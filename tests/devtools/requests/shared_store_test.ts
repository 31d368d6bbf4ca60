/** Flows of a server on a shared store. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Store } from "../../../src/mod.ts";
import { inspector } from "../../../src/devtools/mod.ts";
import { basic, sharedStore, testServer } from "../../kit.ts";

test("[OP-06, HT-15] a secret sent as the client id is hidden on the pages of flows, which read no client", async () => {
  const reads: string[] = [];
  const shared = sharedStore();
  const store: Store = {
    ...shared,
    get(kind, id) {
      reads.push(kind);
      return shared.get(kind, id);
    },
  };
  const { as, get } = await testServer({ store, plugins: [inspector()] });
  const secret = "Sup3rS3cretPassw0rd";
  await as.fetch(
    new Request(`${as.issuer}/oauth2/token`, {
      method: "POST",
      headers: { ...basic(secret, "other") },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    }),
  );
  reads.length = 0;
  for (const path of ["/flows", "/flows/1"]) assert(!(await (await get(path)).text()).includes(secret), path);
  assertEquals(reads.filter((kind) => kind === "client"), []);
});
