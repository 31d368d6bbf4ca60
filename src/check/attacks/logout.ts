/** Logout tokens and front-channel logout (OpenID Connect Back-Channel Logout §2.6, Front-Channel Logout §2). */

import { anyParameter, textParameter } from "../../testing/faults/parameters.ts";
import type { MintedLogoutToken } from "../../testing/mint_logout_token.ts";
import { type Attack, type Conclusion, defineAttack, type Stage } from "../define_attack.ts";
import { setCookies } from "./open_logins.ts";
import { logoutRequest, logoutUrls, sessionIdOf, useEndedSession, userAfterLogout } from "./ended_session.ts";
import { oneOf } from "./parameters.ts";
import { conclude, undecided } from "./conclusions.ts";

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

/** Posts a logout token that the client must reject. */
async function postInvalid(stage: Stage, token: string): Promise<Conclusion> {
  const status = await post(stage, token);
  return await concludeLogout(stage, status, status >= 400 && status < 500);
}

/** A parameter that is the value of a claim. */
function claimParameter<const Name extends string>(name: Name) {
  return anyParameter<Name, unknown>(name, null, "The value of the claim; null removes it.");
}

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
    id: "logout/back-channel-signature",
    title: "The logout token is not signed, or signed with another key.",
    duty: "OpenID Connect Back-Channel Logout §2.6",
    sources: ["OpenID Connect Back-Channel Logout §2.4"],
    ...oneOf("flaw", ["none", "wrong key", "unknown key"]),
    perform: async (stage, { flaw }) =>
      await postInvalid(
        stage,
        await mintLogoutToken(
          stage,
          flaw === "none" ? { alg: "none" } : { signedBy: flaw === "wrong key" ? "wrong key" : "unknown key" },
        ),
      ),
  }),
  defineAttack({
    ...rejected,
    id: "logout/back-channel-claims",
    title: "The logout token has a wrong iss or aud, lacks a required claim, or has expired.",
    duty: "OpenID Connect Back-Channel Logout §2.6",
    sources: ["OpenID Connect Back-Channel Logout §2.4"],
    parameters: [
      textParameter("claim", "iss", "The claim; subject stands for both sub and sid."),
      {
        ...claimParameter("value"),
        description: "The value; null removes the claim, and % stands for the right value.",
      },
    ],
    variants: [
      ...[{ claim: "iss", value: "https://other.test" }, { claim: "aud", value: "another-client" }],
      ...[{ claim: "iss", value: "%.attacker.example" }, { claim: "aud", value: "x%" }, { claim: "aud", value: "%x" }],
      ...["iat", "jti", "exp", "subject"].map((claim) => ({ claim })),
      { claim: "exp", value: 1_000_000_000 },
    ],
    perform: async (stage, { claim, value }) => {
      const own = claim === "iss" ? stage.as.issuer : stage.client.client_id;
      const written = typeof value === "string" ? value.replace("%", own) : value ?? undefined;
      const claims = claim === "subject" ? { sub: undefined, sid: undefined } : { [claim]: written };
      // Only a client that looks for tokens that it has seen needs jti (§2.6).
      return { ...await postInvalid(stage, await mintLogoutToken(stage, { claims })), isWarning: claim === "jti" };
    },
  }),
  defineAttack({
    ...rejected,
    id: "logout/back-channel-event",
    title: "The logout token has no logout event, another event, or an event that is not an object.",
    duty: "OpenID Connect Back-Channel Logout §2.6",
    sources: ["OpenID Connect Back-Channel Logout §2.4", "outline/outline#13438"],
    parameters: [claimParameter("events")],
    variants: [
      { events: null },
      { events: { "https://example.com/event": {} } },
      ...[null, [], "logout"].map((event) => ({ events: { [logoutEvent]: event } })),
    ],
    perform: async (stage, { events }) => ({
      ...await postInvalid(stage, await mintLogoutToken(stage, { claims: { events: events ?? undefined } })),
      // §2.6 demands the name of the event; its value has no meaning.
      isWarning: events !== null && logoutEvent in (events as object),
    }),
  }),
  defineAttack({
    ...rejected,
    id: "logout/back-channel-nonce",
    title: "The logout token has a nonce, or is an ID token instead.",
    duty: "OpenID Connect Back-Channel Logout §2.6",
    sources: ["OpenID Connect Back-Channel Logout §2.4", "RFC 8725 §3.12"],
    ...oneOf("which", ["nonce", "id-token"]),
    async perform(stage, { which }) {
      const sid = sessionIdOf(stage.as);
      const { client: { client_id } } = stage;
      return await postInvalid(
        stage,
        which === "nonce"
          ? await mintLogoutToken(stage, { claims: { nonce: "n" } })
          : await stage.as.mint.idToken({ client: client_id, nonce: "n", claims: { sid } }),
      );
    },
  }),
  defineAttack({
    ...rejected,
    id: "logout/back-channel-other",
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
    ...rejected,
    id: "logout/back-channel-other-issuer",
    title: "Another issuer, which the client also uses, sends a logout token with the sid of this session.",
    correctClient: "The client ends no session of an issuer other than that of the token.",
    needs: ["backChannelLogout", "currentUser", "severalIssuers"],
    sources: ["OpenID Connect Back-Channel Logout §2.1", "OpenID Connect Back-Channel Logout §2.7"],
    async perform(stage) {
      const { driver, journey, client } = stage;
      const other = await stage.openOtherIssuer();
      const { issuer } = other;
      await driver.logIn!({ ...stage.openBrowser(), issuer });
      const token = await other.mint.logoutToken({ client: client.client_id, sid: sessionIdOf(stage.as) });
      const response = await driver.receive!({ ...journey, issuer }, logoutRequest(client, token));
      await response.body?.cancel();
      return await concludeLogout(stage, response.status);
    },
  }),
  defineAttack({
    id: "logout/back-channel-all",
    level: "must-recover",
    needs: ["backChannelLogout", "currentUser", "logIn"],
    title: "A user is logged in with two browsers, and a logout token names the user without a session.",
    correctClient: "The client ends every session of the user.",
    duty: "OpenID Connect Back-Channel Logout §2.7",
    sources: ["OpenID Connect Back-Channel Logout §2.4"],
    async perform(stage) {
      const other = await stage.driver.logIn!(stage.openBrowser());
      const sessions = [stage.session!, other];
      if (other.currentUser === undefined) return undecided("the second session does not show its user");
      const status = await post(stage, await mintLogoutToken(stage, { claims: { sid: undefined } }));
      const users = await Promise.all(sessions.map(userAfterLogout));
      const open = users.filter((user) => user !== undefined).length;
      const ended = `the client responded with status ${status}, and ended ${open === 2 ? "no" : "one"} session`;
      // A client that has registered this requires sid in each logout token (§2.2).
      if (open === 2 && stage.client.backchannel_logout_session_required) return undecided(ended);
      return conclude(
        open > 0 ? ended : undefined,
        "both sessions have ended",
        "kept",
      );
    },
  }),
  defineAttack({
    ...rejected,
    id: "logout/back-channel-replayed",
    title: "A logout token is sent a second time, after the user has logged in again.",
    correctClient: "The client rejects the token because of its jti, and the new session continues.",
    level: "should-reject",
    sources: ["OpenID Connect Back-Channel Logout §2.6", "keycloak/keycloak#51218"],
    async perform(stage) {
      const { driver, journey, session } = stage;
      const token = await mintLogoutToken(stage, { claims: { sid: undefined } });
      await post(stage, token);
      if (await userAfterLogout(session!) !== undefined) return undecided("a logout token without sid ends no session");
      const again = await driver.logIn!(journey);
      return await postInvalid({ ...stage, session: again }, token);
    },
  }),
  defineAttack({
    id: "logout/back-channel-tokens",
    title: "A logout token ends the session, and the user continues to use the application.",
    correctClient: "The client has ended the session, and sends none of its tokens.",
    level: "should-reject",
    needs: ["backChannelLogout", "currentUser", "request"],
    sources: ["OpenID Connect Back-Channel Logout §2.7"],
    async perform(stage) {
      await post(stage, await mintLogoutToken(stage, {}));
      return await useEndedSession(stage);
    },
  }),
  defineAttack({
    id: "logout/front-channel-foreign",
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
        return undecided("the client is registered without frontchannel_logout_session_required");
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
