/** The settings that the page of a client shows: pasted unchanged, they withstand forged ID tokens. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import * as openid from "openid-client";
import { clientSnippets } from "../../src/devtools/connect/client_snippets/mod.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { run } from "../devtools/connect/client_snippets.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { checkClient } from "./patient_check.ts";

test("an application with the settings for openid-client verifies the signature of ID tokens", async () => {
  await using as = await testLatchkey({ alg: "RS256" });
  await as.listen();
  as.client({ client_id: "shop", redirect_uri: "http://localhost:3000/callback" });
  const { issuer } = as;
  const urls = {
    issuer,
    authorize: `${issuer}/oauth2/authorize`,
    token: `${issuer}/oauth2/token`,
    userinfo: `${issuer}/oauth2/userinfo`,
  };
  const snippets = clientSnippets(urls, as.clients.find("shop")!, { secret: "" });
  const { text } = snippets.find(({ library }) => library === "openid-client")!;
  const { begin, finish } = await run(text!, { "openid-client": openid });
  const only = attacks.filter(({ id, needs }) => needs.includes("checksSignature") && id.startsWith("id-token/"))
    .map(({ id }) => id);
  const report = await checkClient({
    name: "openid-client",
    client: { client_id: "shop", redirect_uri: "http://localhost:3000/callback" },
    async logIn(journey) {
      const { url, kept } = await begin();
      const { tokens } = await finish(new URL((await journey.authorize(url)).url), kept);
      return { sub: tokens.claims().sub };
    },
  }, { as, only, recoveryMs: 0 });
  assert(only.length > 5);
  assertEquals(report.causes.filter(({ cause }) => cause.includes("signature")), [], String(report));
  assertEquals(report.counts.failed, 0, String(report));
  assert(report.counts.passed > 10, String(report));
});
