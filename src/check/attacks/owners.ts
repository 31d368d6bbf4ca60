/** Whose a login, a session or a token is: of one browser, one user, one issuer. */

import { findParam } from "../../recorder/record_request.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { body, hold, idToken } from "../../testing/faults/mod.ts";
import type { TestLatchkey } from "../../testing/test_latchkey.ts";
import { type Attack, type Conclusion, defineAttack } from "../define_attack.ts";
import { UndecidedError, unknownUser } from "../driver.ts";
import { conclude, unclear } from "./conclusions.ts";
import { encodeJwt } from "../../testing/faults/resign.ts";
import { withParameters } from "./callback_parameters.ts";
import { forgeJwt } from "./forged_jwt.ts";
import { encodeBase64url } from "../../core/keys/crypto.ts";
import { findSecondUser, loggedTokens } from "./open_logins.ts";
import { openOtherEndpoints } from "./other_issuer.ts";
import { oneOf } from "./parameters.ts";
import { refreshSelector } from "./refresh.ts";
import { timers } from "../../core/http/timers.ts";

/** Whether a server issued a code, and whether one received it. */
const issued = ({ log }: TestLatchkey, code: string) =>
  log.unmasked.filter("authorize").some(({ response }) =>
    response?.authorizationResponse?.params.some(([name, value]) => name === "code" && value === code)
  );
const received = ({ log }: TestLatchkey, code: string) =>
  log.unmasked.filter("token").some(({ request }) => findParam(request, "code") === code);

/** A claim that a merge into prototypes would give to every object. */
const marker = "latchkey_marker";

const pollutingMembers = `"__proto__":{"${marker}":"set"},"constructor":{"prototype":{"${marker}":"set"}}`;

/** The attacks on owners, of the categories `response`, `session`, `userinfo` and `metadata`. */
export const ownerAttacks: readonly Attack[] = [
  defineAttack({
    id: "response/other-toolkit",
    fix: "Keep the issuer with each login, and send a code only to the issuer of its login.",
    stop: undefined,
    title: "Logins at two issuers are open in one browser, and both responses arrive (COAT).",
    correctClient: "The client sends each code to the issuer of its login, or rejects the response.",
    needs: ["severalIssuers", "logIn"],
    requirement: "RFC 9700 §2.1",
    sources: ["draft-ietf-oauth-security-topics-update-03 §2.2", "RFC 9700 §4.4"],
    ...oneOf("first", ["older", "newer"], "Whose response arrives first: that of the older or the newer login."),
    async perform({ as, journey, openOtherIssuer, startLogin }, { first }) {
      const other = await openOtherIssuer();
      const older = { login: await startLogin(), own: as, foreign: other };
      const newer = { login: await startLogin({ ...journey, issuer: other.issuer }), own: other, foreign: as };
      const order = first === "older" ? [older, newer] : [newer, older];
      for (const { login } of order) {
        login.respond(login.callback);
        await login.session.catch(() => undefined);
      }
      const codeOf = ({ login }: typeof older) => login.callback.params.get("code") ?? "";
      if (!order.every((each) => issued(each.own, codeOf(each)))) {
        return unclear("the client uses one issuer, or receives signed responses");
      }
      const mixed = order.find((each) => received(each.foreign, codeOf(each)));
      return conclude(
        mixed && "the client sent the code of one issuer to the token endpoint of the other",
        "the client sent each code to its own issuer only",
        "leaked",
        mixed && `sent a code of ${mixed.own.issuer} to ${mixed.foreign.issuer}`,
      );
    },
  }),
  defineAttack({
    id: "response/request-forgery",
    fix: "Compare iss of the response with the issuer to which this login was sent, before the token request.",
    title:
      "The login at one issuer ends with the code of an attacker at another, for the same state, nonce and code challenge " +
      "(CORF).",
    correctClient: "The client rejects the response because of iss, and sends no code to another issuer.",
    needs: ["severalIssuers", "plainResponse", "logIn"],
    requirement: "RFC 9700 §2.1",
    sources: ["draft-ietf-oauth-security-topics-update-03 §2.2.1", "RFC 9700 §4.4"],
    async perform(stage) {
      const { as, openBrowser, openOtherIssuer, startLogin } = stage;
      const attacker = await findSecondUser(as);
      const other = await openOtherIssuer();
      const { callback, session, respond } = await startLogin();
      const { query } = as.log.unmasked.last("authorize").request;
      const url = new URL((await openOtherEndpoints(stage)).authorization_endpoint);
      url.search = String(new URLSearchParams(query.map(([name, value]) => [name, value])));
      if (!url.searchParams.has("response_type")) return unclear("the client pushes or signs its requests");
      const forged = await openBrowser({ as: attacker.sub }).authorize(url);
      const code = forged.params.get("code") ?? "";
      if (!issued(other, code)) return unclear("the other issuer rejects the request");
      respond(withParameters(callback, { code, iss: other.issuer }));
      await session.catch(() => undefined);
      const isSent = received(other, code);
      return conclude(
        isSent ? "the client sent the code to the issuer that the response names" : undefined,
        "the client sent the code of the attacker to no issuer that could exchange it",
        "mixed",
        `exchanged a code of the attacker at ${other.issuer}, for a login at ${as.issuer}`,
      );
    },
  }),
  defineAttack({
    id: "metadata/audience-injection",
    fix: "Use the issuer to which you send an assertion as its audience, never a value that another server chose.",
    stop: undefined,
    title: "The metadata names the token endpoint of another, honest issuer, and a PAR endpoint of its own.",
    correctClient: "The client sends this server no assertion whose audience is the other issuer or its endpoint.",
    needs: ["severalIssuers", "assertion", "par"],
    sources: ["draft-ietf-oauth-security-topics-update-03 §2.1", "RFC 10070 §4"],
    async perform(stage) {
      const { as, begin, openOtherIssuer } = stage;
      const other = await openOtherIssuer();
      const { token_endpoint } = await openOtherEndpoints(stage);
      as.on("discovery").always(body.edited({ token_endpoint }, "token endpoint of another issuer"));
      await begin().catch(() => undefined);
      const audiences = as.log.unmasked.exchanges.flatMap(({ request }) =>
        [
          decodeJwtPart(findParam(request, "client_assertion") ?? "", 1).aud,
        ].flat()
      ).filter((aud) => typeof aud === "string");
      const injected = audiences.find((aud) => aud.startsWith(other.issuer));
      return conclude(
        injected && "the client sent an assertion for another issuer to this server",
        "the client sent no assertion for another issuer to this server",
        "leaked",
        injected && `signed an assertion for ${injected}, and sent it to ${as.issuer}`,
      );
    },
  }),
  defineAttack({
    id: "session/logins-shared",
    level: "must-tolerate",
    title: "Two users log in at the same time, each in their own browser.",
    correctClient: "The client logs in each user in their own browser.",
    by: "logIn",
    needs: ["receiveCallback", "secondUser"],
    sources: ["RFC 6749 §10.12", "RFC 9700 §4.7.1"],
    async perform({ as, openBrowser, startLogin, expectedSub }): Promise<Conclusion> {
      const second = await findSecondUser(as);
      const older = await startLogin();
      const newer = await startLogin(openBrowser({ as: second.sub }));
      const subs: (string | undefined)[] = [];
      for (const { callback, respond, session } of [older, newer]) {
        respond(callback);
        const sub = session.then(({ sub }) => sub, (error: unknown) => {
          if (error instanceof UndecidedError) throw error;
          return undefined;
        });
        subs.push(await sub);
      }
      if (subs.every((sub) => sub === undefined)) return unclear("neither login succeeded");
      const isMixed = subs[1] === expectedSub && expectedSub !== unknownUser;
      return {
        ...conclude(
          isMixed
            ? "the second user was logged in as the first"
            : subs.includes(undefined)
            ? "the login of one user ended that of the other"
            : undefined,
          "each user was logged in in their own browser",
          "mixed",
        ),
        isWarning: !isMixed,
        ...isMixed && { harm: "logged in a user as another user" },
      };
    },
  }),
  defineAttack({
    id: "session/refreshes-shared",
    level: "must-reject",
    title: "Two users refresh at the same time, each in their own browser.",
    correctClient: "The client sends one refresh for each user.",
    journey: "session",
    endpoints: ["token"],
    needs: ["refresh", "logIn", "secondUser"],
    sources: ["RFC 6749 §10.4", "RFC 6749 §6"],
    async perform({ as, driver, openBrowser, session }) {
      const second = await findSecondUser(as);
      const other = await driver.logIn!(openBrowser({ as: second.sub }));
      const waiting = hold();
      as.on("token", refreshSelector).once(waiting);
      const first = session!.refresh!();
      await Promise.race([waiting.arrived, first.catch(() => undefined)]);
      const next = other.refresh!();
      await Promise.race([next.catch(() => undefined), new Promise((resolve) => timers.setTimeout(resolve, 100))]);
      waiting.release();
      const results = await Promise.allSettled([first, next]);
      const sent = as.log.unmasked.filter("token", refreshSelector).map(({ request }) =>
        findParam(request, "refresh_token")
      );
      // An application that refreshes one after the other does both.
      if (results.some(({ status }) => status === "rejected")) return unclear("a refresh failed");
      const missing = new Set(sent).size < 2;
      return conclude(
        missing ? "the client sent one refresh for two users" : undefined,
        "the client sent a refresh for each user",
        "mixed",
        "left a user with expired tokens, and refreshed those of another user",
      );
    },
  }),
  defineAttack({
    id: "session/tokens-of-rejected-login",
    level: "must-reject",
    title: "A user is logged in; another login in this browser has an ID token with a wrong issuer.",
    correctClient: "The client rejects the login, and the session keeps its own tokens.",
    journey: "session",
    endpoints: ["token"],
    needs: ["request", "readsIdToken", "logIn"],
    requirement: "OpenID Connect Core §3.1.3.7",
    sources: ["OpenID Connect Core §3.1.3.5"],
    async perform({ as, driver, journey, openBrowser, session }) {
      const second = await findSecondUser(as);
      as.on("token").once(idToken.wrongIssuer());
      const login = await driver.logIn!({ ...openBrowser({ as: second.sub }), browser: journey.browser })
        .then(() => true, () => false);
      if (login) return unclear("the client accepted the login");
      const stolen = loggedTokens(as).findLast(([name]) => name === "access_token")?.[1];
      const earlier = as.log.unmasked.exchanges.length;
      await session!.request!().catch(() => undefined);
      const used = as.log.unmasked.exchanges.slice(earlier).some(({ request }) =>
        request.headers.authorization?.endsWith(` ${stolen}`)
      );
      return conclude(
        used ? "the session uses the access token of the rejected login" : undefined,
        "the session keeps its own tokens",
        "mixed",
        `used the access token of ${second.sub} in the session of another user`,
      );
    },
  }),
  defineAttack({
    id: "userinfo/prototype",
    level: "must-reject",
    title: "ID token and userinfo of a user have members called __proto__ and constructor; then another user logs in.",
    correctClient: "The client ignores these members, and nothing of them is in the session of the other user.",
    endpoints: ["userinfo", "token"],
    by: "logIn",
    needs: ["claims"],
    sources: ["CWE-1321", "RFC 8259 §4"],
    async perform({ as, driver, journey, openBrowser }) {
      as.on("userinfo").once(
        body.edited(
          (members) => JSON.parse(`${JSON.stringify(members).slice(0, -1)},${pollutingMembers}}`),
          "prototypes",
        ),
      );
      as.on("token").once(forgeJwt("ID token with __proto__", async ({ header, claims, sign }) => {
        const input = encodeJwt(header, `${JSON.stringify(claims).slice(0, -1)},${pollutingMembers}}`);
        return `${input}.${encodeBase64url(await sign(input))}`;
      }));
      try {
        await driver.logIn!(journey).catch(() => undefined);
        const next = await driver.logIn!(openBrowser());
        const isPolluted = marker in {} || next.claims?.[marker] !== undefined;
        return conclude(
          isPolluted ? "a member of the first user is in the session of the second" : undefined,
          "nothing of the members is in the session of the other user",
          "mixed",
          "gave a claim of one user to another user",
        );
      } finally {
        delete (Object.prototype as Record<string, unknown>)[marker];
      }
    },
  }),
];
