/**
 * Deliveries of authorization responses: how often, when, and to which browser (RFC 9700 §4.5, §4.7; RFC 6749 §10.12).
 */

import type { Callback } from "../../testing/browser/callback.ts";
import { csrfProtection } from "./requirements.ts";
import { type Attack, type Conclusion, defineAttack, type Stage } from "../define_attack.ts";
import { describeError } from "../assess.ts";
import { type ClientJourney, type ClientSession, UndecidedError } from "../driver.ts";
import { withParameters } from "./callback_parameters.ts";
import { concludeFixation, hasVerifierOfOther, sharedParameter } from "./open_logins.ts";
import { oneOf } from "./parameters.ts";
import { conclude, unclear } from "./conclusions.ts";

/** Every delivery to the redirect URI of a web application: the attack itself checks what the client did. */
const delivered = { needs: ["receiveCallback"], stop: undefined } as const;

/** The user who is logged in with a session now. */
async function userOf(session: ClientSession): Promise<string | undefined> {
  return session.currentUser === undefined ? session.sub : await session.currentUser();
}

/**
 * The session, or else the error of the client. @throws {UndecidedError} If the driver does not know what the client
 * did.
 */
async function attempt(act: () => Promise<ClientSession>): Promise<PromiseSettledResult<ClientSession>> {
  const [result] = await Promise.allSettled([act()]);
  if (result.status === "rejected" && result.reason instanceof UndecidedError) throw result.reason;
  return result;
}

/** A user other than the one who logs in by default; `undefined` if the server has only one. */
async function findOtherUser({ as }: Stage): Promise<string | undefined> {
  const users = await as.users.list();
  return users[1]?.sub;
}

/** Delivers a response that the client must reject: no token request may follow, and a session stays as it is. */
async function deliverForeign(
  { as, driver, expectedSub }: Stage,
  journey: ClientJourney,
  callback: Callback,
  before?: ClientSession,
): Promise<Conclusion> {
  const requests = as.log.unmasked.filter("token").length;
  const result = await attempt(() => driver.receiveCallback!(journey, callback));
  const sent = as.log.unmasked.filter("token").length - requests;
  if (result.status === "fulfilled" && sent === 0 && before !== undefined && result.value.sub === before.sub) {
    return { outcome: "rejected", passed: true, because: "the client sent no code, and the session continues" };
  }
  if (result.status === "fulfilled") {
    const user = JSON.stringify(result.value.sub);
    const harm = result.value.sub === expectedSub ? undefined : "logged in the user of another browser";
    return conclude(`the client accepted the response, and logged in ${user}`, "", "mixed", harm);
  }
  const error = describeError(result.reason);
  if (before !== undefined && await userOf(before) !== before.sub) {
    const because = "the client rejected the response, but ended the session";
    // An application may log out on any error.
    return { outcome: "rejected", passed: false, isWarning: true, because, seen: "ended" };
  }
  if (sent > 0) {
    const because = `the client reported an error, but only after a request to token: ${error}`;
    return { outcome: "rejected", passed: false, because, isWarning: true, seen: "early" };
  }
  return { outcome: "rejected", passed: true, because: `the client reported an error: ${error}` };
}

/** A browser in which an attacker removes from a request what binds its response to a login, if the server lets him. */
function unprotected(journey: ClientJourney): ClientJourney {
  return {
    ...journey,
    async authorize(given) {
      const url = new URL(given);
      for (const name of ["code_challenge", "code_challenge_method", "nonce"]) url.searchParams.delete(name);
      const callback = await journey.authorize(url);
      return callback.error === undefined ? callback : await journey.authorize(given);
    },
  };
}

export const responseDeliveryAttacks: readonly Attack[] = [
  defineAttack({
    ...delivered,
    id: "response/twice",
    fix:
      "Before the token request, delete the stored login with its state and code verifier, so that the same response " +
      "is rejected when it arrives again.",
    needs: ["receiveCallback", "requestsTokens"],
    title: "The browser delivers the same authorization response twice, as after a double click or a reload.",
    correctClient: "The client exchanges the code once, and the second delivery does not end the session.",
    level: "must-recover",
    requirement: "RFC 6749 §4.1.2",
    sources: ["getsentry/junior#838", "simstudioai/sim#4441"],
    ...oneOf(
      "when",
      ["together", "after"],
      "When the second delivery arrives: together with the first, or after the login.",
    ),
    async perform({ as, driver, journey, startLogin, expectedSub }, { when }) {
      const { callback } = await startLogin();
      const deliver = () => driver.receiveCallback!(journey, callback);
      const results = when === "together"
        ? await Promise.all([attempt(deliver), attempt(deliver)])
        : [await attempt(deliver), await attempt(deliver)];
      // A client may renew its tokens with another code.
      const exchanges = as.log.unmasked.filter("token", { params: { code: callback.code! } }).length;
      const sent = `the client sent the code ${exchanges === 1 ? "once" : `${exchanges} times`}`;
      const accepted = results.find((result) => result.status === "fulfilled");
      const outcome = accepted === undefined ? "rejected" : "accepted";
      if (when === "together" && exchanges !== 1) {
        // A login kept in a cookie does not know of the other delivery, and opening the page again ends the first one.
        // The client must work afterwards.
        const again = await attempt(() => driver.logIn!(journey));
        const recovers = again.status === "fulfilled" && again.value.sub === expectedSub;
        const because = `${sent}; the login after it ${recovers ? "works" : "fails"}`;
        return { outcome, passed: recovers, because, seen: "noLogin" };
      }
      const user = accepted && await userOf(accepted.value);
      const passed = exchanges === 1 && user === expectedSub;
      const because = `${sent}, and the session ${user === expectedSub ? "continues" : "ended"}`;
      // An application may log out on any error.
      return { outcome, passed, isWarning: exchanges === 1, because, seen: exchanges > 1 ? "repeated" : "ended" };
    },
  }),
  defineAttack({
    ...delivered,
    id: "response/state-of-another-browser",
    fix:
      "Send a random state with each authorization request, keep it in the session of this browser, compare the whole " +
      "value before the token request, and then delete it, so that it works only once.",
    title:
      "A browser delivers an authorization response that belongs to no login of this browser, or to one that ended.",
    correctClient: "The client rejects the response, and sends no token request; an existing session continues.",
    requirement: csrfProtection,
    sources: [
      ...["RFC 6749 §10.12", "RFC 9700 §4.7", "draft-ietf-oauth-security-topics-update-03 §2.3", "CVE-2025-68158"],
      "CVE-2023-27490",
    ],
    ...oneOf(
      "what",
      ["unknown", "unknown, logged in", "none", "response", "state", "request", "used"],
      "An unknown state, also if a user is logged in, or no state, of a request without protection; the response of " +
        "another browser, only its state, or the URL of its request, which this user opened (fixation); or the state " +
        "of a login that has ended.",
    ),
    async perform(stage, { what }) {
      const { driver, journey, openBrowser, startLogin } = stage;
      const otherBrowser = openBrowser({ as: await findOtherUser(stage) });
      if (what === "request") {
        const { callback } = await startLogin({ ...otherBrowser, authorize: journey.authorize });
        return await concludeFixation(stage, otherBrowser, await deliverForeign(stage, journey, callback));
      }
      const own = what === "state" || what === "used" ? await startLogin() : undefined;
      if (what === "used") own!.respond(own!.callback);
      const before = what === "used"
        ? await own!.session
        : what === "unknown, logged in"
        ? await driver.logIn!(journey)
        : undefined;
      const { callback: foreign } = await startLogin(what === "none" ? unprotected(otherBrowser) : otherBrowser);
      if (what === "none") return await deliverForeign(stage, journey, withParameters(foreign, { state: undefined }));
      if (what === "response") return await deliverForeign(stage, journey, foreign);
      if (own === undefined) {
        return await deliverForeign(stage, journey, withParameters(foreign, { state: "state-of-an-attacker" }), before);
      }
      if (!own.callback.params.has("state")) return unclear("the response has no state, or a signed one");
      if (own.callback.state === foreign.state) return unclear("the client sends the same state in every request");
      const mixed = what === "used"
        ? withParameters(foreign, { state: own.callback.state })
        : withParameters(own.callback, { state: foreign.state ?? "" });
      return await deliverForeign(stage, journey, mixed, before);
    },
  }),
  defineAttack({
    id: "response/swapped",
    needs: ["journeyBrowser", "namesUser"],
    title:
      "Two logins of two users are open in one browser, and the responses arrive in the same or the reverse order.",
    correctClient:
      "The client assigns each response to its own login, or rejects it; no login gets the session of the other user.",
    level: "must-recover",
    requirement: "RFC 9700 §2.1.1",
    sources: ["getsentry/sentry#117940", "RFC 6749 §10.12"],
    ...oneOf("order", ["reversed", "same"]),
    async perform(stage, { order }) {
      const { as, driver, journey, openBrowser, startLogin, expectedSub } = stage;
      const other = await findOtherUser(stage);
      if (other === undefined) return unclear("the server has one user");
      const first = await startLogin();
      const second = await startLogin({ ...openBrowser({ as: other }), browser: journey.browser });
      const shared = sharedParameter(stage);
      if (shared !== undefined) {
        const because = `both logins have the same ${shared}`;
        return { outcome: "accepted", passed: false, because, seen: "downgraded" };
      }
      const sessions: (ClientSession | undefined)[] = [];
      for (const login of order === "reversed" ? [second, first] : [first, second]) {
        const requests = as.log.unmasked.filter("token").length;
        login.respond(login.callback);
        const result = await attempt(() => login.session);
        // Without a token request a browser that is logged in has kept its session.
        const isNew = as.log.unmasked.filter("token").length > requests;
        if (result.status === "fulfilled" && isNew) sessions[login === first ? 0 : 1] = result.value;
      }
      const isMixed = sessions[0] !== undefined && sessions[0].sub !== expectedSub || sessions[1]?.sub === expectedSub;
      const outcome = sessions.some((session) => session !== undefined) ? "accepted" : "rejected";
      if (isMixed) {
        const because = "a response logged in the user of the other login";
        return { outcome, passed: false, because, seen: "mixed", harm: "logged in the user of another login" };
      }
      if (await hasVerifierOfOther(stage)) {
        // The server rejects it, so that no user is logged in.
        const because = "the client sent the code verifier of the other login";
        return { outcome, passed: false, isWarning: true, because, seen: "mixed" };
      }
      const requests = as.log.unmasked.filter("token").length;
      const again = await attempt(() => driver.logIn!(journey));
      const kept = as.log.unmasked.filter("token").length === requests ? sessions.map((session) => session?.sub) : [];
      return again.status === "fulfilled" && [expectedSub, ...kept].includes(again.value.sub)
        ? { outcome, passed: true, because: `the client ${outcome} the responses by their logins` }
        : { outcome, passed: false, because: "the login after it failed", harm: "accepted no login afterwards" };
    },
  }),
  defineAttack({
    id: "response/late",
    needs: ["journeyBrowser"],
    title: "The authorization response arrives a day after the request.",
    correctClient: "The client reports that the login has expired; the next login works.",
    level: "must-recover",
    sources: ["formbricks/formbricks#8933", "RFC 6749 §4.1.2"],
    async perform({ startLogin, passTime }) {
      const { callback, session, respond } = await startLogin();
      passTime(86_400);
      respond(callback);
      return await session;
    },
  }),
];
