/** Registration access tokens in flows, exports and the log (group DR). */

import { assert } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import { logging } from "../../../src/cli/operating/mod.ts";
import { testServer } from "../../kit.ts";
import { publicClient, register } from "../../server/registering.ts";

test("[FL-03, DR-06] a registration access token in the metadata of another client is in no flow, export or log", async () => {
  const lines: string[] = [];
  const plugins = [logging({ write: (line) => lines.push(line), format: "json" }), inspector()];
  const server = await testServer({ registration: { mode: "open" }, plugins });
  const { registration_access_token: secret } = await register(server);
  const misplaced = { contacts: [secret], client_name: `x ${secret}`, software_id: secret, "x-unknown": [secret] };
  const other = await register(server, { ...publicClient, ...misplaced });
  const url = other.registration_client_uri.replace(server.as.issuer, "");
  await server.get(url, { headers: { authorization: `Bearer ${other.registration_access_token}` } });
  for (const id of ["1", "2", "3"]) {
    for (const path of [id, `${id}.md`]) {
      const response = await server.get(`/flows/${path}`);
      assert(!(await response.text()).includes(secret), path);
    }
  }
  assert(!lines.join("\n").includes(secret));
});
