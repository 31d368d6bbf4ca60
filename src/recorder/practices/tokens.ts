/** Secrets, tokens and the resource that they are for: where a client sends them. */

import { type Evidence, examineEach, type PracticeCheck, type PracticeDefinition, toEvidence } from "./practice.ts";
import { overlaps, type SentAuthorizationRequest, sentParameters, type Traffic } from "./traffic.ts";

/** The parameters that must not be part of a URL. */
const secretParameters = [
  ...["client_secret", "client_assertion", "code_verifier", "access_token", "refresh_token", "token", "device_code"],
  ...["password", "assertion", "subject_token", "actor_token"],
];

export const tokenPractices: readonly PracticeDefinition[] = [
  {
    id: "secrets-not-in-urls",
    title: "The client sends no secret, assertion, verifier or token in a URL.",
    level: "required",
    sources: ["RFC 6749 §2.3.1", "RFC 6750 §2.3", "OAuth 2.1 §5.1"],
    occasion: "a request of the client",
    check: ({ exchanges }) =>
      examineEach(
        exchanges.filter(({ endpoint }) => endpoint !== "device").map((exchange) => ({ exchange })),
        ({ exchange: { request } }) => {
          const [name] = request.query.find(([name, value]) => secretParameters.includes(name) && value !== "") ?? [];
          return name === undefined ? undefined : { parameter: name, because: `the URL has ${name}` };
        },
      ),
  },
  {
    id: "resource-stated",
    title: "The client sends the same resource in the authorization request, the token request and each refresh.",
    level: "required",
    sources: ["RFC 8707 §2", "MCP authorization"],
    occasion: "a login of a client that uses a protected resource or sends the parameter resource",
    check: checkResource,
  },
  {
    id: "refresh-newest",
    title: "The client refreshes with the newest refresh token of the login.",
    level: "required",
    sources: ["RFC 6749 §6", "RFC 9700 §4.14"],
    occasion: "two refreshes of a login",
    check: checkRefreshes,
  },
];

function checkResource({ authorizations, tokenRequests, exchanges }: Traffic): PracticeCheck {
  const parameter = "resource";
  const usesResource = exchanges.some(({ endpoint }) => endpoint === "resource" || endpoint === "resource_metadata");
  const logins = authorizations.filter((request) =>
    usesResource || request.get(parameter) !== undefined ||
    tokenRequests.some(({ exchange, get }) => exchange.flow === request.exchange.flow && get(parameter) !== undefined)
  );
  const findings = logins.flatMap((login): Evidence[] => {
    const requested = login.get(parameter);
    if (requested === undefined) return [toEvidence(login, { parameter, because: "the request has no resource" })];
    if (requested.includes("#")) return [toEvidence(login, { parameter, because: "the resource has a fragment" })];
    return tokenRequests.filter(({ exchange }) => exchange.flow !== undefined && exchange.flow === login.exchange.flow)
      .flatMap((request): Evidence[] => {
        const sent = request.get(parameter);
        // A token request may name one of several resources.
        if (sent !== undefined && requestedResources(login).includes(sent)) return [];
        const because = sent === undefined
          ? "the token request has no resource"
          : `the authorization request has ${requested}, the token request ${sent}`;
        return [toEvidence(request, { parameter, because, others: [login.exchange] })];
      });
  });
  return { seen: logins.map(({ exchange }) => exchange), findings };
}

/** The resources of a request: repeated parameters, or the list in a request object. */
function requestedResources({ exchange, pushed, get }: SentAuthorizationRequest): readonly string[] {
  const named = [exchange, pushed].flatMap((sent) => sent === undefined ? [] : sentParameters(sent))
    .filter(([name]) => name === "resource").map(([, value]) => value);
  return named.length > 0 ? named : get("resource")!.split(/[[\]",]+/);
}

function checkRefreshes({ tokenRequests }: Traffic): PracticeCheck {
  const refreshes = tokenRequests.filter(({ grantType }) => grantType === "refresh_token");
  const later = refreshes.filter(({ exchange: { flow, number } }) =>
    refreshes.some(({ exchange }) => exchange.flow === flow && exchange.number < number)
  );
  return examineEach(later, ({ exchange, get }) => {
    const newest = tokenRequests.findLast((earlier) =>
      earlier.exchange.flow === exchange.flow && earlier.exchange.number < exchange.number &&
      !overlaps(earlier.exchange, exchange) && earlier.response.refresh_token !== undefined
    );
    return newest === undefined || newest.response.refresh_token === get("refresh_token") ? undefined : {
      parameter: "refresh_token",
      because: "the request has an older refresh token than the last response",
      others: [newest.exchange],
    };
  });
}
