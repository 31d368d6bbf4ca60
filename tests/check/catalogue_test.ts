/**
 * The catalogue of attacks: a client with every check passes all of them, and each mistake is found by the named ones.
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { unclearIn } from "./accusations.ts";
import type { CheckReport } from "../../src/check/mod.ts";
import { partOf, partOfCatalogue } from "./catalogue_part.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { sample } from "../sample.ts";
import { withPatientTimers } from "../until.ts";
import { type Mistake, smallClient } from "./small_client.ts";
import { styledClient } from "./styled_client.ts";

/** The ids of the attacks that find a mistake. */
interface Expectations {
  readonly foundBy: readonly string[];
  /** The practices that the client lacks. */
  readonly practices?: readonly string[];
  readonly timeLimits?: boolean;
}

/** An attack of every kind. None is affected by a mistake, except those that find it. */
const othersUnaffected = [
  ...["response/iss-missing", "error/token-200", "token/type-case", "id-token/aud-wrong", "keys/rotated"],
  ...["userinfo/thin", "refresh/rejected", "logout/tokens-used", "session/two-users"],
  "transport/body-wrong",
];

const expectations: Readonly<
  Record<Exclude<Mistake, "checks nothing" | "does not compare acr" | "reads no ID token">, Expectations>
> = {
  "does not compare state": { foundBy: ["response/state-wrong", "response/state-of-another-browser"] },
  "does not verify the ID token": { foundBy: ["id-token/signed-by-stranger"] },
  "does not compare the nonce": { foundBy: ["id-token/nonce-wrong", "response/code-injected"] },
  "merges userinfo over the ID token": { foundBy: ["userinfo/sub-other", "userinfo/claims-override"] },
  "fetches the JWKS once": { foundBy: ["keys/rotated"] },
  "believes ID tokens while it has no keys": { foundBy: ["keys/down", "keys/down-forged"] },
  "stores the refresh response as it is": { foundBy: ["refresh/token-omitted"] },
  "ends the session when a refresh fails": { foundBy: ["refresh/transient"] },
  "follows redirects of the token endpoint": { foundBy: ["transport/redirect"] },
  "does not read error": { foundBy: ["error/authorization", "error/beside-code"] },
  "has no time limit": { foundBy: ["transport/hang"], timeLimits: true },
  "is too strict": {
    foundBy: [
      ...["id-token/aud-list", "token/type-case", "token/optional-missing"],
      "response/extra-parameters",
    ],
  },
  "keeps the logins of all browsers in one table": { foundBy: ["response/state-of-another-browser"] },
  "keeps one verifier": { foundBy: ["response/swapped"], practices: ["pkce-random"] },
  "fetches the JWKS for each unknown key": {
    foundBy: ["keys/unknown-often"],
  },
  "exchanges a code at every delivery": { foundBy: ["response/twice", "response/state-of-another-browser"] },
  "refreshes in every request that meets a 401": { foundBy: ["refresh/concurrent"] },
  "repeats every request that meets a 401": { foundBy: ["error/userinfo-401"] },
  "keeps its session until the server has ended its own": { foundBy: ["logout/fails"] },
  "believes every logout token": {
    foundBy: [
      ...["logout/back-channel-claims", "logout/back-channel-other", "logout/back-channel-replayed"],
      "logout/front-channel-foreign",
    ],
  },
  "fetches the picture of a user": { foundBy: ["userinfo/url-fetched", "id-token/url-fetched"] },
  "logs in by an access token in the response": { foundBy: ["response/token-of-another-client"] },
  "fetches distributed claims": { foundBy: ["userinfo/distributed-claims"] },
  "does not verify signed userinfo": { foundBy: ["userinfo/signed-wrong"] },
  "sends an empty refresh token": { foundBy: ["token/refresh-token-empty"] },
  "adds parameters with a second question mark": { foundBy: ["metadata/endpoint-query"] },
  "does not compare auth_time": { foundBy: ["id-token/auth-time-old"] },
};

/** The practices that a client lacks, recommendations included. */
function lackingPractices({ practices }: CheckReport): readonly string[] {
  return practices.filter(({ outcome }) => outcome === "failed" || outcome === "warning").map(({ practice: { id } }) =>
    id
  );
}

test("a client with every check passes the catalogue, with nothing undecided", async () => {
  const report = await checkClientWithEdDsa(smallClient(), { only: partOfCatalogue(8, 0) });
  assert(report.passed, String(report));
  assertEquals([report.counts.warning, unclearIn(report).length], [0, 0], String(report));
  assertEquals(lackingPractices(report), [], String(report));
  assert(report.practices.filter(({ outcome }) => outcome === "passed").length >= 8, String(report));
});

test("a client with a time limit passes the attacks that wait for it", async () => {
  const report = await withPatientTimers(() =>
    checkClientWithEdDsa(smallClient(undefined, 500), { only: ["transport/hang"], timeLimits: true })
  );
  assertEquals(report.counts.passed, report.results.length, String(report));
});

for (const [place, [mistake, expected]] of sample([...Object.entries(expectations).entries()], 8, 0)) {
  const { foundBy, practices = [], timeLimits } = expected;
  const whatFinds = [...foundBy, ...practices].join(", ");
  test(`a client that ${mistake} is found by ${whatFinds}`, async () => {
    const only = [
      ...new Set([...foundBy, ...sample(othersUnaffected, othersUnaffected.length, place)]),
      "practices",
    ];
    const check = checkClientWithEdDsa;
    const report = timeLimits
      ? await withPatientTimers(() =>
        check(smallClient(mistake as Mistake, 500), { only, timeLimits, timeoutMs: 2000 })
      )
      : await check(smallClient(mistake as Mistake), { only });
    assert(report.control.passed, String(report));
    const findings = report.results.filter(({ verdict }) => verdict === "failed" || verdict === "warning");
    const found = new Set(findings.map(({ attack: { id } }) => id));
    assertEquals(foundBy.filter((id) => !found.has(id)), [], `not found:\n${report}`);
    const accused = [...found].filter((id) => !foundBy.includes(id));
    assertEquals(accused, [], `more than the mistake was found:\n${report}`);
    const lacking = lackingPractices(report);
    assertEquals(practices.filter((id) => !lacking.includes(id)), [], `practices not found:\n${report}`);
    const others = lacking.filter((id) => !practices.includes(id));
    assertEquals(others, [], `more practices were found:\n${report}`);
  });
}

test("a client that requires a level of authentication and does not compare acr is found by id-token/acr-weaker", async () => {
  const acr = "urn:example:mfa";
  const options = { only: ["id-token/acr-weaker"], server: { acrValues: [{ value: acr }] } };
  const correct = await checkClientWithEdDsa(smallClient(undefined, undefined, acr), options);
  assertEquals(correct.counts.passed, 2, String(correct));
  const mistaken = await checkClientWithEdDsa(smallClient("does not compare acr", undefined, acr), options);
  assertEquals(mistaken.counts.warning, 2, String(mistaken));
  const other = await checkClientWithEdDsa(smallClient(), options);
  assertEquals(other.counts.skipped, 2, String(other));
});

test("keys/rotated and keys/stale are skipped for a correct client whose keys the driver cannot age", async () => {
  const { logIn, ...driver } = smallClient();
  const report = await checkClientWithEdDsa({
    ...driver,
    logIn: async (journey) => ({ ...await logIn!(journey), passTime: undefined }),
  }, { only: ["keys/extra", "keys/rotated", "keys/stale"] });
  assertEquals(
    report.results.filter(({ verdict }) => verdict !== "passed").map(({ verdict, attack: { id } }) => [verdict, id]),
    [["skipped", "keys/rotated"], ["skipped", "keys/stale"]],
    String(report),
  );
});

/** What keys/rotated concludes, by how long a client waits before it fetches keys again, in seconds. */
const cooldowns = [[300, "passed"], [600, "warning"], [Infinity, "failed"]] as const;

for (const [keyCooldown, verdict] of cooldowns) {
  test(`keys/rotated: ${verdict} for a client that fetches keys again after ${keyCooldown} seconds`, async () => {
    const client = styledClient("a client with a cooldown", { keyCooldown });
    const { control, results: [result] } = await checkClientWithEdDsa(client, { only: ["keys/rotated"] });
    assert(control.passed);
    assertEquals(result!.verdict, verdict, result!.because);
    assertEquals(result!.requirement, verdict === "failed" ? "OpenID Connect Core §10.1.1" : undefined);
    const fetches = result!.evidence.exchanges.filter(({ endpoint }) => endpoint === "jwks").length;
    assertEquals(fetches, verdict === "passed" ? 1 : 0);
  });
}

test("every attack has an id of its own, a source and whole sentences", () => {
  assertEquals(new Set(attacks.map(({ id }) => id)).size, attacks.length);
  for (const { id, title, correctClient, sources, variants } of attacks) {
    assert(/^[a-z]+(?:-[a-z]+)*\/[a-z\d]+(?:-[a-z\d]+)*$/.test(id), id);
    assert(title.endsWith(".") && correctClient.endsWith("."), id);
    assert(sources.length > 0 && variants.length > 0, id);
  }
});

test("a client that checks nothing falls for the attacks that a correct client must reject", async () => {
  const report = await checkClientWithEdDsa(smallClient("checks nothing"), {
    only: [...partOf(["id-token", "response", "userinfo", "logout"], 8, 0), "response/mix-up"],
  });
  const passed = report.results.filter(({ verdict, attack }) => verdict === "passed" && attack.level === "must-reject");
  const longest = String(report).split("\n").reduce((one, other) => one.length > other.length ? one : other);
  assert(longest.length < 400, longest);
  // No client can complete these: there is no code, no readable token, or no readable user.
  const impossible = ["response/code-missing", "id-token/parts", "id-token/payload-shape"];
  // It keeps users and sessions apart, and checks nothing of what the server sends.
  const elsewhere = [
    ...["id-token/user-similar", "id-token/sub-near", "id-token/sub-of-another-issuer"],
    ...["logout/tokens-used", "response/other-toolkit"],
  ];
  assertEquals(
    [...new Set(passed.map(({ attack: { id } }) => id))].filter((id) => ![...impossible, ...elsewhere].includes(id)),
    [],
  );
});
