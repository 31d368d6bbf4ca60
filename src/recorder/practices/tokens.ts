/** Codes and tokens: where they go, and how often. */

import { findBearerToken, findParam } from "../record_request.ts";
import type { Exchange } from "../exchange.ts";
import { combineChecks, examineEach, type PracticeCheck, type PracticeDefinition, toEvidence } from "./practice.ts";
import { parametersOf, type Traffic } from "./traffic.ts";

/** The parameters in which endpoints of an authorization server other than userinfo take an access token. */
const accessTokenParameters = ["token", "subject_token", "actor_token"];

/** The requests with an access token: to userinfo and protected resources. */
function tokenUses({ requests }: Traffic) {
  return requests.flatMap(({ exchange, issuer }) => {
    if (exchange.caller !== "resource client" || exchange.endpoint === "client_configuration") return [];
    const { request } = exchange;
    const sent = [
      ...findBearerToken(request) === undefined ? [] : [{ place: "the header", value: findBearerToken(request)! }],
      ...request.query.filter(([name]) => name === "access_token").map(([, value]) => ({ place: "the query", value })),
      ...request.form.filter(([name]) => name === "access_token").map(([, value]) => ({ place: "the body", value })),
    ];
    return sent.length === 0 ? [] : [{ exchange, issuer, sent, token: sent[0]!.value }];
  });
}

/** The practices of codes and tokens. */
export const tokenPractices: readonly PracticeDefinition[] = [
  {
    id: "code-once",
    title: "The client exchanges each code once.",
    level: "required",
    sources: ["RFC 6749 §4.1.2"],
    occasion: "a token request with a code",
    check({ tokenRequests }) {
      const first = new Map<string, Exchange>();
      const requests = tokenRequests.filter(({ get, grantType }) =>
        grantType === "authorization_code" && get("code") !== undefined
      );
      return examineEach(requests, ({ exchange, get }) => {
        const code = get("code")!;
        const earlier = first.get(code);
        if (earlier === undefined) {
          first.set(code, exchange);
          return undefined;
        }
        const isRepeated = earlier.response === undefined || earlier.response.headers["dpop-nonce"] !== undefined;
        return {
          parameter: "code",
          because: `the code is exchanged twice${isRepeated ? ", after a request without tokens" : ""}`,
          isNote: isRepeated,
          others: [earlier],
        };
      });
    },
  },
  {
    id: "token-in-header",
    title: "The client sends the access token once in each request, in the Authorization header.",
    level: "required",
    sources: ["RFC 6750 §2", "OAuth 2.1 §5.1", "oidcc-client-test-userinfo-bearer-header"],
    occasion: "a request with an access token",
    check: (traffic) =>
      examineEach(tokenUses(traffic), ({ sent }) => {
        if (sent.length > 1) {
          return { because: `the request has the token in ${sent.map(({ place }) => place).join(" and ")}` };
        }
        const { place } = sent[0]!;
        return place === "the header"
          ? undefined
          : { parameter: "access_token", because: `the request has the token in ${place}` };
      }),
  },
  {
    id: "tokens-stay-home",
    title:
      "The client sends access tokens only to resources, and refresh tokens only to the token and revocation endpoints.",
    level: "required",
    sources: ["RFC 9700 §4.9.1", "MCP authorization"],
    occasion: "tokens, in a check with a trap origin",
    check: checkTokenReceivers,
  },
  {
    id: "id-token-not-as-key",
    title: "The client does not send an ID token instead of an access token.",
    level: "required",
    sources: ["RFC 8725 §3.12", "RFC 9068 §5"],
    occasion: "a request with an access token",
    check(traffic) {
      const idTokens = new Set(
        traffic.tokens.filter(({ kind }) => kind === "id_token").map(({ value }) => value),
      );
      return examineEach(
        tokenUses(traffic),
        ({ token }) =>
          idTokens.has(token)
            ? { parameter: "Authorization", because: "the request has an ID token instead of an access token" }
            : undefined,
      );
    },
  },
  {
    id: "dead-token-dropped",
    title: "The client stops using an access token after a 401, a revocation or a logout.",
    level: "required",
    sources: ["RFC 6750 §3.1"],
    occasion: "an access token that was rejected with 401, or that the client revoked",
    check: checkDeadTokens,
  },
  {
    id: "logout-complete",
    title: "The client identifies itself at logout, and uses no token of the session afterwards.",
    level: "required",
    sources: ["OpenID Connect RP-Initiated Logout §2", "RFC 7009 §1"],
    occasion: "a logout request",
    check: checkLogout,
  },
];

function checkTokenReceivers(traffic: Traffic): PracticeCheck {
  const { tokens, recordings, exchanges } = traffic;
  const bearers = tokens.filter(({ kind }) => kind !== "id_token");
  if (bearers.length === 0) return { seen: [], findings: [] };
  const kinds = new Map(bearers.map(({ value, kind }) => [value, kind]));
  const misplaced = exchanges.flatMap((exchange) => {
    const header = findBearerToken(exchange.request);
    const inParameter = parametersOf(exchange).find(([name, value]) =>
      kinds.get(value) === "access_token"
        ? exchange.caller !== "resource client" && !accessTokenParameters.includes(name)
        : kinds.get(value) === "refresh_token" && !["token", "revoke", "introspect"].includes(exchange.endpoint)
    );
    if (inParameter !== undefined) {
      const kind = kinds.get(inParameter[1])!.replace("_", " ");
      return [toEvidence({ exchange }, {
        parameter: inParameter[0],
        because: `the request to ${exchange.endpoint} has the ${kind}`,
      })];
    }
    return header !== undefined && kinds.get(header) === "refresh_token"
      ? [toEvidence({ exchange }, { parameter: "Authorization", because: "the request has the refresh token" })]
      : [];
  });
  const trapped = recordings.flatMap(({ trap }) =>
    (trap?.requests ?? []).flatMap(({ url, authorization = "", body }) => {
      const token = bearers.find(({ value }) => [url, authorization, body].some((text) => text.includes(value)));
      if (token === undefined) return [];
      const { exchange, kind } = token;
      return [toEvidence({ exchange }, { because: `the ${kind.replace("_", " ")} was sent to ${trap!.origin}` })];
    })
  );
  const hasTrap = recordings.some(({ trap }) => trap !== undefined);
  const findings = [...misplaced, ...trapped];
  return { seen: hasTrap || findings.length > 0 ? bearers.map(({ exchange }) => exchange) : [], findings };
}

function checkDeadTokens(traffic: Traffic): PracticeCheck {
  const revoked = traffic.exchanges.filter(({ endpoint, response }) =>
    endpoint === "revoke" && response?.status === 200
  )
    .map((exchange) => ({ exchange, token: findParam(exchange.request, "token"), reason: "was revoked" }));
  const uses = tokenUses(traffic);
  const rejected = uses.filter(({ exchange }) => exchange.response?.status === 401)
    // A demand for a nonce does not reject the token (RFC 9449 §9).
    .filter(({ exchange }) => !/use_dpop_nonce/.test(exchange.response!.headers["www-authenticate"] ?? ""))
    .map(({ exchange, token }) => ({ exchange, token, reason: "got a 401" }));
  const isAccessToken = (token?: string) =>
    traffic.tokens.some(({ value, kind }) => value === token && kind === "access_token");
  const ends = [...revoked.filter(({ token }) => isAccessToken(token)), ...rejected];
  return {
    seen: ends.map(({ exchange }) => exchange),
    findings: ends.flatMap((end) => {
      const later = uses.filter(({ exchange, token }) => token === end.token && exchange.number > end.exchange.number);
      // One request may have been sent before the 401 arrived.
      const allowed = end.reason === "got a 401" ? 1 : 0;
      return later.slice(allowed, allowed + 1).map((use) =>
        toEvidence(use, {
          parameter: "Authorization",
          because: `the token is used again, although it ${end.reason}`,
          others: [end.exchange],
        })
      );
    }),
  };
}

function checkLogout(traffic: Traffic): PracticeCheck {
  const requests = traffic.exchanges.filter(({ endpoint, request }) =>
    endpoint === "logout" && findParam(request, "confirm") === undefined
  );
  const identified = examineEach(requests.map((exchange) => ({ exchange })), ({ exchange: { request } }) => {
    const isIdentified = ["id_token_hint", "client_id"].some((name) => findParam(request, name) !== undefined);
    return findParam(request, "post_logout_redirect_uri") !== undefined && !isIdentified
      ? {
        parameter: "post_logout_redirect_uri",
        because: "the request has post_logout_redirect_uri, and neither id_token_hint nor client_id",
      }
      : undefined;
  });
  const used = examineEach(requests.map((exchange) => ({ exchange })), ({ exchange }) => {
    const hint = findParam(exchange.request, "id_token_hint");
    const flow = traffic.tokens.find(({ value }) => value === hint)?.exchange.flow;
    if (flow === undefined) return undefined;
    const later = traffic.requests.find((request) =>
      request.exchange.flow === flow && request.exchange.number > exchange.number &&
      ["token", "userinfo", "resource"].includes(request.exchange.endpoint)
    );
    return later && {
      because: `a ${later.exchange.endpoint} request uses a token of the session after the logout`,
      others: [later.exchange],
    };
  });
  return combineChecks(identified, used);
}
