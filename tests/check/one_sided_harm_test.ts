/** Correct clients that resemble mistaken ones: no attack accuses them of what it cannot have seen. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import type { ClientDriver, ClientJourney } from "../../src/check/mod.ts";
import { effects } from "../../src/check/effects.ts";
import { checkUsers } from "../../src/check/user_texts.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { correctDecisions } from "./decisions.ts";
import { frameworkStyles } from "./framework_styles.ts";
import { legalStyles } from "./legal_styles.ts";
import { smallClient } from "./small_client.ts";
import { styledClient } from "./styled_client.ts";

/** The attacks of a check with this verdict. */
async function idsWith(verdict: string, client: ClientDriver, only: readonly string[]): Promise<string[]> {
  const report = await checkClientWithEdDsa(client, { only });
  assert(report.control.passed, String(report));
  const found = report.results.filter((result) => result.verdict === verdict);
  return [...new Set(found.map(({ attack: { id } }) => id))];
}

const styled = (name: string) => styledClient(name, ({ ...legalStyles, ...frameworkStyles })[name]!);

test("an application whose session is not in cookies is not checked by its cookies", async () => {
  const client = { ...smallClient(), recordsVisits: true };
  const only = ["session/fixed", "session/cookie-flags", "response/state-of-another-browser"];
  assertEquals(await idsWith("skipped", client, only), only.slice(0, 2));
  assertEquals(await idsWith("failed", client, only), []);
});

test("the attacks that need a second user are skipped for an application that rejects one", async () => {
  const { logIn, ...driver } = smallClient();
  const logInAlice: ClientDriver["logIn"] = async (journey) => {
    const session = await logIn!(journey);
    if (session.sub !== checkUsers[0].sub) throw new Error("only alice may log in");
    return session;
  };
  const only = ["session/two-users"];
  assertEquals(await idsWith("skipped", { ...driver, logIn: logInAlice }, only), only);
});

/** A correct client that reads the claims of ID tokens in its own way. */
const reading = (readClaims: typeof correctDecisions.readClaims) =>
  smallClient(undefined, undefined, undefined, { ...correctDecisions, readClaims });

test("a client that does not use its access token needs to know no token_type", async () => {
  const client = styled("a login without pages first, without state; no userinfo");
  assertEquals(await idsWith("skipped", client, ["token/type-unknown"]), ["token/type-unknown"]);
});

test("a client that does not know nbf has a warning, because ID tokens need no nbf", async () => {
  const client = reading((_, { nbf: _nbf, ...claims }) => claims);
  assertEquals(await idsWith("warning", client, ["id-token/nbf-future"]), ["id-token/nbf-future"]);
});

test("a client that names the user of another userinfo response logs in another user", async () => {
  const { logIn, ...driver } = smallClient(undefined, undefined, undefined, {
    ...correctDecisions,
    isSubject: () => true,
  });
  const client: ClientDriver = {
    ...driver,
    async logIn(journey) {
      const { claims, logInSilently: _silent, ...session } = await logIn!(journey);
      return { ...session, sub: String(claims!.email) };
    },
  };
  const report = await checkClientWithEdDsa(client, { only: ["userinfo/sub-other"] });
  assert(report.counts.failed > 0, String(report));
  assertEquals(report.causes.map(({ cause }) => cause), [effects.otherUser.cause]);
});

test("a client that fetches distributed claims has a warning, and sent no access token of the issuer", async () => {
  const report = await checkClientWithEdDsa(smallClient("fetches distributed claims"), {
    only: ["userinfo/distributed-claims"],
  });
  assertEquals(report.counts.warning, report.results.length, String(report));
  for (const { harm } of report.results) assertMatch(harm!, /^requested claims from http/);
});

test("a client that compares the issuer of the metadata only with the response has another cause", async () => {
  const client = smallClient(undefined, undefined, undefined, {
    ...correctDecisions,
    isIssuer: (received, expected, place, known) =>
      place === "metadata" || correctDecisions.isIssuer(received, expected, place, known),
  });
  const report = await checkClientWithEdDsa(client, { only: ["metadata/issuer-other"] });
  const early = report.failures.filter(({ because }) => because.includes("only after a request to authorize"));
  assert(early.length > 0, String(report));
  for (const { effect } of early) assertMatch(effect.cause, /^uses a response before/);
});

test("a client without state is not warned about a second state", async () => {
  const client = styled("PKCE and nonce without state (RFC 9700 §2.1)");
  assertEquals(await idsWith("skipped", client, ["response/repeated"]), ["response/repeated"]);
});

test("an application that logs out on any error has a warning, and no failure", async () => {
  const { logIn, receiveCallback, ...driver } = smallClient();
  const loggedOut = new WeakSet<object>();
  const client: ClientDriver = {
    ...driver,
    async logIn(journey: ClientJourney) {
      loggedOut.delete(journey.browser);
      const session = await logIn!(journey);
      return {
        ...session,
        currentUser: async () => loggedOut.has(journey.browser) ? undefined : await session.currentUser!(),
      };
    },
    receiveCallback: (journey, callback) =>
      receiveCallback!(journey, callback).catch((error) => {
        loggedOut.add(journey.browser);
        throw error;
      }),
  };
  const only = ["response/state-of-another-browser"];
  assertEquals(await idsWith("failed", client, only), []);
  assertEquals(await idsWith("warning", client, only), only);
});

test("an application whose sessions end a moment after the logout is accused of nothing", async () => {
  const { logIn, receive, ...driver } = smallClient();
  const later = () => new Promise((resolve) => setTimeout(resolve, 150));
  const users = new WeakMap<object, string | undefined>();
  const client: ClientDriver = {
    ...driver,
    receive,
    async logIn(journey) {
      const session = await logIn!(journey);
      users.set(session, session.sub);
      const forget = () => later().then(() => users.set(session, undefined));
      return {
        ...session,
        logOut: async () => (await session.logOut!(), void forget()),
        async currentUser() {
          if (await session.currentUser!() === undefined) void forget();
          return users.get(session);
        },
      };
    },
  };
  const report = await checkClientWithEdDsa(client, { only: ["logout/fails", "logout/tokens-used"] });
  assertEquals([report.problem, report.counts.passed], [undefined, report.results.length], String(report));
});

test("an application that ends no session for a logout token with sub alone fails", async () => {
  const client = smallClient(undefined, undefined, undefined, {
    ...correctDecisions,
    isMeant: (login, claims, issuer) => claims.sid !== undefined && correctDecisions.isMeant(login, claims, issuer),
  });
  const only = ["logout/back-channel-all"];
  // It has registered that it needs sid.
  assertEquals(await idsWith("skipped", client, only), only);
  const lenient = { ...client, client: { ...client.client, backchannel_logout_session_required: false } };
  assertEquals(await idsWith("failed", lenient, only), only);
});
