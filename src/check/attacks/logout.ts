/** Logout tokens and front-channel logout (OpenID Connect Back-Channel Logout §2.6, Front-Channel Logout §2). */

import type { MintedLogoutToken } from "../../testing/mint_logout_token.ts";
import { type Attack, type Conclusion, defineAttack, type Stage } from "../define_attack.ts";
import { setCookies } from "./open_logins.ts";
import { logoutRequest, logoutUrls, sessionIdOf, useEndedSession, userAfterLogout } from "./ended_session.ts";
import { oneOf } from "./parameters.ts";
import { nearMissOf } from "./wrong_values.ts";
import { conclude, unclear } from "./conclusions.ts";

/** The member of `events` (Back-Channel Logout §2.4). */
const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** Attacks with a logout token that a client must reject. */
const rejected = {
  level: "must-reject",
  journey: "session",
  endpoints: [],
  needs: ["backChannelLogout", "currentUser"],
  correctClient: "The client responds with status 400, and the session continues.",
} as const;

/** Posts a logout token to the client. @returns The status of the response. */
async function post({ driver, journey }: Stage, token: string): Promise<number> {
  const response = await driver.receive!(journey, logoutRequest(journey.client, token));
  await response.body?.cancel();
  return response.status;
}

/** A logout token for the session, with defects. */
function mintLogoutToken(stage: Stage, options: MintedLogoutToken): Promise<string> {
  return stage.as.mint.logoutToken({ client: stage.client.client_id, sid: sessionIdOf(stage.as), ...options });
}

/** Concludes from the response to a logout: the session must continue. */
async function concludeLogout({ session }: Stage, status: number, isRejected = true): Promise<Conclusion> {
  const user = await session!.currentUser!();
  const passed = user !== undefined && isRejected;
  const because = `the client responded with status ${status}, and the session ${
    user === undefined ? "ended" : "continues"
  }`;
  const harm = user === undefined
    ? { seen: "ended", harm: "ended the session of a user who was to stay logged in" } as const
    : {};
  return { outcome: passed ? "rejected" : "accepted", passed, because, ...harm };
}

/** Logout tokens that a client must reject, by what is wrong: what the mint does, or the token. */
const invalidTokens: Readonly<Record<string, (stage: Stage) => MintedLogoutToken | Promise<string>>> = {
  "no signature": () => ({ alg: "none" }),
  "another key": () => ({ signedBy: "wrong key" }),
  "an unknown key": () => ({ signedBy: "unknown key" }),
  "another iss": () => ({ claims: { iss: "https://other.test" } }),
  "a longer iss": ({ as }) => ({ claims: { iss: nearMissOf(as.issuer, "extended") } }),
  ...Object.fromEntries(
    ["foreign", "prefixed", "extended"].map((how) => [
      `aud ${how}`,
      ({ client: { client_id } }: Stage) => ({ claims: { aud: nearMissOf(client_id, how) } }),
    ]),
  ),
  ...Object.fromEntries(
    ["iat", "jti", "exp"].map((claim) => [`no ${claim}`, () => ({ claims: { [claim]: undefined } })]),
  ),
  "neither sub nor sid": () => ({ claims: { sub: undefined, sid: undefined } }),
  expired: () => ({ claims: { exp: 1_000_000_000 } }),
  "no event": () => ({ claims: { events: undefined } }),
  "another event": () => ({ claims: { events: { "https://example.com/event": {} } } }),
  ...Object.fromEntries(
    [null, [], "logout"].map((event) => [
      `event ${JSON.stringify(event)}`,
      () => ({ claims: { events: { [logoutEvent]: event } } }),
    ]),
  ),
  nonce: () => ({ claims: { nonce: "n" } }),
  "an ID token": ({ as, client: { client_id } }) =>
    as.mint.idToken({ client: client_id, nonce: "n", claims: { sid: sessionIdOf(as) } }),
};

/** §2.6 demands the name of the event, and jti only of a client that looks for tokens that it has seen. */
const advised = ["no jti", "event null", "event []", 'event "logout"'];

/** What a browser sends when a page of another site navigates to a URL. */
const crossSiteNavigation = {
  "sec-fetch-site": "cross-site",
  "sec-fetch-mode": "navigate",
  "sec-fetch-dest": "document",
};

/** Opens a URL as a link on a page of another site does: without cookies that are `SameSite=Strict`. */
async function openFromOtherSite({ driver, journey }: Stage, url: string): Promise<void> {
  const { cookies } = journey.browser;
  const strict = cookies.all().filter(({ sameSite }) => sameSite?.toLowerCase() === "strict");
  for (const { name } of strict) cookies.clear(name);
  const headers = { ...crossSiteNavigation, referer: "https://attacker.example/" };
  await driver.receive!({ ...journey, headers }, new Request(url));
  setCookies(cookies, [...cookies.all(), ...strict]);
}

/** The attacks of the category `logout` on requests to the client. */
export const logoutAttacks: readonly Attack[] = [
  defineAttack({
    ...rejected,
    id: "logout/back-channel-claims",
    fix: "Before a session ends, make every check of Back-Channel Logout §2.6, and respond with status 400.",
    title:
      "The logout token is not signed by the issuer, is an ID token, or has a claim or an event that is not valid.",
    requirement: "OpenID Connect Back-Channel Logout §2.6",
    sources: ["OpenID Connect Back-Channel Logout §2.4", "RFC 8725 §3.12", "outline/outline#13438"],
    ...oneOf("what", Object.keys(invalidTokens), "What is wrong."),
    async perform(stage, { what }) {
      const token = await invalidTokens[what]!(stage);
      const minted = typeof token === "string" ? token : await mintLogoutToken(stage, token);
      const status = await post(stage, minted);
      const conclusion = await concludeLogout(stage, status, status >= 400 && status < 500);
      return { ...conclusion, isWarning: advised.includes(what) };
    },
  }),
  defineAttack({
    ...rejected,
    id: "logout/back-channel-other",
    fix: "End only the sessions that a valid logout token names, by iss with sid or sub.",
    title: "The logout token has the sid of another session, or the sub of another user.",
    correctClient: "The client ends no session other than the one that the token names.",
    sources: ["OpenID Connect Back-Channel Logout §2.7"],
    ...oneOf("who", ["sid", "sub"]),
    async perform(stage, { who }) {
      const claims = who === "sid"
        ? { sub: undefined, sid: "another-session" }
        : { sub: "another-user", sid: undefined };
      const status = await post(stage, await mintLogoutToken(stage, { claims }));
      return await concludeLogout(stage, status);
    },
  }),
  defineAttack({
    id: "logout/back-channel-all",
    level: "must-recover",
    needs: ["backChannelLogout", "currentUser", "logIn"],
    title: "A user is logged in with two browsers, and a logout token names the user without a session.",
    correctClient: "The client ends every session of the user.",
    requirement: "OpenID Connect Back-Channel Logout §2.7",
    sources: ["OpenID Connect Back-Channel Logout §2.4"],
    async perform(stage) {
      const other = await stage.driver.logIn!(stage.openBrowser());
      const sessions = [stage.session!, other];
      if (other.currentUser === undefined) return unclear("the second session does not show its user");
      const status = await post(stage, await mintLogoutToken(stage, { claims: { sid: undefined } }));
      const users = await Promise.all(sessions.map(userAfterLogout));
      const open = users.filter((user) => user !== undefined).length;
      const ended = `the client responded with status ${status}, and ended ${open === 2 ? "no" : "one"} session`;
      // A client that has registered this requires sid in each logout token (§2.2).
      if (open === 2 && stage.client.backchannel_logout_session_required) return unclear(ended);
      return conclude(open > 0 ? ended : undefined, "both sessions have ended", "kept");
    },
  }),
  defineAttack({
    ...rejected,
    id: "logout/back-channel-replayed",
    fix: "Remember the jti of each logout token until its exp, and reject it the second time.",
    title: "A logout token is sent a second time, after the user has logged in again.",
    correctClient: "The client rejects the token because of its jti, and the new session continues.",
    level: "should-reject",
    sources: ["OpenID Connect Back-Channel Logout §2.6", "keycloak/keycloak#51218"],
    async perform(stage) {
      const { driver, journey, session } = stage;
      const token = await mintLogoutToken(stage, { claims: { sid: undefined } });
      await post(stage, token);
      if (await userAfterLogout(session!) !== undefined) return unclear("a logout token without sid ends no session");
      const again = await driver.logIn!(journey);
      const status = await post(stage, token);
      return await concludeLogout({ ...stage, session: again }, status, status >= 400 && status < 500);
    },
  }),
  defineAttack({
    id: "logout/tokens-used",
    level: "must-reject",
    title: "The user ends the session, and the browser continues to use the application.",
    correctClient: "The client has ended the session, and sends none of its tokens.",
    needs: ["logOut", "currentUser", "request"],
    sources: ["OpenID Connect RP-Initiated Logout §2", "RFC 7009 §2.1"],
    async perform(stage) {
      await stage.session!.logOut!();
      return await useEndedSession(stage);
    },
  }),
  defineAttack({
    id: "logout/cookie-kept",
    fix: "End the session on the server at logout; to delete its cookie ends it only in this browser.",
    level: "must-reject",
    title: "After the user has logged out, an attacker sends the session cookie of before the logout.",
    correctClient: "The client has ended the session on the server, and the cookie belongs to no user.",
    needs: ["logOut", "currentUser", "cookieSession"],
    sources: ["OpenID Connect RP-Initiated Logout §2", "OWASP ASVS 7.4.1", "netbirdio/netbird#5723"],
    async perform(stage) {
      const { journey: { browser }, session } = stage;
      const before = browser.cookies.all();
      await session!.logOut!();
      setCookies(browser.cookies, before);
      if (await userAfterLogout(session!) === undefined) {
        return conclude(undefined, "the cookie of before the logout belongs to no user");
      }
      const failure = "the cookie of before the logout still logs in the user";
      const used = await useEndedSession(stage);
      // Without the tokens, an application that keeps its sessions in cookies can do nothing else.
      return conclude(failure, "", "kept", used.passed ? undefined : "used the tokens of a user who had logged out");
    },
  }),
  defineAttack({
    id: "logout/front-channel-foreign",
    fix: "End the session only if iss and sid of the request are those of the session.",
    title: "A page of another site loads the front-channel logout URI with a wrong iss or sid, or with neither.",
    correctClient: "The client does not end the session.",
    level: "should-reject",
    needs: ["frontChannelLogout", "currentUser"],
    sources: ["OpenID Connect Front-Channel Logout §2", "OpenID Connect Front-Channel Logout §3"],
    ...oneOf(
      "wrong",
      ["iss", "near iss", "sid", "both"],
      "What is wrong: iss, near iss (a near miss of it), sid, or both (both are absent).",
    ),
    async perform(stage, { wrong }) {
      const { as, client, driver, journey } = stage;
      if (wrong === "both" && !client.frontchannel_logout_session_required) {
        return unclear("the client is registered without frontchannel_logout_session_required");
      }
      const uri = new URL(client.frontchannel_logout_uri!);
      if (wrong !== "both") {
        const issuers: Readonly<Record<string, string>> = {
          iss: "https://other.test",
          "near iss": `${as.issuer}.attacker.example`,
        };
        uri.searchParams.set("iss", issuers[wrong] ?? as.issuer);
        uri.searchParams.set("sid", wrong === "sid" ? "another-session" : sessionIdOf(stage.as) ?? "");
      }
      const { status } = await driver.receive!(journey, new Request(uri));
      return await concludeLogout(stage, status);
    },
  }),
  defineAttack({
    id: "logout/by-get",
    fix: "Log out only by a POST with a token against CSRF, or ask the user first.",
    level: "should-reject",
    title: "A page of another site opens the URL at which the pages of the application log out.",
    correctClient: "The client does not end the session, or asks the user first.",
    needs: ["visits", "receive", "currentUser", "showsLogout"],
    sources: ["RFC 9110 §9.2.1", "RFC 10017 §6.1.3.3", "CWE-352"],
    async perform(stage) {
      for (const url of logoutUrls(stage.journey)) {
        await openFromOtherSite(stage, url);
        if (await stage.session!.currentUser!() === undefined) {
          return conclude(`a GET of ${url} from another site ended the session`, "", "ended");
        }
      }
      return conclude(undefined, "the session continues after a GET from another site");
    },
  }),
];
