/** PKCE (RFC 7636). */

import { findBasicCredentials } from "../record_request.ts";
import { examineEach, examineFreshness, type PracticeDefinition } from "./practice.ts";
import { looksLikeTime } from "./random_values.ts";
import type { TokenRequest, Traffic } from "./traffic.ts";

/** The token requests that exchange a code with a verifier. */
function verifiersOf({ tokenRequests }: Traffic): (TokenRequest & { readonly verifier: string })[] {
  return tokenRequests.flatMap((request) => {
    const verifier = request.get("code_verifier");
    return verifier === undefined ? [] : [{ ...request, verifier }];
  });
}

/** Whether a token request authenticates the client. */
function isAuthenticated({ exchange, get }: TokenRequest): boolean {
  return Boolean(findBasicCredentials(exchange.request)?.password) ||
    ["client_secret", "client_assertion"].some((name) => get(name) !== undefined);
}

/** Two random verifiers begin with the same 8 characters by chance only once in 2^48 pairs. */
const prefixLength = 8;

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
    id: "pkce-s256",
    title: "The client uses the code challenge method S256.",
    level: "required",
    sources: ["RFC 7636 §4.2", "MCP authorization"],
    occasion: "an authorization request with code_challenge",
    check: ({ authorizations }) =>
      examineEach(authorizations.filter(({ get }) => get("code_challenge") !== undefined), ({ get }) => {
        const method = get("code_challenge_method");
        if (method !== "S256") {
          return {
            parameter: "code_challenge_method",
            because: `the method is ${method ?? "absent, which means plain"}`,
          };
        }
        const { length } = get("code_challenge")!;
        return length === 43
          ? undefined
          : { parameter: "code_challenge", because: `the challenge has ${length} characters; a SHA-256 digest has 43` };
      }),
  },
  {
    id: "pkce-fresh",
    title: "The client creates a new code verifier for each authorization request.",
    level: "required",
    sources: ["RFC 7636 §7.1", "RFC 9700 §2.1.1"],
    occasion: "two authorization requests with code_challenge",
    check: ({ authorizations }) =>
      examineFreshness(authorizations, ({ get }) => get("code_challenge"), {
        parameter: "code_challenge",
        because: "two requests have the same code_challenge",
      }),
  },
  {
    id: "pkce-random",
    title: "The client creates a random code verifier.",
    level: "required",
    sources: ["RFC 7636 §7.1"],
    occasion: "two token requests with code_verifier",
    check(traffic) {
      const requests = verifiersOf(traffic);
      if (requests.length < 2) return { seen: [], findings: [] };
      return examineEach(requests, (request) => {
        const { verifier, get, exchange } = request;
        const authorization = traffic.authorizationOf(get("code") ?? "");
        const known = ["state", "nonce", "client_id"].find((name) => authorization?.get(name) === verifier);
        const parameter = "code_verifier";
        if (known !== undefined) return { parameter, because: `the verifier is the same as ${known}` };
        if (looksLikeTime(verifier, exchange.at)) return { parameter, because: "the verifier is a time" };
        const similar = requests.find((other) =>
          other.verifier !== verifier && other.verifier.slice(0, prefixLength) === verifier.slice(0, prefixLength)
        );
        return similar && {
          parameter,
          because: `two verifiers begin with the same ${prefixLength} characters`,
          others: [similar.exchange],
        };
      });
    },
  },
];
