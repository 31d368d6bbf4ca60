/** Signed authorization responses in flows (group JM). */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { recorder } from "../../src/recorder/recorder.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { assertPageWithForm } from "../server/browser.ts";
import { getSigned, server, verify } from "../server/extensions/signed_responses/signed_responses.ts";

test("[JM-12] flows show the parameters inside, and the JWT and its code are redacted everywhere", async () => {
  const record = recorder();
  const b = await server({ plugins: [record, inspector()] });
  for (const response_mode of ["jwt", "fragment.jwt", "form_post.jwt"]) {
    const response = await b.authorize({ response_mode });
    const location = response.headers.get("location");
    const jwt = location === null
      ? (await assertPageWithForm(response)).fields[0]![1]
      : location.slice(location.indexOf("response=") + "response=".length);
    const { code } = await verify(b, jwt);
    assertEquals((await b.token({ code: code as string })).status, 200);
    const flow = record.flows().at(-1)!;
    assertEquals(flow.exchanges.map(({ endpoint, outcome }) => `${endpoint} ${outcome}`), [
      "authorize done",
      "token done",
    ]);
    const names = flow.exchanges[0]!.response!.authorizationResponse!.params.map(([name]) => name);
    assertEquals(names, ["response", "code", "state", "iss"]);
    for (const path of ["", ".md"]) {
      const text = await (await b.get(`/flows/${flow.id}${path}`)).text();
      for (const secret of [jwt, jwt.split(".")[1]!, code as string]) assert(!text.includes(secret), path);
    }
  }
  const rejected = await b.authorize({ response_mode: "jwt", scope: "admin" });
  getSigned(rejected);
  assertEquals(record.flows().at(-1)!.exchanges[0]!.outcome, "rejected");
});
