/** Dynamic registration (RFC 7591, RFC 7592) and client ID metadata documents. */

import { error } from "../../testing/faults/mod.ts";
import { numberParameter, textParameter } from "../../testing/faults/parameters.ts";
import { editJsonBody } from "../../testing/faults/response_body.ts";
import { findParam } from "../../recorder/record_request.ts";
import { parseJsonObject } from "../../platform/http/json_body.ts";
import { type Attack, defineAttack, type Stage } from "../define_attack.ts";
import { gridAttacks, jsonResponse } from "./grid.ts";
import { noText } from "./wrong_values.ts";
import { exchangesOf } from "../attack.ts";
import { oneOf } from "./parameters.ts";
import { atMost, failIf } from "./conclusions.ts";

/** The secret that the server registers for a client that requested none. */
const registeredSecret = "secret-that-the-server-registered-0001";

/** How often a client may register for one login. */
const maxRegistrations = 3;

const assessRegistrations = atMost(
  maxRegistrations,
  "register",
  (requests) => `the client sent ${requests} registration requests`,
);

/** The id of the client that registered last. */
function registeredClientId({ as }: Stage): string {
  const response = as.log.unmasked.exchanges.findLast(({ endpoint }) => endpoint === "register")?.response;
  return String(parseJsonObject(response?.body ?? "")?.client_id);
}

const response = jsonResponse("The registration response", { isSteady: true });

/** The attacks of the categories `registration` and `cimd`. */
export const registrationAttacks: readonly Attack[] = [
  ...gridAttacks(response, [{
    ...{
      id: "registration/response-shape",
      fix: "Check that client_id is a text that is not empty before you use the registration.",
      level: "must-reject",
      member: "client_id",
      values: noText,
    },
    correctClient: "The client reports an error, and sends no authorization request.",
    sources: ["RFC 7591 §3.2.1"],
    assess: (observation) =>
      failIf(
        exchangesOf(observation, "authorize").length + exchangesOf(observation, "par").length > 0,
        "the client still sent an authorization request",
      ),
  }]),
  defineAttack({
    id: "registration/rejected",
    title: "The server rejects the dynamic registration of the client.",
    correctClient: "The client reports the error code after at most two more attempts; the next login works.",
    level: "must-recover",
    sources: ["RFC 7591 §3.2.2"],
    parameters: [
      textParameter("code", "invalid_client_metadata", "The member error."),
      numberParameter("status", 400, "The status of the response."),
    ],
    variants: [
      { code: "invalid_redirect_uri", status: 400 },
      { code: "invalid_client_metadata", status: 400 },
      { code: "invalid_token", status: 401 },
      { code: "access_denied", status: 403 },
      { code: "temporarily_unavailable", status: 429 },
    ],
    start: ({ as }, { code, status }) => void as.on("register").times(20, error(code, { status })),
    assess: assessRegistrations,
  }),
  defineAttack({
    id: "registration/changed",
    fix: "Use the values of the response, or stop if they are not those that you sent.",
    title: "The registration response has a redirect URI or an authentication method that the client did not request.",
    correctClient: "The client uses the values of the response, or stops.",
    level: "should-reject",
    sources: ["RFC 7591 §3.2.1"],
    ...oneOf("member", ["redirect_uris", "token_endpoint_auth_method"], "The changed member."),
    always: ({ member }) =>
      editJsonBody(`${member} changed`, (members) => ({
        ...members,
        ...member === "redirect_uris" ? { redirect_uris: ["https://client.test/registered-by-the-server"] } : {
          token_endpoint_auth_method: "client_secret_post",
          client_secret: registeredSecret,
          client_secret_expires_at: 0,
        },
      })),
    assess: (observation) => {
      const { outcome, exchanges } = observation;
      const isRedirect = exchanges.some(({ faults }) => faults.includes("redirect_uris changed"));
      const ignores = isRedirect
        ? exchangesOf(observation, "authorize").length > 0
        : exchangesOf(observation, "token").some(({ request }) =>
          findParam(request, "client_secret") !== registeredSecret
        );
      return {
        passed: !ignores && outcome !== "hung",
        because: ignores
          ? "the client ignored that the server registered other values"
          : outcome === "accepted"
          ? "the client used the values of the response"
          : "the client stopped",
      };
    },
  }),
  defineAttack({
    id: "registration/forgotten",
    fix: "If the server no longer knows the client_id, delete the stored registration and register again once.",
    title: "The server has deleted the client that registered itself.",
    correctClient: "The client registers again once, at the latest for the next login.",
    level: "must-recover",
    journey: "second login",
    ifUnmet: "the client registers again for each login",
    endpoints: ["authorize", "token"],
    sources: ["RFC 6749 §5.2", "RFC 7591 §3.2.1", "anthropics/claude-code#84614", "supabase/mcp#355"],
    ...oneOf("endpoint", ["authorize", "token"], "The endpoint at which the client is unknown first."),
    start(stage, { endpoint }) {
      const { as } = stage;
      const client = registeredClientId(stage);
      as.on(endpoint, { client }).once({
        name: "client forgotten",
        handle: (next) => async (request, peer) => {
          await as.clients.delete(client);
          return await next(request, peer);
        },
      });
    },
    async assess(observation) {
      const tooMany = assessRegistrations(observation);
      if (tooMany !== undefined || !observation.capabilities.has("visits")) return tooMany;
      // The server shows its own error to the user, so a web application may never learn of it.
      const passed = await observation.recovers();
      const because = `the login after it ${passed ? "succeeded" : "failed"}`;
      return { passed, isWarning: true, because, seen: "noLogin" };
    },
  }),
];
