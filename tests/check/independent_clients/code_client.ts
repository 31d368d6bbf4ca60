/** A driver of clients that run at the user: single page applications and command lines. */

import type { ClientBrowser, ClientDriver, ClientJourney, ClientSession } from "../../../src/check/mod.ts";
import type { Callback } from "../../../src/testing/browser/callback.ts";
import type { TestClientOptions } from "../../../src/testing/clients.ts";
import { type Finished, type Login, type Protocol, protocolClient, type Site, type Tokens } from "./protocol.ts";
import { assert, randomText } from "./requests.ts";

/** What the client keeps for one user: a tab of a browser, or the configuration of a command line. */
export interface Kept {
  readonly logins: Map<string, Login>;
  readonly tokens: { value?: Tokens; expiresAt: number };
  finished?: Finished;
  refreshing?: Promise<void>;
}

/** The steps of the client around the protocol. */
export interface Steps {
  readonly client: TestClientOptions;
  /** More parameters of an authorization request. */
  readonly extra: Record<string, string>;
  /** Where the user goes after the login, from what a link says. */
  target(wanted: string): string;
  /** Finds the login of a response, which waits no longer. */
  takeLogin(kept: Kept, params: URLSearchParams): Login | undefined;
  refresh(kept: Kept, refresh: () => Promise<void>, logOut: () => void): Promise<void>;
  /** Whether a failed request is repeated after a refresh. */
  repeats(status: number, attempt: number): boolean;
  /** Whether the client logs in again without pages. */
  readonly logsInSilently: boolean;
  /** Whether the client refreshes its tokens. */
  readonly refreshes: boolean;
  /** The method of authorization responses. */
  readonly callbackMethod: "GET" | "POST";
}

export const correctSteps: Steps = {
  client: {},
  extra: {},
  target: (wanted) => /^\/[\w/?=&-]*$/.test(wanted) && !wanted.startsWith("//") ? wanted : "/",
  takeLogin({ logins }, params) {
    const state = params.get("state") ?? "";
    const login = logins.get(state);
    logins.delete(state);
    return login;
  },
  async refresh(kept, refresh, logOut) {
    try {
      await (kept.refreshing ??= refresh().finally(() => kept.refreshing = undefined));
    } catch (error) {
      if ((error as { code?: string }).code === "invalid_grant") logOut();
      throw error;
    }
  },
  repeats: (status, attempt) => status === 401 && attempt === 1,
  logsInSilently: true,
  refreshes: true,
  callbackMethod: "GET",
};

/** A driver of the client. */
export function codeClient(name: string, protocol: Protocol, steps: Steps): ClientDriver {
  const users = new WeakMap<ClientBrowser, Kept>();
  const sites = new Map<string, Site["kept"]>();
  const client = protocolClient(protocol);

  const siteOf = ({ issuer, client, redirectUri, fetch, now }: ClientJourney): Site => {
    if (!sites.has(issuer)) sites.set(issuer, {});
    const { client_id, id_token_signed_response_alg: alg = "RS256" } = client;
    return { issuer, clientId: client_id, redirectUri, alg, fetch, now, kept: sites.get(issuer)! };
  };

  function keptOf(browser: ClientBrowser): Kept {
    if (!users.has(browser)) users.set(browser, { logins: new Map(), tokens: { expiresAt: 0 } });
    return users.get(browser)!;
  }

  function keep(kept: Kept, tokens: Tokens, { now }: Site): void {
    kept.tokens.value = tokens;
    kept.tokens.expiresAt = now() + Number(tokens.expires_in ?? 300) * 1000;
  }

  async function start(journey: ClientJourney, extra = steps.extra): Promise<ClientSession> {
    const wanted = journey.loginParameters?.next ?? "/";
    const { url, login } = await client.start(siteOf(journey), { target: steps.target(wanted), extra });
    keptOf(journey.browser).logins.set(login.state, login);
    return await end(journey, await journey.authorize(url));
  }

  async function end(journey: ClientJourney, { method, params }: Callback): Promise<ClientSession> {
    assert(method === steps.callbackMethod, "the response came by another method");
    const [kept, site] = [keptOf(journey.browser), siteOf(journey)];
    const login = steps.takeLogin(kept, params);
    assert(login !== undefined, "no login waits for this response");
    kept.finished = await client.finish(site, login, params);
    keep(kept, kept.finished.tokens, site);
    return session(journey, kept, site, login);
  }

  function session(journey: ClientJourney, kept: Kept, site: Site, { target }: Login): ClientSession {
    const { claims, idToken } = kept.finished!;
    const logOut = () => void (kept.finished = kept.tokens.value = undefined);
    const refresh = async () => {
      await steps.refresh(kept, async () => {
        assert(kept.tokens.value !== undefined, "no one is logged in");
        keep(kept, await client.refresh(site, kept.tokens.value, idToken), site);
      }, logOut);
    };
    return {
      sub: String(claims.sub),
      claims,
      location: new URL(target ?? "/", "https://client.test/").href,
      currentUser: () => Promise.resolve(kept.finished === undefined ? undefined : String(kept.finished.claims.sub)),
      ...steps.refreshes && { refresh },
      async request() {
        assert(kept.tokens.value !== undefined, "no one is logged in");
        if (site.now() >= kept.tokens.expiresAt && steps.refreshes) await refresh();
        const { userinfo_endpoint } = await client.discover(site);
        for (let attempt = 1;; attempt++) {
          const authorization = `Bearer ${kept.tokens.value?.access_token}`;
          const { status } = await site.fetch(userinfo_endpoint, { headers: { authorization }, redirect: "manual" });
          if (status === 200) return;
          assert(steps.refreshes && steps.repeats(status, attempt), `status ${status}`);
          await refresh();
        }
      },
      ...steps.logsInSilently && { logInSilently: () => start(journey, { ...steps.extra, prompt: "none" }) },
      async logOut() {
        const { tokens: { value } } = kept;
        logOut();
        const { end_session_endpoint } = await client.discover(site);
        const url = new URL(String(end_session_endpoint));
        const [target] = journey.client.post_logout_redirect_uris ?? [];
        url.searchParams.set("id_token_hint", String(value?.id_token));
        url.searchParams.set("state", randomText());
        if (target !== undefined) url.searchParams.set("post_logout_redirect_uri", target);
        await journey.endSession(url).catch(() => {});
      },
      passTime(seconds) {
        if (site.kept.keysAt !== undefined) site.kept.keysAt -= seconds * 1000;
      },
    };
  }

  return {
    name,
    client: steps.client,
    readsClock: true,
    logIn: (journey) => start(journey),
    receiveCallback: end,
  };
}
