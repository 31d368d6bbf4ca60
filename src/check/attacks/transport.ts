/** Failures of the transport (RFC 9110, RFC 9112). */

import { withHeaders } from "../../core/http/message.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { drop, hang, status } from "../../testing/faults/mod.ts";
import { numberParameter, textParameter } from "../../testing/faults/parameters.ts";
import { editResponse } from "../../testing/faults/response_body.ts";
import { validTokenResponse } from "./requirements.ts";
import { wrongBodies } from "./grid.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import type { Observation, Stage } from "../attack.ts";
import type { ClientSession } from "../driver.ts";
import { eachWithEach, oneOf, sent } from "./parameters.ts";

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

const failures: Readonly<Record<string, Fault>> = {
  ...{ "dropped before": drop("before"), "dropped midway": drop("midway") },
  ...Object.fromEntries([404, 503].map((code) => [`status ${code}`, status(code)])),
  "429, Retry-After later": status(429, { headers: { "retry-after": "later" } }),
  "an HTML page": wrongBodies.html!,
};

/** A failure that stays until the journey ends. */
const lasting = "status 503 for long";

/** Begins a session; then some time passes, because clients wait before they fetch keys again. */
async function beginAndRest({ begin, passTime }: Stage): Promise<ClientSession> {
  try {
    return await begin();
  } finally {
    passTime(600);
  }
}

export const transportAttacks: readonly Attack[] = [
  defineAttack({
    ...recovered,
    id: "transport/unavailable",
    title:
      "A request fails: the connection is dropped before or in the middle of the response, the status is an error, or the body is an HTML page.",
    correctClient:
      "The client reports the failure or repeats the request with increasing delays; the next login works.",
    endpoints: [...loginEndpoints, "jwks"],
    sources: ["RFC 9110 §9.2.2", "RFC 9110 §15.6.4", "RFC 9112 §8", "RFC 8414 §3.1", "RFC 6585 §4", "internxt/cli#645"],
    ...eachWithEach(
      sent("endpoint", [...loginEndpoints, "jwks"], "The endpoint."),
      oneOf("how", [...Object.keys(failures), lasting], "What fails."),
    ),
    once: ({ how }) => failures[how],
    always: ({ how }) => how === lasting ? status(503) : undefined,
    perform: beginAndRest,
  }),
  defineAttack({
    id: "transport/body-wrong",
    level: "must-reject",
    title:
      "The response has status 200, but its body is the page of a gateway, empty, truncated, or JSON that is not an object.",
    correctClient: "The client reports the failure, and uses no part of the response.",
    requirement: validTokenResponse,
    sources: ["RFC 6749 §5.1", "RFC 8414 §3.2", "anthropics/claude-ai-mcp#134"],
    ...eachWithEach(sent("endpoint", ["token", "discovery"], "The endpoint."), oneOf("how", Object.keys(wrongBodies))),
    always: ({ how }) => wrongBodies[how]!,
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
      textParameter("endpoint", "token", "The endpoint."),
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
    id: "transport/media-type",
    fix: "Compare the media type without letter case, and ignore its parameters.",
    level: "must-tolerate",
    title: "The media type of a JSON response has a charset, after white space or not, or other letter case.",
    correctClient: "The client compares type and subtype without letter case and parameters, and accepts the response.",
    endpoints: loginEndpoints,
    requirement: "RFC 9110 §8.3.1",
    sources: ["RFC 8259 §11"],
    ...eachWithEach(
      sent("endpoint", ["token", "discovery"], "The endpoint."),
      sent("type", ["application/json ; charset=utf-8", "Application/JSON"], "The media type."),
    ),
    once: ({ type }) =>
      editSuccess("unusual media type", (response) => withHeaders(response, { "content-type": type })),
  }),
];
