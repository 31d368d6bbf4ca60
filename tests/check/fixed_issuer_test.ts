/**
 * The check of a client that is configured with one issuer: a web application in another process, over sockets.
 * `fixed_issuer_verdicts_test.ts` tests what it says of each mistake.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { unclearIn } from "./accusations.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { listeningTrap } from "../../src/check/trap.ts";
import { checkFixedIssuer, withVerdict } from "./fixed_issuer.ts";

/** The id of an attack, once for each variant. */
const variantsOf = (id: string) => attacks.find((attack) => attack.id === id)!.variants.map(() => id);

test("with a restart, an attack on metadata reaches an application that reads it at its start", async () => {
  for (const restarts of [true, false]) {
    const report = await checkFixedIssuer({ only: ["metadata/issuer-other"], discoversAtStart: true, restarts });
    assertEquals(withVerdict(report, restarts ? "passed" : "skipped"), ["metadata/issuer-other"], String(report));
    assertEquals(report.counts.failed, 0, String(report));
  }
});

test("an application that stops: during which attack, its error, and the practices that were seen before", async () => {
  const only = ["response/state-wrong", "token/type-case", "practices"];
  const report = await checkFixedIssuer({ mistake: "stops at a wrong state", only, recoveryMs: 0 });
  const stopped =
    "the application stopped during response/state-wrong; add a command that restarts it (restart, --restart)";
  assertEquals(report.problem, `${stopped}: ${unclearIn(report).length} logins showed nothing`);
  assertEquals(
    report.results.map(({ verdict, attack: { id }, because }) => `${verdict} ${id}: ${because.replace(/:\d+/g, "")}`),
    [
      "failed response/state-wrong: the application stopped during this attack: http://127.0.0.1/login could not be " +
      "reached: is the application running, and is its issuer http://localhost?",
      ...[
        ...variantsOf("response/state-wrong").slice(1),
        ...variantsOf("token/type-case"),
      ].map((id) => `skipped ${id}: ${stopped}`),
    ],
  );
  assertMatch(
    String(report),
    /SKIPPED, although they apply: the application stopped during an earlier attack:\n {2}response\/state-wrong \(\d+\), token\/type-case/,
  );
  assert(report.practices.filter(({ outcome }) => outcome === "passed").length > 5, String(report));
});

test("an application that stops after the response: the attack before is the cause, not the next one", async () => {
  const only = ["userinfo/sub-other", "refresh/rejected"];
  const report = await checkFixedIssuer({ mistake: "stops after a login of mallory", only, recoveryMs: 0 });
  const [first, ...others] = report.results;
  assertMatch(first!.because, /^the client carried on.*; the application stopped during this attack: http/);
  assertEquals(
    [...new Set(others.map(({ verdict, because }) => `${verdict}: ${because}`))],
    [
      "skipped: the application stopped during userinfo/sub-other; add a command that restarts it (restart, " +
      "--restart)",
    ],
  );
});

test("an application that ends the session when a refresh fails does not cost the time to recover", async () => {
  const startedAt = performance.now();
  const report = await checkFixedIssuer({
    mistake: "ends the session when a refresh fails",
    only: ["refresh/transient"],
    recoveryMs: 600_000,
  });
  assertEquals(withVerdict(report, "failed"), ["refresh/transient"], String(report));
  assert(performance.now() - startedAt < 600_000);
});

test("a check that is stopped has what is known until then, and waits for nothing", async () => {
  const stop = new AbortController();
  const report = await checkFixedIssuer({
    only: ["response/state-wrong", "id-token/nonce-wrong", "practices"],
    signal: stop.signal,
    onResult: () => stop.abort(new Error("enough")),
  });
  // The gravest attack is the first.
  const run = report.results.filter(({ verdict }) => verdict !== "skipped");
  assertEquals(run.map(({ attack: { id }, verdict }) => `${verdict} ${id}`), ["passed response/state-wrong"]);
  const problem = `the check was stopped after 1 of ${report.results.length} logins`;
  assertEquals([report.passed, report.problem], [false, problem]);
  assert(report.practices.some(({ outcome }) => outcome === "passed"));

  const early = await checkFixedIssuer({ only: ["response"], signal: AbortSignal.abort(new Error("enough")) });
  assertMatch(String(early), /The login without an attack failed: hung, the check was stopped before it ended/);
  assertEquals([early.passed, early.counts.skipped], [false, early.results.length]);
});

test("the trap has the name of the issuer where other machines must reach it, and records what arrives", async () => {
  for (const [hostname, expected] of [["localhost", "127.0.0.1"], ["oidc", "oidc"]] as const) {
    const { trap, clear, close } = await listeningTrap(hostname);
    const { hostname: actual, port } = new URL(trap.origin);
    assertEquals(actual, expected);
    const response = await fetch(`http://127.0.0.1:${port}/token?a=1`, { method: "POST", body: "code=x" });
    assertEquals([response.status, await response.text()], [404, "Not found"]);
    assertEquals(trap.requests.map(({ method, url, body }) => [method, url, body]), [
      ["POST", `${trap.origin}/token?a=1`, "code=x"],
    ]);
    clear();
    assertEquals(trap.requests.length, 0);
    await close();
  }
});
