/** The check of a client that is configured with one issuer: a web application in another process, over sockets. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { webApplication } from "../../../src/testing/drivers/web_application.ts";
import { listeningTrap } from "../../../src/testing/check/trap.ts";
import type { CheckOptions, CheckReport } from "../../../src/testing/mod.ts";
import { checkClient } from "./patient_check.ts";
import { testLatchkey } from "../../secret_leak_check.ts";
import { type ApplicationMistake, startWebApplication } from "./small_web_application.ts";

/** Checks a copy of the application. */
async function check(
  { mistake, discoversAtStart, restarts, loggedInUrl = "/me", otherUserTexts, ...options }: CheckOptions & {
    readonly mistake?: ApplicationMistake;
    readonly discoversAtStart?: boolean;
    readonly restarts?: boolean;
    readonly loggedInUrl?: string;
    readonly otherUserTexts?: readonly string[];
  },
): Promise<CheckReport> {
  await using as = await testLatchkey();
  const { url: issuer } = await as.listen();
  await using application = await startWebApplication((url) => {
    as.client({ client_id: "shop", redirect_uri: `${url}/callback` });
    return { issuer, clientId: "shop", mistake, discoversAtStart };
  });
  const driver = webApplication(`${application.url}/login`, {
    loggedInUrl: `${application.url}${loggedInUrl}`,
    loggedInText: ["Alice Adams", "alice"],
    otherUserTexts,
    refreshUrl: `${application.url}/refresh`,
  });
  return await checkClient(driver, {
    recoveryMs: 3000,
    ...options,
    as,
    restart: restarts ? application.restart : undefined,
  });
}

const idsOf = (results: CheckReport["results"]) => [...new Set(results.map(({ attack: { id } }) => id))];
const withVerdict = ({ results }: CheckReport, verdict: string) =>
  idsOf(results.filter((result) => result.verdict === verdict));

test("an application with every check is not accused by the whole catalogue; what it keeps is skipped", async () => {
  const seen: string[] = [];
  const report = await check({ onResult: ({ attack: { id } }, total) => void seen.push(`${id} of ${total}`) });
  assert(report.passed, String(report));
  assertEquals(
    withVerdict(report, "warning"),
    ["id-token/iat-odd", "id-token/at-hash-wrong", "userinfo/signed-wrong", "clock/large", "transport/huge"],
    String(report),
  );
  assert(report.counts.passed >= 200, String(report));
  assertEquals(seen.length, report.results.length);
  // The order of the report is that of the catalogue; attacks on what the application keeps ran last.
  assertMatch(seen.at(-1)!, /of \d+$/);
  const skipped = report.results.filter(({ because }) =>
    because.startsWith("it needs a restart of the client (restart, --restart)")
  );
  assert(skipped.some(({ attack: { id } }) => id === "metadata/issuer-other"));
  assert(skipped.every(({ attack: { id } }) => /^(?:metadata|keys|transport|token|response|id-token)\//.test(id)));
});

test("with a restart, the attacks on metadata and keys reach an application that reads them at its start", async () => {
  const report = await check({ only: ["metadata", "keys"], discoversAtStart: true, restarts: true });
  assert(report.passed, String(report));
  const because = report.results.filter(({ verdict }) => verdict === "skipped").map((result) => result.because);
  assertEquals(
    [...new Set(because)],
    ["the issuer is not an https URL", "it names hosts of internal networks"],
    String(report),
  );
  assertEquals(report.counts.inconclusive, 0, String(report));
});

const mistakes: Readonly<
  Record<
    Exclude<ApplicationMistake, "shows no login">,
    CheckOptions & {
      readonly foundBy: readonly string[];
      readonly restarts?: boolean;
    }
  >
> = {
  "does not compare state": {
    only: ["response", "id-token/nonce-wrong"],
    foundBy: ["response/state-wrong", "response/state-missing", "response/state-of-another-browser"],
  },
  "does not verify the ID token": {
    only: ["id-token/signed-by-stranger", "id-token/signature-corrupt", "id-token/nonce-wrong", "keys/rotated"],
    foundBy: ["id-token/signed-by-stranger", "id-token/signature-corrupt"],
  },
  "fetches the JWKS once": { only: ["keys/rotated", "id-token/kid-unknown", "userinfo"], foundBy: ["keys/rotated"] },
  "believes any userinfo": { only: ["userinfo/sub-other", "response"], foundBy: ["userinfo/sub-other"] },
  "stores the refresh response as it is": {
    only: ["refresh", "token/refresh-token-missing"],
    foundBy: ["refresh/token-omitted"],
  },
  "keeps a failed discovery": {
    only: ["transport/unavailable", "metadata/issuer-other", "response/state-wrong"],
    restarts: true,
    foundBy: ["transport/unavailable"],
  },
};

for (const [mistake, { foundBy, ...options }] of Object.entries(mistakes)) {
  test(`an application that ${mistake} is found by ${foundBy.join(", ")}`, async () => {
    const report = await check({ ...options, mistake: mistake as ApplicationMistake });
    assert(report.control.passed, String(report));
    assertEquals(idsOf(report.failures).sort(), [...foundBy].sort(), String(report));
  });
}

test("an attack after which no login works fails for that, and the later ones are inconclusive", async () => {
  const report = await check({ mistake: "fetches the JWKS once", only: ["keys/rotated", "keys/withdrawn"] });
  assertEquals(withVerdict(report, "failed"), ["keys/rotated"], String(report));
  assertEquals(withVerdict(report, "inconclusive"), ["keys/withdrawn"], String(report));
  assertMatch(String(report), /after it, a login without an attack failed/);
});

test("a page that shows a name alone does not make a correct application fail when the name is left out", async () => {
  const report = await check({ only: ["userinfo"], loggedInUrl: "/hello" });
  assert(report.passed, String(report));
  assertEquals(withVerdict(report, "inconclusive"), ["userinfo/thin"], String(report));
  assertMatch(String(report), /INCONCLUSIVE, the client completed the journey as a user whom the application does not/);
});

test("a login as another user fails, whether or not the page shows a user whom the driver knows", async () => {
  const options = { mistake: "believes any userinfo", only: ["userinfo/sub-other"] } as const;
  const unknown = await check(options);
  assertEquals(unknown.failures.map(({ because }) => because), [
    "the client completed the journey as a user whom the application does not show",
    "the client completed the journey as a user whom the application does not show",
  ]);
  const known = await check({ ...options, otherUserTexts: ["mallory"] });
  assertEquals(known.failures[0]!.because, 'the client completed the journey as "another user"');
  const byName = await check({ ...options, loggedInUrl: "/hello" });
  assertEquals(byName.counts.failed, 2, String(byName));
});

test("the report says how a client declares that it skips the signature of ID tokens, if it accepted a wrong one", async () => {
  const only = ["id-token/signature-corrupt"];
  const accepts = String(await check({ mistake: "does not verify the ID token", only }));
  assertMatch(accepts, /: 1 attack \(.*\n\nHINT: .*verifiesIdTokenSignature: false .* --id-token-signature off/);
  assert(!String(await check({ only })).includes("HINT"));
});

test("a page that responds alike with and without a login proves nothing", async () => {
  const report = await check({ mistake: "shows no login" });
  assert(!report.control.passed);
  assertEquals(report.counts.inconclusive + report.counts.skipped, report.results.length);
  assertMatch(String(report), /responds alike with and without a login.*loggedInUrl/);
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
