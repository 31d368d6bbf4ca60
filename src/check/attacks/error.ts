/** Error responses: a client reports them, and stays usable (RFC 6749 §4.1.2.1, §5.2). */

import { findParam } from "../../recorder/record_request.ts";
import { body, error, status } from "../../testing/faults/mod.ts";
import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { validTokenResponse } from "./requirements.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { oneOf, sent } from "./parameters.ts";
import { failIf } from "./conclusions.ts";

/** After an error of the authorization endpoint, no token request follows. */
function assessErrorResponse(observation: Observation): Assessment | undefined {
  const requests = exchangesOf(observation, "token").length;
  return failIf(observation.outcome === "accepted", "the client completed the login", "authorization") ??
    failIf(requests > 0, "the client sent a token request after the error", "early");
}

/** After an error of the token endpoint, the same code is not sent again. */
function assessSingleUse(observation: Observation): Assessment | undefined {
  const codes = exchangesOf(observation, "token").map(({ request }) => findParam(request, "code"));
  const isRepeated = new Set(codes).size < codes.length;
  return failIf(isRepeated, `the client sent ${codes.length} token requests, some with one code`, "repeated") ??
    failIf(observation.outcome === "accepted", "the client completed the login", "message");
}

/** Errors of the token endpoint, by name. */
const tokenErrors: Readonly<Record<string, Fault>> = {
  ...Object.fromEntries(
    ["invalid_grant", "invalid_client", "unknown_to_all"].map((code) => [code, error(code, { status: 400 })]),
  ),
  "invalid_client with status 401": error("invalid_client", { status: 401 }),
  ...Object.fromEntries(
    ["{}", '{"error":null}', '{"error":7}', '{"error":{"code":"x"}}', "[]", "null"].map((
      text,
    ) => [text, status(400, { body: text, headers: { "content-type": "application/json" } })]),
  ),
};

export const errorAttacks: readonly Attack[] = [
  defineAttack({
    id: "error/authorization",
    title: "The authorization endpoint responds with an error.",
    correctClient: "The client sends no token request, and reports the error code; the next login works.",
    sources: ["RFC 6749 §4.1.2.1", "OpenID Connect Core §3.1.2.6", "RFC 8707 §2", "microsoft/vscode#252651"],
    ...sent(
      "code",
      ["access_denied", "invalid_request", "server_error", "temporarily_unavailable", "unknown_to_all"],
      "The member error.",
    ),
    once: ({ code }) => error(code),
    assess: assessErrorResponse,
  }),
  defineAttack({
    id: "error/beside-code",
    fix: "Stop if the response has error, whatever else it has.",
    title: "The authorization response has both an error and a valid code.",
    correctClient: "The client treats the response as an error, and sends no token request.",
    level: "must-reject",
    stop: "callback",
    sources: ["RFC 6749 §4.1.2.1"],
    ...sent("code", ["access_denied", "server_error", "unknown_to_all"], "The parameter error."),
    once: ({ code }) => editAuthorizationResponse("error beside the code", (fields) => [...fields, ["error", code]]),
  }),
  defineAttack({
    id: "error/token",
    title: "The token endpoint responds to the code with an error, or with status 400 and no valid error.",
    correctClient: "The client reports it, tries no other grant type, and does not send the authorization code again.",
    endpoints: ["token"],
    requirement: "RFC 6749 §4.1.2",
    sources: ["RFC 6749 §5.2", "PrefectHQ/fastmcp#1762"],
    ...oneOf("how", Object.keys(tokenErrors)),
    once: ({ how }) => tokenErrors[how]!,
    assess: assessSingleUse,
  }),
  defineAttack({
    id: "error/token-200",
    fix: "Look for error in the body of a token response, whatever its status.",
    title: "The token endpoint responds with status 200 and a JSON error instead of tokens.",
    correctClient: "The client reports the error; no session begins.",
    level: "must-reject",
    stop: "token",
    endpoints: ["token"],
    requirement: validTokenResponse,
    sources: ["RFC 6749 §5.2", "octokit/auth-oauth-app.js#13", "cmd-johnson/deno-oauth2-client#25"],
    once: () => body.edited(() => ({ error: "bad_verification_code" }), "error with status 200"),
  }),
];
