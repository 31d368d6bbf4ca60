/** The flow of an assertion (group JB). */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/devtools/mod.ts";
import { exchangeAssertion } from "../../server/foreign_issuer.ts";
import { getOutcome } from "../../kit.ts";
import { rejected, trustingServer } from "../../server/extensions/assertion_grants/trusting_server.ts";

test("[JB-02] the page of a flow shows what passed, what failed and how to fix it, without the assertion", async () => {
  const { idp, server } = await trustingServer({}, { plugins: [inspector()] });
  const assertion = await idp.assertion("alice", { claims: { aud: "https://other.test" } });
  assertEquals(await getOutcome(await exchangeAssertion(server, assertion)), rejected);
  const html = await (await server.get("/flows/1")).text();
  const text = html.replaceAll("<wbr/>", "").replace(/<(?:"[^"]*"|[^>"])*>/g, " ").replace(/\s+/g, " ");
  for (
    const expected of [
      "Assertion",
      "a key of the issuer verifies the signature",
      "the assertion has another audience",
      "aud = https://as.test or https://as.test/oauth2/token",
      "https://other.test",
      "Request the assertion for the issuer of this server",
      "the subject is known to this server",
    ]
  ) assertStringIncludes(text, expected);
  assert(!html.includes(assertion.split(".")[2]!));
});
