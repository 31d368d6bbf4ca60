/** Extensions: resource indicators, pushed and signed requests, devices, registration. */

import { parseJsonObject } from "../../platform/http/json_body.ts";
import { deviceCodeType } from "../../server/extensions/device/settings.ts";
import { findParam } from "../record_request.ts";
import type { Exchange } from "../exchange.ts";
import {
  type Evidence,
  examineEach,
  type PracticeCheck,
  type PracticeDefinition,
  type RequestFinding,
  toEvidence,
} from "./practice.ts";
import { type AuthorizationRequest, claimsOf, isPlainName, membersOf, parametersOf, type Traffic } from "./traffic.ts";

/** The parameters that follow a pushed request (RFC 9126 §4). */
const parametersAfterPush = ["client_id", "request_uri"];

/** Seconds between two polls, if the server names none, and those that `slow_down` adds (RFC 8628 §3.2, §3.5). */
const [defaultIntervalSeconds, slowDownSeconds] = [5, 5];

/** How many milliseconds early a poll may arrive, because network delays vary. */
const jitterMs = 1000;

export const extensionPractices: readonly PracticeDefinition[] = [
  {
    id: "resource-stated",
    title: "The client sends the same resource in the authorization request, the token request and each refresh.",
    level: "required",
    sources: ["RFC 8707 §2", "MCP authorization"],
    occasion: "a login of a client that uses a protected resource or sends the parameter resource",
    check: checkResource,
  },
  {
    id: "par-alone",
    title:
      "After it has pushed a request, the client sends only client_id and request_uri to the authorization endpoint.",
    level: "recommended",
    sources: ["RFC 9126 §4"],
    occasion: "an authorization request with a pushed request_uri",
    check: ({ authorizations }) =>
      examineEach(authorizations.filter(({ pushed }) => pushed !== undefined), ({ exchange: { request } }) => {
        const names = [...request.query, ...request.form].map(([name]) => name);
        const other = names.find((name) => !parametersAfterPush.includes(name));
        if (other === undefined) return undefined;
        return isPlainName(other)
          ? { parameter: other, because: `the request repeats ${other}` }
          : { because: "the request has a parameter with an unusual name" };
      }),
  },
  {
    id: "request-object-narrow",
    title: "The client signs request objects for the issuer, with exp, and without a nested request object.",
    level: "required",
    sources: ["RFC 9101 §4, §10.8"],
    occasion: "a request object",
    check({ authorizations }) {
      const requests = authorizations.flatMap((authorization) => {
        const { exchange, pushed } = authorization;
        const jwt = [pushed, exchange].flatMap((sent) => sent && findParam(sent.request, "request") || [])[0];
        return jwt === undefined ? [] : [{ ...authorization, claims: claimsOf(jwt)! }];
      });
      return examineEach(requests, ({ claims, issuer }) => {
        const because = requestObjectProblem(claims, issuer);
        return because === undefined ? undefined : { parameter: "request", because };
      });
    },
  },
  {
    id: "registration-rare",
    title: "The client registers once at each issuer, with application_type and the grant types that it uses.",
    level: "recommended",
    sources: ["RFC 7591 §2", "MCP authorization"],
    occasion: "a registration request",
    check: checkRegistrations,
  },
  {
    id: "device-interval-kept",
    title: "The client polls no faster than the interval of the device authorization response.",
    level: "required",
    sources: ["RFC 8628 §3.5"],
    occasion: "two polls for a device",
    check: checkPolls,
  },
];

function requestObjectProblem(claims: Readonly<Record<string, unknown>>, issuer: string): string | undefined {
  if (![claims.aud].flat().includes(issuer)) return "the audience of the request object is not the issuer";
  if (typeof claims.exp !== "number") return "the request object has no exp";
  if (claims.sub !== undefined && claims.sub === claims.client_id) return "sub of the request object is the client_id";
  const nested = ["request", "request_uri"].find((name) => claims[name] !== undefined);
  return nested === undefined ? undefined : `the request object contains ${nested}`;
}

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
function requestedResources({ exchange, pushed, get }: AuthorizationRequest): readonly string[] {
  const named = [exchange, pushed].flatMap((sent) => sent === undefined ? [] : parametersOf(sent))
    .filter(([name]) => name === "resource").map(([, value]) => value);
  return named.length > 0 ? named : get("resource")!.split(/[[\]",]+/);
}

function checkRegistrations({ recordings, tokenRequests, authorizations }: Traffic): PracticeCheck {
  const registrations = recordings.flatMap(({ issuer, exchanges }) =>
    exchanges.filter(({ endpoint, request, response }) =>
      endpoint === "register" && request.method === "POST" && response?.status === 201
    ).map((exchange) => ({ exchange, issuer, sent: parseSent(exchange) }))
  );
  const first = new Map<string, Exchange>();
  return examineEach(registrations, ({ exchange, issuer, sent }): RequestFinding | undefined => {
    const earlier = first.get(issuer);
    if (earlier !== undefined) {
      return { because: "the client registers again at the same issuer", others: [earlier] };
    }
    first.set(issuer, exchange);
    if (sent.application_type === undefined) {
      return { parameter: "application_type", because: "the registration has no application_type" };
    }
    const { client_id } = membersOf(exchange);
    const grantTypes = Array.isArray(sent.grant_types) ? sent.grant_types : ["authorization_code"];
    const refresh = tokenRequests.find(({ grantType, get }) =>
      grantType === "refresh_token" && get("client_id") === client_id
    );
    if (refresh !== undefined && !grantTypes.includes("refresh_token")) {
      return {
        parameter: "grant_types",
        because: "the client refreshes, but did not register the grant type refresh_token",
        others: [refresh.exchange],
      };
    }
    const used = authorizations.filter(({ get }) => get("client_id") === client_id)
      .map(({ get }) => get("redirect_uri"));
    const registered = Array.isArray(sent.redirect_uris) ? sent.redirect_uris : [];
    return used.length > 0 && registered.length > 1 && registered.some((uri) => !used.includes(uri))
      ? {
        parameter: "redirect_uris",
        because: "the client does not use a redirect URI that it registered",
        isNote: true,
      }
      : undefined;
  });
}

/** The metadata in a registration request. */
function parseSent({ request: { body = "" } }: Exchange): Readonly<Record<string, unknown>> {
  return parseJsonObject(body) ?? {};
}

function checkPolls({ tokenRequests, exchanges }: Traffic): PracticeCheck {
  const isClockRunning = exchanges.some(({ at }) => at !== exchanges[0]!.at);
  const intervals = new Map<string | undefined, number>();
  const last = new Map<string | undefined, Exchange>();
  const seen: Exchange[] = [];
  const findings: Evidence[] = [];
  for (const started of exchanges.filter(({ endpoint }) => endpoint === "device_authorization")) {
    const { device_code, interval } = membersOf(started);
    intervals.set(String(device_code), typeof interval === "number" ? interval : defaultIntervalSeconds);
  }
  for (const { exchange, grantType, get, response } of tokenRequests) {
    if (grantType !== deviceCodeType) continue;
    const code = get("device_code");
    const earlier = last.get(code);
    const interval = intervals.get(code) ?? defaultIntervalSeconds;
    last.set(code, exchange);
    if (response.error === "slow_down") intervals.set(code, interval + slowDownSeconds);
    if (earlier === undefined) continue;
    seen.push(exchange);
    const seconds = (exchange.at - earlier.at) / 1000;
    if (isClockRunning && seconds * 1000 + jitterMs < interval * 1000) {
      const because = `the poll comes ${seconds} s after the previous one, but the interval is ${interval} s`;
      findings.push(toEvidence({ exchange }, { because, others: [earlier] }));
    }
  }
  return { seen, findings };
}
