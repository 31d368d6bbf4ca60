/** Client authentication and other credentials of the client. */

import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { findBasicCredentials } from "../record_request.ts";
import {
  examineEach,
  type PracticeCheck,
  type PracticeDefinition,
  type RequestFinding,
  toEvidence,
} from "./practice.ts";
import { claimsOf, membersOf, parametersOf, type Recording, textOf, type Traffic } from "./traffic.ts";
import type { Exchange } from "../exchange.ts";

/** The endpoints at which a client authenticates. */
const authenticatingEndpoints = ["token", "par", "revoke", "introspect", "device_authorization"];

/** The parameters that must not be part of a URL. */
const secretParameters = [
  ...["client_secret", "client_assertion", "code_verifier", "access_token", "refresh_token", "token", "device_code"],
  ...["password", "assertion", "subject_token", "actor_token"],
];

/** Lifetimes of assertions in seconds: a longer one is noted, and the longest that servers accept. */
const usualAssertionSeconds = 300;
const maxAssertionSeconds = 3600;

interface AuthenticatedRequest {
  readonly exchange: Exchange;
  readonly issuer: string;
  get(name: string): string | undefined;
}

function authenticatedRequests({ requests }: Traffic): AuthenticatedRequest[] {
  return requests.filter(({ exchange }) => authenticatingEndpoints.includes(exchange.endpoint)).map((request) => ({
    ...request,
    get: (name) => parametersOf(request.exchange).find(([parameter]) => parameter === name)?.[1],
  }));
}

/** The methods that a request uses. A Basic header without a password does not authenticate. */
function methodsOf({ exchange, get }: AuthenticatedRequest): string[] {
  const hasBasic = /^basic /i.test(exchange.request.headers.authorization ?? "");
  const assertion = get("client_assertion");
  const { alg } = decodeJwtPart(assertion ?? "", 0);
  return [
    ...hasBasic ? ["client_secret_basic"] : [],
    ...get("client_secret") === undefined ? [] : ["client_secret_post"],
    ...assertion === undefined ? [] : [textOf(alg).startsWith("HS") ? "client_secret_jwt" : "private_key_jwt"],
  ];
}

/** The methods of the newest metadata document before an exchange; `undefined` without one. */
function listedMethods({ exchanges }: Recording, number: number): readonly string[] | undefined {
  const document = exchanges.findLast((exchange) => exchange.endpoint === "discovery" && exchange.number < number);
  if (document?.response?.status !== 200) return undefined;
  const { token_endpoint_auth_methods_supported: listed } = membersOf(document);
  // The default of RFC 8414 §2.
  return Array.isArray(listed) ? listed.map(textOf) : ["client_secret_basic"];
}

function assertionProblem(
  { exchange, issuer, get }: AuthenticatedRequest,
  recording: Recording,
): string | undefined {
  const claims = claimsOf(get("client_assertion"))!;
  const { iss, sub, aud, exp, jti } = claims;
  const audiences = [aud].flat();
  if (audiences.length !== 1) return `the assertion has ${audiences.length} audiences`;
  const document = recording.exchanges.findLast(({ endpoint, response }) =>
    endpoint === "discovery" && response?.status === 200
  );
  const urls = [
    issuer,
    `${new URL(issuer).origin}${exchange.request.path}`,
    membersOf(document ?? exchange).token_endpoint,
  ];
  if (!urls.includes(audiences[0])) return "the audience of the assertion is neither the issuer nor the endpoint";
  if (iss !== sub) return "iss and sub of the assertion differ";
  if (typeof jti !== "string") return "the assertion has no jti";
  if (typeof exp !== "number") return "the assertion has no exp";
  return lifetimeOf(exp, exchange) > maxAssertionSeconds
    ? `the assertion is valid for ${lifetimeOf(exp, exchange)} s`
    : undefined;
}

/** The seconds for which an assertion was valid when it was sent. */
function lifetimeOf(exp: unknown, { at }: Exchange): number {
  return Math.round(Number(exp) - at / 1000);
}

/** Whether a Basic header is form-encoded or `raw`; `plain` if its credentials look the same either way. */
function basicEncoding(authorization: string): "encoded" | "plain" | "raw" {
  let decoded: string;
  try {
    decoded = atob(authorization.slice(authorization.indexOf(" ") + 1).trim());
  } catch {
    return "raw";
  }
  const password = decoded.slice(decoded.indexOf(":") + 1);
  const halves = [decoded.slice(0, decoded.indexOf(":")), password];
  // Characters that a form never has unencoded (RFC 6749 Appendix B).
  if (halves.some((half) => /[^\w.~!*'()+%-]|%(?![\dA-Fa-f]{2})/.test(half))) return "raw";
  return halves.some((half) => /[%+]/.test(half)) ? "encoded" : "plain";
}

/** The practices of client authentication. */
export const authenticationPractices: readonly PracticeDefinition[] = [
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
    id: "authentication-as-agreed",
    title: "The client uses the authentication method that it is registered for and that the metadata lists.",
    level: "required",
    sources: ["RFC 8414 §2", "RFC 7591 §2", "oidcc-client-test-client-secret-basic"],
    occasion: "a metadata document and a request with client authentication",
    check(traffic) {
      const requests = authenticatedRequests(traffic).flatMap((request) => {
        const recording = traffic.recordings.find(({ issuer }) => issuer === request.issuer)!;
        const listed = listedMethods(recording, request.exchange.number);
        const method = methodsOf(request)[0] ?? "none";
        return listed === undefined ? [] : [{ ...request, listed, method, recording }];
      });
      return examineEach(requests, ({ listed, method, recording }) => {
        const registered = recording.client?.token_endpoint_auth_method;
        if (registered !== undefined && method !== registered) {
          return { because: `the client is registered for ${registered}, and uses ${method}` };
        }
        return listed.includes(method) ? undefined : { because: `the metadata does not list ${method}` };
      });
    },
  },
  {
    id: "basic-encoded",
    title: "The client form-encodes its id and its secret before Base64 in the HTTP Basic header.",
    level: "required",
    sources: ["RFC 6749 §2.3.1"],
    occasion: "HTTP Basic with an id or a secret that has characters that must be encoded",
    check(traffic) {
      const requests = authenticatedRequests(traffic).flatMap((request) => {
        const { authorization = "" } = request.exchange.request.headers;
        const encoding = /^basic /i.test(authorization) ? basicEncoding(authorization) : "plain";
        return encoding === "plain" ? [] : [{ ...request, encoding }];
      });
      return examineEach(
        requests,
        ({ encoding }) =>
          encoding === "raw"
            ? { parameter: "Authorization", because: "the Basic header has characters that are not form-encoded" }
            : undefined,
      );
    },
  },
  {
    id: "assertion-narrow",
    title: "The client creates a new assertion for each request, with one aud, a jti, and an exp within a few minutes.",
    level: "required",
    sources: ["RFC 7523 §3", "OpenID Connect Core §9", "RFC 10070 §4"],
    occasion: "a client assertion",
    check(traffic) {
      const parameter = "client_assertion";
      const requests = authenticatedRequests(traffic).filter(({ get }) => get(parameter) !== undefined);
      const first = new Map<unknown, Exchange>();
      return examineEach(requests, (request): RequestFinding | undefined => {
        const recording = traffic.recordings.find(({ issuer }) => issuer === request.issuer)!;
        const problem = assertionProblem(request, recording);
        if (problem !== undefined) return { parameter, because: problem };
        const { jti, exp } = claimsOf(request.get(parameter))!;
        const earlier = first.get(jti);
        first.set(jti, request.exchange);
        if (earlier) return { parameter, because: "two assertions have the same jti", others: [earlier] };
        const lifetime = lifetimeOf(exp, request.exchange);
        return lifetime > usualAssertionSeconds
          ? {
            parameter,
            because: `the assertion is valid for ${lifetime} s, more than some servers accept`,
            isNote: true,
          }
          : undefined;
      });
    },
  },
  {
    id: "credentials-stay-with-issuer",
    title: "The client does not send secrets, codes or tokens of one issuer to another issuer.",
    level: "required",
    sources: ["MCP authorization", "RFC 9700 §4.4.2"],
    occasion: "requests to two issuers",
    check: checkIssuerBinding,
  },
];

/** The secrets that one server issued or that its client has, with a word for each. */
function credentialsOf({ exchanges, client }: Recording): Map<string, string> {
  const credentials = new Map<string, string>();
  if (client?.client_secret !== undefined) credentials.set(client.client_secret, "the client secret");
  for (const exchange of exchanges) {
    const { response } = exchange;
    const code = response?.authorizationResponse?.params.find(([name]) => name === "code")?.[1];
    if (code !== undefined) credentials.set(code, "a code");
    const members = membersOf(exchange);
    for (const name of ["access_token", "refresh_token", "id_token", "client_secret", "registration_access_token"]) {
      const value = members[name];
      if (typeof value === "string") credentials.set(value, `the member ${name}`);
    }
  }
  return credentials;
}

function checkIssuerBinding({ recordings }: Traffic): PracticeCheck {
  const active = recordings.filter(({ exchanges }) => exchanges.length > 0);
  if (new Set(active.map(({ issuer }) => issuer)).size < 2) return { seen: [], findings: [] };
  const findings = active.flatMap((recording) => {
    const own = credentialsOf(recording);
    const foreign = active.filter(({ issuer }) => issuer !== recording.issuer).flatMap((other) =>
      [...credentialsOf(other)].map(([value, name]) => ({ value, name, issuer: other.issuer }))
    ).filter(({ value }) => !own.has(value));
    return recording.exchanges.flatMap((exchange) => {
      const sent = new Set([
        ...parametersOf(exchange).map(([, value]) => value),
        findBasicCredentials(exchange.request)?.password,
        /^(?:bearer|dpop) +(\S+)$/i.exec(exchange.request.headers.authorization ?? "")?.[1],
      ]);
      const found = foreign.find(({ value }) => sent.has(value));
      return found === undefined
        ? []
        : [toEvidence({ exchange }, { because: `${found.name} of ${found.issuer} was sent to ${recording.issuer}` })];
    });
  });
  return { seen: active.flatMap(({ exchanges }) => exchanges.filter(({ caller }) => caller !== "any")), findings };
}
