/** Refreshes (RFC 6749 §6). */

import { examineEach, type PracticeDefinition, type RequestFinding } from "./practice.ts";
import { overlaps, type TokenRequest, type Traffic } from "./traffic.ts";

/** The refresh requests with the token that they send. */
function refreshesOf({ tokenRequests }: Traffic) {
  return tokenRequests.filter(({ grantType }) => grantType === "refresh_token").flatMap((request) => {
    const token = request.get("refresh_token");
    return token === undefined ? [] : [{ ...request, token }];
  });
}

/** The token response before a refresh request that has a member; of the same flow. */
function lastResponseWith(
  member: string,
  { exchange }: TokenRequest,
  { tokenRequests }: Traffic,
): TokenRequest | undefined {
  return tokenRequests.findLast((earlier) =>
    earlier.exchange.flow === exchange.flow && earlier.exchange.number < exchange.number &&
    !overlaps(earlier.exchange, exchange) && earlier.response[member] !== undefined
  );
}

/** The fraction of its lifetime after which a token may be refreshed. */
const dueAfter = 0.5;

export const refreshPractices: readonly PracticeDefinition[] = [
  {
    id: "refresh-newest",
    title: "The client refreshes with the newest refresh token of the login.",
    level: "required",
    sources: ["RFC 6749 §6", "RFC 9700 §4.14"],
    occasion: "two refreshes of a login",
    check(traffic) {
      const refreshes = refreshesOf(traffic);
      const later = refreshes.filter((refresh) =>
        refreshes.some(({ exchange }) =>
          exchange.flow === refresh.exchange.flow && exchange.number < refresh.exchange.number
        )
      );
      return examineEach(later, (refresh) => {
        const newest = lastResponseWith("refresh_token", refresh, traffic);
        return newest === undefined || newest.response.refresh_token === refresh.token ? undefined : {
          parameter: "refresh_token",
          because: "the request has an older refresh token than the last response",
          others: [newest.exchange],
        };
      });
    },
  },
  {
    id: "refresh-single-flight",
    title: "The client sends at most one refresh request for a token at a time.",
    level: "required",
    sources: ["RFC 9700 §4.14.2", "getsentry/junior#635", "opendefender/OpenRisk#700"],
    occasion: "two refreshes",
    check(traffic) {
      const refreshes = refreshesOf(traffic);
      if (refreshes.length < 2) return { seen: [], findings: [] };
      return examineEach(refreshes, (refresh) => {
        const other = refreshes.find(({ exchange, token }) =>
          token === refresh.token && overlaps(exchange, refresh.exchange)
        );
        return other && {
          parameter: "refresh_token",
          because: "two requests with the same refresh token overlap in time",
          others: [other.exchange],
        };
      });
    },
  },
  {
    id: "refresh-when-due",
    title: "The client refreshes near the end of the lifetime of the access token, or after a 401.",
    level: "recommended",
    sources: ["RFC 6749 §1.5"],
    occasion: "a refresh that the client started by itself",
    check(traffic) {
      if (traffic.facts.refreshesOnDemand) return { seen: [], findings: [] };
      const refreshes = refreshesOf(traffic).flatMap((refresh) => {
        const issued = lastResponseWith("access_token", refresh, traffic);
        const lifetime = issued?.response.expires_in;
        return issued === undefined || typeof lifetime !== "number" ? [] : [{ ...refresh, issued, lifetime }];
      });
      return examineEach(refreshes, ({ exchange, issued, lifetime }): RequestFinding | undefined => {
        const age = (exchange.at - issued.exchange.at) / 1000;
        const hasRejection = traffic.requests.some((request) =>
          request.exchange.flow === exchange.flow && request.exchange.response?.status === 401 &&
          request.exchange.number > issued.exchange.number && request.exchange.number < exchange.number
        );
        return age >= lifetime * dueAfter || hasRejection ? undefined : {
          because: `the access token is refreshed ${Math.round(age)} s after it was issued for ${lifetime} s`,
          others: [issued.exchange],
        };
      });
    },
  },
];
