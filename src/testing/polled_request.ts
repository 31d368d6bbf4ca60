/** Polls of a correct client (RFC 8628 §3.5, CIBA §10.1). */

import type { TokenResponse } from "../oauth/tokens/token_response.ts";
import type { ClientCredentials } from "./client_authentication.ts";
import type { TestClock } from "./clock.ts";
import { LoginError } from "./login_error.ts";
import type { LoginClient } from "./login.ts";

/** A request that its client polls for. */
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

/** Seconds that a `slow_down` adds, and the interval of a response without one. */
const slowDownSeconds = 5;

/** The polls of a client with these parameters of the token request. */
export function polled(
  { token, clock }: { readonly token: LoginClient["token"]; readonly clock: TestClock },
  client: ClientCredentials,
  params: Readonly<Record<string, string>>,
  started: Readonly<Record<string, unknown>>,
): Polled {
  let interval = Number(started.interval ?? slowDownSeconds);
  return {
    get interval() {
      return interval;
    },
    async poll() {
      clock.advance(interval);
      try {
        return await token(client, params);
      } catch (error) {
        if (error instanceof LoginError && error.error === "slow_down") interval += slowDownSeconds;
        throw error;
      }
    },
  };
}
