/** The cause of a failure says what the client did, and its gravity agrees with the verdict. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import type { CheckOptions, CheckReport, ClientDriver } from "../../src/check/mod.ts";
import { attacks } from "../../src/check/attacks/mod.ts";
import { effects, type Seen, warningEffect } from "../../src/check/effects.ts";
import { type Capability, seenText } from "../../src/check/capabilities.ts";
import { correctDecisions } from "./decisions.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { withPatientTimers } from "../until.ts";
import { smallClient } from "./small_client.ts";

/** The causes of a check, with the verdict and the gravity of each. */
async function causesOf(client: ClientDriver, options: CheckOptions): Promise<string[]> {
  const report: CheckReport = await checkClientWithEdDsa(client, options);
  return report.causes.map(({ cause, verdict, severity }) => `${verdict}, ${severity}: ${cause}`);
}

test("a client that accepts unknown keys does not verify signatures, and does not repeat requests", async () => {
  const only = ["keys/unknown-often", "id-token/signed-by-stranger"];
  assertEquals(await causesOf(smallClient("does not verify the ID token"), { only }), [
    "warning, medium: does not verify the signature of the ID token",
  ]);
  assertEquals(await causesOf(smallClient("fetches the JWKS for each unknown key"), { only }), [
    "warning, low: repeats requests too often or too soon",
  ]);
});

test("a client that accepts the state of an ended login and relies on the code verifier has a warning", async () => {
  const client = smallClient(undefined, undefined, undefined, { ...correctDecisions, keepsStates: true });
  assertEquals(await causesOf(client, { only: ["response/state-of-another-browser", "response/state-wrong"] }), [
    "warning, low: uses a response before it has validated it",
  ]);
});

test("a client that rejects a token response after a request to userinfo has a warning", async () => {
  const { logIn, ...driver } = smallClient();
  const client: ClientDriver = {
    ...driver,
    async logIn(journey) {
      let authorization = "";
      const fetch: typeof journey.fetch = async (input, init) => {
        const response = await journey.fetch(input, init);
        const { access_token } = await response.clone().json().catch(() => ({}));
        if (access_token !== undefined) authorization = `Bearer ${access_token}`;
        return response;
      };
      return await logIn!({ ...journey, fetch }).catch(async (error: unknown) => {
        await journey.fetch(`${journey.issuer}/oauth2/userinfo`, { headers: { authorization } });
        throw error;
      });
    },
  };
  assertEquals(await causesOf(client, { only: ["id-token/sub-missing"] }), [
    "warning, low: uses a response before it has validated it",
  ]);
});

test("an attack on the user has the consequence and the fix of its own, also without a failure", async () => {
  const only = ["id-token/sub-missing", "id-token/user-similar"];
  const { results } = await checkClientWithEdDsa(smallClient(), { only });
  const effectOf = (name: string) => results.find(({ attack: { id } }) => id === name)!.effect;
  const missing = effectOf("id-token/sub-missing");
  assertMatch(missing.consequence, /^A session begins without a user/);
  assertMatch(missing.fix, /^Reject an ID token whose sub is absent, empty or not a string; .* in the callback\.$/);
  const similar = effectOf("id-token/user-similar");
  assertMatch(similar.fix, /^Find users only by iss and sub, compared exactly/);
});

test("a warning is neither critical nor high, and critical is only a login as another user", () => {
  const names = Object.keys(effects) as Seen[];
  assertEquals(names.filter((seen) => /critical|high/.test(warningEffect(seen).severity)), []);
  assertEquals(names.filter((seen) => effects[seen].severity === "critical"), ["otherUser"]);
});

test("the effect is what was seen: values of a foreign userinfo response are no login as another user", async () => {
  const mistaken = smallClient("merges userinfo over the ID token");
  assertEquals(await causesOf(mistaken, { only: ["userinfo/sub-other"] }), [
    "failed, critical: logs in a user as another user",
  ]);
  const logIn: ClientDriver["logIn"] = async (journey) => ({
    ...await mistaken.logIn!(journey),
    sub: "alice",
    logInSilently: undefined,
  });
  assertEquals(await causesOf({ ...mistaken, logIn }, { only: ["userinfo/sub-other"] }), [
    "failed, medium: uses values that the server did not issue for the user",
  ]);
});

test("of causes with one severity, those whose harm was seen come first, also on the page", async () => {
  const only = ["id-token/aud-wrong", "id-token/iss-wrong", "transport/redirect"];
  const { causes, toHTML } = await checkClientWithEdDsa(smallClient("checks nothing"), { only });
  const failed = causes.filter(({ verdict }) => verdict === "failed");
  assertEquals(failed.map(({ cause, severity }) => [cause, severity]), [
    [effects.leaked.cause, "high"],
    [effects.idToken.cause, "high"],
  ]);
  const page = await toHTML();
  const places = failed.map(({ cause }) => page.indexOf(cause.slice(1)));
  assert(places[0]! > 0 && places[0]! < places[1]!, String(places));
});

test("the fix of a cause with many mistakes begins with what they have in common", async () => {
  const only = ["id-token/aud-wrong", "id-token/iss-wrong", "id-token/exp-past", "id-token/nonce-wrong"];
  const fixOf = async (attacks: readonly string[]) => {
    const { causes } = await checkClientWithEdDsa(smallClient("checks nothing"), { only: [...attacks] });
    return causes.find(({ cause }) => cause === effects.idToken.cause)!.fix;
  };
  assert((await fixOf(only)).startsWith(effects.idToken.fix));
  assert(!(await fixOf(only.slice(0, 1))).includes(effects.idToken.fix));
});

test("every requirement says in words why it binds a client", () => {
  const named = attacks.flatMap(({ requirement }) => [...requirement?.binds ?? [], ...requirement?.unless ?? []]);
  assert(named.length > 5);
  for (const capability of named) assert(seenText(capability) !== capability, `${capability} has no words`);
});

test("the fix belongs to the attack: each message that a client must reject has one, and none names another message", async () => {
  const rejected = attacks.filter(({ id, level, exposes }) =>
    /^(?:metadata|response|id-token|refresh|resource|jarm|registration)\//.test(id) && level === "must-reject" &&
    exposes === undefined
  );
  // The fix of their effect is about them alone.
  const byEffect = attacks.filter(({ accepts, id }) =>
    accepts === "subject" || accepts === "otherUser" || accepts === "form" || accepts === "signature" ||
    id === "resource/redirects-away" || id === "metadata/plain-http"
  );
  assertEquals(
    rejected.filter((attack) => attack.fix === undefined && !byEffect.includes(attack)).map(({ id }) => id),
    [],
  );
  const { causes } = await checkClientWithEdDsa(
    smallClient(undefined, undefined, undefined, { ...correctDecisions, isAudience: () => true }),
    { only: ["refresh/id-token-other", "id-token/aud-wrong"] },
  );
  assertEquals(causes.map(({ fix }) => fix), [
    "Require that aud of the ID token is your client_id, or a list with it and nothing that you do not trust. " +
    "Compare iss, sub and aud of the new ID token with those of the login, and discard the response if one differs.",
  ]);
});

test("only attacks on pages advise about cookies: the client may be a command line", () => {
  const aboutPages: readonly Capability[] = ["visits", "receive", "receiveCallback", "cookieSession"];
  const fixes = [
    ...Object.values(effects).map(({ fix }) => fix),
    ...attacks.flatMap(({ needs, fix }) => needs.some((need) => aboutPages.includes(need)) ? [] : fix ?? []),
  ];
  assertEquals(fixes.filter((fix) => /cookie|HttpOnly|SameSite/i.test(fix)), []);
});

test("a client that repeats a request without end is advised to stop, and not to set a timeout", async () => {
  const http: typeof correctDecisions.http = (fetch) => async (url, init) => {
    for (;;) {
      const response = await fetch(url, init);
      if (response.status !== 503) return response;
      await new Promise((resolve) => setTimeout(resolve));
    }
  };
  const client = smallClient(undefined, undefined, undefined, { ...correctDecisions, http });
  const { causes } = await withPatientTimers(() =>
    checkClientWithEdDsa(client, { only: ["keys/down"], timeoutMs: 1000 })
  );
  assertEquals(causes.map(({ cause, verdict, fix }) => [cause, verdict, fix]), [
    [effects.repeated.cause, "failed", effects.repeated.fix],
  ]);
});

test("[RFC 9700 §4.14.2] two refreshes at once fail if they cost the session at a server that detects it", async () => {
  const only = ["refresh/concurrent"];
  assertEquals(await causesOf(smallClient("refreshes in every request that meets a 401"), { only }), [
    "failed, high: sends a refresh token twice",
  ]);
});

test("without a refresh token, the check says why there is none", async () => {
  const { client, ...driver } = smallClient();
  const report = await checkClientWithEdDsa(
    { ...driver, client: { ...client, grant_types: ["authorization_code"] } },
    { only: ["refresh"] },
  );
  assertMatch(report.problem!, /refresh fails without an attack: .* add refresh_token to its grant_types/);
  assertMatch(String(report), /^ {2}receives no refresh token/m);
});
