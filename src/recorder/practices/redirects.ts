/** Redirect URIs. */

import { examineEach, type PracticeDefinition } from "./practice.ts";
import { isPlainName } from "./traffic.ts";

/** The parameter of a redirect URI that has the URL of another origin. */
function foreignTarget(redirectUri: string): string | undefined {
  if (!URL.canParse(redirectUri)) return undefined;
  const { searchParams, origin } = new URL(redirectUri);
  const isForeign = (value: string) => /^(?:https?:)?[/\\]{2}/i.test(value) && new URL(value, origin).origin !== origin;
  return [...searchParams].find(([, value]) => isForeign(value))?.[0];
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
    title: "The redirect URI names no page of another origin, to which the callback could redirect (open redirector).",
    level: "recommended",
    sources: ["RFC 9700 §4.11.1"],
    occasion: "an authorization request with redirect_uri",
    check: ({ authorizations }) =>
      examineEach(authorizations.filter(({ get }) => get("redirect_uri") !== undefined), ({ get }) => {
        const name = foreignTarget(get("redirect_uri")!);
        if (name === undefined) return undefined;
        const because = isPlainName(name)
          ? `the redirect URI has the URL of another origin in ${name}`
          : "the redirect URI has the URL of another origin";
        return { parameter: "redirect_uri", because };
      }),
  },
];
