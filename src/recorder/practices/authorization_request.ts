/** Authorization requests: state, nonce, response type, scope, prompt. */

import { splitScope } from "../../core/http/params.ts";
import { parseLocation } from "../../platform/http/location.ts";
import { examineEach, examineFreshness, type PracticeDefinition, toEvidence } from "./practice.ts";
import { counterOf, readableAs } from "./random_values.ts";
import { type AuthorizationRequest, membersOf, type Recording, textOf } from "./traffic.ts";

const asksForOpenid = ({ get }: AuthorizationRequest) => splitScope(get("scope") ?? "").includes("openid");

/** 22 characters of base64 have 132 bits. */
const minStateLength = 22;

/** Why a state is not a random value; `undefined` if it may be one. */
function stateProblem(state: string, now: number): { readonly because: string; readonly isNote?: boolean } | undefined {
  const readable = readableAs(state, now);
  if (readable !== undefined) {
    const isSigned = state.split(".").length > 1 && state.split(".").at(-1)!.length >= minStateLength;
    return { because: `the state can be read as ${readable}${isSigned ? ", and is signed" : ""}`, isNote: isSigned };
  }
  return state.length < minStateLength
    ? { because: `the state has ${state.length} characters; 128 random bits need ${minStateLength}` }
    : undefined;
}

/** Findings for requests whose state is the counter of the previous request, increased. */
function findCounting(authorizations: readonly AuthorizationRequest[], parameter: "state" | "nonce") {
  return authorizations.slice(1).flatMap((request, index) => {
    const earlier = authorizations[index]!;
    const [a, b] = [earlier, request].map(({ get }) => counterOf(get(parameter) ?? ""));
    const isCounting = a !== undefined && b !== undefined && a.prefix === b.prefix && b.count > a.count &&
      b.count - a.count <= 100;
    return isCounting
      ? [toEvidence(request, {
        parameter,
        because: `the ${parameter} is a counter that continues from the previous request`,
        others: [earlier.exchange],
      })]
      : [];
  });
}

/** The values that the metadata lists; `undefined` if no recorded document lists any. */
function listedScopes({ exchanges }: Recording): readonly string[] | undefined {
  const lists = exchanges.filter(({ endpoint }) => endpoint === "discovery")
    .map((exchange) => membersOf(exchange).scopes_supported).filter((list) => Array.isArray(list));
  return lists.length === 0 ? undefined : lists.flat().map(textOf);
}

export const authorizationRequestPractices: readonly PracticeDefinition[] = [
  {
    id: "state-present",
    title: "The client sends state with every authorization request.",
    level: "required",
    sources: ["RFC 6749 §10.12", "RFC 9700 §2.1"],
    occasion: "an authorization request",
    check: ({ authorizations }) =>
      examineEach(authorizations, ({ get }) => {
        if (get("state") !== undefined) return undefined;
        const protection = ["code_challenge", "nonce"].find((name) =>
          authorizations.every((request) => request.get("state") === undefined && request.get(name) !== undefined)
        );
        return {
          parameter: "state",
          because: protection === undefined
            ? "the request has no state"
            : `no request has state; ${protection === "nonce" ? "the nonce" : "PKCE"} protects against CSRF instead`,
          isNote: protection !== undefined,
        };
      }),
  },
  {
    id: "state-random",
    title: "The client creates a new random state for each authorization request.",
    level: "recommended",
    // With PKCE or a nonce, CSRF needs no secret in state (RFC 9700 §2.1): some libraries keep other data there.
    sources: ["RFC 6749 §10.10, §10.12", "RFC 9700 §2.1"],
    occasion: "two authorization requests with state",
    check({ authorizations }) {
      const parameter = "state";
      const fresh = examineFreshness(authorizations, ({ get }) => get("state"), {
        parameter,
        because: "two requests have the same state",
      });
      if (fresh.seen.length === 0) return fresh;
      const withState = authorizations.filter(({ get }) => get("state") !== undefined);
      const readable = examineEach(withState, ({ get, exchange }) => {
        const problem = stateProblem(get("state")!, exchange.at);
        return problem && { parameter, ...problem };
      });
      return {
        seen: fresh.seen,
        findings: [...fresh.findings, ...readable.findings, ...findCounting(withState, parameter)],
      };
    },
  },
  {
    id: "nonce-present",
    title: "The client sends a nonce with every authorization request for an ID token.",
    level: "recommended",
    sources: ["OpenID Connect Core §3.1.2.1", "RFC 9700 §2.1.1", "oidcc-client-test-nonce-unless-code-flow"],
    occasion: "an authorization request with the scope openid",
    check: ({ authorizations }) =>
      examineEach(authorizations.filter(asksForOpenid), ({ get }) =>
        get("nonce") === undefined
          ? {
            parameter: "nonce",
            because: "the request has no nonce, which the code flow allows",
            isNote: true,
          }
          : undefined),
  },
  {
    id: "nonce-fresh",
    title: "The client creates a new nonce for each authorization request.",
    level: "required",
    sources: ["OpenID Connect Core §3.1.2.1", "OpenID Connect Core §15.5.2"],
    occasion: "two authorization requests with a nonce",
    check({ authorizations }) {
      const parameter = "nonce";
      const fresh = examineFreshness(authorizations, ({ get }) => get("nonce"), {
        parameter,
        because: "two requests have the same nonce",
      });
      if (fresh.seen.length === 0) return fresh;
      const withNonce = authorizations.filter(({ get }) => get("nonce") !== undefined);
      return { seen: fresh.seen, findings: [...fresh.findings, ...findCounting(withNonce, parameter)] };
    },
  },
  {
    id: "code-flow-only",
    title: "The client requests no access token in the authorization response (response_type=token).",
    level: "required",
    sources: ["RFC 9700 §2.1.2", "OAuth 2.1 §10.2"],
    occasion: "an authorization request",
    check: ({ authorizations }) =>
      examineEach(
        authorizations,
        ({ get }) =>
          splitScope(get("response_type") ?? "").includes("token")
            ? { parameter: "response_type", because: "the request asks for tokens in the authorization response" }
            : undefined,
      ),
  },
  {
    id: "scope-minimal",
    title:
      "The client requests only scope values that it is registered for, that the metadata lists and that the resource requires.",
    level: "recommended",
    sources: ["RFC 9700 §2.3", "MCP authorization"],
    occasion: "an authorization request with scope",
    check: ({ authorizations, recordings, exchanges }) =>
      examineEach(authorizations.filter(({ get }) => get("scope") !== undefined), (request) => {
        const recording = recordings.find(({ issuer }) => issuer === request.issuer)!;
        const values = splitScope(request.get("scope")!);
        const registered = recording.client?.scope === undefined ? undefined : splitScope(recording.client.scope);
        const tooWide = values.find((value) => registered?.includes(value) === false);
        if (tooWide !== undefined) {
          return { parameter: "scope", because: `the client is not registered for ${tooWide}` };
        }
        const listed = listedScopes(recording);
        const unlisted = values.find((value) => listed?.includes(value) === false);
        if (unlisted !== undefined) return { parameter: "scope", because: `the metadata does not list ${unlisted}` };
        const resource = request.get("resource");
        const challenge = resource === undefined
          ? undefined
          : exchanges.findLast(({ number, outcome, response }) =>
            number < request.exchange.number && outcome === "challenged" &&
            demandedScope(response?.headers) !== undefined
          );
        const demanded = challenge && splitScope(demandedScope(challenge.response?.headers)!);
        const undemanded = values.find((value) =>
          demanded?.includes(value) === false && !["openid", "offline_access"].includes(value)
        );
        return undemanded === undefined
          ? undefined
          : { parameter: "scope", because: `the resource did not require ${undemanded}`, others: [challenge!] };
      }),
  },
  {
    id: "silent-login-bounded",
    title:
      "Without a login with pages, the client sends prompt=none at most once a minute, and not after login_required.",
    level: "recommended",
    sources: ["OpenID Connect Core §3.1.2.6"],
    occasion: "an authorization request with prompt=none",
    check({ authorizations }) {
      const silent = authorizations.filter(({ get }) => get("prompt") === "none");
      return {
        seen: silent.map(({ exchange }) => exchange),
        findings: silent.slice(1).flatMap((request, index) => {
          const earlier = silent[index]!;
          const seconds = (request.exchange.at - earlier.exchange.at) / 1000;
          const error = responseError(earlier);
          const others = [earlier.exchange];
          const hasLogin = authorizations.some(({ get, exchange }) =>
            get("prompt") !== "none" && exchange.number > earlier.exchange.number &&
            exchange.number < request.exchange.number
          );
          if (error === "login_required" && !hasLogin) {
            return [
              toEvidence(request, { parameter: "prompt", because: "the previous request got login_required", others }),
            ];
          }
          return seconds < 60 && !hasLogin
            ? [
              toEvidence(request, {
                parameter: "prompt",
                because: `the previous request was ${seconds} s ago`,
                others,
              }),
            ]
            : [];
        }),
      };
    },
  },
  {
    id: "personal-data-not-in-urls",
    title: "The client sends login_hint and id_token_hint in pushed or posted requests, not in URLs.",
    level: "recommended",
    sources: ["OpenID Connect Core §16.1", "RFC 9126 §1"],
    occasion: "an authorization or logout request",
    check: ({ exchanges }) =>
      examineEach(
        exchanges.filter(({ endpoint }) => endpoint === "authorize" || endpoint === "logout").map((exchange) => ({
          exchange,
        })),
        ({ exchange: { request } }) => {
          const [name] = request.query.find(([name]) => name === "login_hint" || name === "id_token_hint") ?? [];
          return name === undefined ? undefined : { parameter: name, because: `the URL has ${name}`, isNote: true };
        },
      ),
  },
];

/** The scope of a challenge (RFC 6750 §3). */
function demandedScope(headers: Readonly<Record<string, string>> | undefined): string | undefined {
  return /\bscope="([^"]*)"/.exec(headers?.["www-authenticate"] ?? "")?.[1];
}

/** The error of an authorization response that was sent by redirect. */
function responseError({ exchange: { response } }: AuthorizationRequest): string | undefined {
  const params = response?.authorizationResponse?.params ?? parseLocation(response?.headers.location ?? "").params;
  return params.find(([name]) => name === "error")?.[1];
}
