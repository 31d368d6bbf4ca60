/** Failures of the transport (RFC 9110, RFC 9112). */

import type { Fault } from "../../testing/faults/fault.ts";
import { body, delay, drip, drop, hang, status } from "../../testing/faults/mod.ts";
import { numberParameter, textParameter } from "../../testing/faults/parameters.ts";
import { editResponse, readBodyText, withBody } from "../../testing/faults/response_body.ts";
import { describeError } from "../assess.ts";
import { validTokenResponse } from "./duties.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import type { Observation } from "../attack.ts";
import { eachWithEach, oneOf, sent } from "./parameters.ts";
import { atMost, passIf, undecided } from "./conclusions.ts";

const endpointParameter = textParameter("endpoint", "token", "The endpoint.");

/** What is unusual about a good response, by name. */
const oddResponses: Readonly<
  Record<string, {
    readonly status?: number;
    readonly headers?: Readonly<Record<string, string>>;
    readonly prefix?: string;
  }>
> = {
  charset: { headers: { "content-type": 'application/json; charset="UTF-8"' } },
  case: { headers: { "content-type": "Application/JSON" } },
  "201": { status: 201 },
  "206": { status: 206 },
  challenge: { headers: { "www-authenticate": 'Bearer realm="example"' } },
  "byte-order-mark": { prefix: "\uFEFF" },
  "text/plain": { headers: { "content-type": "text/plain" } },
  form: { headers: { "content-type": "application/x-www-form-urlencoded" } },
};

const oddResponseNames = Object.keys(oddResponses);

/** The endpoints of a login that a client calls itself. */
const loginEndpoints = ["discovery", "token", "userinfo"];

/** Attacks with a failure after which the next login must work. */
const recovered = { level: "must-recover", endpoints: ["discovery", "token", "userinfo"] } as const;

/** Assesses the requests that arrived at the other origin. */
function assessRedirect({ trap: { requests }, outcome }: Observation): Assessment | undefined {
  if (requests.length === 0 && outcome !== "hung") {
    return { passed: true, because: "the client did not follow the redirect" };
  }
  const isEmpty = requests.every(({ url, body, authorization }) =>
    authorization === undefined && body === "" && !url.includes("?")
  );
  // A request for userinfo has nothing but its token; one to the token endpoint should not be repeated in any form.
  const passed = isEmpty && requests.every(({ url }) => url.endsWith("/userinfo"));
  return {
    passed,
    isWarning: isEmpty,
    because: isEmpty
      ? "the client followed the redirect, without its credentials"
      : "the client sent its credentials to another origin",
  };
}

/** A fault that replaces each successful response. */
const editSuccess = (name: string, edit: Parameters<typeof editResponse>[3]) =>
  editResponse(name, "got a successful response", ({ status }) => status === 200, edit);

/** The email of a userinfo response that is a failure. */
const failedEmail = "failure@attacker.example";

/** A good response with another status. */
function completeFailure(status: number): Fault {
  return editSuccess(`complete response with status ${status}`, async (response, { request }) => {
    const members = JSON.parse(await readBodyText(response));
    const marked = request.endpoint === "userinfo" ? { ...members, email: failedEmail } : members;
    return { ...withBody(response, JSON.stringify(marked)), status };
  });
}

/** The attacks of the category `transport`. */
export const transportAttacks: readonly Attack[] = [
  defineAttack({
    ...recovered,
    id: "transport/dropped",
    title: "The connection is dropped before the server has handled the request.",
    correctClient: "The client reports the failure or repeats the request; the next login works.",
    sources: ["RFC 9110 §9.2.2"],
    ...sent("endpoint", loginEndpoints, "The endpoint."),
    once: () => drop("before"),
  }),
  defineAttack({
    ...recovered,
    id: "transport/response-lost",
    title: "The server exchanges the code, but its response is lost.",
    correctClient: "The client sends the code at most twice; the next login works.",
    endpoints: ["token"],
    sources: ["RFC 6749 §4.1.2", "lysine-dev/okhttp#9433"],
    once: () => drop("after"),
    assess: atMost(2, "token", (requests) => `the client sent the code ${requests} times`),
  }),
  defineAttack({
    ...recovered,
    id: "transport/cut",
    title: "The connection is dropped in the middle of the response body.",
    correctClient: "The client reports the failure, and uses no part of the response; the next login works.",
    sources: ["RFC 9112 §8"],
    ...sent("endpoint", loginEndpoints, "The endpoint."),
    once: () => drop("midway"),
  }),
  defineAttack({
    ...recovered,
    id: "transport/unavailable",
    title: "The server responds with a status from 500 to 504.",
    correctClient:
      "The client reports the failure or repeats the request with increasing delays; the next login works.",
    sources: ["RFC 9110 §15.6.4", "internxt/cli#645"],
    parameters: [endpointParameter, numberParameter("status", 503, "The status.")],
    variants: [500, 502, 503, 504].flatMap((code) => loginEndpoints.map((endpoint) => ({ endpoint, status: code }))),
    once: ({ status: code }) => status(code),
  }),
  defineAttack({
    ...recovered,
    id: "transport/too-many",
    title: "The token endpoint responds with status 429 and Retry-After.",
    correctClient: "The client reports the failure, or waits for the time in Retry-After; the next login works.",
    endpoints: ["token"],
    sources: ["RFC 6585 §4", "RFC 9110 §10.2.3"],
    ...sent("retryAfter", ["1", "-1", "later"], "The header Retry-After."),
    once: ({ retryAfter }) => status(429, { headers: { "retry-after": retryAfter } }),
    async perform({ begin, passTime }, { retryAfter }) {
      try {
        return await begin();
      } finally {
        if (Number(retryAfter) > 0) passTime(Number(retryAfter) + 1);
      }
    },
  }),
  defineAttack({
    id: "transport/html",
    level: "must-reject",
    title: "A gateway responds with an HTML page and status 200.",
    correctClient: "The client reports the media type, and uses no part of the response.",
    duty: validTokenResponse,
    sources: ["anthropics/claude-ai-mcp#134"],
    ...sent("endpoint", ["token", "discovery"], "The endpoint."),
    always: () => body.html(),
  }),
  defineAttack({
    id: "transport/truncated",
    level: "must-reject",
    title: "The response body is only half of a JSON object, although the connection is not dropped.",
    duty: validTokenResponse,
    sources: ["RFC 8259"],
    ...sent("endpoint", ["token", "discovery"], "The endpoint."),
    always: () => body.truncated(),
  }),
  defineAttack({
    id: "transport/empty",
    level: "must-reject",
    title: "The server responds with status 200 and an empty body.",
    duty: validTokenResponse,
    sources: ["RFC 6749 §5.1"],
    ...sent("endpoint", ["token", "discovery"], "The endpoint."),
    always: () => body.empty(),
  }),
  defineAttack({
    id: "transport/json-root",
    level: "must-reject",
    title: "The response body is JSON, but not an object.",
    duty: validTokenResponse,
    sources: ["RFC 6749 §5.1", "RFC 8414 §3.2"],
    ...eachWithEach(
      sent("endpoint", ["token", "discovery"], "The endpoint."),
      sent("text", ["null", "[]", '"text"', "7"], "The body."),
    ),
    always: ({ text }) => status(200, { body: text, headers: { "content-type": "application/json" } }),
  }),
  defineAttack({
    id: "transport/redirect",
    title: "The token endpoint, userinfo or the revocation endpoint redirects to another origin.",
    correctClient:
      "The client does not follow the redirect, and sends no credential, code, verifier or token to the other origin.",
    level: "must-reject",
    endpoints: ["token", "userinfo", "revoke"],
    sources: ["RFC 9700 §4.12", "adcontextprotocol/adcp-client#2427", "vercel/ai#20578"],
    parameters: [
      numberParameter("status", 307, "The status."),
      endpointParameter,
      textParameter("journey", "login", "login, refresh or logout."),
    ],
    variants: [
      ...[301, 302, 303, 307, 308].map((code) => ({ status: code })),
      ...[302, 307].map((code) => ({ status: code, endpoint: "userinfo" })),
      { status: 307, journey: "refresh" },
      { status: 307, endpoint: "revoke", journey: "logout" },
    ],
    once: ({ status: code, endpoint }, { trap }) =>
      status(code, { headers: { location: `${trap.origin}/${endpoint}` } }),
    assess: assessRedirect,
  }),
  defineAttack({
    id: "transport/status-complete",
    title: "The response has the usual body, but the status of a failure.",
    correctClient: "The client reports the failure, and uses no part of the response.",
    level: "must-reject",
    endpoints: ["token", "userinfo"],
    duty: "RFC 9110 §15",
    sources: ["RFC 6749 §5.1", "OpenID Connect Core §5.3.3"],
    parameters: [
      numberParameter("status", 500, "The status."),
      endpointParameter,
      textParameter("journey", "login", "login or refresh."),
    ],
    variants: [
      ...[{ status: 500 }, { status: 400 }, { status: 503 }, { status: 500, journey: "refresh" }],
      ...[{ status: 500, endpoint: "userinfo" }, { status: 403, endpoint: "userinfo" }],
    ],
    once: ({ status: code }) => completeFailure(code),
    // A client may do without userinfo, and log in the user of the ID token.
    assess: ({ exchanges, session }) =>
      exchanges.some(({ endpoint, faults }) => endpoint === "userinfo" && faults.length > 0) &&
        session !== undefined && session.claims?.email !== failedEmail
        ? { passed: true, because: "the client did not use the response" }
        : undefined,
  }),
  defineAttack({
    id: "transport/slow",
    title: "The token endpoint responds late, but within a usual timeout.",
    correctClient: "The client waits, and completes the login.",
    level: "must-tolerate",
    endpoints: ["token"],
    sources: ["RFC 9110"],
    parameters: [numberParameter("milliseconds", 300, "How late the response is.")],
    once: ({ milliseconds }) => delay(milliseconds),
  }),
  defineAttack({
    ...recovered,
    id: "transport/hang",
    title: "The server accepts the connection and never responds.",
    correctClient: "The client ends the request at its own timeout, and reports it.",
    needs: ["timeLimits"],
    sources: ["RFC 9110 §9.2.2"],
    ...sent("endpoint", loginEndpoints, "The endpoint."),
    once: () => hang(),
  }),
  defineAttack({
    id: "transport/drip",
    title: "The server sends the headers immediately, but the body only a few bytes at a time.",
    correctClient: "The client limits the time of the whole response, and reports a timeout.",
    level: "should-reject",
    needs: ["timeLimits"],
    sources: ["RFC 9112 §9.5"],
    ...sent("endpoint", ["discovery", "token"], "The endpoint."),
    once: () => drip(100),
  }),
  defineAttack({
    id: "transport/huge",
    title: "The response body has many megabytes.",
    correctClient: "The client limits the size of a response, and reports an error.",
    level: "should-reject",
    sources: ["RFC 9110 §17.5", "adcontextprotocol/adcp-client#2427"],
    parameters: [
      endpointParameter,
      numberParameter("bytes", 16_777_216, "How many bytes of white space follow the JSON."),
    ],
    variants: [{ endpoint: "discovery" }, { endpoint: "token" }],
    once: ({ bytes }) => body.padded(bytes),
  }),
  defineAttack({
    id: "transport/json-duplicates",
    needs: ["namesUser"],
    title: "The JSON response has a member twice, with different values.",
    correctClient: "The client rejects the response, or checks and uses the same one of the two values.",
    level: "should-reject",
    endpoints: ["discovery", "token", "userinfo"],
    sources: ["RFC 8259 §4"],
    ...eachWithEach(
      oneOf(
        "endpoint",
        ["discovery", "token", "userinfo"],
        "discovery, token or userinfo; the member is issuer, access_token or sub.",
      ),
      oneOf("wrong", ["first", "last"], "Which of the two values is wrong: first or last."),
    ),
    always({ endpoint, wrong }) {
      const member = endpoint === "discovery" ? "issuer" : endpoint === "userinfo" ? "sub" : "access_token";
      return body.repeated(member, "https://attacker.example", wrong);
    },
    assess({ outcome, session, expectedSub, traits, exchanges }) {
      const isUserinfo = exchanges.some(({ endpoint, faults }) => endpoint === "userinfo" && faults.length > 0);
      if (isUserinfo && !traits.has("readsIdToken")) return undecided("the client has no ID token to compare sub with");
      return passIf(
        outcome === "accepted" &&
          [session!.sub, session!.claims?.sub ?? expectedSub].every((sub) => sub === expectedSub),
        "the client checks and uses the same value",
      );
    },
  }),
  defineAttack({
    id: "transport/media-type",
    level: "must-tolerate",
    title: "The media type of a JSON response has a charset, or other letter case.",
    correctClient: "The client compares type and subtype without letter case and parameters, and accepts the response.",
    endpoints: ["discovery", "token", "userinfo"],
    duty: "RFC 9110 §8.3.1",
    sources: ["RFC 8259 §11"],
    parameters: [endpointParameter, textParameter("how", "charset", "charset or case.")],
    variants: [{ endpoint: "token" }, { endpoint: "token", how: "case" }, { endpoint: "discovery" }, {
      endpoint: "userinfo",
    }],
    once: ({ how }) => oddResponse(how),
  }),
  defineAttack({
    id: "transport/success-odd",
    title: "The token response is valid, but has an unusual status, header, media type or byte order mark.",
    correctClient:
      "The client accepts a charset and any letter case in the media type; for the rest, it can accept the response or report an error.",
    level: "informational",
    endpoints: ["token"],
    sources: ["RFC 9110 §8.3.1", "RFC 6749 §5.1"],
    ...oneOf("how", oddResponseNames),
    once: ({ how }) => oddResponse(how),
    assess: ({ outcome, error }) => ({
      passed: outcome === "accepted",
      because: outcome === "accepted"
        ? "the client accepted the response"
        : `the client did not accept the response: ${describeError(error)}`,
    }),
  }),
];

/** A good response in an unusual form. */
function oddResponse(how: string): Fault {
  const { status = 200, headers = {}, prefix = "" } = oddResponses[how]!;
  return editSuccess(`unusual response: ${how}`, async (response) => ({
    status,
    headers: { ...Object.fromEntries(new Headers(response.headers)), ...headers },
    body: prefix + await readBodyText(response),
  }));
}
