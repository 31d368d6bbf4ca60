/** The page of a rule, and `latchkey explain`. */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { CommandLineError } from "../../../src/cli/command_line_error.ts";
import { explain, explainHelpText } from "../../../src/cli/explain.ts";
import { rulesPath } from "../../../src/devtools/rules/rules_file.ts";
import { inspector } from "../../../src/devtools/mod.ts";
import { rules } from "../../../src/server/rules.ts";
import { renderPage } from "../../../src/core/pages/render_page.ts";
import { CheckReportPage } from "../../../src/check/pages/check_report.tsx";
import { citedSections } from "../../../src/server/pages/specifications.ts";
import { assertPage, forEachCase, testServer } from "../../kit.ts";

const readRules = () => readFile(rulesPath, "utf8");
const missing = () => Promise.reject(new Error("No such file"));
const environment = { terminalWidth: () => undefined };

/** A base that every link must begin with. */
const base = "/tenant";

const rulesServer = (base = "") =>
  testServer({ issuer: `http://localhost:9666${base}`, plugins: [inspector({ readRules })] });

const server = await rulesServer(base);

const hrefs = (html: string) => [...html.matchAll(/ href="([^"]*)"/g)].map(([, value]) => value!);

/** The words of a page as a reader sees them. */
const words = (html: string) =>
  html.replace(/<[^>]*>/g, "").replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&");

test("[DC-02, DC-03] each rule has a page with its requirement, fix and sections, and explain prints the same", async () => {
  const table = await readRules();
  await forEachCase(Object.entries(rules), async ([id, { fix, passes, cites }]) => {
    const response = await server.get(`/docs/rules/${id}`);
    const html = await response.text();
    // Only the sections of specifications are on other sites.
    const sections = citedSections(cites);
    await assertPage(new Response(html.replaceAll(/<a href="https:[^>]* rel="noreferrer">/g, "<a>"), response), 200);
    const page = words(html);
    const text = await explain([id], environment, readRules);
    const requirement = new RegExp(`^- \\*\\*${id}\\*\\* (?:[A-Z ]+: )?(.*)$`, "m").exec(table)![1]!;
    assertStringIncludes(text, requirement);
    assertStringIncludes(page, requirement.replaceAll("`", ""));
    for (const part of [fix, passes, `Rule ${id}`]) assertStringIncludes(page, part ?? "");
    for (const part of [fix, passes, `${id}  `, "\n  group    "]) assertStringIncludes(text, part ?? "");
    for (const { title, url } of sections) {
      assertStringIncludes(text, `${title}  ${url}`);
      assertStringIncludes(html, `<a href="${url}" rel="noreferrer">${title}</a>`);
    }
    assertEquals(html.match(/<h1\b/g)?.length, 1);
  });
});

test("[DC-03] without the file of requirements the page and explain have the fix and the sections", async () => {
  const { get } = await testServer({
    issuer: "http://localhost:9666",
    plugins: [inspector({ requests: false, readRules: missing })],
  });
  const { fix, passes } = rules["PK-09"]!;
  const url = "https://www.rfc-editor.org/rfc/rfc7636.html#section-4.6";
  const html = await (await get("/docs/rules/PK-09")).text();
  for (const part of [fix!, passes!]) assertStringIncludes(words(html), part);
  assert(hrefs(html).includes(url));
  assertEquals(hrefs(html).filter((href) => href.includes("/flows")), [], "no link without recorded flows");
  const text = await explain(["pk-09"], environment, missing);
  assertMatch(text, /^PK-09\n {2}rule {5}code_verifier matches the code_challenge\n {2}fix /);
  assertStringIncludes(text, url);
});

test("[DC-03] the page leads to the requests that its rule rejected", async () => {
  const { get, authorize } = await rulesServer();
  await authorize({ redirect_uri: "https://spa.example/cb/" });
  const link = hrefs(await (await get("/docs/rules/RU-01")).text()).find((href) => href.includes("/flows?"))!;
  assertMatch(await (await get(link)).text(), /id="flow-1"/);
  const other = hrefs(await (await get("/docs/rules/PK-09")).text()).find((href) => href.includes("/flows?"))!;
  assertStringIncludes(await (await get(other)).text(), "No flow matches the filter.");
});

test("[DC-03] explain wraps texts below their first word, and has a help", async () => {
  const narrow = await explain(["PK-09"], { terminalWidth: () => 60 }, readRules);
  const long = narrow.split("\n").filter((line) => line.length > 60 && !line.includes("https:"));
  assertEquals(long, []);
  assertMatch(narrow, /\n {11}\S/);
  assertMatch(explainHelpText, /^Usage: latchkey explain TEXT\n/);
});

test("[DC-03] explain lists the rules of a group, one below the other", async () => {
  const lines = (await explain(["pk"], { terminalWidth: () => 60 }, readRules)).split("\n");
  const ids = Object.keys(rules).filter((id) => id.startsWith("PK-")).sort();
  assertEquals(lines.filter((line) => !line.startsWith(" ")).map((line) => line.split("  ", 1)[0]), ids);
  assertEquals(lines.filter((line) => line.length > 60), []);
  assertStringIncludes(await explain(["PK"], environment, missing), `PK-09  ${rules["PK-09"]!.passes}`);
});

test("[DC-04] an unknown rule gets 404, or an error of explain, with the most similar one", async () => {
  const { as } = server;
  const cases = { "PK-9": "PK-09", "pk-09": "PK-09", "PK-99": "PK-09", "PK-09/x": undefined, "%3Cb%3E": undefined };
  await forEachCase(Object.entries(cases), async ([name, nearest]) => {
    const url = `${as.issuer}/docs/rules/${name}`;
    const response = await as.fetch(new Request(url, { headers: { accept: "text/html" } }));
    await assertPage(response.clone(), 404);
    const html = (await response.text()).replaceAll(/<wbr\/?>/g, "");
    if (nearest !== undefined) assertStringIncludes(html, `Did you mean ${as.issuer}/docs/rules/${nearest}?`);
  });
  const messageOf = async (...args: string[]) =>
    (await assertRejects(() => explain(args, environment, readRules), CommandLineError)).message;
  assertStringIncludes(await messageOf("PK-99"), "The nearest rule is PK-09.");
  for (const name of ["nonsense", "XX-99", "PK-of-the-app"]) {
    assertMatch(
      await messageOf(name),
      /"\.\n +latchkey explain PK lists the rules of a group\. The groups are AZ, .*PK, /,
    );
  }
  assertStringIncludes(await messageOf(), "found no text");
});

test("[DC-05] each rule that a page or the report of a check names links to its page, if there is one", async () => {
  const request = { redirect_uri: "https://spa.example/cb/" };
  const { authorize, get } = await rulesServer();
  assertStringIncludes(await (await authorize(request)).text(), '<a href="/docs/rules/RU-01">RU-01</a>');
  assertStringIncludes(await (await get("/flows/1")).text(), '<a href="/docs/rules/RU-01">RU-01</a>');
  const callback = "/authorized?error=invalid_scope&error_description=unknown+scope%3A+raed+%5BAZ-17%5D";
  assertStringIncludes(await (await get(callback)).text(), '<a href="/docs/rules/AZ-17">AZ-17</a>');
  assertStringIncludes(
    await (await server.get("/docs/rules/DR-04")).text(),
    '<a href="/tenant/docs/rules/RU-08">RU-08</a>',
  );
  const report = renderPage(CheckReportPage, {
    ...{
      issuer: "http://localhost:9666",
      base: "",
      rulesPath: "/docs/rules",
      client: "shop",
      kind: "client" as const,
      passed: false,
    },
    ...{ summary: "0 attacks", outdatedBaseline: [], score: [], observed: [], sections: [] },
    controlFailure: ["The server rejected POST /oauth2/token with invalid_grant by TK-15: redirect_uri does not match"],
  });
  assertStringIncludes(report, 'invalid_grant by <a href="/docs/rules/TK-15">TK-15</a>: redirect_uri');
  const without = await testServer({ issuer: "http://localhost:9666", plugins: [inspector()] });
  for (
    const response of [await without.authorize(request), await without.get("/flows/1"), await without.get(callback)]
  ) {
    assertEquals(hrefs(await response.text()).filter((href) => href.includes("/docs")), []);
  }
});
