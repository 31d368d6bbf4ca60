/** Requests that a client polls for while the user decides (RFC 8628, CIBA): a correct client, and the user. */

import type { PolledGrant } from "../server/extensions/polled/polled_grant.ts";
import type { UserRepository } from "../server/clients/users.ts";
import type { TokenResponse } from "../core/token/grants/authenticated_request.ts";
import type { RequestParameters } from "../client/parameters.ts";
import type { TestBrowser } from "./browser/test_browser.ts";
import type { ClientCredentials } from "../client/authentication.ts";
import type { TestClock } from "./clock.ts";
import type { LoginClient, SendForm } from "./login.ts";
import { LoginError } from "./login_error.ts";
import { deferredPersona, type Persona, personaHeader } from "./persona.ts";
import { userForHint } from "../server/clients/login_hint.ts";
import { unknownUserError } from "./user_decisions.ts";

/** @internal The user of a request that a client polls for. */
export interface RequestUser {
  /**
   * Opens the request in a browser, logs in and allows.
   *
   * @param persona Who it is, and what they deny. Default: the user of the request; without one, the user that
   *   `as.decisions` names, or the first one.
   * @throws {LoginError} If the server rejects the request.
   * @throws {TypeError} If the server has no such user; the request is still undecided.
   */
  approve(persona?: Persona): Promise<void>;
  /** Opens the request in a browser, and denies. @throws {LoginError} As {@link RequestUser.approve}. */
  deny(): Promise<void>;
}

/** @internal A request that its client polls for. */
export interface Polled {
  /** Seconds between two polls; 5 more after each `slow_down`. */
  readonly interval: number;
  /**
   * Advances the clock by the interval, and polls once.
   *
   * @throws {LoginError} Without tokens; `error` is the code, such as `authorization_pending`.
   */
  poll(): Promise<TokenResponse>;
}

/** What polled requests of a mock depend on. */
export interface PolledRequestOptions {
  /** Sends a form to an endpoint, authenticated by the method of the client. */
  readonly post: SendForm;
  readonly token: LoginClient["token"];
  /** Opens a browser without cookies. */
  readonly browser: () => TestBrowser;
  readonly clock: TestClock;
  readonly endpointUrl: (name: string) => string;
  /** The users at this moment. */
  readonly users: () => UserRepository;
}

interface RequestKind {
  readonly grant: PolledGrant;
  /** The name of the endpoint that starts them. */
  readonly endpoint: string;
  /** The name of the page of the user. */
  readonly page: string;
  query(handle: string): Readonly<Record<string, string>>;
}

/** The client and the users of the requests of one extension. */
interface PolledRequests {
  /** Starts a request: the response, and its polls. @throws {LoginError} If the server rejects the request. */
  start(
    client: ClientCredentials,
    params: RequestParameters,
  ): Promise<{ readonly started: Readonly<Record<string, unknown>>; readonly polled: Polled }>;
  /** The user of a request, by what identifies it on the page. */
  user(handle: string): RequestUser;
}

/** Seconds that a `slow_down` adds, and the interval of a response without one. */
const slowDownSeconds = 5;

/** Creates the client and the users of the requests of one extension. */
export function polledRequests(
  { post, token, browser, clock, endpointUrl, users }: PolledRequestOptions,
  { grant, endpoint, page, query }: RequestKind,
): PolledRequests {
  async function decide(handle: string, expected: "approved" | "denied", persona: Persona): Promise<void> {
    const result = await browser().decide(`${endpointUrl(page)}?${new URLSearchParams(query(handle))}`, persona);
    if (result !== expected) throw new LoginError(`Expected the request to be ${expected}; it was ${result}`);
  }

  return {
    user: (handle) => ({
      async approve(persona = {}) {
        const { as, claims } = persona;
        // With claims, the login page creates the user.
        const isUnknown = as !== undefined && claims === undefined &&
          await userForHint({ users: users() }, as) === undefined;
        // Otherwise the request would be denied, and its code consumed.
        if (isUnknown) throw unknownUserError(users(), as);
        await decide(handle, "approved", persona);
      },
      deny: () => decide(handle, "denied", { deny: true }),
    }),
    async start(client, params) {
      const headers = { [personaHeader]: deferredPersona };
      const started = await post(endpoint, `${grant.requestName} endpoint`, client, params, { headers });
      const poll = { grant_type: grant.type, [grant.parameter]: String(started[grant.parameter]) };
      let interval = Number(started.interval ?? slowDownSeconds);
      const polled: Polled = {
        get interval() {
          return interval;
        },
        async poll() {
          clock.advance(interval);
          try {
            return await token(client, poll);
          } catch (error) {
            if (error instanceof LoginError && error.error === "slow_down") interval += slowDownSeconds;
            throw error;
          }
        },
      };
      return { started, polled };
    },
  };
}
