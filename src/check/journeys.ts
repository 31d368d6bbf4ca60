/** The environment of each journey: a new server without a socket, or one server that listens and is reset. */

import { cookieJar } from "../testing/browser/cookie_jar.ts";
import type { TestBrowser } from "../testing/browser/test_browser.ts";
import type { TestClient } from "../testing/clients.ts";
import type { Fetch } from "../testing/fetch.ts";
import type { Persona } from "../testing/persona.ts";
import { type TestLatchkey, testLatchkey, type TestLatchkeyOptions } from "../testing/test_latchkey.ts";
import type { Observation, Stage, Wait } from "./attack.ts";
import type {
  ClientBrowser,
  ClientDriver,
  ClientJourney,
  ClientSession,
  SessionStart,
  TokenJourney,
} from "./driver.ts";
import { listeningTrap, trapFetch } from "./trap.ts";
import { checkUsers } from "./user_texts.ts";
import { timers } from "../core/http/timers.ts";

/** The environment of a journey: the parts for the attack and its observation, and functions to begin and end it. */
export interface JourneyEnvironment
  extends
    Pick<Stage, "as" | "journey" | "trap" | "resource" | "issueToken" | "openBrowser" | "openOtherIssuer">,
    Pick<Observation, "opened" | "waits"> {
  /** Every browser that was opened, that of the journey first. */
  readonly browsers: readonly ClientBrowser[];
  /**
   * Begins a session.
   *
   * @param signal Ends this attempt early. The end of the journey always ends it.
   * @param of The journey whose user begins the session. Default: this one.
   * @throws What the client throws.
   */
  begin(by: SessionStart, signal?: AbortSignal, of?: ClientJourney): Promise<ClientSession>;
  /** Waits for the requests of the client that have no response yet. */
  requestsEnd(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the environments of a check. */
export interface Journeys {
  /** Opens the environment of one journey. With one server for all, the one before must be closed. */
  open(driver: ClientDriver): Promise<JourneyEnvironment>;
  /** Ends the check. */
  close(): Promise<void>;
}

let serverCount = 0;

/** The longest wait of a client on a device, in seconds: a `Date` ends in the year 275760. */
const maxSleepSeconds = 100_000_000;

/** A text without the number of the server, for comparisons between journeys with servers of their own. */
export function withoutServerNumber(text: string): string {
  return text.replace(/\b(issuer|other|trap|resource)-\d+\.test\b/g, "$1.test");
}

/** A new server for each journey, without a socket. */
export function separateJourneys(options: Omit<TestLatchkeyOptions, "issuer" | "clients">): Journeys {
  return {
    async open(driver) {
      const number = ++serverCount;
      // A client that registers itself may need more scope later.
      const registration = driver.requestResource && { scope: "all" as const };
      const as = await testLatchkey({
        registration,
        // A client may name the user of its own tests.
        unknownLoginHint: "default",
        users: checkUsers,
        ...options,
        issuer: `https://issuer-${number}.test`,
      });
      const otherIssuer = `https://other-${number}.test/tenant`;
      let other: TestLatchkey | undefined;
      const { trap, fetch } = trapFetch(`https://trap-${number}.test`, (input, init) => {
        const url = input instanceof Request ? input.url : String(input);
        const isOther = other !== undefined && URL.canParse(url) && new URL(url).origin === new URL(otherIssuer).origin;
        return (isOther ? other! : as).fetch(input, init);
      });
      const openOther = async () => other = await testLatchkey({ users: checkUsers, ...options, issuer: otherIssuer });
      return openEnvironment(
        {
          ...{ as, driver, fetch, trap, openOther },
          client: registerClient(as, driver),
          resource: `https://resource-${number}.test/mcp`,
        },
        () => as.close(),
      );
    },
    close: () => Promise.resolve(),
  };
}

/**
 * One server that listens, for a client that is configured with its issuer. Each journey begins with the state of the
 * start; clients, users and keys stay, because the client knows them.
 */
export async function journeysAt(as: TestLatchkey): Promise<Journeys> {
  const { trap, clear, close: closeTrap } = await listeningTrap(new URL(as.issuer).hostname);
  let client: TestClient | undefined;

  /** The client of the last login, because the server may have several; before that, the one that the driver names. */
  async function findClient(driver: ClientDriver): Promise<TestClient> {
    const id = as.log.unmasked.filter("authorize").at(-1)?.client ?? client?.client_id ?? driver.client?.client_id;
    if (client !== undefined && client.client_id === id) return client;
    const registered = id === undefined ? (await as.clients.list({ limit: 1 }))[0] : await as.clients.find(id);
    if (registered === undefined || id === undefined && driver.client !== undefined) return as.client(driver.client);
    const { metadata, redirectUris, authMethod, grantTypes } = registered;
    return {
      ...metadata,
      client_secret: driver.client?.client_secret,
      redirect_uri: redirectUris[0] ?? "",
      redirect_uris: redirectUris,
      token_endpoint_auth_method: authMethod,
      grant_types: grantTypes,
    };
  }

  async function reset(driver: ClientDriver): Promise<void> {
    client = await findClient(driver);
    // Ends faults that wait, too, so that the client is free.
    await as.reset({ keep: ["clients", "users"] });
    clear();
  }

  return {
    async open(driver) {
      await reset(driver);
      const fetch: Fetch = (...request) => globalThis.fetch(...request as [Request]);
      const openOther = async () => {
        const other = await testLatchkey();
        await other.listen();
        return other;
      };
      return openEnvironment(
        { as, driver, client: client!, fetch, trap, openOther, resource: "/check" },
        () => reset(driver),
      );
    },
    close: closeTrap,
  };
}

/** Registers the client. A `client_id` that is a URL is that of its metadata document, which is published. */
function registerClient(as: TestLatchkey, { client: options = {} }: ClientDriver): TestClient {
  const { client_id = "", ...metadata } = options;
  return client_id.startsWith("https://") ? as.clientDocument(client_id, metadata) : as.client(options);
}

/** What the environments of both kinds consist of. */
interface EnvironmentOptions extends Pick<JourneyEnvironment, "as" | "trap"> {
  readonly driver: ClientDriver;
  readonly client: TestClient;
  readonly fetch: Fetch;
  /** The identifier of the protected resource, or its path on the origin of the issuer. */
  readonly resource: string;
  /** Creates the second issuer. */
  openOther(): Promise<TestLatchkey>;
}

function openEnvironment(options: EnvironmentOptions, end: () => Promise<void>): JourneyEnvironment {
  const { as, driver, client, trap, openOther } = options;
  const requests = new Set<Promise<unknown>>();
  const fetch: Fetch = (...request) => {
    const response = options.fetch(...request);
    const ended: Promise<unknown> = response.catch(() => {}).then(() => requests.delete(ended));
    requests.add(ended);
    return response;
  };
  const controller = new AbortController();
  let other: TestLatchkey | undefined;
  const users = new WeakMap<ClientBrowser, string>();
  const browsers: ClientBrowser[] = [];

  function openBrowser(persona: Persona = {}): ClientJourney {
    const testBrowser = as.browser(persona);
    const browser = { cookies: cookieJar(as.clock.now), visits: [] };
    browsers.push(browser);
    if (persona.as !== undefined) users.set(browser, persona.as);
    let otherBrowser: TestBrowser | undefined;
    const isAtOther = (url: string | URL) => other !== undefined && `${url}`.startsWith(`${other.issuer}/`);
    return {
      issuer: as.issuer,
      client,
      redirectUri: client.redirect_uri,
      resource: new URL(options.resource, as.issuer).href,
      browser,
      fetch,
      signal: controller.signal,
      now: as.clock.now,
      async authorize(url) {
        const callback = isAtOther(url) ? undefined : await testBrowser.authorize(url);
        if (callback !== undefined && !isAtOther(callback.url)) return callback;
        otherBrowser ??= other!.browser(persona);
        return await otherBrowser.authorize(callback?.url ?? url);
      },
      endSession: (url) => testBrowser.logOut(url),
    };
  }

  const journey = openBrowser();
  for (const uri of [driver.client?.backchannel_logout_uri, driver.client?.frontchannel_logout_uri]) {
    if (uri !== undefined && driver.receive) as.serve(uri, (request) => driver.receive!(journey, request));
  }
  return {
    ...sessionStarter(as, driver, journey, options.resource, users),
    as,
    trap,
    journey,
    browsers,
    openBrowser,
    async openOtherIssuer() {
      if (other !== undefined) return other;
      other = await openOther();
      const { client_id, client_secret, redirect_uris, token_endpoint_auth_method, jwks, grant_types } = client;
      const { post_logout_redirect_uris } = client;
      other.client({
        ...{ client_id, client_secret, redirect_uris, token_endpoint_auth_method, jwks, grant_types },
        post_logout_redirect_uris,
      });
      return other;
    },
    async requestsEnd() {
      while (requests.size > 0) {
        await Promise.all(requests);
        // The client may send the next request after it has read the response.
        await new Promise((resolve) => timers.setTimeout(resolve));
      }
    },
    async close() {
      controller.abort(new Error("The check no longer waits for this login."));
      await Promise.all([end(), other?.close()]);
    },
  };
}

/**
 * Prepares the ways to begin a session in one journey.
 *
 * @param location The identifier of the protected resource, or its path on the origin of the issuer.
 * @param users The users of browsers. Default: the first one.
 */
function sessionStarter(
  as: TestLatchkey,
  driver: ClientDriver,
  wholeJourney: ClientJourney,
  location: string,
  users: WeakMap<ClientBrowser, string>,
): Pick<JourneyEnvironment, "resource" | "opened" | "waits" | "issueToken" | "begin"> {
  const resourceUrl = new URL(location, as.issuer).href;
  const opened: string[] = [];
  const waits: Wait[] = [];

  async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    // A client with its own clock would reject tokens of a server whose clock is ahead.
    if (driver.readsClock) as.clock.advance(Math.min(Math.max(0, milliseconds / 1000 || 0), maxSleepSeconds));
    else waits.push({ after: as.log.unmasked.exchanges.length, milliseconds });
    // So that a client that polls forever does not block other tasks.
    await new Promise((resolve) => timers.setTimeout(resolve, 0));
    signal.throwIfAborted();
  }

  const starts: Readonly<Record<SessionStart, (journey: ClientJourney) => Promise<ClientSession>>> = {
    logIn: (journey) => driver.logIn!(journey),
    logInDevice: (journey) =>
      driver.logInDevice!({
        ...journey,
        sleep: (milliseconds) => sleep(milliseconds, journey.signal),
        open: (url) => void opened.push(String(url)),
      }),
    logInBackchannel: async (journey) =>
      await driver.logInBackchannel!({
        ...journey,
        loginHint: users.get(journey.browser) ?? (await as.users.list({ limit: 1 }))[0]?.sub ?? "",
        sleep: (milliseconds) => sleep(milliseconds, journey.signal),
      }),
    requestResource: (journey) => driver.requestResource!({ ...journey, resource: resourceUrl }),
    acceptToken: async (journey) =>
      await driver.acceptToken!("accessToken" in journey ? journey as TokenJourney : await issueToken(journey)),
  };

  async function issueToken(journey = wholeJourney): Promise<TokenJourney> {
    const accessToken = await requestToken(as, driver.usesDefaultAudience ? undefined : resourceUrl);
    const client = as.client({ confidential: true, grant_types: ["client_credentials"], serves: [resourceUrl] });
    return { ...journey, client, resource: resourceUrl, accessToken };
  }

  return {
    resource: driver.requestResource && as.resource(location),
    opened,
    waits,
    issueToken: () => issueToken(),
    begin: (by, signal, of = wholeJourney) =>
      starts[by](signal === undefined ? of : { ...of, signal: AbortSignal.any([of.signal, signal]) }),
  };
}

/** An access token of the first user, from the token endpoint, where faults can change it. */
async function requestToken(as: TestLatchkey, resource: string | undefined): Promise<string> {
  const { client_id, client_secret, redirect_uri } = as.client({ token_endpoint_auth_method: "client_secret_post" });
  const code = await as.mint.code({ client: client_id, ...resource !== undefined && { resource } });
  const grant = { grant_type: "authorization_code", code, redirect_uri, client_id, client_secret: client_secret! };
  const body = new URLSearchParams(grant);
  const response = await as.fetch(`${as.issuer}/oauth2/token`, { method: "POST", body });
  const { access_token } = await response.json() as { readonly access_token: string };
  return access_token;
}
