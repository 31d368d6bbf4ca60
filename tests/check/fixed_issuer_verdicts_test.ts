/**
 * What the check of a client with one issuer says of a correct application, and of one that loses its logins.
 * `fixed_issuer_test.ts` tests how the check runs.
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { unclearIn } from "./accusations.ts";
import { partOf, partOfCatalogue } from "./catalogue_part.ts";
import { checkFixedIssuer, checkInProcess, idsOf, withVerdict } from "./fixed_issuer.ts";
import { replaceTimers } from "../until.ts";

test("an attack after which no login works fails for that, and the later ones are skipped", async () => {
  const mistake = "logs no user in after a wrong nonce";
  const report = await checkFixedIssuer({ mistake, only: ["id-token/nonce-wrong", "keys/extra"] });
  assertEquals(withVerdict(report, "failed"), ["id-token/nonce-wrong"], String(report));
  assertEquals(idsOf(unclearIn(report)), ["id-token/nonce-wrong", "keys/extra"], String(report));
  assertMatch(String(report), /after it, a login without an attack failed/);
});

test("an application that can be restarted logs in once after several attacks, and the one that ends all logins is found", async () => {
  const only = ["response/code-missing", "id-token/nonce-wrong"];
  const countLogins = async (restart?: () => Promise<void>) => {
    let logins = 0;
    await checkInProcess({
      respond: (request, respond) => (logins += Number(request.url.endsWith("/login")), respond(request)),
      ...{ only, restart },
    });
    return logins;
  };
  const [alone, together] = [await countLogins(), await countLogins(() => Promise.resolve())];
  assert(alone - together >= 7, `${alone} ${together}`);
  const report = await checkFixedIssuer({ mistake: "logs no user in after a wrong nonce", only, restarts: true });
  assertEquals(withVerdict(report, "failed"), ["id-token/nonce-wrong"], String(report));
  assertEquals(withVerdict(report, "passed"), ["response/code-missing"], String(report));
});

test("after a variant that ends all logins, the check does not wait for the others of its attack", async () => {
  const only = ["transport/unavailable"];
  const { results } = await checkFixedIssuer({ mistake: "keeps a failed discovery", only, restarts: true });
  const discovery = results.filter(({ values }) => values.endpoint === "discovery");
  const later = discovery.slice(discovery.findIndex(({ verdict }) => verdict === "failed") + 1);
  assertEquals(later.map(({ verdict }) => verdict), later.map(() => "skipped"));
  assert(later.length > 1, String(later.length));
  assertEquals(later[0]!.because, "after another variant of the attack no login worked");
  assert(results.some(({ values, verdict }) => values.endpoint === "token" && verdict === "passed"));
});

test("an application that may rest before it fetches keys again is warned, and the reason says how to wait", async () => {
  const report = await checkFixedIssuer({ mistake: "fetches the JWKS once", only: ["keys/rotated", "keys/extra"] });
  assertEquals(withVerdict(report, "warning"), ["keys/rotated"], String(report));
  assertEquals(idsOf(unclearIn(report)), ["keys/extra"], String(report));
  assertMatch(String(report), /after it, a login without an attack failed for 0\.25 s: .*\(recoveryMs, --recovery\)/);
});

test("an application that stops has 15 s to start again, not the whole time for recovery, and the wait has its reason", async () => {
  let waitedMs = 0;
  const restore = replaceTimers({
    // The waits between two logins take no time.
    setTimeout: (callback: () => void, milliseconds?: number) => {
      const isWait = [250, 500, 1000].includes(milliseconds ?? 0);
      if (isWait) waitedMs += milliseconds!;
      return setTimeout(callback, isWait ? 0 : milliseconds);
    },
    elapsed: () => performance.now() + waitedMs,
  });
  const reasons: string[] = [];
  try {
    const report = await checkFixedIssuer({
      mistake: "stops at a wrong state",
      only: ["response/state-wrong"],
      recoveryMs: 600_000,
      onWait: (because, milliseconds) => reasons.push(`${milliseconds}: ${because}`),
    });
    assertMatch(String(report.problem), /^the application stopped during response\/state-wrong;/);
  } finally {
    restore();
  }
  assert(waitedMs > 10_000 && waitedMs < 40_000, String(waitedMs));
  assertMatch(reasons[0]!, /^15000: the login after an attack failed: http:\S+ could not be reached/);
});

test("a page that shows a name alone does not make a correct application fail when the name is left out", async () => {
  const report = await checkFixedIssuer({ only: ["userinfo"], loggedInUrl: "/hello" });
  assert(report.passed, String(report));
  assertEquals(idsOf(unclearIn(report)), ["userinfo/thin"], String(report));
  assertMatch(
    String(report),
    /SKIPPED, although they apply: the client carried on, and the application does not show which user is logged in:/,
  );
});

test("a page that responds the same with and without a login proves nothing", async () => {
  const report = await checkFixedIssuer({ mistake: "shows no login" });
  assert(!report.control.passed);
  assertEquals(report.counts.skipped, report.results.length);
  assertMatch(String(report), /responds the same with and without a login.*loggedInUrl/);
});

test("an application with every check is not accused by the catalogue; what it keeps is skipped", async () => {
  const seen: string[] = [];
  const report = await checkFixedIssuer({
    only: partOfCatalogue(16, 0, ["userinfo/signed-wrong", "metadata/issuer-other"]),
    onResult: ({ attack: { id } }, total) => void seen.push(`${id} of ${total}`),
  });
  assert(report.passed, String(report));
  assertEquals(withVerdict(report, "warning"), [], String(report));
  // The page shows only a claim of the ID token, so it does not show whether the application used userinfo.
  assert(idsOf(unclearIn(report)).includes("userinfo/signed-wrong"), String(report));
  assert(report.counts.passed >= 4, String(report));
  assertEquals(seen.length, report.results.length);
  // The order of the report is that of the catalogue; attacks on what the application keeps ran last.
  assertMatch(seen.at(-1)!, /of \d+$/);
  const skipped = report.results.filter(({ because }) =>
    because.startsWith("the attack needs a restart of the client (restart, --restart)")
  );
  assert(skipped.some(({ attack: { id } }) => id === "metadata/issuer-other"));
  assert(skipped.every(({ attack: { id } }) => /^(?:metadata|keys|transport|token|response|id-token)\//.test(id)));
});

test("with a restart, the attacks on metadata and keys reach an application that reads them at its start", async () => {
  // The login after old keys needs the new ones.
  const pauses = { keyPauseMs: 1500, recoveryMs: 60_000 };

  const report = await checkFixedIssuer({
    only: partOf(["metadata", "keys"], 6, 0),
    discoversAtStart: true,
    restarts: true,
    ...pauses,
  });
  assert(report.passed, String(report));
  const expected = [
    "the issuer is not an https URL",
    "the attack names hosts of internal networks",
    "the client is configured with one issuer",
    "the check cannot let days pass for the client (add ClientSession.passTime)",
    "the attack waits for the time limits of the client (add timeLimits: true)",
  ];
  const because = report.results.filter(({ verdict }) => verdict === "skipped").map((result) => result.because);
  assertEquals(because.filter((reason) => !expected.includes(reason)), [], String(report));
  assertEquals(unclearIn(report).length, 0, String(report));
});
