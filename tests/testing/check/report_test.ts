/** The report of a check as a page of the server, and as a document. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../../src/inspector/mod.ts";
import { reportPage } from "../../../src/testing/check/report_page.ts";
import type { CheckReport } from "../../../src/testing/mod.ts";
import { checkClient } from "./patient_check.ts";
import { testLatchkey } from "../../secret_leak_check.ts";
import { smallClient } from "./small_client.ts";

/** A report with failed, passed and skipped attacks, of a client with a hostile name. */
async function makeReport(): Promise<CheckReport> {
  const driver = { ...smallClient("does not compare state"), name: "<script>alert(1)</script>" };
  return await checkClient(driver, { only: ["response/state-wrong", "id-token/nonce-wrong", "transport/hang"] });
}

test("the report is a page beside the flows, complete without scripts, with the strict policy of all pages", async () => {
  const reports: CheckReport[] = [];
  await using as = await testLatchkey({ plugins: [inspector(), reportPage(() => reports[0])] });
  assertEquals((await as.fetch("/flows/check")).status, 404);
  reports.push(await makeReport());
  const response = await as.fetch("/flows/check");
  assertEquals(response.status, 200);
  assertMatch(response.headers.get("content-security-policy")!, /^default-src 'none'/);
  const html = await response.text();
  assertStringIncludes(html, "Check of &lt;script>alert(1)&lt;/script>");
  assertMatch(html, /<section id="failed"[^]*response\/state-wrong[^]*<section id="skipped"[^]*transport\/hang/);
  assertMatch(html, /<section id="passed"[^]*id-token\/nonce-wrong/);
  const home = await (await as.fetch("/")).text();
  assertStringIncludes(home, 'href="/flows/check"');
});

test("[FL-05] the page is for the host of the issuer alone", async () => {
  const report = await makeReport();
  await using as = await testLatchkey({ plugins: [reportPage(() => report)] });
  const { url } = await as.listen();
  const { port } = new URL(url);
  assertEquals((await fetch(`${url}/flows/check`)).status, 200);
  const foreign = await as.fetch(`${as.issuer}/flows/check`, { headers: { host: `rebound.example:${port}` } });
  assert(foreign.status >= 400, String(foreign.status));
});

test("the document has the same content, its own style sheet, and nothing to load", async () => {
  const html = await (await makeReport()).toHTML();
  assertStringIncludes(html, "<title>Check of &lt;script>alert(1)&lt;/script> · Latchkey</title>");
  assertMatch(
    html,
    /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;|default-src 'none'/i,
  );
  assertMatch(html, /<section id="failed"[^]*response\/state-wrong/);
  assert(!/<script|<link|<img|src=|href=/.test(html));
});

test("the report as text names what was skipped and why, once for each attack", async () => {
  const text = String(await makeReport());
  assertMatch(text, /\nSKIPPED, it waits for the time limits of the client:\n {2}transport\/hang$/);
});
