/** Legal variants of a correct web application: the catalogue accuses none of them. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { unclearIn } from "./accusations.ts";
import type { CheckReport, ClientJourney, ClientSession } from "../../src/check/mod.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { effects } from "../../src/check/effects.ts";
import { formatId } from "../../src/check/report_data.ts";
import { partOf, partOfCatalogue } from "./catalogue_part.ts";
import { correctDecisions } from "./decisions.ts";
import { checkInProcess, type FunctionOptions, shop } from "./fixed_issuer.ts";
import { checkClient, checkClientWithEdDsa } from "./patient_check.ts";
import { smallClient } from "./small_client.ts";
import type { ApplicationVariant } from "./small_web_application.ts";
import { sample } from "../sample.ts";
import { replaceTimers } from "../until.ts";

/** Checks the application with some variants together. */
const check = (variants: readonly ApplicationVariant[], options: FunctionOptions, loginPeriod?: () => number) =>
  checkInProcess({
    application: { variants, loginPeriod },
    driver: { loggedInText: ["alice"], refreshUrl: `${shop}/refresh` },
    ...{ recoveryMs: 250, ...options },
    restart: (forget) => forget(),
  });

const idsOf = ({ results }: CheckReport, verdict: string) => [
  ...new Set(results.filter((result) => result.verdict === verdict).map(({ attack: { id } }) => id)),
];

/** Checks the application with a part of the catalogue, and with these attacks. */
async function checkPart(variants: readonly ApplicationVariant[], place: number, ids: readonly string[]) {
  const report = await check(variants, { only: partOfCatalogue(36, place, ids) });
  assertEquals(idsOf(report, "failed"), [], String(report));
  assert(report.counts.passed > 0, String(report));
  return report;
}

test("an application that starts one new login after an error is accused of nothing", async () => {
  await checkPart(["starts one new login after an error"], 0, ["id-token/alg-none", "error/token"]);
});

/** The attacks on what a client requests itself; those on sessions look at the page of one error. */
const onAnswers = attacks.filter(({ id, endpoints }) =>
  !id.startsWith("session/") &&
  ["discovery", "jwks", "token", "userinfo"].some((endpoint) => endpoints.includes(endpoint))
).map(({ id }) => id);

test("an application that starts a new login after every error never ends, whatever the error: the fault stays", async () => {
  const { results } = await checkInProcess({
    application: { mistake: "starts a new login after every error" },
    only: ["error/authorization", "response/code-missing", ...sample(onAnswers, 16, 3)],
    restart: (forget) => forget(),
  });
  const unfinished = results.filter(({ evidence: { outcome } }) => outcome === "rejected");
  assert(unfinished.length > 5);
  const others = unfinished.filter(({ cause }) => cause !== effects.endless.cause);
  assertEquals(others.map(({ attack: { id }, values, because }) => `${formatId(id, values)}: ${because}`), []);
  // A correct server sends errors, and nothing that a client must reject.
  for (const { attack: { level }, effect: { severity } } of unfinished) {
    assertEquals(severity, level === "must-reject" || level === "should-reject" ? "medium" : "high");
  }
});

const withCookies = ({ headers }: Response, given: ResponseInit, body: BodyInit | null = null) => {
  const response = new Response(body, given);
  for (const cookie of headers.getSetCookie()) response.headers.append("set-cookie", cookie);
  return response;
};

/** What an application may respond to a callback instead. */
const callbacks: Readonly<Record<string, (response: Response) => Response>> = {
  "says nothing about errors, and sends the user to its first page": (response) =>
    response.ok || response.status === 302
      ? response
      : withCookies(response, { status: 302, headers: { location: "/?login=failed" } }),
  "responds to the login with JSON": (response) => {
    const isLoggedIn = response.status === 302;
    const headers = { "content-type": "application/json" };
    return withCookies(response, { status: isLoggedIn ? 200 : 403, headers }, JSON.stringify({ isLoggedIn }));
  },
};

for (const [place, [name, change]] of Object.entries(callbacks).entries()) {
  test(`an application that ${name}, and keeps the five newest logins, is accused of nothing`, async () => {
    const report = await checkInProcess({
      application: { variants: ["keeps five logins"] },
      async respond(request, respond) {
        const response = await respond(request);
        return new URL(request.url).pathname === "/callback" ? change(response) : response;
      },
      only: partOfCatalogue(36, place + 3, ["response/state-wrong", "id-token/alg-none", "response/swapped"]),
    });
    assert(report.control.passed, String(report));
    assertEquals(idsOf(report, "failed"), [], String(report));
  });
}

/** The attacks that only the name of the user can decide. */
const aboutUser = ["response/swapped", "id-token/user-similar"];

/** The attacks that are skipped for a client without a nonce. */
const aboutNonce = ["id-token/nonce-wrong", "response/code-injected"];

test("an application that shows no user and sends no nonce is accused of nothing; attacks on them are skipped", async () => {
  for (
    const [place, shown] of (["shows a page without a user", "shows a redirect without a user"] as const).entries()
  ) {
    const report = await checkPart([shown, "sends no nonce"], place + 1, [
      ...aboutUser,
      "id-token/aud-list",
      ...aboutNonce,
    ]);
    const unclear = unclearIn(report).map(({ attack: { id } }) => id);
    assertEquals(aboutUser.filter((id) => !unclear.includes(id)), [], String(report));
    assert(!unclear.includes("id-token/aud-list"), String(report));
    const about = report.results.filter(({ because }) => because.includes("sends no nonce"));
    assertEquals(
      [...new Set(about.map(({ verdict, attack: { id } }) => `${verdict} ${id}`))].sort(),
      aboutNonce.map((id) => `skipped ${id}`),
      String(report),
    );
  }
});

/** The report about code injection for a confidential client that drops parameters, and that compares no nonce. */
async function injectionWithout(dropped: readonly string[]): Promise<CheckReport> {
  const client = smallClient(undefined, undefined, undefined, { ...correctDecisions, isNonce: () => true });
  const without = (params: URLSearchParams) => {
    for (const name of dropped) params.delete(name);
    return String(params);
  };
  return await checkClientWithEdDsa({
    ...client,
    client: { ...client.client, client_secret: "small-secret", token_endpoint_auth_method: "client_secret_basic" },
    logIn: (journey) =>
      client.logIn!({
        ...journey,
        authorize(url) {
          const request = new URL(url);
          request.search = without(request.searchParams);
          return journey.authorize(request);
        },
        fetch: (url, init) => {
          const { body } = init ?? {};
          return journey.fetch(
            url,
            typeof body === "string" ? { ...init, body: without(new URLSearchParams(body)) } : init,
          );
        },
      }),
  }, { only: ["response/code-injected", "id-token/nonce-wrong"] });
}

test("a client without nonce and code verifier is open to code injection, which is a warning if it authenticates and compares state; one of them, compared, prevents it", async () => {
  const pkce = ["code_challenge", "code_challenge_method", "code_verifier"];
  const resultIn = ({ results }: CheckReport) => results.find(({ attack: { id } }) => id === "response/code-injected")!;
  assertEquals(resultIn(await injectionWithout(["nonce"])).verdict, "skipped");
  for (const dropped of [["nonce", ...pkce], pkce]) {
    const { verdict, harm, effect } = resultIn(await injectionWithout(dropped));
    assertEquals([verdict, harm], ["warning", "accepted the code of a login in another browser"]);
    assertMatch(effect.fix, /^Send a new code challenge/);
  }
});

test("a missing nonce and a missing code challenge excuse each other only if the client sends one of them", async () => {
  const pkce = ["code_challenge", "code_challenge_method", "code_verifier"];
  const text = String(await injectionWithout(["nonce", ...pkce]));
  const neither = "sends neither a nonce nor a code challenge (PKCE), so nothing binds the code to the login";
  assertStringIncludes(text, `\n  ${neither} of the browser\n`);
  assertMatch(text, /\n {2}the client sends neither a nonce nor [^\n]* \(1\)$/m);
  assert(!/needs none|may rely on/.test(text), text);
  assertStringIncludes(
    String(await injectionWithout(["nonce"])),
    "sends no nonce; with a code challenge (PKCE) it needs",
  );
  assertStringIncludes(String(await injectionWithout(pkce)), "sends no code challenge; a confidential client may rely");
});

test("an application that limits logins is accused of nothing, and the report names the limit and the flag", async () => {
  const report = await check(["allows thirty logins"], { only: partOfCatalogue(12, 0) });
  assertEquals(idsOf(report, "failed"), [], String(report));
  assert(report.counts.passed > 0 && unclearIn(report).length > 20, String(report));
  const others = unclearIn(report).filter(({ attack: { id } }) => !id.startsWith("userinfo/"));
  const reasons = new Set(others.map((r) => r.because.split(": status")[0]));
  assertEquals(reasons.size, 1, String(report));
  assertMatch([...reasons][0]!, /limits logins: .*--pause\)/);
});

test("a pause lets an application that limits logins be checked", async () => {
  const paused: number[] = [];
  const pauseMs = 54_321;
  const reset = () => {
    paused.push(pauseMs);
    return setTimeout(() => {});
  };
  // The limit ends with each pause, which takes no time.
  const restore = replaceTimers({
    setTimeout: (callback: () => void, milliseconds?: number) =>
      milliseconds === pauseMs ? (reset(), setTimeout(callback)) : setTimeout(callback, milliseconds),
  });
  try {
    const report = await check(["allows thirty logins"], {
      pauseMs,
      only: ["response/state-wrong", "response/iss-wrong", "error/authorization"],
    }, () => paused.length);
    const { passed, skipped } = report.counts;
    assertEquals([passed + skipped, unclearIn(report)], [report.results.length, []], String(report));
  } finally {
    restore();
  }
});

test("a client that logs in again after an error passes, whatever its driver; what it accepts first still fails", async () => {
  const only = ["response/mix-up", "error/authorization", "id-token/nonce-wrong"];
  for (const mistake of [undefined, "does not compare the nonce"] as const) {
    const { name, logIn } = smallClient(mistake);
    const report = await checkClient(
      { name, logIn: (journey) => logIn!(journey).catch(() => logIn!(journey)) },
      { only },
    );
    assertEquals(idsOf(report, "failed"), mistake === undefined ? [] : ["id-token/nonce-wrong"], String(report));
    assertEquals(unclearIn(report).length, 0, String(report));
  }
});

test("a redirect of the token endpoint that brings no credential elsewhere is a warning", async () => {
  const report = await checkClient(smallClient("follows redirects of the token endpoint"), {
    only: ["transport/redirect"],
  });
  const ofToken = report.results.filter(({ values }) => Object.keys(values).join() === "status");
  assertEquals(ofToken.map(({ verdict, values }) => `${verdict} ${values.status}`), [
    ...["warning 301", "warning 302", "warning 303"],
    ...["failed 307", "failed 308"],
  ], String(report));
});

test("a client that reads no ID token has one warning, and attacks on the ID token are skipped", async () => {
  const report = await checkClient(smallClient("reads no ID token"), {
    only: [...partOf(["id-token", "keys"], 4, 0), "id-token/payload-shape", "refresh/id-token-other", "clock"],
  });
  assertEquals(idsOf(report, "failed"), [], String(report));
  assertEquals(idsOf(report, "warning"), ["id-token/payload-shape"], String(report));
  assert(report.counts.skipped > 20, String(report));
});

test("a client that logs in the user of the ID token without userinfo that is not valid is accused of nothing", async () => {
  const decisions = { ...correctDecisions, discardsUserinfo: true };
  const report = await checkClient(smallClient(undefined, undefined, undefined, decisions), { only: ["userinfo"] });
  assertEquals([...idsOf(report, "failed"), ...idsOf(report, "warning")], [], String(report));
  const passed = idsOf(report, "passed");
  const discarded = ["userinfo/sub-other", "userinfo/signed-wrong"];
  assertEquals(discarded.filter((id) => !passed.includes(id)), [], String(report));
});

test("a client that keeps the profile of an earlier login is accused of nothing, and one that uses the response is", async () => {
  const verdictsFor = async (discardsUserinfo: boolean) => {
    const profiles = new Map<string, object>();
    const decisions = { ...correctDecisions, discardsUserinfo, ...!discardsUserinfo && { isSubject: () => true } };
    const { logIn, ...client } = smallClient(undefined, undefined, undefined, decisions);
    const withProfile = (journey: ClientJourney, session: ClientSession): ClientSession => {
      const { claims, logInSilently } = session;
      const profile = { ...profiles.get(journey.issuer), ...claims };
      profiles.set(journey.issuer, profile);
      return {
        ...session,
        claims: { sub: session.sub, profile: Object.values(profile) },
        logInSilently: logInSilently && (async () => withProfile(journey, (await logInSilently())!)),
      };
    };
    const keeping = { ...client, logIn: async (journey: ClientJourney) => withProfile(journey, await logIn!(journey)) };
    return await checkClient(keeping, { only: ["userinfo/sub-other"] });
  };
  const correct = await verdictsFor(true);
  assertEquals([...idsOf(correct, "failed"), ...idsOf(correct, "warning")], [], String(correct));
  assert(correct.counts.passed > 0, String(correct));
  const broken = await verdictsFor(false);
  assertEquals(idsOf(broken, "failed"), ["userinfo/sub-other"], String(broken));
  assertEquals(idsOf(broken, "passed"), [], String(broken));
});

test("the check knows the client that logs in among several, and a user by a further text of the page", async () => {
  const report = await checkInProcess({
    users: [{ sub: "k7Yx", email: "alice@example.com" }, { sub: "q2Zw", email: "bob@example.com" }],
    client: { frontchannel_logout_uri: `${shop}/logged-out` },
    application(as) {
      as.client({ client_id: "api", grant_types: ["client_credentials"], confidential: true, redirect_uris: [] });
      return { userPage: ({ email = "", sub }) => `${email} ${sub}` };
    },
    driver: { loggedInText: ["alice@example.com", "k7Yx"] },
    ...{ recoveryMs: 250, only: ["userinfo/thin"] },
  });
  assert(report.control.passed, String(report));
  assertEquals(report.results.find(({ attack: { id } }) => id === "userinfo/thin")?.verdict, "passed", String(report));
  assert(report.control.capabilities.has("frontChannelLogout"), String(report));
});
