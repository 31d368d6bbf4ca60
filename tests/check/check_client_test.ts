/** The check of clients, and its report. `catalogue_test.ts` has the tests of the attacks. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import { attempt } from "../../src/check/attempt.ts";
import { type ClientDriver, type ClientJourney, UndecidedError } from "../../src/check/mod.ts";
import { checkClient, checkClientWithEdDsa } from "./patient_check.ts";
import { withPatientTimers } from "../until.ts";
import { practices } from "../../src/recorder/practices/mod.ts";
import { smallClient } from "./small_client.ts";
import { styledClient } from "./styled_client.ts";

test("the report has the practices of the client as text, JSON, JUnit XML and HTML", async () => {
  const driver = smallClient("keeps one verifier");
  const only = ["practices", "token/type-case"];
  assert((await checkClientWithEdDsa(driver, { only })).passed);
  const report = await checkClientWithEdDsa(driver, { only, failOn: ["medium"] });
  assert(!report.passed);
  assertEquals(report.practices.length, practices.length);
  const failed = report.practices.filter(({ outcome }) => outcome === "failed").map(({ practice: { id } }) => id);
  assert(failed.includes("pkce-random"), String(report));
  assertMatch(String(report), /; \d+ best practices: \d+ passed, 1 failed, \d+ skipped/);
  assertMatch(String(report), /FAILED practice pkce-random .*\n.*\n {2}received: request/);
  const json = JSON.parse(JSON.stringify(report)) as { practices: { id: string; outcome: string }[] };
  assertEquals(json.practices.filter(({ outcome }) => outcome === "failed").map(({ id }) => id), failed);
  assertMatch(report.toJUnit(), /<testcase classname="practice" name="pkce-random">\n {4}<failure message="/);
  assertMatch(await report.toHTML(), /practice pkce-random/);
  const without = await checkClientWithEdDsa(driver, { only: ["token/type-case"] });
  assertEquals(without.practices, []);
});

test("a driver that sends no request proves nothing: its login fails, and every attack is skipped", async () => {
  const report = await checkClient({ name: "idle", logIn: () => Promise.resolve({ sub: "alice" }) });
  assert(!report.passed);
  assertEquals(report.counts.skipped, report.results.length);
  assertMatch(String(report), /The login without an attack failed: .*no token request/);
});

test("attacks are counted once, whatever the number of their journeys", async () => {
  const report = await checkClientWithEdDsa(smallClient(), { only: ["id-token/sub-missing", "transport/hang"] });
  assertEquals([report.counts.passed, report.attackCounts.passed, report.attackCounts.skipped], [5, 1, 1]);
  assertMatch(String(report), /: 2 attacks \(\d+ logins, [\d.]+ s\): 1 passed, 1 skipped/);
});

test("a report that shows nothing is a failure in JUnit XML too", async () => {
  const report = await checkClientWithEdDsa(smallClient(), { only: ["transport/hang"] });
  assert(!report.passed);
  assertMatch(report.toJUnit(), /failures="1"[^]*<failure message="no attack and no practice showed anything/);
});

test("an action that takes too long is aborted, and no other one", async () => {
  const signals: AbortSignal[] = [];
  const act = (result: Promise<unknown>) =>
    attempt(
      (signal) => {
        signals.push(signal);
        return result;
      },
      undefined,
      1,
    );
  assertEquals((await act(new Promise(() => {}))).outcome, "hung");
  assertEquals((await act(Promise.resolve({}))).outcome, "accepted");
  assertEquals(signals.map(({ aborted }) => aborted), [true, false]);
});

test("an attack that needs more than the driver has is skipped, with the member that it lacks", async () => {
  const { name, logIn } = smallClient();
  const withoutRefresh = async (journey: ClientJourney) => ({ sub: (await logIn!(journey)).sub });
  const report = await checkClientWithEdDsa({ name, logIn: withoutRefresh }, { only: ["refresh/transient"] });
  assertEquals(
    new Set(report.results.map(({ verdict, because }) => `${verdict}: ${because}`)),
    new Set(["skipped: the check cannot refresh the tokens (add ClientSession.refresh)"]),
  );
});

test("what fails without an attack is a failure, and makes the attacks that need it skipped, and no others", async () => {
  const driver = smallClient();
  const withoutRequest: ClientDriver = {
    ...driver,
    logIn: async (journey) => ({
      ...await driver.logIn!(journey),
      request: () => Promise.reject(new Error("no such page")),
    }),
  };
  const report = await checkClientWithEdDsa(withoutRequest, { only: ["error/userinfo-401", "refresh/transient"] });
  assertEquals(
    new Set(report.results.map(({ verdict, attack: { id }, because }) => `${verdict} ${id}: ${because}`)),
    new Set([
      "skipped error/userinfo-401: request fails without an attack: no such page",
      "passed refresh/transient: the session continues",
    ]),
  );
  assertEquals([report.passed, report.problem], [false, "request fails without an attack: no such page"]);
});

test("a driver that cannot say what the client did leaves a delivery without a verdict", async () => {
  const undecided: ClientDriver = {
    ...smallClient(),
    receiveCallback: () => Promise.reject(new UndecidedError("the page shows no user")),
  };
  const report = await checkClientWithEdDsa(undecided, {
    only: ["response/state-of-another-browser", "response/twice"],
  });
  assertEquals(
    new Set(report.results.map(({ verdict, because }) => `${verdict}: ${because}`)),
    new Set(["skipped: the page shows no user"]),
  );
});

test("a page whose second delivery ends the first is not accused of a session that ended, if it works afterwards", async () => {
  const driver = smallClient();
  let [open, isReloaded] = [0, false];
  const reloading: ClientDriver = {
    ...driver,
    async receiveCallback(journey, callback) {
      isReloaded = ++open > 1;
      await new Promise((resolve) => setTimeout(resolve));
      open--;
      if (isReloaded) throw new Error("no login in this tab");
      return await driver.receiveCallback!(journey, callback);
    },
  };
  const { results } = await checkClientWithEdDsa(reloading, { only: ["response/twice"] });
  assertEquals(results.map(({ verdict, because }) => `${verdict}: ${because}`), [
    "passed: the client sent the code 0 times; the login after it works",
    "passed: the client sent the code once, and the session continues",
  ]);
});

test("a client whose refresh looks the same when it was rejected is accused of no tokens that it never took", async () => {
  const correct = smallClient();
  const hiding: ClientDriver = {
    ...correct,
    async logIn(journey) {
      const session = await correct.logIn!(journey);
      return { ...session, refresh: () => session.refresh!().catch(() => {}) };
    },
  };
  const { results, failures } = await checkClientWithEdDsa(hiding, { only: ["refresh", "id-token/iss-wrong"] });
  assertEquals(failures, []);
  const warnings = results.filter(({ verdict }) => verdict === "warning").map(({ attack }) => attack.id);
  assert(warnings.includes("refresh/rejected"), warnings.join());
  const decided = results.filter(({ because }) => /its next request had the earlier tokens/.test(because));
  assert(decided.some(({ attack: { id }, verdict }) => id === "refresh/id-token-other" && verdict === "passed"));
});

test("a client that accepts a response without state when no login waits is found", async () => {
  const correct = smallClient();
  const open: ClientDriver = {
    ...correct,
    async receiveCallback(journey, callback) {
      if (callback.state !== undefined) return await correct.receiveCallback!(journey, callback);
      const { client: { client_id }, issuer, fetch, redirectUri } = journey;
      const grant = {
        grant_type: "authorization_code",
        code: callback.code ?? "",
        client_id,
        redirect_uri: redirectUri,
      };
      const response = await fetch(`${issuer}/oauth2/token`, { method: "POST", body: new URLSearchParams(grant) });
      if (!response.ok) throw new Error(`status ${response.status}`);
      return { sub: "alice" };
    },
  };
  const report = await checkClientWithEdDsa(open, { only: ["response/state-of-another-browser"] });
  const found = report.results.filter(({ verdict }) => verdict === "failed" || verdict === "warning");
  assertEquals(found.map(({ values }) => values.what), ["none"], String(report));
});

test("an attack has a name without its category, if only one attack has it", async () => {
  const { results } = await checkClientWithEdDsa(smallClient(), { only: ["alg-none", "keys"], except: ["rotated"] });
  const ids = results.map(({ attack: { id } }) => id);
  assertEquals(ids.includes("id-token/alg-none"), true);
  assertEquals([ids.includes("keys/extra"), ids.includes("keys/rotated")], [true, false]);
  await assertRejects(
    () => checkClientWithEdDsa(smallClient(), { only: ["sub-missing"] }),
    TypeError,
    'Did you mean "id-token/sub-missing" or "userinfo/sub-missing"?',
  );
});

test("a driver that throws before it returns a promise rejects the login", async () => {
  const logIn = () => {
    throw new Error("no configuration");
  };
  const { control } = await checkClient({ name: "throws", logIn });
  assertEquals([control.passed, control.outcome, String(control.error)], [
    false,
    "rejected",
    "Error: no configuration",
  ]);
});

test("a client that logs in only once has not passed: nothing is known about it", async () => {
  let logins = 0;
  const driver = smallClient();
  const once: ClientDriver = {
    name: "once",
    logIn: (journey) => logins++ === 0 ? driver.logIn!(journey) : Promise.reject(new Error("no second login")),
  };
  // Attacks that begin with a login without a fault are skipped; to others the client seems to withstand them.
  for (const only of [["keys/rotated"], ["id-token/nonce-wrong"]]) {
    logins = 0;
    const report = await checkClientWithEdDsa(once, { only });
    assertEquals([report.passed, report.control.passed], [false, false], String(report));
    assertMatch(String(report), /succeeded before the attacks, and failed after them: no second login/);
  }
});

test("a check that shows nothing has not passed", async () => {
  const { name, logIn } = smallClient();
  const withoutRefresh = async (journey: ClientJourney) => ({ sub: (await logIn!(journey)).sub });
  const report = await checkClientWithEdDsa({ name, logIn: withoutRefresh }, { only: ["refresh/transient"] });
  assertEquals([report.control.passed, report.failures.length, report.passed], [true, 0, false]);
});

test("what a driver returns must be a session: the login fails, and the report says what it was", async () => {
  const { logIn } = smallClient();
  const values = [null, undefined, "alice", 5, {}, { sub: 5n }];
  const received = ["null", "undefined", "string", "number", "an object without sub", "an object whose sub is of"];
  for (const [index, value] of values.entries()) {
    const returns = async (journey: ClientJourney) => {
      await logIn!(journey);
      return value as never;
    };
    const report = await checkClientWithEdDsa({ name: "odd", logIn: returns }, { only: ["id-token/nonce-wrong"] });
    assertEquals([report.passed, report.control.passed], [false, false]);
    assert(
      String(report).includes(`logIn: expected an object with sub, a string, received ${received[index]}`),
      String(report),
    );
    assertEquals(JSON.parse(JSON.stringify(report)).passed, false);
  }
});

test("a session cannot decide what an attack shows, and an error without text is reported", async () => {
  const { logIn } = smallClient("does not compare the nonce");
  const passed = { outcome: "rejected", passed: true, because: "it says so" };
  const withConclusion = async (journey: ClientJourney) => ({ ...await logIn!(journey), ...passed });
  const accepted = await checkClientWithEdDsa({ name: "odd", logIn: withConclusion }, {
    only: ["id-token/nonce-wrong"],
  });
  assert(accepted.failures.length > 0, String(accepted));

  const unreadable = {
    toString() {
      throw new Error("no text");
    },
  };
  const failed = await checkClient({ name: "odd", logIn: () => Promise.reject(unreadable) }, { only: ["id-token"] });
  assertMatch(String(failed), /The login without an attack failed: rejected, an error without text/);
  assertMatch(JSON.stringify(failed), /an error without text/);
});

test("a refresh that does not end costs no more than the time limit", async () => {
  const driver = styledClient("DPoP", { dpop: true });
  let refreshes = 0;
  const refresh = () => refreshes++ === 0 ? Promise.resolve() : new Promise<void>(() => {});
  const hanging: ClientDriver = {
    name: "hanging",
    logIn: async (journey) => ({ ...await driver.logIn!(journey), refresh }),
  };
  const report = await withPatientTimers(() =>
    checkClientWithEdDsa(hanging, { only: ["dpop/nonce-renewed"], timeoutMs: 1000 })
  );
  assertEquals(
    report.results.map(({ verdict, because }) => `${verdict}: ${because}`),
    ["failed: the client did not end within the time limit"],
  );
});

test("a driver without a login is rejected with what is missing", async () => {
  for (const driver of [undefined, { name: "mine" }, { name: "mine", login() {} }, { logIn() {} }]) {
    const { message } = await assertRejects(() => checkClient(driver as never), TypeError);
    assertMatch(
      message,
      /^checkClient, driver: expected an object with name, a string, and logIn, a function, received/,
    );
  }
});
