/** The sessions of a styled client. */

import type { ClientBrowser, ClientDriver, ClientJourney, ClientSession } from "../../src/check/mod.ts";
import type { Style } from "./style.ts";
import type { StyledLogin, Tokens } from "./styled_client.ts";
import { assert, type Members, type Registered, type styledIssuers } from "./styled_issuer.ts";

const backChannelLogout = "https://client.test/back-channel-logout";

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** How the client reads tokens and logs in. */
interface Protocol {
  readTokens(tokens: Members): Tokens;
  verifyIdToken(journey: ClientJourney, of: Registered, tokens: Members): Promise<{ readonly sub: string }>;
  logInSilently(journey: ClientJourney): Promise<ClientSession>;
}

interface Entry {
  readonly issuer: string;
  readonly login: StyledLogin;
  readonly session: ClientSession;
}

/** The sessions of a client of that style. */
export function styledSessions(
  style: Style,
  { secondsNow, discover, verify, post, send, passTime }: ReturnType<typeof styledIssuers>,
  { readTokens, verifyIdToken, logInSilently }: Protocol,
) {
  const { scope = "openid profile email offline_access" } = style;
  const entries = new Map<ClientBrowser, Entry>();

  function open(journey: ClientJourney, login: StyledLogin): ClientSession {
    const { browser, issuer } = journey;
    const { registered, sub, claims } = login;
    const { metadata } = registered;
    const user = style.user?.(sub, issuer) ?? sub;
    let { tokens } = login;
    let refreshToken = tokens.refresh_token;
    const expiry = () => secondsNow(journey) + (Number(tokens.expires_in) || Infinity);
    let expiresAt = expiry();
    let refreshing: Promise<void> | undefined;

    async function refreshTokens() {
      assert(entries.has(browser), "the session has ended");
      assert(typeof refreshToken === "string", "no refresh token");
      const params = { grant_type: "refresh_token", refresh_token: refreshToken, ...style.refreshScope && { scope } };
      const refreshed = readTokens(await post(journey, registered, metadata.token_endpoint!, params));
      if (style.idToken !== false && refreshed.id_token !== undefined) {
        const { sub: other } = await verifyIdToken(journey, registered, refreshed);
        assert(other === sub, "the ID token of another user");
      }
      refreshToken = refreshed.refresh_token ?? refreshToken;
      tokens = refreshed;
      expiresAt = expiry();
    }

    const refresh = () => refreshing ??= refreshTokens().finally(() => refreshing = undefined);

    async function callUserinfo() {
      const headers = new Headers();
      await send(journey, registered, metadata.userinfo_endpoint!, { headers }, tokens.access_token);
    }

    async function logOut() {
      entries.delete(browser);
      const { clientId } = registered;
      if (style.logout === "revocation" && typeof refreshToken === "string") {
        // The login has ended here, whatever the server responds.
        const params = { token: refreshToken };
        await post(journey, registered, metadata.revocation_endpoint!, params).catch(() => undefined);
      }
      if (style.logout !== "RP-initiated") return;
      const url = new URL(metadata.end_session_endpoint!);
      url.search = String(new URLSearchParams({ id_token_hint: String(login.tokens.id_token), client_id: clientId }));
      await journey.endSession(url).catch(() => undefined);
    }

    const session: ClientSession = {
      sub: user,
      claims: { ...claims, sub: user },
      ...style.ages !== false && { passTime: (seconds) => passTime(journey, seconds) },
      ...style.currentUser !== false && { currentUser: () => Promise.resolve(entries.get(browser)?.session.sub) },
      ...style.refresh !== false && { refresh },
      ...style.requests !== undefined && {
        async request() {
          assert(entries.has(browser), "the session has ended");
          const isOld = secondsNow(journey) >= expiresAt - (style.requests === "ahead" ? 60 : 0);
          if (isOld && style.refresh !== false) await refresh();
          await callUserinfo().catch(async (error) => {
            if (style.requests !== "after 401" || !String(error).includes("status 401")) throw error;
            await refresh();
            await callUserinfo();
          });
        },
      },
      ...style.silent && { logInSilently: () => logInSilently(journey) },
      ...style.logout && { logOut },
    };
    entries.set(browser, { issuer, login, session });
    return session;
  }

  async function receive(journey: ClientJourney, received: Request): Promise<Response> {
    if (received.url !== backChannelLogout) return new Response("not found", { status: 404 });
    const { issuer, client: { client_id: clientId } } = journey;
    const token = new URLSearchParams(await received.text()).get("logout_token") ?? "";
    try {
      const { events, nonce, sub, sid, iat } = await verify(
        journey,
        { metadata: await discover(journey), clientId },
        token,
      );
      assert(logoutEvent in Object(events) && nonce === undefined, "no logout token");
      assert(typeof iat === "number", "no iat");
      assert((style.logoutTokens === "with sid" ? sid : sub) !== undefined, "not enough claims");
      for (const [browser, { login, ...entry }] of entries) {
        const isMeant = (sid === undefined || login.sid === sid) && (sub === undefined || login.sub === sub);
        if (entry.issuer === issuer && isMeant) entries.delete(browser);
      }
      return new Response(null, { status: 204, headers: { "cache-control": "no-store" } });
    } catch (error) {
      return Response.json({ error: "invalid_request", error_description: String(error) }, { status: 400 });
    }
  }

  const client: ClientDriver["client"] = style.logoutTokens && {
    backchannel_logout_uri: backChannelLogout,
    backchannel_logout_session_required: true,
  };

  return { open, receive, client, of: (browser: ClientBrowser) => entries.get(browser)?.session };
}
