/** PKCE (RFC 7636). */

import { findBasicCredentials } from "../record_request.ts";
import { combineChecks, examineEach, examineFreshness, type PracticeDefinition } from "./practice.ts";
import { examineRandomness, type LoginValue } from "./random_values.ts";
import type { SentTokenRequest } from "./traffic.ts";

/** Whether a token request authenticates the client. */
function isAuthenticated({ exchange, get }: SentTokenRequest): boolean {
  return Boolean(findBasicCredentials(exchange.request)?.password) ||
    ["client_secret", "client_assertion"].some((name) => get(name) !== undefined);
}

export const pkcePractices: readonly PracticeDefinition[] = [
  {
    id: "pkce-used",
    title: "The client sends a code challenge with every authorization request.",
    level: "required",
    sources: ["RFC 9700 §2.1.1", "OAuth 2.1 §4.1.1"],
    occasion: "an authorization request",
    check({ authorizations, tokenRequests, recordings }) {
      const authenticates = tokenRequests.length === 0
        ? recordings.some(({ client }) => (client?.token_endpoint_auth_method ?? "none") !== "none")
        : tokenRequests.every(isAuthenticated);
      // A response without a code has nothing that a verifier could protect.
      const forCode = authorizations.filter(({ get }) => get("response_type")?.split(" ").includes("code") ?? true);
      return examineEach(forCode, ({ get }) => {
        if (get("code_challenge") !== undefined) return undefined;
        const isProtected = authenticates && get("nonce") !== undefined;
        return {
          parameter: "code_challenge",
          because: isProtected
            ? "the request has no code_challenge; the client authenticates, and relies on the nonce instead"
            : "the request has no code_challenge",
          isNote: isProtected,
          // RFC 9700 §2.1.1 only recommends it to clients that authenticate.
          ...authenticates && get("state") !== undefined && { level: "recommended" },
        };
      });
    },
  },
  {
    id: "pkce-random",
    title: "The client creates a new random code verifier for each authorization request.",
    level: "required",
    sources: ["RFC 7636 §7.1", "RFC 9700 §2.1.1"],
    occasion: "two logins with a code verifier",
    async check(traffic) {
      const fresh = examineFreshness(traffic.authorizations, ({ get }) => get("code_challenge"), {
        parameter: "code_challenge",
        because: "two requests have the same code_challenge",
      });
      const verifiers = traffic.tokenRequests.flatMap(({ exchange, get }): LoginValue[] => {
        const value = get("code_verifier");
        const authorization = traffic.authorizationOf(get("code") ?? "");
        const known = Object.fromEntries(
          ["state", "nonce", "client_id", "login_hint"].map((name) => [name, authorization?.get(name)]),
        );
        return value === undefined ? [] : [{ exchange, value, known }];
      });
      return combineChecks(fresh, await examineRandomness(verifiers, "code_verifier", "verifier"));
    },
  },
];
