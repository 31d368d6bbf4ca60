/** Signed authorization responses (JARM). */

import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { findParam } from "../../recorder/record_request.ts";
import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf } from "../attack.ts";
import { forgeryAttack, oneOfEachSignature } from "./forgeries.ts";
import { oneOf } from "./parameters.ts";

/** The code that the plain parameters beside a signed response have. */
const plantedCode = "planted-code";

export const jarmAttacks: readonly Attack[] = [
  forgeryAttack(
    {
      id: "jarm/signature",
      fix: "Verify the signature of the response with the keys of jwks_uri, and accept the registered algorithm only.",
      title: "The JWT of the authorization response (JARM) is not signed, or has an invalid signature.",
      requirement: "JARM §2.4",
      sources: ["RFC 8725 §3.1"],
    },
    oneOfEachSignature,
    "authorization_response",
  ),
  defineAttack({
    id: "jarm/beside-plain",
    fix: "Use only what the signed response contains.",
    title:
      "The authorization response has an unsigned code and state beside the signed response (JARM), or in its place.",
    correctClient: "The client uses no parameter that is not signed.",
    requirement: "JARM §2.4",
    ...oneOf(
      "where",
      ["instead", "beside"],
      "Where the unsigned parameters are: instead of the signed response, or beside it.",
    ),
    once: ({ where }) =>
      editAuthorizationResponse(
        `plain parameters ${where}`,
        (fields) => {
          const [, jwt] = fields.find(([name]) => name === "response") ?? [];
          if (jwt === undefined) return undefined;
          const { code, state, iss } = decodeJwtPart(jwt, 1);
          const plain = { code: where === "beside" ? plantedCode : code, state, iss };
          const added = Object.entries(plain).map(([name, value]) => [name, String(value)] as const);
          return where === "beside" ? [...fields, ...added] : added;
        },
        "got a signed authorization response",
        "around",
      ),
    assess(observation) {
      const { exchanges, outcome } = observation;
      const isBeside = exchanges.some(({ faults }) => faults.includes("plain parameters beside"));
      if (!isBeside || outcome !== "accepted") return undefined;
      const used = exchangesOf(observation, "token").some(({ request }) => findParam(request, "code") === plantedCode);
      return {
        passed: !used,
        because: used ? "the client exchanged the unsigned code" : "the client used only the signed response",
      };
    },
  }),
];
