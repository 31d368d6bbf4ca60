/** Pushed authorization requests (RFC 9126), and signed ones (RFC 9101). */

import { findParam } from "../../recorder/record_request.ts";
import { error } from "../../testing/faults/mod.ts";
import { numberParameter, textParameter } from "../../testing/faults/parameters.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { sent } from "./parameters.ts";
import { failIf } from "./conclusions.ts";

/** How often a client may push the requests of one login. */
const maxPushes = 3;

/** Fails a client that sends a request without pushing it, or that pushes requests in an endless loop. */
function assessPushes(observation: Observation): Assessment | undefined {
  const isPlain = exchangesOf(observation, "authorize").some(({ request }) =>
    findParam(request, "request_uri") === undefined
  );
  const pushes = exchangesOf(observation, "par").length;
  return failIf(isPlain, "the client sent an authorization request that was not pushed", "downgraded") ??
    failIf(pushes > maxPushes, `the client pushed ${pushes} requests`, "repeated");
}

/** The attacks of the categories `par` and `jar`. */
export const parAttacks: readonly Attack[] = [
  defineAttack({
    id: "par/rejected",
    fix: "Report the error of a push, and do not send the request through the browser instead.",
    title: "The server rejects the pushed authorization request.",
    correctClient:
      "The client reports the error code, and does not send the authorization request through the browser instead.",
    level: "must-recover",
    sources: ["RFC 9126 §2.3"],
    parameters: [
      textParameter("code", "invalid_request", "The member error."),
      numberParameter("status", 400, "The status of the response."),
    ],
    variants: [
      { code: "invalid_request", status: 400 },
      { code: "invalid_client", status: 401 },
      { code: "invalid_request", status: 413 },
      { code: "temporarily_unavailable", status: 429 },
    ],
    start: ({ as }, { code, status }) => void as.on("par").times(20, error(code, { status })),
    assess: assessPushes,
  }),
  defineAttack({
    id: "jar/rejected",
    fix: "Report the error of a signed request, and do not send it without a signature.",
    allowsNewLogin: true,
    title: "The server rejects signed authorization requests.",
    correctClient: "The client reports the error code, and does not send the request without a signature instead.",
    level: "must-reject",
    needs: ["jar"],
    endpoints: ["authorize", "par"],
    sources: ["RFC 9101 §7", "RFC 9101 §10.5"],
    ...sent(
      "code",
      ["request_not_supported", "request_uri_not_supported", "invalid_request_object"],
      "The member error.",
    ),
    on: "any",
    match: ({ params }) => params.request !== undefined,
    always: ({ code }) => error(code),
    assess: ({ exchanges }) => {
      const isUnsigned = exchanges.some(({ endpoint, request }) =>
        (endpoint === "authorize" || endpoint === "par") &&
        ["request", "request_uri"].every((name) => findParam(request, name) === undefined)
      );
      return failIf(isUnsigned, "the client sent the request without a signature", "downgraded");
    },
  }),
];
