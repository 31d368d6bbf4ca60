/** The tokens that suites receive, and the tokens of the mock that they represent. */

import { boundedCache } from "../../platform/bounded_cache.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";

/** Maximum number of tokens in memory. */
const maxTokens = 10_000;

interface OwnToken {
  /** The token that the mock issued. */
  readonly own: string;
  /** The token for userinfo, with the scope value that userinfo requires. Default: `own`. */
  readonly forUserinfo?: string;
}

/** Tokens of the mock, by the tokens that listeners have changed. */
export interface IssuedTokens {
  /** Whether a token is known. */
  has(token: string): boolean;
  set(changed: string, token: OwnToken): void;
  /** The token of the mock. Returns a token that is unknown or expired as it is; the mock then rejects it. */
  translate(token: string, use?: "userinfo"): string;
}

/**
 * Creates an empty list.
 *
 * @param now The clock, in milliseconds since the epoch.
 */
export function issuedTokenList(now: () => number): IssuedTokens {
  const ownTokens = boundedCache<OwnToken>(maxTokens);
  return {
    has: (token) => ownTokens.get(token) !== undefined,
    set: ownTokens.set,
    translate(token, use) {
      const found = ownTokens.get(token);
      if (found === undefined) return token;
      const { exp } = decodeJwtPart(token, 1);
      if (typeof exp === "number" && exp * 1000 <= now()) return token;
      return use === "userinfo" ? found.forUserinfo ?? found.own : found.own;
    },
  };
}
