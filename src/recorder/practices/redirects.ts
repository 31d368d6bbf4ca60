/** Redirect URIs, and what the browser does at them. */

import { isLoopback } from "../../core/http/test_hosts.ts";
import { examineEach, type PracticeDefinition, type RequestFinding } from "./practice.ts";

/** The names of parameters whose value is a secret of one login. */
const loginSecrets = ["code", "state", "access_token", "id_token", "refresh_token", "response"];

/** The defect of a redirect URI. */
function redirectUriProblem(redirectUri: string): Omit<RequestFinding, "parameter"> | undefined {
  if (!URL.canParse(redirectUri)) return { because: "the redirect URI is not absolute" };
  const { protocol, hostname } = new URL(redirectUri);
  if (protocol !== "http:") return undefined;
  if (hostname === "localhost") {
    return { because: "the host is localhost, which need not resolve to a loopback address", isNote: true };
  }
  return isLoopback(hostname) ? undefined : { because: `the redirect URI uses http at ${hostname}` };
}

/** Whether a parameter in the query of a redirect URI names a URL of an origin. */
function namesOrigin(redirectUri = "", origin: string): boolean {
  return URL.canParse(redirectUri) &&
    [...new URL(redirectUri).searchParams.values()].some((value) => value.startsWith(origin));
}

export const redirectPractices: readonly PracticeDefinition[] = [
  {
    id: "redirect-uri-exact",
    title: "The client sends exactly the redirect URI of the authorization request in the token request.",
    level: "required",
    sources: ["RFC 6749 §4.1.3", "OpenID Connect Core §3.1.3.2"],
    occasion: "a token request with a code of a recorded login",
    check: ({ tokenRequests, authorizationOf }) =>
      examineEach(
        tokenRequests.filter(({ get }) => authorizationOf(get("code") ?? "")?.get("redirect_uri") !== undefined),
        ({ get }) => {
          const authorization = authorizationOf(get("code")!)!;
          const [requested, sent] = [authorization.get("redirect_uri")!, get("redirect_uri")];
          const parameter = "redirect_uri";
          const others = [authorization.exchange];
          if (requested.includes("#")) return { parameter, because: "the redirect URI has a fragment", others };
          if (sent === undefined) return { parameter, because: "the token request has no redirect_uri", others };
          return sent === requested
            ? undefined
            : { parameter, because: `the authorization request has ${requested}, the token request ${sent}`, others };
        },
      ),
  },
  {
    id: "redirect-uri-safe",
    title: "The client uses redirect URIs with https, a private-use scheme, or a loopback IP address.",
    level: "required",
    sources: ["RFC 8252 §7.3, §8.3", "MCP authorization"],
    occasion: "an authorization request with redirect_uri",
    check: ({ authorizations }) =>
      examineEach(authorizations.filter(({ get }) => get("redirect_uri") !== undefined), ({ get }) => {
        const problem = redirectUriProblem(get("redirect_uri")!);
        return problem && { parameter: "redirect_uri", ...problem };
      }),
  },
  {
    id: "callback-tells-issuers-apart",
    title: "The client uses a different redirect URI for each issuer, or checks iss in the authorization response.",
    level: "required",
    sources: ["RFC 9700 §4.4.2", "RFC 9207 §2.4"],
    occasion: "authorization requests to two issuers",
    check({ authorizations, facts }) {
      const issuers = new Set(authorizations.map(({ issuer }) => issuer));
      if (issuers.size < 2) return { seen: [], findings: [] };
      return examineEach(authorizations, ({ get, issuer }) => {
        const other = authorizations.find((request) =>
          request.issuer !== issuer && request.get("redirect_uri") === get("redirect_uri")
        );
        if (other === undefined || facts.rejectsWrongIssuer) return undefined;
        const isKnown = facts.rejectsWrongIssuer === false;
        return {
          parameter: "redirect_uri",
          because: `the client uses the same redirect URI for two issuers${
            isKnown ? ", and the client does not check iss" : "; only a check of iss distinguishes them"
          }`,
          isNote: !isKnown,
          others: [other.exchange],
        };
      });
    },
  },
  {
    id: "callback-not-open",
    title: "The client does not redirect the browser to a URL in the query of its redirect URI (open redirector).",
    level: "required",
    sources: ["RFC 9700 §4.11.1"],
    occasion: "a redirect URI with a URL of the trap origin of a check in its query",
    check: ({ authorizations, recordings }) => {
      const traps = recordings.flatMap(({ trap }) => trap ?? []);
      const named = authorizations.flatMap((request) => {
        const trap = traps.find(({ origin }) => namesOrigin(request.get("redirect_uri"), origin));
        return trap === undefined ? [] : [{ ...request, trap }];
      });
      return examineEach(
        named,
        ({ trap }) =>
          trap.requests.length > 0
            ? { parameter: "redirect_uri", because: "the browser was redirected to the URL in the redirect URI" }
            : undefined,
      );
    },
  },
  {
    id: "referer-clean",
    title: "The pages of the client send no code, state or token in the Referer header.",
    level: "required",
    sources: ["RFC 9700 §4.2.4"],
    occasion: "a request with a Referer header of another origin",
    check: ({ recordings }) => {
      const requests = recordings.flatMap(({ issuer, exchanges }) =>
        exchanges.filter(({ request: { headers: { referer } } }) =>
          referer !== undefined && URL.canParse(referer) && new URL(referer).origin !== new URL(issuer).origin
        ).map((exchange) => ({ exchange }))
      );
      return examineEach(requests, ({ exchange }) => {
        const { search, hash } = new URL(exchange.request.headers.referer!);
        const names = [...new URLSearchParams(search).keys(), ...new URLSearchParams(hash.slice(1)).keys()];
        const leaked = names.find((name) => loginSecrets.includes(name));
        return leaked === undefined ? undefined : { parameter: "Referer", because: `the Referer has ${leaked}` };
      });
    },
  },
];
