/**
 * The client under test, as the check drives it. It has a name and at least one way to begin a session
 * ({@link SessionStart}); each further member lets the check run the attacks that need it (`capabilities.ts`).
 */

import type { Callback } from "../testing/browser/callback.ts";
import type { CookieJar } from "../testing/browser/cookie_jar.ts";
import type { TestClient, TestClientOptions } from "../testing/clients.ts";
import type { Fetch } from "../testing/fetch.ts";

/** Performs logins with the client under test. */
export interface ClientDriver {
  /** The name in the report, such as `openid-client 6.8`. */
  readonly name: string;
  /**
   * How the client is registered. Default: a public client with `https://client.test/callback`. A
   * `backchannel_logout_uri` or a `frontchannel_logout_uri` lets the check run the attacks on them.
   */
  readonly client?: TestClientOptions;
  /**
   * Whether the driver adds each response that the browser receives to {@link ClientBrowser.visits}. Default: false.
   */
  readonly recordsVisits?: boolean;
  /**
   * Whether the client runs in a browser that the driver opens, so that the check neither chooses the user who logs in
   * nor withholds a response. Default: false; logins go through {@link ClientJourney.authorize}.
   */
  readonly opensBrowser?: boolean;
  /** Whether each login begins in a client that keeps nothing of earlier ones, such as a new browser. Default: false. */
  readonly startsFresh?: boolean;
  /** Whether the client reads the time from {@link ClientJourney.now}. Default: false. */
  readonly readsClock?: boolean;
  /**
   * Returns the driver of a new client, which keeps nothing of earlier logins. The check repeats a failure with it, so
   * that no failure comes from earlier attacks, such as from a pause after several failed requests. Default: it is
   * repeated with the same client.
   */
  renew?(): ClientDriver;
  /**
   * Performs one login. It may cache data of the client between logins by the issuer, such as metadata and keys, and
   * the data of a browser session by {@link ClientJourney.browser}.
   *
   * @returns The session, if the client accepts the login.
   * @throws What the client throws, if it rejects the login.
   */
  logIn?(journey: ClientJourney): Promise<ClientSession>;
  /**
   * Performs one login on a device without a browser (RFC 8628). Each {@link ClientJourney.browser} has a device of its
   * own.
   *
   * @returns The session, if the client accepts the login.
   * @throws What the client throws, if it rejects the login.
   */
  logInDevice?(journey: DeviceJourney): Promise<ClientSession>;
  /**
   * Performs one login of a user whom the client knows, by backchannel authentication (OpenID Connect CIBA) in poll
   * mode. The client needs `confidential` and `urn:openid:params:grant-type:ciba` in its `grant_types`.
   *
   * @returns The session, if the client accepts the login.
   * @throws What the client throws, if it rejects the login.
   */
  logInBackchannel?(journey: BackchannelJourney): Promise<ClientSession>;
  /**
   * Requests a protected resource, as clients of the Model Context Protocol do: the challenge and the metadata of the
   * resource (RFC 9728) say where to log in.
   *
   * @returns The session; its `request`, if it has one, requests the resource again.
   * @throws What the client throws, if it does not get a response of the resource.
   */
  requestResource?(journey: ResourceJourney): Promise<ClientSession>;
  /**
   * For a resource server that introspects access tokens (RFC 7662): receives a request with a token.
   *
   * @returns The user of the token, if the resource server accepts it.
   * @throws What the resource server throws, if it rejects the token.
   */
  acceptToken?(journey: TokenJourney): Promise<ClientSession>;
  /**
   * Whether the resource server expects the `aud` that the server usually issues. Default: that of
   * {@link TokenJourney.resource}.
   */
  readonly usesDefaultAudience?: boolean;
  /**
   * Receives what a browser sends to the redirect URI, whether or not a login was started in that browser, and any
   * number of times. For web applications, whose logins go through two requests.
   *
   * @returns The session of the browser, if the client accepts the response.
   * @throws What the client throws, if it rejects the response.
   */
  receiveCallback?(journey: ClientJourney, callback: Callback): Promise<ClientSession>;
  /**
   * Receives a request for another URI of the client: a logout URI, or a URI in a page or redirect that the browser has
   * received. The request has the cookies of the browser of the journey; a back-channel request has none.
   */
  receive?(journey: ClientJourney, request: Request): Promise<Response>;
}

/** The ways to begin a session, in the order in which the check tries them. */
const sessionStarts = ["logIn", "logInDevice", "logInBackchannel", "requestResource", "acceptToken"] as const;

/** @internal A way to begin a session: a member of {@link ClientDriver}. */
export type SessionStart = (typeof sessionStarts)[number];

/** The ways that a driver has. */
export function sessionStartsOf(driver: ClientDriver): readonly SessionStart[] {
  return sessionStarts.filter((start) => typeof driver[start] === "function");
}

/** The environment of the client in one journey. Each journey has its own issuer. */
export interface ClientJourney {
  /** The issuer that the client is configured with. */
  readonly issuer: string;
  /** The client as it is registered, with its credentials. */
  readonly client: TestClient;
  /** The redirect URI that the client sends. */
  readonly redirectUri: string;
  /** The URL of a protected resource, an MCP server, for a driver with `requestResource`. */
  readonly resource: string;
  /** The browser of the user. */
  readonly browser: ClientBrowser;
  /** Reaches the server without a socket. */
  readonly fetch: Fetch;
  /** Aborted when the check no longer waits for the client. */
  readonly signal: AbortSignal;
  /** Parameters to add to the URL that starts a login, for a driver with {@link ClientDriver.recordsVisits}. */
  readonly loginParameters?: Readonly<Record<string, string>>;
  /**
   * Whether the server does in each login what it does in the first, so that a driver lets the client begin several
   * ({@link maxNewLogins}) before it throws an {@link EndlessLoginError}. Default: a new login is an error of the client.
   */
  readonly mayBeginAgain?: boolean;
  /** Header fields to add to the requests of the browser, for a driver with {@link ClientDriver.recordsVisits}. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The time in milliseconds since the epoch, for {@link ClientDriver.readsClock}. The check may advance it. */
  now(): number;
  /**
   * Opens the URL of an authorization request in the browser of a user who logs in and consents.
   *
   * @returns What the redirect URI receives.
   */
  authorize(url: string | URL): Promise<Callback>;
  /**
   * Opens the URL of a logout request (RP-Initiated Logout §2) in the browser.
   *
   * @returns What the post-logout redirect URI receives, if the browser is redirected to it.
   */
  endSession(url: string | URL): Promise<Callback | undefined>;
}

/** The environment of a client on a device. The user decides in the browser of another device. */
export interface DeviceJourney extends ClientJourney {
  /**
   * Waits between two polls. The client must wait in this way, which takes no time. It advances
   * {@link ClientJourney.now} if the client reads the time from it ({@link ClientDriver.readsClock}).
   */
  sleep(milliseconds: number): Promise<void>;
  /**
   * Opens a URL in a browser, as clients do with `verification_uri_complete`. A client that only shows it does not call
   * it.
   */
  open(url: string | URL): void;
}

/** The environment of a client that starts the login of a user whom it knows. */
export interface BackchannelJourney extends ClientJourney {
  /** The `login_hint` of the user. */
  readonly loginHint: string;
  /** Waits between two polls: {@link DeviceJourney.sleep}. */
  sleep(milliseconds: number): Promise<void>;
}

/** The environment of a client of a protected resource. */
export interface ResourceJourney extends ClientJourney {
  /**
   * The URL of the resource, an MCP server. Its tool `whoami` returns the user of the access token as `sub` in
   * `structuredContent`: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"whoami"}}`.
   */
  readonly resource: string;
}

/** The environment of a resource server. Its `client` has the credentials for the introspection endpoint. */
export interface TokenJourney extends ClientJourney {
  /** The identifier of the resource: the `aud` of its access tokens. */
  readonly resource: string;
  /** The access token of the request. */
  readonly accessToken: string;
}

/** A browser, as the client sees it. A driver may use the object as the key of a session. */
export interface ClientBrowser {
  /** The cookies that the client has set, for a driver that sends requests to a web application. */
  readonly cookies: CookieJar;
  /** What the browser received, oldest first, for a driver with {@link ClientDriver.recordsVisits}. */
  readonly visits: BrowserVisit[];
}

/** A response of a web application that a browser received. */
export interface BrowserVisit {
  /** The URL of the request. */
  readonly url: string;
  /** Where the response redirects the browser to, as an absolute URL; absent if it does not. */
  readonly location?: string;
  /** The body, if it is an HTML document; otherwise empty. */
  readonly html: string;
  /** The body, if it is something else. Default: it is not searched. */
  readonly data?: string;
  /** The status. Default: 200. */
  readonly status?: number;
  /** The header fields, by lower-case name; `set-cookie` has a line for each cookie. Default: they are not searched. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A login that the client accepted. */
export interface ClientSession {
  /** The user who is logged in, as the application sees it; {@link unknownUser} if the driver does not know. */
  readonly sub: string;
  /** The claims that the application uses, for checks of where they come from. Default: unknown. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Where the application sends the browser after the login. Default: unknown. */
  readonly location?: string;
  /**
   * The user who is logged in now; `undefined` after a logout. Unlike `sub` it follows what happens after the login.
   */
  currentUser?(): Promise<string | undefined>;
  /**
   * Refreshes the tokens as the client does by itself.
   *
   * @throws What the client throws, if the refresh fails.
   */
  refresh?(): Promise<void>;
  /**
   * Sends a request with the access token to userinfo or to a resource, and refreshes the token if the client does so.
   *
   * @throws What the client throws, if the request fails.
   */
  request?(): Promise<void>;
  /**
   * Logs in again without pages (`prompt=none`), as clients do in a hidden frame.
   *
   * @throws What the client throws, if it rejects the response.
   */
  logInSilently?(): Promise<ClientSession>;
  /**
   * Ends the session: revokes tokens if the client does so, and logs out with {@link ClientJourney.endSession}.
   *
   * @throws What the client throws, if a step fails.
   */
  logOut?(): Promise<void>;
  /**
   * Ages the data that the client caches between logins, such as keys. Default: no time passes, so the check cannot
   * assess a client that does not fetch keys again within a minute.
   */
  passTime?(seconds: number): void;
}

/**
 * The `sub` of a session whose user the driver does not know, such as one of an application whose page shows no user.
 * An attack that a client must tolerate is then skipped.
 */
export const unknownUser = "a user whom the application does not show";

/** The driver does not know whether the client accepted the login: the attack is then skipped. */
export class UndecidedError extends Error {
  /** The reason, without details that differ between attacks: a report groups attacks by it. */
  readonly reason: string;

  /**
   * Creates the error.
   *
   * @param reason Why, one sentence without a full stop.
   * @param details What was seen this time, such as the text of a page. Default: the reason says everything.
   */
  constructor(reason: string, details?: string) {
    super(details === undefined ? reason : `${reason}: ${details}`);
    this.name = "UndecidedError";
    this.reason = reason;
  }
}

/**
 * No page of the application was found that shows the user; the requests that looked for one allow no other conclusion.
 */
export class NoUserPageError extends UndecidedError {}

/** The application allows no more logins for a while. The check waits; if that does not help, it shows nothing more. */
export class LoginLimitError extends UndecidedError {
  /** How long to wait, as the application says, in milliseconds; absent if it does not. */
  readonly retryAfterMs?: number;

  /**
   * Creates the error.
   *
   * @param page Describes the response, such as `status 429 at URL`.
   * @param retryAfterMs See {@link LoginLimitError.retryAfterMs}.
   */
  constructor(page: string, retryAfterMs?: number) {
    super(
      "the application limits logins: switch the limit off for the check, or wait before each login (pauseMs, --pause)",
      page,
    );
    if (retryAfterMs !== undefined && retryAfterMs >= 0) this.retryAfterMs = retryAfterMs;
  }
}

/** How often a client may begin a login again after an error, without a click of the user. */
export const maxNewLogins = 5;

/** The client redirects the browser, or begins the login again, without end. */
export class EndlessLoginError extends Error {}

/**
 * Lets a client begin a login, or not: a new one is no part of an attack, unless the server does the same again.
 *
 * @param requests How many authorization requests it has sent; `usual`: in one login.
 * @throws {Error} If it has completed the login of the journey, or begins it again without end.
 */
export function assertMayBegin(requests: number, usual: number, { mayBeginAgain }: ClientJourney): void {
  const newLogins = Math.floor(requests / usual);
  if (newLogins > 0 && !mayBeginAgain) throw new Error("the application began a new login");
  if (newLogins > maxNewLogins) throw new EndlessLoginError(`the application began ${newLogins} new logins`);
}

/** A resource server rejected a token. */
export class TokenRejectedError extends Error {
  /** The challenge of its response (RFC 9110 §11.6.1). */
  readonly challenge: string;

  /** Creates the error; `page` describes the response. */
  constructor(page: string, challenge: string) {
    super(page);
    this.challenge = challenge;
  }
}

/** The application could not be reached: it is not running. */
export class UnreachableError extends Error {}

const sessionMembers: readonly string[] = [...sessionStarts, "receiveCallback"];

/**
 * The driver; what its members return is a session, or else they throw an {@link UndecidedError}.
 *
 * @param client How the client is registered. Default: as the driver says.
 */
export function checkedDriver(driver: ClientDriver, client = driver.client): ClientDriver {
  type Member = (...args: unknown[]) => unknown;
  const get = (_: unknown, name: string) => {
    if (name === "client") return client;
    const member: unknown = driver[name as keyof ClientDriver];
    if (typeof member !== "function") return member;
    const call: Member = (...args) => (member as Member).apply(driver, args);
    return sessionMembers.includes(name)
      ? async (...args: unknown[]) => assertSession(await call(...args), name)
      : call;
  };
  // The target is empty, because a proxy must return the members of a frozen target as they are.
  return new Proxy({} as ClientDriver, { get: get as ProxyHandler<ClientDriver>["get"] });
}

/**
 * @param member The function that returned it: `logIn`.
 * @throws {UndecidedError} If the value is not a session.
 */
export function assertSession(value: unknown, member: string): ClientSession {
  if (typeof value === "object" && value !== null && "sub" in value && typeof value.sub === "string") {
    return value as ClientSession;
  }
  throw new UndecidedError(
    `${member}: expected an object with sub, a string, received ${describeValue(value)}. ` +
      "Return a session if the client accepts the login, and throw if the client rejects it",
  );
}

function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return typeof value;
  return "sub" in value ? `an object whose sub is of type ${typeof value.sub}` : "an object without sub";
}
