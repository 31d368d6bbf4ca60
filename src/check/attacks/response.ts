/** Authorization responses: CSRF and mix-up (RFC 6749 §10.12, RFC 9207, RFC 9700 §4.4, §4.7). */

import type { Fault } from "../../testing/faults/fault.ts";
import { authorizationResponse, error, metadata } from "../../testing/faults/mod.ts";
import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import { equivalentIssuers, nearIssuers, nearMisses, nearMissOf } from "./near_misses.ts";
import { everyLogin } from "../attack.ts";
import { csrfProtection } from "./duties.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { readsNoMetadata, undecided } from "./conclusions.ts";
import { oneOf } from "./parameters.ts";

/** RFC 9700 §4.4 demands a protection against mix-up only of clients of several issuers. */
const ofIssuers = {
  duty: { source: "RFC 9207 §2.4", binds: ["severalIssuers"] },
} as const;

/** A fault that replaces one parameter of an authorization response, if the response has it. */
function withParameter(name: string, parameter: string, change: (value: string) => string): Fault {
  return editAuthorizationResponse(
    name,
    (fields) =>
      fields.some(([field]) => field === parameter)
        ? fields.map(([field, value]) => [field, field === parameter ? change(value) : value])
        : undefined,
  );
}

/** The attacks of the category `response`. */
export const responseAttacks: readonly Attack[] = [
  defineAttack({
    id: "response/state-wrong",
    needs: ["state"],
    title: "The authorization response has the wrong state.",
    duty: csrfProtection,
    sources: ["RFC 6749 §10.12", "RFC 9700 §4.7", "modelcontextprotocol/inspector#1189"],
    ...oneOf("how", ["unrelated", ...nearMisses, "empty"]),
    alsoIn: everyLogin,
    once: ({ how }) => withParameter(`state ${how}`, "state", (state) => nearMissOf(state, how)),
  }),
  defineAttack({
    id: "response/state-missing",
    needs: ["state"],
    title: "The authorization response has no state.",
    duty: csrfProtection,
    sources: ["RFC 6749 §10.12"],
    once: () => authorizationResponse.missingState(),
  }),
  defineAttack({
    id: "response/repeated",
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
    id: "response/iss-wrong",
    ...ofIssuers,
    title: "The authorization response has the iss of another issuer.",
    sources: ["RFC 9700 §4.4.2.1"],
    ...oneOf("how", ["other", "shortened", "extended", "path"]),
    alsoIn: everyLogin,
    once: ({ how }) => withParameter(`iss ${how}`, "iss", (iss) => nearIssuers(iss)[how]!),
  }),
  defineAttack({
    id: "response/iss-known",
    ...ofIssuers,
    title: "The authorization response has the iss of another issuer, at which the client logged in before.",
    journey: "second issuer",
    sources: ["RFC 9700 §4.4.2.1"],
    async once(_, { openOtherIssuer }) {
      const { issuer } = await openOtherIssuer();
      return withParameter("iss of a known issuer", "iss", () => issuer);
    },
  }),
  defineAttack({
    id: "response/iss-missing",
    ...ofIssuers,
    title: "The authorization response has no iss, although the metadata announces that the server sends it.",
    once: () => authorizationResponse.missingIss(),
    assess: (observation) =>
      observation.outcome === "accepted" && readsNoMetadata(observation)
        ? undecided("the client requests no metadata, so that it cannot know that the server sends iss")
        : undefined,
  }),
  defineAttack({
    id: "response/iss-equivalent",
    ...ofIssuers,
    title: "The iss of the authorization response differs from the issuer only in its spelling, such as letter case.",
    correctClient: "The client compares iss with the issuer character by character, and sends no token request.",
    sources: ["RFC 3986 §6.2.1"],
    ...oneOf("how", ["slash", "case", "port"]),
    once: ({ how }) => withParameter(`iss with another ${how}`, "iss", (iss) => equivalentIssuers(iss)[how]!),
  }),
  defineAttack({
    id: "response/iss-absent",
    needs: ["plainResponse"],
    level: "must-tolerate",
    title: "The metadata does not announce iss, and the authorization response has no iss.",
    endpoints: ["authorize", "discovery"],
    sources: ["RFC 9207 §2.4"],
    start({ as }) {
      as.on("discovery").always(metadata.without("authorization_response_iss_parameter_supported"));
      as.on("authorize").once(authorizationResponse.missingIss());
    },
  }),
  defineAttack({
    id: "response/error-of-another-issuer",
    ...ofIssuers,
    title: "An error response has the iss of another issuer.",
    correctClient: "The client rejects the response because of iss, and sends no token request.",
    start({ as }) {
      as.on("authorize").once(authorizationResponse.wrongIss());
      as.on("authorize").once(error("access_denied"));
    },
  }),
  defineAttack({
    id: "response/code-missing",
    title: "The authorization response has neither a code nor an error, or an empty code.",
    sources: ["RFC 6749 §4.1.2"],
    ...oneOf("how", ["absent", "empty"]),
    once: ({ how }) =>
      how === "empty"
        ? withParameter("code empty", "code", () => "")
        : editAuthorizationResponse("code absent", (fields) => fields.filter(([name]) => name !== "code")),
  }),
  defineAttack({
    id: "response/extra-parameters",
    level: "must-tolerate",
    title: "The authorization response has parameters that no specification defines.",
    correctClient: "The client ignores these parameters, and exchanges the code.",
    duty: "RFC 6749 §4.1.2",
    once: () =>
      editAuthorizationResponse("extra parameters", (fields) => [
        ...fields,
        ["session_state", "0c4a"],
        ["scope", "openid"],
        ["tracking", "a b&c"],
      ]),
  }),
  defineAttack({
    id: "response/tokens-beside-code",
    level: "must-tolerate",
    title: "The authorization response has an access token beside the code, as in the implicit grant.",
    correctClient: "The client does not use this access token: it rejects the response, or exchanges the code.",
    sources: ["RFC 9700 §2.1.2"],
    once: () =>
      editAuthorizationResponse("tokens beside the code", (fields) => [
        ...fields,
        ["access_token", "planted-access-token"],
        ["token_type", "Bearer"],
        ["expires_in", "3600"],
      ]),
    assess: ({ exchanges, outcome, session, expectedSub }) => {
      const used = exchanges.some(({ request }) => request.headers.authorization?.includes("planted-access-token"));
      return {
        passed: !used && outcome !== "hung" && (session === undefined || session.sub === expectedSub),
        because: used
          ? "the client sent the access token of the authorization response"
          : "the client did not use the token",
        ...used && { seen: "foreignValue", harm: "used an access token of the attacker" },
      };
    },
  }),
];
