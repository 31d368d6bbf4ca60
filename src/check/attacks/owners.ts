/** Whose a login, a session or a token is: of one browser, one user, one issuer. */

import { findParam } from "../../recorder/record_request.ts";
import { idToken } from "../../testing/faults/mod.ts";
import type { TestLatchkey } from "../../testing/test_latchkey.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { conclude, unclear } from "./conclusions.ts";
import { findSecondUser, loggedTokens } from "./open_logins.ts";
import { oneOf } from "./parameters.ts";

/** Whether a server issued a code, and whether one received it. */
const issued = ({ log }: TestLatchkey, code: string) =>
  log.unmasked.filter("authorize").some(({ response }) =>
    response?.authorizationResponse?.params.some(([name, value]) => name === "code" && value === code)
  );
const received = ({ log }: TestLatchkey, code: string) =>
  log.unmasked.filter("token").some(({ request }) => findParam(request, "code") === code);

/** The attacks on owners, of the categories `response` and `session`. */
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
      as.on("token").once(idToken.edited({ iss: "https://attacker.example" }));
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
];
