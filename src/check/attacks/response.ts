/** Authorization responses: CSRF and mix-up (RFC 6749 §10.12, RFC 9207, RFC 9700 §4.4, §4.7). */

import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import { authorizationResponseGrid, gridAttacks } from "./grid.ts";
import { nearIssuers, nearMisses } from "./wrong_values.ts";
import { everyLogin } from "../attack.ts";
import { csrfProtection } from "./requirements.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { readsNoMetadata, unclear } from "./conclusions.ts";
import { oneOf } from "./parameters.ts";

/** RFC 9700 §4.4 demands a protection against mix-up only of clients of several issuers. */
const ofIssuers = { requirement: { source: "RFC 9207 §2.4", binds: ["severalIssuers"] } } as const;

export const responseAttacks: readonly Attack[] = [
  ...gridAttacks(authorizationResponseGrid, [
    {
      ...{
        id: "response/state-wrong",
        fix:
          "Keep a random state for each login in the session of its browser, and compare the whole value before the token request.",
        needs: ["state"],
        member: "state",
        requirement: csrfProtection,
        alsoIn: everyLogin,
      },
      values: ["foreign", ...nearMisses, "empty", "absent"],
      sources: ["RFC 6749 §10.12", "RFC 9700 §4.7", "modelcontextprotocol/inspector#1189"],
    },
    {
      ...{
        ...ofIssuers,
        id: "response/iss-wrong",
        fix: "Compare iss of the response with the issuer to which this login was sent, before the token request.",
        member: "iss",
        alsoIn: everyLogin,
      },
      values: ["foreign", ...nearIssuers],
      sources: ["RFC 9700 §4.4.2.1", "RFC 3986 §6.2.1"],
    },
    {
      ...{
        ...ofIssuers,
        id: "response/iss-missing",
        fix: "Compare iss of the response with the issuer to which this login was sent, before the token request.",
        member: "iss",
        values: ["absent", "empty"],
      },
      assess: (observation) =>
        observation.outcome === "accepted" && readsNoMetadata(observation)
          ? unclear("the client requests no metadata, so it cannot know that the server sends iss")
          : undefined,
    },
    {
      ...{
        id: "response/code-missing",
        fix: "Check that the response has a code before the token request.",
        member: "code",
        values: ["absent", "empty"],
        sources: ["RFC 6749 §4.1.2"],
      },
      needs: ["requestsTokens"],
    },
  ]),
  defineAttack({
    id: "response/repeated",
    fix: "Reject a response that has a parameter twice.",
    needs: ["plainResponse"],
    level: "should-reject",
    title: "The authorization response has a parameter twice, with different values.",
    ifUnmet: "the authorization response does not have this parameter",
    sources: ["RFC 6749 §3.1"],
    ...oneOf("parameter", ["code", "state", "iss"], "The parameter: code, state or iss."),
    once: ({ parameter }) =>
      editAuthorizationResponse(
        `${parameter} twice`,
        (fields) => fields.some(([name]) => name === parameter) ? [...fields, [parameter, "second-value"]] : undefined,
      ),
  }),
  defineAttack({
    id: "response/extra-parameters",
    level: "must-tolerate",
    title: "The authorization response has parameters that no specification defines.",
    correctClient: "The client ignores these parameters, and exchanges the code.",
    requirement: "RFC 6749 §4.1.2",
    once: () =>
      editAuthorizationResponse("extra parameters", (fields) => [
        ...fields,
        ["session_state", "0c4a"],
        ["scope", "openid"],
        ["tracking", "a b&c"],
      ]),
  }),
];
