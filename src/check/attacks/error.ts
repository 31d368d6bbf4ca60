/** Error responses: a client reports them, and stays usable (RFC 6749 §4.1.2.1, §5.2). */

import { body, error, status } from "../../testing/faults/mod.ts";
import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import { numberParameter, textParameter } from "../../testing/faults/parameters.ts";
import { validTokenResponse } from "./duties.ts";
import { type Assessment, type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf, type Observation } from "../attack.ts";
import { sent } from "./parameters.ts";
import { failIf } from "./conclusions.ts";

/** After an error of the authorization endpoint, no token request follows. */
function assessErrorResponse(observation: Observation): Assessment | undefined {
  if (observation.outcome === "accepted") {
    return { passed: false, because: "the client completed the login", seen: "authorization" };
  }
  if (exchangesOf(observation, "token").length === 0) return undefined;
  return { passed: false, because: "the client sent a token request after the error", seen: "early" };
}

/** After an error of the token endpoint, the same code is not sent again. */
function assessSingleUse(observation: Observation): Assessment | undefined {
  const requests = exchangesOf(observation, "token").length;
  if (observation.outcome === "accepted") {
    return { passed: false, because: "the client completed the login", seen: "message" };
  }
  return failIf(requests > 1, `the client sent the code ${requests} times`, "repeated");
}

/** The attacks of the category `error`. */
export const errorAttacks: readonly Attack[] = [
  defineAttack({
    id: "error/access-denied",
    title: "The authorization endpoint responds with access_denied.",
    correctClient: "The client sends no token request, and reports that the user denied access; the next login works.",
    sources: ["RFC 6749 §4.1.2.1", "OpenID Connect Core §3.1.2.6", "microsoft/vscode#252651"],
    once: () => error("access_denied"),
    assess: assessErrorResponse,
  }),
  defineAttack({
    id: "error/authorization",
    title: "The authorization endpoint responds with an error other than access_denied.",
    correctClient: "The client sends no token request, and reports the error code; the next login works.",
    sources: ["RFC 6749 §4.1.2.1", "RFC 8707 §2"],
    ...sent("code", [
      ...["invalid_request", "unauthorized_client", "unsupported_response_type", "invalid_scope", "server_error"],
      ...["temporarily_unavailable", "invalid_target", "unknown_to_all"],
    ], "The member error."),
    once: ({ code }) => error(code),
    assess: assessErrorResponse,
  }),
  defineAttack({
    id: "error/beside-code",
    title: "The authorization response has both an error and a valid code.",
    correctClient: "The client treats the response as an error, and sends no token request.",
    level: "must-reject",
    stop: "callback",
    sources: ["RFC 6749 §4.1.2.1"],
    ...sent("code", ["access_denied", "server_error", "unknown_to_all"], "The parameter error."),
    once: ({ code }) => editAuthorizationResponse("error beside the code", (fields) => [...fields, ["error", code]]),
  }),
  defineAttack({
    id: "error/text-hostile",
    title: "The error_description has markup, line breaks and terminal escapes, and the error_uri is a script.",
    correctClient: "The client shows the description as plain text, or not at all; the next login works.",
    sources: ["RFC 6749 §4.1.2.1"],
    once: () =>
      error("access_denied", {
        description: "<script>alert(1)</script>\r\nX-Injected: 1\u001b[31m" + "x".repeat(10_000),
        uri: "javascript:alert(1)",
      }),
    assess: assessErrorResponse,
  }),
  defineAttack({
    id: "error/token",
    title: "The token endpoint responds to the code with an error.",
    correctClient: "The client reports the error, and does not send the authorization code again.",
    endpoints: ["token"],
    duty: "RFC 6749 §4.1.2",
    sources: ["RFC 6749 §5.2", "PrefectHQ/fastmcp#1762"],
    parameters: [
      textParameter("code", "invalid_grant", "The member error."),
      numberParameter("status", 400, "The status of the response."),
    ],
    variants: [
      { code: "invalid_grant" },
      { code: "invalid_client", status: 401 },
      { code: "invalid_client", status: 400 },
      { code: "invalid_request" },
      { code: "unknown_to_all" },
    ],
    once: ({ code, status }) => error(code, { status }),
    assess: assessSingleUse,
  }),
  defineAttack({
    id: "error/token-200",
    title: "The token endpoint responds with status 200 and a JSON error instead of tokens.",
    correctClient: "The client reports the error; no session begins.",
    level: "must-reject",
    stop: "token",
    endpoints: ["token"],
    duty: validTokenResponse,
    sources: ["RFC 6749 §5.2", "octokit/auth-oauth-app.js#13", "cmd-johnson/deno-oauth2-client#25"],
    once: () => body.edited(() => ({ error: "bad_verification_code" }), "error with status 200"),
  }),
  defineAttack({
    id: "error/token-shape",
    title: "The token endpoint responds with status 400, but the member error is missing or not a string.",
    correctClient: "The client reports the status; the next login works.",
    endpoints: ["token"],
    duty: "RFC 6749 §4.1.2",
    sources: ["RFC 6749 §5.2"],
    ...sent(
      "body",
      ["{}", '{"error":null}', '{"error":7}', '{"error":{"code":"x"}}', "[]", "null"],
      "The body of the response.",
    ),
    once: ({ body: text }) => status(400, { body: text, headers: { "content-type": "application/json" } }),
    assess: assessSingleUse,
  }),
  defineAttack({
    id: "error/unauthorized-client",
    title: "The token endpoint rejects the grant type with unauthorized_client.",
    correctClient: "The client tries no other grant type, and does not repeat the request.",
    endpoints: ["token"],
    duty: "RFC 6749 §4.1.2",
    sources: ["RFC 6749 §5.2"],
    once: () => error("unauthorized_client"),
    assess: assessSingleUse,
  }),
];
