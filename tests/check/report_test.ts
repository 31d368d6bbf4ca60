/** The report of a check as a page of the server, and as a document. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { unclearIn } from "./accusations.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { redactTextAbout } from "../../src/recorder/redact.ts";
import { type Capability, missingCapability } from "../../src/check/capabilities.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { effects, severities } from "../../src/check/effects.ts";
import { type CheckReport, type ClientDriver, UndecidedError } from "../../src/check/mod.ts";
import { printable } from "../../src/core/http/quote_value.ts";
import { forEachCase } from "../kit.ts";
import { partOfCatalogue } from "./catalogue_part.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { reportPages } from "./report_pages.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { smallClient } from "./small_client.ts";

let made: Promise<CheckReport> | undefined;

/** A report with failed, passed and skipped attacks, of a client with a hostile name. All tests have the same. */
function makeReport(): Promise<CheckReport> {
  const driver = { ...smallClient("does not compare the nonce"), name: "<script>alert(1)</script>" };
  return made ??= checkClientWithEdDsa(driver, {
    only: ["id-token/nonce-wrong", "response/state-wrong", "transport/hang"],
  });
}

test("the report is a page, complete without scripts, with the strict policy of all pages", async () => {
  const reports: CheckReport[] = [];
  await using as = await testLatchkey({ plugins: [inspector(), reportPages(() => reports[0])] });
  assertEquals((await as.fetch("/flows/check")).status, 404);
  reports.push(await makeReport());
  const response = await as.fetch("/flows/check");
  assertEquals(response.status, 200);
  assertMatch(response.headers.get("content-security-policy")!, /^default-src 'none'/);
  const html = await response.text();
  assertStringIncludes(html, "Check of &lt;script>alert(1)&lt;/script>");
  assertMatch(html, /<section id="failed"[^]*id-token\/nonce-wrong[^]*<section id="skipped"[^]*transport\/hang/);
  assertMatch(html, /<section id="passed"[^]*response\/state-wrong/);
});

test("no form of the report has control characters or marks of direction that the application chose", async () => {
  const marks = [..."\u0000\u0007\u001b\u007f\u0085\u009b\u200b\u202e\u2028\u2066\ufeff"];
  const text = marks.join("");
  const driver: ClientDriver = {
    ...smallClient(),
    name: `app${text}`,
    receiveCallback: () => Promise.reject(new UndecidedError(`shows no user${text}`, `page${text}`)),
  };
  const report = await checkClientWithEdDsa(driver, { only: ["response/twice"] });
  await using as = await testLatchkey({ plugins: [inspector(), reportPages(() => report)] });
  const forms = {
    text: String(report),
    json: JSON.stringify(report),
    html: await report.toHTML(),
    page: await (await as.fetch("/flows/check")).text(),
    junit: report.toJUnit(),
  };
  await forEachCase(Object.entries(forms), ([, form]) => {
    for (const mark of marks) assert(!form.includes(mark), `${mark.charCodeAt(0)}`);
    // Once in a text; in JSON, the backslash is escaped too.
    for (const mark of marks) {
      assertMatch(form, new RegExp(`app[^ ]*\\\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`));
    }
  });
  assertEquals(JSON.parse(forms.json).client, `app${printable(text)}`);
});

test("each attack leads to its flow, as a page and as exports, without secrets", async () => {
  const report = await makeReport();
  await using as = await testLatchkey({ plugins: [inspector(), reportPages(() => report)] });
  const html = await (await as.fetch("/flows/check")).text();
  const [, path] = /<code>id-token\/nonce-wrong<\/code>[^]*?href="(\/flows\/check\/\d+)"/.exec(html)!;
  const result = report.results[Number(path!.split("/").at(-1)) - 1]!;
  assertEquals([result.attack.id, result.verdict], ["id-token/nonce-wrong", "failed"]);
  const page = await (await as.fetch(path!)).text();
  assertMatch(page, /id-token\/nonce-wrong[^]*Injected fault:/);
  const code = result.evidence.exchanges.flatMap(({ request }) => request.form).find(([name]) => name === "code")![1];
  for (const text of [page, await (await as.fetch(`${path}.md`)).text()]) assert(!text.includes(code));
  assertEquals((await as.fetch("/flows/check/99999")).status, 404);
});

test("failures have the cause of what was seen, and one cause has the failures of several attacks", async () => {
  const only = ["id-token/aud-wrong", "id-token/iss-wrong", "id-token/nonce-wrong", "id-token/exp-past"];
  const causesOf = async (mistake: Parameters<typeof smallClient>[0]) => {
    const report = await checkClientWithEdDsa(smallClient(mistake), { only });
    const { causes, results } = JSON.parse(JSON.stringify(report));
    const lines = String(report).match(/^ {2}.*: \d+ attacks? \(\w+, \w+\)$/gm)!;
    assertEquals(lines.length, causes.length);
    for (const { id, verdict, cause } of results) {
      const of = causes.find(({ attacks }: { attacks: string[] }) => attacks.includes(id));
      assertEquals(cause, verdict === "failed" ? of.cause : undefined, id);
    }
    return causes;
  };
  assertEquals(await causesOf("does not compare the nonce"), [{
    verdict: "failed",
    attacks: ["id-token/nonce-wrong"],
    harms: [],
    requirements: ["OpenID Connect Core §3.1.3.7"],
    ...effects.idToken,
    fix: "Keep the nonce of each login, and compare the nonce of the ID token with it, character by character.",
  }]);
  const [whole, ...others] = await causesOf("checks nothing");
  assertEquals([whole.cause, whole.attacks.toSorted(), others], [effects.idToken.cause, only.toSorted(), []]);
});

test("[FL-05] the page is for the host of the issuer alone", async () => {
  const report = await makeReport();
  await using as = await testLatchkey({ plugins: [reportPages(() => report)] });
  const { url } = await as.listen();
  const { port } = new URL(url);
  for (const path of ["/flows/check", "/flows/check.json", "/flows/check/1"]) {
    assertEquals((await fetch(url + path)).status, 200);
    const foreign = await as.fetch(as.issuer + path, { headers: { host: `rebound.example:${port}` } });
    assert(foreign.status >= 400, String(foreign.status));
  }
});

test("programs read the report as JSON, the same as that of the command", async () => {
  const reports: CheckReport[] = [];
  await using as = await testLatchkey({ plugins: [reportPages(() => reports[0])] });
  const missing = await as.fetch("/flows/check.json");
  assertEquals([missing.status, missing.headers.get("content-type")], [404, "application/problem+json"]);
  reports.push(await makeReport());
  const response = await as.fetch("/flows/check.json");
  assertEquals([response.headers.get("content-type"), response.headers.get("access-control-allow-origin")], [
    "application/json",
    null,
  ]);
  const report = await response.json();
  assertEquals(report, JSON.parse(JSON.stringify(reports[0])));
  assertEquals(report.results.find(({ id }: { id: string }) => id === "id-token/nonce-wrong").verdict, "failed");
});

test("the document has the same content, its own style sheet, and nothing to load", async () => {
  const html = await (await makeReport()).toHTML();
  assertStringIncludes(html, "<title>Check of &lt;script>alert(1)&lt;/script> · Latchkey</title>");
  assertMatch(
    html,
    /<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;|default-src 'none'/i,
  );
  assertMatch(html, /<section id="failed"[^]*id-token\/nonce-wrong/);
  assert(!/<script|<link|<img|src=|href="[^#]/.test(html));
});

test("a client that does not compare the nonce fails in the catalogue only there, and the report says so", async () => {
  const foundBy = ["response/code-injected", "id-token/nonce-wrong"];
  const report = await checkClientWithEdDsa(smallClient("does not compare the nonce"), {
    only: partOfCatalogue(12, 3, foundBy),
  });
  assertEquals([...new Set(report.failures.map(({ attack: { id } }) => id))], foundBy);
  assertMatch(String(report), /FAILED id-token\/nonce-wrong/);
  assertEquals(report.toJUnit().match(/failures="(\d+)"/)![1], String(report.failures.length));
});

test("no reason for a skipped attack looks like a secret, which reports redact", () => {
  for (const { id, needs } of attacks) {
    const reason = missingCapability(needs, new Set()) ?? "";
    assertEquals(redactTextAbout(reason, []), reason, id);
  }
});

test("only an application that the check drives by its pages gets a flag for another page", () => {
  const reasonOf = (...has: Capability[]) => missingCapability(["refresh"], new Set(has), false);
  assertEquals(reasonOf("logIn", "receive"), "the check cannot refresh the tokens (add --refresh-url)");
  assertEquals(reasonOf("logIn"), "the check cannot refresh the tokens in a browser");
});

test("the report as text says why attacks were skipped, and how many, at its end", async () => {
  const text = String(await makeReport());
  assertMatch(
    text,
    /\nSKIPPED, .* is missing:\n {2}.*\bthe attack waits for the time limits of the client \(add timeLimits: true\) \(1\)/,
  );
});

const audienceFix =
  "Require that aud of the ID token is your client_id, or a list with it and nothing that you do not trust.";

test("one block an attack: consequence, the value that was sent in each variant, fix and command; the gravest first", async () => {
  const driver = smallClient("checks nothing");
  const report = await checkClientWithEdDsa(driver, {
    only: ["response/state-wrong", "id-token/aud-wrong", "metadata/endpoint-internal"],
  });
  const blocks = String(report).split("\n\n").filter((block) => /^(?:FAILED|WARNING) /.test(block));
  assertEquals(blocks.map((block) => block.split("\n", 1)[0]), [
    "FAILED id-token/aud-wrong (must-reject, high), 12 of 12 variants",
    "WARNING metadata/endpoint-internal (should-reject, medium), 6 of 9 variants",
    "WARNING response/state-wrong (must-reject, low), 9 of 9 variants",
  ]);
  const lines = blocks[0]!.split("\n");
  assertEquals(lines.slice(1, 4), [
    "  attack:      The ID token has a wrong aud: foreign, prefixed, extended, shortened, case, list, absent, null, empty or number.",
    `  consequence: ${effects.idToken.consequence}`,
    "  expected:    The client discards the response, and no session begins.",
  ]);
  const sent = { foreign: "value-of-another-request", prefixed: "0client-1", extended: "client-10" };
  const requests = "discovery 200; authorize 302; token 200, changed by: wrong aud; userinfo 200";
  const sentAs = (aud: string, value: string) =>
    `  sent:        { value: "${aud}" } token: id_token.aud: "${value}" instead of "client-1"`;
  assertEquals(lines.slice(4, 7), Object.entries(sent).map(([aud, value]) => sentAs(aud, value)));
  const at = lines.findIndex((line) => line.startsWith("  received:"));
  assertEquals(lines.slice(at, at + 2), ["  received:    the client carried on.", `  requests:    ${requests}`]);
  // One for each journey with other requests: a login with discovery, one without.
  assertEquals(lines.filter((line) => line.startsWith("  received:")).length, 2, blocks[0]);
  assertEquals(lines.slice(-3), [
    `  fix:         ${audienceFix}`,
    '  repeat:      checkClient(driver, { only: ["id-token/aud-wrong"] })',
    "  sources:     OpenID Connect Core §3.1.3.7; CVE-2024-47806; CVE-2023-22482; CVE-2024-5798",
  ]);
  assertStringIncludes(blocks[2]!, '"value-of-another-request" instead of the state of the request');
  assertStringIncludes(blocks[1]!, 'token_endpoint: "https://169.254.169.254/internal" instead of "https://issuer-');

  const { results } = JSON.parse(JSON.stringify(report));
  const found = results.find(({ id }: { id: string }) => id === "id-token/aud-wrong");
  assertEquals([found.severity, found.sent, found.repeat], [
    "high",
    ['token: id_token.aud: "value-of-another-request" instead of "client-1"'],
    'checkClient(driver, { only: ["id-token/aud-wrong"] })',
  ]);
  assertEquals([found.consequence, found.fix], [effects.idToken.consequence, audienceFix]);
  assertMatch(
    report.toJUnit(),
    /<failure[^>]*>FAILED id-token\/aud-wrong[^<]*consequence: [^<]*sent: [^<]*fix: [^<]*repeat: /,
  );
  const html = await report.toHTML();
  assertEquals(html.split('<details class="attack">').length, 4);
  assertMatch(
    html,
    /Consequence<[^]*An ID token of another login[^]*Sent by the server<[^]*id_token\.aud[^]*How to fix it<[^]*Repeat the attack</,
  );
});

test("variants of one attack with different effects have blocks of their own severity", async () => {
  const headings = async (only: readonly string[]) =>
    String(await checkClientWithEdDsa(smallClient("checks nothing"), { only })).match(/^(?:FAILED|WARNING) .*$/gm);
  assertEquals(await headings(["transport/redirect"]), [
    "FAILED transport/redirect (must-reject, high), 4 of 9 variants",
    "WARNING transport/redirect (must-reject, low), 3 of 9 variants",
  ]);
});

test("a client whose code verifier and nonce replace state is warned, with the severity of that", async () => {
  const report = await checkClientWithEdDsa(smallClient("checks nothing"), {
    only: ["response/state-of-another-browser"],
  });
  assertEquals(String(report).match(/^(?:FAILED|WARNING) .*$/gm), [
    "WARNING response/state-of-another-browser (must-reject, medium), 1 of 7 variants",
    "WARNING response/state-of-another-browser (must-reject, low), 6 of 7 variants",
  ]);
});

test("the text begins with the causes, each with its fix, and ends with what was skipped", async () => {
  const only = ["transport/redirect", "id-token/exp-past", "response/state-wrong", "transport/hang"];
  const text = String(await checkClientWithEdDsa(smallClient("checks nothing"), { only }));
  const headings = text.split("\n").flatMap((line) => /^[A-Z]{4,}/.exec(line)?.[0] ?? []);
  assertEquals(headings.filter((heading, index) => heading !== headings[index - 1]), [
    ...["CAUSES", "WARNINGS", "ABOUT", "FAILED", "WARNING", "SKIPPED"],
  ]);
  assertMatch(text, /(?:\n\nSKIPPED, .*\n {2}\S.*)+$/);
  assertMatch(text, /\nCAUSES.*\n {2}\S.*\n {4}seen in: \S.*\n(?: {4}(?:harm|requirement): .*\n)+ {4}fix: {2}\S/);
  assert(!/\bdrivers?\b/.test(text.replaceAll("checkClient(driver,", "")), text);
});

test("no value in a report is a secret: a code, a token, and a state that the server changed", async () => {
  const only = ["response/state-wrong", "response/code-injected", "token/access-token-odd"];
  const report = await checkClientWithEdDsa(smallClient("checks nothing"), { only });
  const secrets = report.results.flatMap(({ evidence: { exchanges } }) =>
    exchanges.flatMap(({ response }) => {
      const { authorizationResponse, body = "" } = response ?? {};
      const sent = authorizationResponse?.params.flatMap(([name, value]) => name === "code" ? [value] : []) ?? [];
      return [...sent, ...[...body.matchAll(/"(?:access|refresh|id)_token":"([^"]+)"/g)].map(([, token]) => token!)];
    })
  ).filter((secret) => secret.length > 8);
  assert(secrets.length > 10);
  const forms = [JSON.stringify(report), report.toJUnit()];
  for (const text of [String(report), ...forms, await report.toHTML()]) {
    for (const secret of secrets) assert(!text.includes(secret), secret);
  }
});

test("every effect says how grave it is, what it leads to and how to fix the client, in sentences", () => {
  for (const [seen, { severity, cause, consequence, fix }] of Object.entries(effects)) {
    assert(severities.includes(severity), seen);
    assertMatch(cause, /^[a-z][^.]{15,70}$/, `${seen}: ${cause}`);
    for (const text of [consequence, fix]) assertMatch(text, /^[A-Z].{20,170}[^.]\.$/, `${seen}: ${text}`);
  }
});

test("what shows nothing is listed by its cause, not by the text of a page", async () => {
  let journeys = 0;
  const driver: ClientDriver = {
    ...smallClient(),
    receiveCallback: () =>
      Promise.reject(new UndecidedError("the page shows no user", `status 500, "error ${++journeys}"`)),
  };
  const report = await checkClientWithEdDsa(driver, {
    only: ["response/state-of-another-browser", "response/twice", "id-token/aud-wrong"],
  });
  const [, group] = /SKIPPED, although they apply: ([^]*?)\n\n/.exec(`${report}\n\n`)!;
  assertEquals(group!.split("\n").slice(0, 2), [
    "the page shows no user:",
    "  response/twice (2), response/state-of-another-browser (7)",
  ]);
  assertMatch(group!, /\n {2}for example: the page shows no user: status 500, "error \d"$/);
  assertEquals(String(report).split("the page shows no user:").length, 3);
  const { results } = JSON.parse(JSON.stringify(report));
  assertEquals(results.find(({ id }: { id: string }) => id === "response/twice").cause, "the page shows no user");
  assertMatch(
    await report.toHTML(),
    /<h3>The page shows no user<\/h3>\u00a0<b>2<\/b><\/summary><p>For example: [^<]*<\/p>/,
  );
});

test("a check that shows nothing in most logins has not passed, and says so in each form", async () => {
  const undecided: ClientDriver = {
    ...smallClient(),
    receiveCallback: () => Promise.reject(new UndecidedError("the page shows no user")),
  };
  const only = ["response/state-of-another-browser", "response/twice", "metadata/endpoint-query"];
  const report = await checkClientWithEdDsa(undecided, { only });
  assertEquals([report.passed, report.counts.passed, unclearIn(report).length], [false, 1, 9]);
  const problem = "most of the check shows nothing: the results of 9 of 10 logins are unclear";
  assertEquals(report.problem, problem);
  assertStringIncludes(String(report), `\n\nNOT PASSED: ${problem}.\n`);
  assertStringIncludes(JSON.stringify(report), problem);
  assertStringIncludes(report.toJUnit(), `<failure message="${problem}">`);
  assertMatch(await report.toHTML(), /Most of the check shows nothing: the results of 9 of 10/);
  // Half is enough.
  assert((await checkClientWithEdDsa(undecided, { only: [...only, "id-token/nonce-wrong"] })).passed);
});

test("a baseline has failures of attacks and practices; JSON carries it on", async () => {
  const only = ["refresh/token-omitted", "response/swapped", "practices"];
  const failOn = ["high", "medium"] as const;
  const driver = smallClient("keeps one verifier");
  const first = await checkClientWithEdDsa(driver, { only, failOn });
  const baseline = JSON.parse(JSON.stringify(first));
  const second = await checkClientWithEdDsa(driver, { only, failOn, baseline });
  assertEquals([first.passed, second.passed], [false, true], String(second));
  assertEquals(second.failures, []);
  assertStringIncludes(String(second), "KNOWN, failures that the baseline has:\n");
  assertStringIncludes(String(second), "\n  practice pkce-random");
  assertMatch(await second.toHTML(), /Known: the baseline has them/);
  const third = await checkClientWithEdDsa(driver, { only, baseline: JSON.parse(JSON.stringify(second)) });
  assert(third.passed, String(third));
  const fixed = await checkClientWithEdDsa(smallClient(), { only, baseline });
  assert(fixed.outdatedBaseline.includes("practice pkce-random"), String(fixed));
});
