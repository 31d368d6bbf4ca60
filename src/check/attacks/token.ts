/** Token responses (RFC 6749 §5.1). */

import { body, drop, store, tokens } from "../../testing/faults/mod.ts";
import { textParameter } from "../../testing/faults/parameters.ts";
import { overrideClaims } from "../../testing/faults/resign.ts";
import { describeError } from "../assess.ts";
import { validTokenResponse } from "./duties.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import type { ClientSession } from "../driver.ts";
import { exchangesOf } from "../attack.ts";
import { withMember } from "./changed_members.ts";
import { accessTokenOfAnotherUser, opaqueAccessToken } from "./access_tokens.ts";
import { nearMissOf } from "./near_misses.ts";
import { eachWithEach, oneOf, sent } from "./parameters.ts";
import { atMost, conclude, failIf, undecided } from "./conclusions.ts";

const ofMember = 'The value of the member; "absent" removes it.';

/** The attacks of the category `token`. */
export const tokenAttacks: readonly Attack[] = [
  defineAttack({
    id: "token/required-missing",
    level: "must-reject",
    title: "The token response has no access_token or token_type, or one that is empty or not a string.",
    // It binds the same clients as token/type-unknown.
    duty: { ...validTokenResponse, binds: ["idToken", "usesAccessToken"] },
    sources: ["RFC 6749 §5.1"],
    ...eachWithEach(
      oneOf("member", ["access_token", "token_type"]),
      sent("value", ["absent", "", null, 7, {}], ofMember),
    ),
    once: ({ member, value }) => withMember(member, value),
  }),
  defineAttack({
    id: "token/access-token-hostile",
    level: "must-reject",
    title: "The access token has a line break, or a character that is not ASCII.",
    correctClient: "The client discards the response, and sends no HTTP header with these characters.",
    sources: ["RFC 6750 §2.1", "RFC 9110 §5.5"],
    ...sent("value", ["a\r\nX-Injected: 1", "t\u00f6ken"], "The access token."),
    stop: undefined,
    once: ({ value }) => withMember("access_token", value),
    assess: ({ outcome, exchanges }) => {
      const isUsed = exchanges.some(({ request }) => /^bearer /i.test(request.headers.authorization ?? ""));
      if (outcome !== "accepted") return undefined;
      // The token is opaque to a client; only a line break changes the request.
      return isUsed
        ? { passed: false, isWarning: true, because: "the client sent the access token in a header" }
        : { passed: true, because: "the client does not use the access token" };
    },
  }),
  defineAttack({
    id: "token/access-token-odd",
    // A protected resource does not know this token.
    by: "logIn",
    level: "must-tolerate",
    title: "The access token is very long, or has every kind of character that RFC 6750 allows except the dot.",
    correctClient: "The client accepts the tokens, and sends the access token unchanged.",
    sources: ["RFC 6750 §2.1", "RFC 6749 appendix A.12"],
    ...oneOf("form", ["long", "characters"]),
    once: ({ form }) =>
      form === "long"
        ? overrideClaims("long access token", () => ({ padding: "x".repeat(5800) }), { of: "access_token" })
        : opaqueAccessToken("access token with every character", (token) => `AZaz09-_~+/${token}==`),
  }),
  defineAttack({
    id: "token/access-token-opaque",
    level: "must-tolerate",
    needs: ["idToken", "namesUser"],
    title: "The access token is not a JWT, or is a JWT with the claims of another user.",
    correctClient: "The client does not read the access token, and logs in the user of the ID token.",
    duty: "RFC 9068 §6",
    sources: ["RFC 6749 §1.4"],
    ...oneOf("kind", ["opaque", "another-user"]),
    start: ({ as }, { kind }) =>
      void (kind === "opaque"
        ? as.on("token").once(opaqueAccessToken("opaque access token", (token) => token))
        : as.on("any").always(accessTokenOfAnotherUser())),
  }),
  defineAttack({
    id: "token/type-case",
    level: "must-tolerate",
    title: "The token_type of the token response is in other letter case, such as bEARER.",
    correctClient: "The client compares token_type case-insensitively.",
    duty: "RFC 6749 §5.1",
    once: () =>
      body.edited(
        (members) => ({ ...members, token_type: nearMissOf(String(members.token_type), "case") }),
        "other case",
      ),
  }),
  defineAttack({
    id: "token/type-unknown",
    level: "must-reject",
    title: "The token response has a token_type that the client does not support.",
    correctClient: "The client does not use the access token.",
    duty: { source: "RFC 6749 §7.1", binds: ["usesAccessToken"] },
    ...sent("type", ["mac", "N_A", "pop", "xbearer", "bearer-mac"], "The member token_type."),
    once: ({ type }) => tokens.tokenType(type),
  }),
  defineAttack({
    id: "token/expires-in-missing",
    level: "must-tolerate",
    title: "The token response has no expires_in.",
    correctClient: "The client accepts the tokens, and refreshes when a resource rejects the access token.",
    sources: ["RFC 6749 §5.1", "danny-avila/LibreChat#15321", "outline/outline#10886"],
    once: () => tokens.expiresIn(),
  }),
  defineAttack({
    id: "token/expires-in-lie",
    title: "The access token is valid for a minute, but expires_in of the token response states an hour.",
    correctClient: "The client refreshes once when a resource rejects the access token, and repeats the request.",
    level: "must-recover",
    journey: "session",
    needs: ["request", "refresh"],
    sources: ["RFC 6750 §3.1", "RFC 6749 §5.1"],
    async perform({ as, driver, journey, session, passTime }) {
      const refreshes = async (open: ClientSession, seconds: number) => {
        passTime(seconds);
        const earlier = as.log.unmasked.filter("token").length;
        const error = await open.request!().then(
          () => undefined,
          (thrown: unknown) => thrown ?? new Error("no reason"),
        );
        return { error, count: as.log.unmasked.filter("token").length - earlier };
      };
      const honest = await refreshes(session!, 7200);
      if (honest.count === 0) {
        return undecided("the client does not refresh by itself, even after the time that the response states");
      }
      as.on("token", { grant_type: "authorization_code" }).once(
        overrideClaims("access token for a minute", ({ iat }) => ({ exp: Number(iat) + 60 }), { of: "access_token" }),
      );
      const { error, count } = await refreshes(await driver.logIn!(journey), 120);
      return {
        outcome: error === undefined ? "accepted" : "rejected",
        passed: error === undefined && count === 1,
        seen: count > 1 ? "repeated" : "ended",
        // No specification demands a refresh after a 401.
        isWarning: count === 0,
        because: error === undefined
          ? `the client sent ${count} refreshes, and repeated the request`
          : `the client did not repeat the request: ${describeError(error)}`,
      };
    },
  }),
  defineAttack({
    id: "token/expires-in-odd",
    title: "The token response has an expires_in that is a string, null, zero, negative, a fraction or huge.",
    correctClient: "The client reads expires_in as a number, or rejects the response; it does not refresh in a loop.",
    level: "must-recover",
    sources: ["RFC 6749 §5.1", "lidge-jun/opencodex#1417", "decocms/studio#6076"],
    ...sent("value", ["3600", "later", null, 0, -1, 1.5, 2 ** 31, 1e99], ofMember),
    once: ({ value }) => withMember("expires_in", value),
  }),
  defineAttack({
    id: "token/scope-missing",
    level: "must-tolerate",
    title: "The token response has no scope, which means that the granted scope is the requested one.",
    sources: ["RFC 6749 §5.1", "giantswarm/muster#1239"],
    once: () => withMember("scope", "absent"),
  }),
  defineAttack({
    id: "token/scope-empty",
    level: "must-tolerate",
    title: "The token response has an empty scope.",
    correctClient: "The client accepts the tokens, and derives no permission from the empty scope.",
    sources: ["RFC 6749 §5.1", "CVE-2022-31690"],
    once: () => withMember("scope", ""),
  }),
  defineAttack({
    id: "token/scope-narrowed",
    allowsNewLogin: true,
    title: "The scope of the tokens, or the scope in the token response, is narrower than the client requested.",
    correctClient:
      "The client works without the missing scope value, or requests it again at most three times; the next login works.",
    level: "must-recover",
    sources: ["RFC 6749 §3.3", "rmorlok/authproxy#162"],
    ...oneOf(
      "stated",
      ["correctly", "overstated", "understated"],
      "How the response states the scope of the tokens: correctly, overstated or understated.",
    ),
    always: ({ stated }) =>
      stated === "overstated"
        ? tokens.scopeOverstated()
        : stated === "understated"
        ? tokens.scopeUnderstated()
        : tokens.scopeNarrowed(),
    assess: atMost(4, "authorize", (requests) => `the client requested authorization ${requests} times`),
  }),
  defineAttack({
    id: "token/scope-widened",
    title: "The token response has a scope value that the client did not request.",
    correctClient: "The client uses no permission that it did not request, and reports the difference.",
    level: "informational",
    sources: ["RFC 9700 §2.3", "RFC 6749 §5.1"],
    parameters: [textParameter("scope", "urn:example:administration", "The scope value.")],
    once: ({ scope }) =>
      body.edited((members) => ({ ...members, scope: `${members.scope ?? "openid"} ${scope}` }), "widened scope"),
    assess: ({ outcome }) =>
      failIf(outcome === "accepted", "the client accepted a scope value that it did not request"),
  }),
  defineAttack({
    id: "token/refresh-token-missing",
    level: "must-tolerate",
    title: "The token response has no refresh token, although offline_access was requested.",
    correctClient: "The client accepts the tokens, and starts a new login when the access token expires.",
    sources: ["RFC 6749 §1.5"],
    once: () => withMember("refresh_token", "absent"),
  }),
  defineAttack({
    id: "token/refresh-token-empty",
    level: "must-reject",
    title: "The token response has a refresh token that is empty or null.",
    correctClient:
      "The client rejects the response, or continues without a refresh token; it never sends an empty one.",
    stop: undefined,
    needs: ["refresh"],
    sources: ["RFC 6749 §5.1", "AFNetworking/AFOAuth2Manager#15"],
    ...sent("value", ["", null], ofMember),
    once: ({ value }) => withMember("refresh_token", value),
    async perform({ as, driver, journey }) {
      const session = await driver.logIn!(journey);
      await session.refresh!().catch(() => {});
      const requests = as.log.unmasked.exchanges.filter(({ request: { form } }) =>
        form.some(([name, value]) => name === "grant_type" && value === "refresh_token") &&
        !form.some(([name, value]) => name === "refresh_token" && !["", "null", "undefined"].includes(value))
      );
      const failure = requests.length === 0 ? undefined : "the client sent the refresh token";
      return conclude(failure, "the client did not send the refresh token");
    },
  }),
  defineAttack({
    id: "token/id-token-missing",
    // RFC 8628 has no ID token.
    by: "logIn",
    level: "must-reject",
    needs: ["readsIdToken"],
    title: "The token response has no ID token, although openid was requested.",
    correctClient: "The client discards the response, and does not call userinfo instead.",
    duty: validTokenResponse,
    sources: ["OpenID Connect Core §3.1.3.3"],
    ...sent("value", ["absent", "", null], ofMember),
    once: ({ value }) => withMember("id_token", value),
  }),
  defineAttack({
    id: "token/members-unknown",
    level: "must-tolerate",
    title: "The token response has members that no specification defines.",
    correctClient: "The client ignores these members.",
    duty: "RFC 6749 §5.1",
    once: () =>
      body.edited(
        (members) => ({ ...members, tenant: { id: 7 }, constructor: "x", expires_at: -1 }),
        "unknown members",
      ),
  }),
  defineAttack({
    id: "token/expired-when-issued",
    title: "The access token has already expired when it is issued, so that userinfo and resources reject it.",
    correctClient: "The client refreshes once and repeats the request once, or reports an error; the next login works.",
    level: "must-recover",
    sources: ["RFC 6750 §3.1", "datahub-project/datahub#18187"],
    ...oneOf("tokens", ["first", "every"]),
    start({ as }, { tokens: which }) {
      const claims = (_: unknown, now: number) => ({ iat: now - 3660, exp: now - 60 });
      const expired = overrideClaims("expired access token", claims, { of: "access_token" });
      const rule = as.on("token");
      which === "every" ? rule.always(expired) : rule.once(expired);
    },
    assess: (observation) => {
      const counts = ["token", "userinfo"].map((endpoint) => exchangesOf(observation, endpoint).length);
      return failIf(
        Math.max(...counts) > 3,
        `the client sent ${counts[0]} token requests and ${counts[1]} userinfo requests`,
        "repeated",
      );
    },
  }),
  defineAttack({
    id: "token/code-reusable",
    title: "The first token response is lost, and the server would accept the same code again.",
    correctClient: "The client does not send the code again, and starts a new login.",
    level: "informational",
    sources: ["RFC 6749 §4.1.2", "RFC 9700 §2.1.1"],
    start({ as }) {
      as.on("token").once(drop("after"));
      as.on("token").always(store.forgetsConsumed("code"));
    },
    assess: (observation) => {
      const requests = exchangesOf(observation, "token").length;
      return { passed: requests === 1, because: `the client sent ${requests} token requests` };
    },
  }),
];
