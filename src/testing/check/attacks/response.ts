/** Authorization responses: CSRF and mix-up (RFC 6749 §10.12, RFC 9207, RFC 9700 §4.4, §4.7). */

import type { Fields } from "../../../http/form.ts";
import { authorizationResponse, error, metadata } from "../../faults/mod.ts";
import { editAuthorizationResponse } from "../../faults/edit_authorization_response.ts";
import { textParameter } from "../../faults/parameters.ts";
import { equivalentIssuers } from "./equivalent_issuers.ts";
import { nearIssuers, nearMisses, nearMissOf } from "./near_misses.ts";
import { type Attack, defineAttack, everyLogin, type Stage } from "../attack.ts";
import { mixUp, unusableResponse } from "./effects.ts";

/** Every authorization response that a client must reject: no token request follows. */
const rejected = {
  level: "must-reject",
  stop: "callback",
  endpoints: ["authorize"],
  correctClient: "It rejects the response, and sends no token request.",
} as const;

/** Every unusual authorization response that a client must accept. */
const accepted = {
  level: "must-tolerate",
  endpoints: ["authorize"],
  correctClient: "It exchanges the code.",
} as const;

/** Adds a rule that changes the parameters of the next authorization response. */
function edit({ as }: Stage, name: string, change: (fields: Fields) => Fields): void {
  as.on("authorize").once(editAuthorizationResponse(name, change));
}

/** The parameters with another value for one of them. */
function replaced(fields: Fields, name: string, change: (value: string) => string): Fields {
  return fields.map(([field, value]) => [field, field === name ? change(value) : value]);
}

/** The attacks of the category `response`. */
export const responseAttacks: readonly Attack[] = [
  defineAttack({
    ...rejected,
    id: "response/state-wrong",
    title: "The authorization response has another state.",
    sources: ["RFC 6749 §10.12", "RFC 9700 §4.7", "modelcontextprotocol/inspector#1189"],
    parameters: [textParameter("how", "unrelated", `unrelated, empty, ${nearMisses.join(" or ")}.`)],
    variants: ["unrelated", ...nearMisses, "empty"].map((how) => ({ how })),
    alsoIn: everyLogin,
    start: (stage, { how }) =>
      edit(
        stage,
        `state ${how}`,
        (fields) => replaced(fields, "state", (state) => nearMissOf(state, how)),
      ),
  }),
  defineAttack({
    ...rejected,
    id: "response/state-missing",
    title: "The authorization response has no state.",
    sources: ["RFC 6749 §10.12"],
    start: ({ as }) => void as.on("authorize").once(authorizationResponse.missingState()),
  }),
  defineAttack({
    ...rejected,
    id: "response/repeated",
    level: "should-reject",
    title: "The authorization response has a parameter twice, with two values.",
    sources: ["RFC 6749 §3.1"],
    parameters: [textParameter("parameter", "state", "The parameter: code, state or iss.")],
    variants: ["code", "state", "iss"].map((parameter) => ({ parameter })),
    start: (stage, { parameter }) =>
      edit(stage, `${parameter} twice`, (fields) => [...fields, [parameter, "second-value"]]),
  }),
  defineAttack({
    ...rejected,
    id: "response/iss-wrong",
    effect: mixUp,
    title: "The authorization response has the iss of another issuer.",
    sources: ["RFC 9207 §2.4", "RFC 9700 §4.4.2.1"],
    parameters: [textParameter("how", "other", "other, shortened, extended or path.")],
    variants: ["other", "shortened", "extended", "path"].map((how) => ({ how })),
    alsoIn: everyLogin,
    start: (stage, { how }) =>
      edit(stage, `iss ${how}`, (fields) => replaced(fields, "iss", (iss) => nearIssuers(iss)[how]!)),
  }),
  defineAttack({
    ...rejected,
    id: "response/iss-known",
    effect: mixUp,
    title: "The authorization response has the iss of another issuer, at which the client logged in before.",
    journey: "second issuer",
    sources: ["RFC 9207 §2.4", "RFC 9700 §4.4.2.1"],
    async start(stage) {
      const { issuer } = await stage.openOtherIssuer();
      edit(stage, "iss of a known issuer", (fields) => replaced(fields, "iss", () => issuer));
    },
  }),
  defineAttack({
    ...rejected,
    id: "response/iss-missing",
    effect: mixUp,
    title: "The authorization response has no iss, although the metadata announces it.",
    sources: ["RFC 9207 §2.4"],
    start: ({ as }) => void as.on("authorize").once(authorizationResponse.missingIss()),
  }),
  defineAttack({
    ...rejected,
    id: "response/iss-equivalent",
    effect: mixUp,
    title: "The iss of the authorization response differs from the issuer only by its spelling.",
    correctClient: "It compares the two character by character, and sends no token request.",
    sources: ["RFC 9207 §2.4", "RFC 3986 §6.2.1"],
    parameters: [textParameter("how", "slash", "slash, case or port.")],
    variants: ["slash", "case", "port"].map((how) => ({ how })),
    start: (stage, { how }) =>
      edit(
        stage,
        `iss with another ${how}`,
        (fields) => replaced(fields, "iss", (iss) => equivalentIssuers(iss)[how]!),
      ),
  }),
  defineAttack({
    ...accepted,
    id: "response/iss-absent",
    title: "The metadata does not announce iss, and the authorization response has none.",
    endpoints: ["authorize", "discovery"],
    sources: ["RFC 9207 §2.4"],
    start({ as }) {
      as.on("discovery").always(metadata.without("authorization_response_iss_parameter_supported"));
      as.on("authorize").once(authorizationResponse.missingIss());
    },
  }),
  defineAttack({
    ...rejected,
    id: "response/error-of-another-issuer",
    effect: mixUp,
    title: "An error response has the iss of another issuer.",
    correctClient: "It rejects the response because of iss, and sends no token request.",
    sources: ["RFC 9207 §2.4"],
    start({ as }) {
      as.on("authorize").once(authorizationResponse.wrongIss());
      as.on("authorize").once(error("access_denied"));
    },
  }),
  defineAttack({
    ...rejected,
    id: "response/code-missing",
    effect: unusableResponse,
    title: "The authorization response has neither a code nor an error, or an empty code.",
    sources: ["RFC 6749 §4.1.2"],
    parameters: [textParameter("how", "absent", "absent or empty.")],
    variants: [{ how: "absent" }, { how: "empty" }],
    start: (stage, { how }) =>
      edit(
        stage,
        `code ${how}`,
        (fields) => how === "empty" ? replaced(fields, "code", () => "") : fields.filter(([name]) => name !== "code"),
      ),
  }),
  defineAttack({
    ...accepted,
    id: "response/extra-parameters",
    title: "The authorization response has parameters that no specification defines.",
    correctClient: "It ignores them, and exchanges the code.",
    sources: ["RFC 6749 §4.1.2"],
    start: (stage) =>
      edit(stage, "extra parameters", (fields) => [
        ...fields,
        ["session_state", "0c4a"],
        ["scope", "openid"],
        ["tracking", "a b&c"],
      ]),
  }),
  defineAttack({
    ...accepted,
    id: "response/tokens-beside-code",
    title: "The authorization response has tokens beside the code, as of the implicit grant.",
    correctClient: "It does not use these tokens: it rejects the response, or exchanges the code.",
    sources: ["RFC 9700 §2.1.2"],
    start: (stage) =>
      edit(stage, "tokens beside the code", (fields) => [
        ...fields,
        ["access_token", "planted-access-token"],
        ["token_type", "Bearer"],
        ["expires_in", "3600"],
      ]),
    assess: ({ exchanges, outcome, session, expectedSub }) => {
      const used = exchanges.some(({ request }) => request.headers.authorization?.includes("planted-access-token"));
      return {
        passed: !used && outcome !== "hung" && (session === undefined || session.sub === expectedSub),
        because: used ? "the client sent the access token of the authorization response" : "the tokens were not used",
      };
    },
  }),
];
