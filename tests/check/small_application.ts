/**
 * The application of the small client: it keeps what it needs until the response in the session of the browser, one
 * login for each browser, and ends logins.
 */

import type { Callback } from "../../src/testing/browser/callback.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import type { ClientBrowser, ClientDriver, ClientJourney, ClientSession } from "../../src/check/mod.ts";
import type { Decisions, Endpoint, Login, Situation } from "./decisions.ts";
import { decodePart } from "./decode_part.ts";
import type { Claims, Metadata, Mistake, Received, Tokens } from "./small_client.ts";
import { codeChallenge } from "../../src/client/authorization_request.ts";
import { randomText } from "./small_crypto.ts";
import { respondToLogout } from "./small_logout.ts";

/** The protocol as the small client knows it. */
export interface Protocol {
  /** The level of authentication that the client requires. Default: any. */
  readonly requiredAcr?: string;
  readonly decisions: Decisions;
  isSameIssuer(received: string, expected: string, place: Parameters<Decisions["isIssuer"]>[2]): boolean;
  has(...mistakes: Mistake[]): boolean;
  assert(condition: boolean, message: string): void;
  send(fetch: Fetch, url: string, endpoint: Endpoint, init?: RequestInit): Promise<Received>;
  readJson(response: Received): Record<string, unknown>;
  /** The metadata of the issuer, which is kept until {@link Protocol.forgetMetadata}. */
  discover(journey: ClientJourney): Promise<Metadata>;
  forgetMetadata(journey: ClientJourney): void;
  passTime(journey: ClientJourney, seconds: number): void;
  requestTokens(journey: ClientJourney, metadata: Metadata, parameters: Record<string, string>): Promise<Tokens>;
  readCallback(callback: Callback, state: string, metadata: Metadata, situation: Situation): string;
  verifySignature(journey: ClientJourney, metadata: Metadata, token: string, typ?: string): Promise<Claims>;
  verifyIdToken(
    journey: ClientJourney,
    metadata: Metadata,
    tokens: Tokens,
    nonce: string | undefined,
    situation: Situation,
  ): Promise<Claims & { readonly sub: string }>;
}

/** A login that waits for its response. */
interface PendingLogin {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly issuer: string;
  readonly metadata: Metadata;
  readonly startedAt: number;
  readonly situation: Situation;
}

/** The tokens of a session. */
interface TokenStore {
  accessToken: string;
  refreshToken: string | undefined;
  expiresAt: number;
}

/** The URIs of the application besides the redirect URI. */
export const applicationUris = {
  backChannelLogout: "https://client.test/back-channel-logout",
  frontChannelLogout: "https://client.test/front-channel-logout",
} as const;

/** The maximum age of a login, in seconds. */
const maxAge = 36_000;

/** How long the application waits for a response. */
const maxPendingMs = 600_000;

/** The driver of the application. */
export function smallApplication(name: string, protocol: Protocol): ClientDriver {
  const { has, assert, send, readJson, discover, forgetMetadata, passTime } = protocol;
  const { requestTokens, readCallback, verifyIdToken, requiredAcr, decisions } = protocol;
  /** The users of each issuer. */
  const subs = new Map<string, string>();
  const pendings = new Map<ClientBrowser | "all browsers", Map<string, PendingLogin>>();
  const logins = new Map<ClientBrowser, Login>();
  const seenLogoutTokens = new Set<string>();
  const constantVerifier = randomText();
  const loginCounts = new Map<ClientBrowser, number>();
  const loggedOut = new Set<ClientBrowser>();
  /** The journeys that began the logins, and the sessions that wait for their browsers. */
  const begun = new Map<string, ClientJourney>();
  const sessions = new Map<ClientBrowser, ClientSession>();
  const usedCodes = new Set<string>();
  const keptUserinfo = new Map<string, Record<string, unknown>>();
  /** The tokens of all browsers, by issuer. */
  const sharedTokens = new Map<string, TokenStore>();

  /** The tokens of browsers, of a client that stores them early. */
  const stores = new Map<ClientBrowser, TokenStore>();

  /** The pending logins that a browser may end. */
  function pendingOf(browser: ClientBrowser): Map<string, PendingLogin> {
    const key = has("keeps the logins of all browsers in one table") ? "all browsers" : browser;
    const existing = pendings.get(key);
    if (existing !== undefined) return existing;
    const created = new Map<string, PendingLogin>();
    pendings.set(key, created);
    return created;
  }

  /** Starts a login. @returns The URL of the authorization request. */
  async function startLogin(journey: ClientJourney, prompt?: "none") {
    const { client: { client_id }, redirectUri, issuer, browser, now } = journey;
    const metadata = await discover(journey);
    const state = decisions.newValue("state", "");
    const [open] = decisions.sharesVerifiers ? pendingOf(browser).values() : [];
    const verifier = has("keeps one verifier")
      ? constantVerifier
      : open?.verifier ?? decisions.newValue("verifier", state);
    const nonce = decisions.newValue("nonce", state);
    const login = (loginCounts.get(browser) ?? 0) + 1;
    loginCounts.set(browser, login);
    const situation = { login, isSilent: prompt === "none", isRefresh: false, isAfterLogout: loggedOut.has(browser) };
    begun.set(state, journey);
    pendingOf(browser).set(state, { state, nonce, verifier, issuer, metadata, startedAt: now(), situation });
    const endpoint = metadata.authorization_endpoint;
    const separator = endpoint.includes("?") && !has("adds parameters with a second question mark") ? "&" : "?";
    return new URL(
      endpoint + separator + new URLSearchParams({
        client_id,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: "openid profile email offline_access",
        state,
        nonce,
        code_challenge: await codeChallenge(verifier),
        code_challenge_method: "S256",
        max_age: String(maxAge),
        ...decisions.parameters(journey.client as unknown as Claims),
        ...requiredAcr !== undefined && {
          claims: JSON.stringify({ id_token: { acr: { essential: true, value: requiredAcr } } }),
        },
        ...prompt !== undefined && { prompt },
      }),
    );
  }

  /** The login that a response belongs to; it waits no longer. */
  async function takePending(journey: ClientJourney, { params }: Callback): Promise<PendingLogin> {
    const pending = pendingOf(journey.browser);
    const received = params.get("state") ?? "";
    const newest = has("does not compare state") ? [...pending.values()].at(-1) : undefined;
    const found = [...pending.values()].find(({ state, situation }) => decisions.isState(received, state, situation)) ??
      newest;
    if (found === undefined && has("checks nothing")) {
      const metadata = await discover(journey);
      const { issuer, now } = journey;
      const situation = { login: 1, isSilent: false, isRefresh: false, isAfterLogout: false };
      return { state: "", nonce: "", verifier: randomText(), issuer, metadata, startedAt: now(), situation };
    }
    if (found === undefined) throw new Error("wrong state: no login of this browser waits for it");
    if (!has("exchanges a code at every delivery") && !decisions.keepsStates) pending.delete(found.state);
    return found;
  }

  async function receiveCallback(given: ClientJourney, callback: Callback): Promise<ClientSession> {
    const began = decisions.endsAnywhere && begun.get(callback.params.get("state") ?? "");
    const journey = began || given;
    const session = await endLogin(journey, callback);
    if (began) sessions.set(journey.browser, session);
    if (journey.browser !== given.browser) throw new Error("the login ends in the browser that began it");
    return session;
  }

  async function endLogin(journey: ClientJourney, callback: Callback): Promise<ClientSession> {
    const { redirectUri, fetch, browser, issuer } = journey;
    const newestVerifier = [...pendingOf(browser).values()].at(-1)?.verifier;
    const taken = await takePending(journey, callback);
    const { state, nonce, startedAt, situation, metadata, ...pending } = taken;
    const verifier = decisions.sendsNewestVerifier ? newestVerifier ?? taken.verifier : taken.verifier;
    assert(pending.issuer === issuer, "the login belongs to another issuer");
    assert(journey.now() - startedAt < maxPendingMs, "the login has expired: log in again");
    const isOwnUri = callback.url.replace(/[?#].*$/, "") === redirectUri;
    assert(isOwnUri, "the response came to another redirect URI");
    const given = callback.params.get("access_token");
    if (given !== null && has("logs in by an access token in the response")) {
      const info = readJson(await requestUserinfo(fetch, metadata, given));
      const user = { sub: findUser(journey, info), claims: info };
      return createSession(journey, metadata, { access_token: given, token_type: "Bearer" }, user, nonce);
    }
    const code = readCallback(callback, state, metadata, situation);
    assert(!decisions.keepsStates || !usedCodes.has(code), "the code was used before");
    usedCodes.add(code);
    const newest = [...pendingOf(browser).values()].at(-1)?.metadata;
    const tokens = await requestTokens(journey, decisions.exchangesAtNewest ? newest ?? metadata : metadata, {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
    });
    const store = stores.get(browser);
    if (decisions.storesTokensEarly && store) Object.assign(store, storeOf(journey, tokens));
    const idToken = await verifyIdToken(journey, metadata, tokens, nonce, situation);
    const { auth_time, acr } = idToken;
    const isRecent = typeof auth_time === "number" && journey.now() / 1000 - auth_time < maxAge + 60;
    if (!has("does not compare auth_time")) assert(isRecent, "the login is too old");
    if (!has("does not compare acr")) assert([undefined, acr].includes(requiredAcr), "wrong acr");
    const isMerged = has("merges userinfo over the ID token", "reads no ID token") || decisions.keepsUserinfo;
    const readUserinfo = async (): Promise<Record<string, unknown>> => {
      const response = await requestUserinfo(fetch, metadata, tokens.access_token);
      const isUnverified = has("does not verify signed userinfo") && response.type === "application/jwt";
      const received = isUnverified ? decodePart(response.text, 1) : readJson(response);
      const info = decisions.keepsUserinfo ? keptUserinfo.get(issuer) ?? received : received;
      keptUserinfo.set(issuer, info);
      if (!isMerged) assert(decisions.isSubject(info.sub, idToken.sub, situation), "userinfo of another user");
      return info;
    };
    const info = await readUserinfo().catch((error) =>
      decisions.discardsUserinfo ? { sub: idToken.sub } : Promise.reject(error)
    );
    const claims: Claims = isMerged || info.sub !== idToken.sub ? { ...idToken, ...info } : { ...info, ...idToken };
    if (has("fetches distributed claims")) await fetchDistributedClaims(fetch, claims);
    if (has("fetches the picture of a user") && claims.picture) await send(fetch, String(claims.picture), "claims");
    const sub = findUser(journey, claims);
    logins.set(browser, { issuer, sub, sid: idToken.sid });
    loggedOut.delete(browser);
    return createSession(journey, metadata, tokens, { sub, claims }, nonce);
  }

  /** The user of the application. */
  function findUser({ issuer }: ClientJourney, claims: Claims): string {
    const key = `${issuer} ${decisions.userKey(claims) ?? claims.sub}`;
    const sub = subs.get(key) ?? String(claims.sub);
    subs.set(key, sub);
    return sub;
  }

  async function fetchDistributedClaims(fetch: Fetch, claims: Claims): Promise<void> {
    const sources = (claims._claim_sources ?? {}) as Record<string, { readonly endpoint: string }>;
    for (const { endpoint } of Object.values(sources)) await send(fetch, endpoint, "claims");
  }

  const requestUserinfo = (fetch: Fetch, { userinfo_endpoint }: Metadata, accessToken: string) =>
    send(fetch, userinfo_endpoint, "userinfo", { headers: { authorization: `Bearer ${accessToken}` } });

  const storeOf = ({ now }: ClientJourney, tokens: Tokens): TokenStore => ({
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token,
    expiresAt: now() + Number(tokens.expires_in) * 1000,
  });

  function createSession(
    journey: ClientJourney,
    metadata: Metadata,
    first: Tokens,
    { sub, claims }: Pick<ClientSession, "sub" | "claims">,
    nonce: string,
  ): ClientSession {
    const { browser, fetch, client, now, endSession, issuer } = journey;
    const own = storeOf(journey, first);
    stores.set(browser, own);
    sharedTokens.set(issuer, own);
    const kept = () => decisions.sharesTokens ? sharedTokens.get(issuer)! : own;
    let refreshing: Promise<void> | undefined;

    /** @throws {Error} If the session has ended. */
    function assertOpen(): void {
      if (logins.has(browser) || decisions.usesTokens) return;
      throw new Error("the session has ended");
    }

    async function refreshTokens(): Promise<void> {
      assertOpen();
      const tokens = kept();
      if (tokens.refreshToken === undefined) throw new Error("no refresh token: log in again");
      try {
        const parameters = { grant_type: "refresh_token", refresh_token: tokens.refreshToken };
        const refreshed = await requestTokens(journey, metadata, parameters);
        if (refreshed.id_token !== undefined) {
          const situation = { login: 1, isSilent: false, isRefresh: true, isAfterLogout: false };
          const { sub: refreshedSub } = await verifyIdToken(
            journey,
            metadata,
            refreshed,
            decisions.demandsNonceAtRefresh ? nonce : undefined,
            situation,
          );
          assert(refreshedSub === claims!.sub, "the ID token of the refresh is about another user");
        }
        tokens.accessToken = refreshed.access_token;
        tokens.expiresAt = storeOf(journey, refreshed).expiresAt;
        tokens.refreshToken = has("stores the refresh response as it is")
          ? refreshed.refresh_token
          : decisions.keepsFirstRefreshToken
          ? tokens.refreshToken
          : refreshed.refresh_token ?? tokens.refreshToken;
      } catch (error) {
        if (
          has("ends the session when a refresh fails") ||
          String(error).includes("invalid_grant")
        ) {
          tokens.refreshToken = undefined;
        }
        throw error;
      }
    }

    /** One refresh at a time. */
    const refresh = () => {
      if (has("refreshes in every request that meets a 401")) return refreshTokens();
      refreshing ??= refreshTokens().finally(() => refreshing = undefined);
      return refreshing;
    };

    return {
      sub,
      claims,
      passTime: (seconds) => passTime(journey, seconds),
      currentUser: () => Promise.resolve(logins.get(browser)?.sub),
      refresh,
      async request() {
        assertOpen();
        if (now() >= kept().expiresAt) {
          const refreshed = refresh();
          if (!decisions.refreshesInBackground) await refreshed;
        }
        const attempts = has("repeats every request that meets a 401") ? 10 : 2;
        for (let sent = 1;; sent++) {
          const usedToken = kept().accessToken;
          const { status } = await requestUserinfo(fetch, metadata, usedToken);
          if (status === 200) return;
          if (status !== 401 || sent >= attempts) throw new Error(`userinfo: status ${status}`);
          const refreshed = usedToken === kept().accessToken ? refresh() : undefined;
          if (!decisions.refreshesInBackground) await refreshed;
        }
      },
      async logInSilently() {
        return await receiveCallback(journey, await journey.authorize(await startLogin(journey, "none")));
      },
      async logOut() {
        const endsLast = has("keeps its session until the server has ended its own");
        loggedOut.add(browser);
        if (!endsLast) logins.delete(browser);
        const { refreshToken } = kept();
        if (refreshToken !== undefined) {
          const body = String(new URLSearchParams({ token: refreshToken, client_id: client.client_id }));
          const headers = { "content-type": "application/x-www-form-urlencoded" };
          const request = { method: "POST", headers, body };
          const revocation = send(fetch, metadata.revocation_endpoint, "revocation", request);
          const status = await revocation.then((response) => response.status, () => undefined);
          if (endsLast && status !== 200) throw new Error(`revocation: status ${status}`);
        }
        const url = new URL(metadata.end_session_endpoint);
        const [uri] = client.post_logout_redirect_uris ?? [];
        const target = uri !== undefined && { post_logout_redirect_uri: uri, state: randomText() };
        const hint = { id_token_hint: String(first.id_token), client_id: client.client_id };
        url.search = String(new URLSearchParams({ ...hint, ...target }));
        // Whatever comes back, the login of this application has ended.
        await endSession(url).catch((error) => {
          if (endsLast) throw error;
        });
        logins.delete(browser);
      },
    };
  }

  return {
    name,
    client: {
      redirect_uris: ["https://client.test/callback"],
      post_logout_redirect_uris: ["https://client.test/logged-out"],
      backchannel_logout_uri: applicationUris.backChannelLogout,
      backchannel_logout_session_required: true,
      frontchannel_logout_uri: applicationUris.frontChannelLogout,
      frontchannel_logout_session_required: true,
    },
    readsClock: true,
    async logIn(given) {
      const ended = sessions.get(given.browser);
      if (ended !== undefined) return ended;
      const journey = { ...given, fetch: decisions.http(given.fetch, given) };
      try {
        return await receiveCallback(journey, await journey.authorize(await startLogin(journey)));
      } catch (error) {
        forgetMetadata(journey);
        throw error;
      }
    },
    receiveCallback: (journey, callback) =>
      receiveCallback({ ...journey, fetch: decisions.http(journey.fetch, journey) }, callback),
    receive: (journey, request) => respondToLogout(journey, request, protocol, logins, seenLogoutTokens),
  };
}
