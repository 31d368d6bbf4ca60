/** A failure counts only if it happens again beside a login without an attack, and limits of logins are waited for. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { unclearIn } from "./accusations.ts";
import type { CheckReport, ClientDriver } from "../../src/check/mod.ts";
import { timers } from "../../src/core/http/timers.ts";
import { replaceTimers } from "../until.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { checkInProcess } from "./fixed_issuer.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { correctDecisions } from "./decisions.ts";
import { smallClient } from "./small_client.ts";

/** A correct client that logs in `mallory` at its n-th login under attack, which responses have as a text. */
function flakyClient(wrongLogins: readonly number[], attack = /\?tenant=1/): ClientDriver {
  const client = smallClient();
  let attacked = 0;
  return {
    ...client,
    async logIn(journey) {
      let isAttacked = false;
      const fetch: Fetch = async (input, init) => {
        const response = await journey.fetch(input, init);
        isAttacked ||= attack.test(await response.clone().text());
        return response;
      };
      const session = await client.logIn!({ ...journey, fetch });
      return isAttacked && wrongLogins.includes(++attacked) ? { sub: "mallory" } : session;
    },
  };
}

const only = ["metadata/endpoint-query"];

test("a failure that does not happen again is skipped, and says what happened", async () => {
  const report = await checkClientWithEdDsa(flakyClient([1]), { only });
  const [result] = report.results;
  assertEquals(result!.verdict, "skipped");
  assertMatch(result!.because, /^it failed once, and not when it was repeated alone: .*mallory/);
});

test("a failure that happens again counts, with what the attacker got", async () => {
  const report = await checkClientWithEdDsa(flakyClient([1, 2]), { only });
  const [result] = report.results;
  assertEquals([result!.verdict, result!.harm], ["failed", 'logged in as "mallory" instead of "AItOawmwtWwc"']);
});

test("each response that a client must accept is repeated, also after a failure that counts", async () => {
  const client = flakyClient([1, 2, 3], /"access_token":"(?:AZaz09|.{5000})/);
  const report = await checkClientWithEdDsa(client, { only: ["token/access-token-odd"], concurrency: 1 });
  assertEquals(report.results.map(({ verdict }) => verdict), ["failed", "skipped"]);
});

/** A correct client that logs no user in after several failures, for a time or for ever. */
function pausingClient({ maxFailures, seconds = Infinity }: { maxFailures: number; seconds?: number }): ClientDriver {
  const client = smallClient();
  let failures = 0;
  let pausedAt = 0;
  return {
    ...client,
    async logIn(journey) {
      const now = journey.now() / 1000;
      const isPaused = failures >= maxFailures && now - pausedAt < seconds;
      if (failures >= maxFailures && !isPaused) failures = 0;
      const session = await client.logIn!(journey).catch((error) => {
        failures++;
        pausedAt = now;
        throw error;
      });
      if (isPaused) throw new Error("too many failures");
      return session;
    },
  };
}

test("a client that pauses after failures is repeated as a new client, or beside a login that fails too", async () => {
  // One failure is that of the probe whether it reads the ID token.
  const options = { maxFailures: 2 };
  const only = ["error/authorization", "token/optional-missing", "token/type-case"];
  const one = { only, concurrency: 1 };
  const reasonsOf = async (client: ClientDriver) => {
    const report = await checkClientWithEdDsa(client, one);
    assertEquals(report.failures, [], String(report));
    return unclearIn(report).map(({ because }) => because);
  };
  const paused = await reasonsOf(pausingClient(options));
  const cause = "a login without an attack at the same time failed too: too many failures";
  assert(paused.includes(cause), paused.join("\n"));
  const renewed = await reasonsOf({ ...pausingClient(options), renew: () => pausingClient(options) });
  assertMatch(renewed.join("\n"), /^it failed once, and not when it was repeated alone: .*too many failures$/m);
});

test("a client that rests for ten minutes after failures passes, because the check lets time pass", async () => {
  const only = ["error/authorization", "id-token/sub-missing"];
  const report = await checkClientWithEdDsa(pausingClient({ maxFailures: 2, seconds: 600 }), { only });
  assert(report.control.passed, String(report));
  assertEquals(report.failures, [], String(report));
});

test("an application that can be restarted is repeated after a restart", async () => {
  let restarts = 0;
  const report = await checkInProcess({
    ...{ application: { mistake: "believes any userinfo" }, only: ["userinfo/sub-other"] },
    restart: (forget) => (restarts++, forget()),
  });
  assert(report.counts.failed > 0, String(report));
  assertEquals(restarts, 1);
  // Each restart takes longer than restarts may take in a short check.
  const restore = replaceTimers({ elapsed: () => performance.now() + restarts * 61_000 });
  const { results } = await checkInProcess({
    only: ["metadata/issuer-other"],
    restart: () => Promise.resolve(void restarts++),
  });
  restore();
  assertEquals(results.filter(({ because }) => because.startsWith("restarts took")).length, results.length - 1);
});

test("attacks that the time limit left out have a list of their own, and the summary their number", async () => {
  let attacks = 0;
  const restore = replaceTimers({ elapsed: () => performance.now() + attacks * 40_000 });
  const report = await checkInProcess({
    only: ["id-token/nonce-wrong", "id-token/sub-missing", "token/type-case"],
    minutes: 1,
    onStart: () => attacks++,
  }).finally(restore);
  const because = "the time limit was reached";
  const notRun = report.results.filter((result) => result.because === because);
  assert(notRun.length > 0 && notRun.length < report.results.length, String(report));
  assertEquals(unclearIn(report), []);
  const [summary, ...lines] = String(report).split("\n");
  assertStringIncludes(summary!, `; ${notRun.length} logins not run, because ${because})`);
  assertMatch(
    lines.join("\n"),
    /^NOT RUN, because the time limit was reached \(minutes, --minutes\):\n {2}.*id-token\/nonce-wrong \(8\)/m,
  );
  assert(!/^SKIPPED/m.test(lines.join("\n")), String(report));
  assertStringIncludes(await report.toHTML(), `Not run, because ${because} (minutes, --minutes)`);
});

test("attacks on metadata that an application does not request after a restart either are skipped", async () => {
  let restarts = 0;
  const report = await checkInProcess({
    async application(as) {
      const metadata = await (await as.fetch("/.well-known/openid-configuration")).json();
      const fetch = async (url: string, init: RequestInit) =>
        url.includes("/.well-known/") ? Response.json(metadata) : await as.fetch(url, init);
      return { fetch };
    },
    only: ["metadata/issuer-other", "metadata/pkce-unsupported", "response/mix-up"],
    restart: (forget) => (restarts++, forget()),
  });
  const reasons = new Set(report.results.map(({ verdict, because }) => `${verdict}: ${because}`));
  assert(reasons.has("skipped: no request of the client met the attack"), String(report));
  assert(reasons.has("skipped: the client requests no metadata, not even after a restart"), String(report));
  const about = report.results.filter(({ attack: { id } }) => id === "response/mix-up");
  assert(about.every(({ verdict }) => verdict !== "skipped"), String(report));
  assertEquals(unclearIn(report).length, 1, String(report));
  assert(restarts < 10, `${restarts} restarts`);
});

/** Checks an application that stops at an error of the issuer, and starts again as `restart` says. */
async function checkStopping(restart: (start: () => void) => Promise<void>): Promise<CheckReport> {
  let isStopped = false;
  return await checkInProcess({
    async respond(request, respond) {
      isStopped ||= request.url.includes("error=");
      if (isStopped) throw new TypeError("connection refused");
      return await respond(request);
    },
    ...{ only: ["error/authorization", "token/type-case"], recoveryMs: 60_000 },
    restart: () => restart(() => isStopped = false),
  });
}

test("an application that stops at a text as ID token is restarted before the signature is probed", async () => {
  let isStopped = false;
  const { control } = await checkInProcess({
    application: { mistake: "does not verify the ID token" },
    async respond(request, respond) {
      if (isStopped) throw new TypeError("connection refused");
      const response = await respond(request);
      isStopped = (await response.clone().text()).includes("Invalid JWT");
      return response;
    },
    only: ["token/type-case"],
    restart: () => Promise.resolve(void (isStopped = false)),
  });
  assert(control.passed, String(control.error));
  // A stopped application would seem to reject the wrong signature.
  assertEquals([control.capabilities.has("readsIdToken"), control.capabilities.has("checksSignature")], [true, false]);
});

/** Waits of the check take no time, but pass on its clock. */
function skipWaits(): { passedMs(): number; [Symbol.dispose](): void } {
  let passed = 0;
  const { setTimeout, elapsed } = timers;
  const end = replaceTimers({
    elapsed: () => elapsed() + passed,
    setTimeout(callback: () => void, milliseconds: number) {
      const isWait = milliseconds <= 1000;
      if (isWait) passed += milliseconds;
      return setTimeout(callback, isWait ? 0 : milliseconds);
    },
  });
  return { passedMs: () => passed, [Symbol.dispose]: end };
}

test("an application that stops is restarted after seconds; a restart that fails once is repeated", async () => {
  using waits = skipWaits();
  let restarts = 0;
  const report = await checkStopping((start) =>
    restarts++ === 0 ? Promise.reject(new Error("the port is in use")) : Promise.resolve(start())
  );
  const stopped = report.failures.filter(({ because }) => because.includes("the application stopped"));
  assert(stopped.length > 0 && stopped.length === report.failures.length, String(report));
  assertEquals(unclearIn(report).length, 0, String(report));
  assert(waits.passedMs() < restarts * 10_000, `${waits.passedMs()} ms for ${restarts} restarts`);
});

test("a restart that fails ends no check: the report has what is known, and names the error", async () => {
  using _waits = skipWaits();
  let restarts = 0;
  const report = await checkStopping((start) =>
    restarts++ === 0 ? Promise.resolve(start()) : Promise.reject(new Error("the port is in use"))
  );
  assert(report.control.passed, String(report));
  assertMatch(String(report), /the application could not be restarted: the port is in use/);
  assert(unclearIn(report).length > 0 && !report.passed, String(report));
});

test("a client that does not compare iss breaks a requirement only if it uses several issuers", async () => {
  const decisions = { ...correctDecisions, isIssuer: () => true, isEndpoint: () => true };
  const only = ["response/iss-wrong", "response/iss-missing"];
  const several = await checkClientWithEdDsa(smallClient(undefined, undefined, undefined, decisions), { only });
  const [first] = several.results;
  assertEquals([first!.verdict, first!.requirement], ["failed", "RFC 9207 §2.4: the client uses several issuers"]);
  await using as = await testLatchkey({ alg: "EdDSA" });
  await as.listen();
  const client = { client_id: "shop", id_token_signed_response_alg: "EdDSA" } as const;
  as.client({ ...client, redirect_uri: "https://client.test/callback" });
  const one = await checkClientWithEdDsa(
    { ...smallClient(undefined, undefined, undefined, decisions), client },
    { only, as, recoveryMs: 0 },
  );
  assert(one.control.passed, String(one));
  assertEquals([one.counts.failed, one.counts.warning > 0], [0, true], String(one));
  const { because } = one.results.find(({ verdict }) => verdict === "warning")!;
  assertMatch(because, /only a warning, because the client is configured with one issuer \(RFC 9207 §2\.4\)$/);
});

test("[K7] an application that limits logins is waited for by its Retry-After", async () => {
  for (const [status, header] of [[429, "0"], [503, "0"], [429, undefined]] as const) {
    let logins = 0;
    const waits: string[] = [];
    const report = await checkInProcess({
      respond(request, respond) {
        const isLimited = new URL(request.url).pathname === "/login" && ++logins % 2 === 0;
        const headers = header === undefined ? undefined : { "retry-after": header };
        return isLimited ? Promise.resolve(new Response("later", { status, headers })) : respond(request);
      },
      ...{ only: ["token/type-case", "id-token/typ-foreign"], onWait: (because) => waits.push(because) },
      // Without a hint the wait is longer than this, so that the attack is skipped.
      recoveryMs: 500,
    });
    assert(report.control.passed, String(report));
    const { passed, failed } = report.counts;
    const unclear = unclearIn(report).length;
    if (header === undefined) assertEquals([failed, unclear > 0], [0, true], String(report));
    else {
      assertEquals([passed, unclear, failed], [report.results.length, 0, 0], String(report));
      assertMatch(waits[0]!, /the application limits logins.*--pause/);
      assertMatch(String(report), /ABOUT the client, as the check saw it:\n(?: {2}.*\n)* {2}limits logins\n/);
    }
  }
});
