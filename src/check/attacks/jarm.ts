/** Signed authorization responses (JARM). */

import { encodeBase64url } from "../../core/crypto.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { findParam } from "../../recorder/record_request.ts";
import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import { encodeJwt, overrideClaims } from "../../testing/faults/resign.ts";
import { anyParameter, textParameter } from "../../testing/faults/parameters.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf } from "../attack.ts";
import { type Forge, forgeJwt, publicKeySecret, signWithFreshKey, signWithHmac } from "./forged_jwt.ts";
import { oneOf } from "./parameters.ts";

/** How the signature is wrong, by the value of the parameter. */
const forgeries: Readonly<Record<string, Forge>> = {
  none: ({ header, claims }) => `${encodeJwt({ ...header, alg: "none" }, claims)}.`,
  missing: ({ header, claims }) => `${encodeJwt(header, claims)}.`,
  "another-key": (original) => signWithFreshKey(original),
  "hmac-public-key": async (original) =>
    await signWithHmac({ ...original.header, alg: "HS256" }, original.claims, await publicKeySecret(original, "pem")),
  corrupt: async ({ header, claims, sign }) => {
    const input = encodeJwt(header, claims);
    const signature = await sign(input);
    return `${input}.${encodeBase64url(signature.map((byte, index) => index === 0 ? byte ^ 1 : byte))}`;
  },
};

/** The code that the plain parameters beside a signed response have. */
const plantedCode = "planted-code";

/** The attacks of the category `jarm`. */
export const jarmAttacks: readonly Attack[] = [
  defineAttack({
    id: "jarm/signature",
    title: "The JWT of the authorization response (JARM) is not signed, or has an invalid signature.",
    duty: "JARM §2.4",
    sources: ["RFC 8725 §3.1"],
    ...oneOf("flaw", Object.keys(forgeries), "What is wrong with the signature."),
    once: ({ flaw }) => forgeJwt(`response with signature ${flaw}`, forgeries[flaw]!, "authorization_response"),
  }),
  defineAttack({
    id: "jarm/claims",
    title: "The JWT of the authorization response (JARM) has a wrong or missing iss or aud, or has expired or no exp.",
    duty: "JARM §2.4",
    sources: ["JARM §2.1"],
    parameters: [
      textParameter("claim", "iss", "The claim: iss, aud or exp."),
      anyParameter<"value", string | number | null>(
        "value",
        null,
        "The value of the claim; null removes the claim.",
      ),
    ],
    variants: [
      ...[null, "https://another.example"].map((value) => ({ claim: "iss", value })),
      ...[null, "another-client"].map((value) => ({ claim: "aud", value })),
      ...[null, 1_000_000_000].map((value) => ({ claim: "exp", value })),
    ],
    once: ({ claim, value }) =>
      overrideClaims(`response with ${claim} ${value}`, () => ({ [claim]: value ?? undefined }), {
        of: "authorization_response",
      }),
  }),
  defineAttack({
    id: "jarm/beside-plain",
    title:
      "The authorization response has an unsigned code and state beside the signed response (JARM), or in its place.",
    correctClient: "The client uses no parameter that is not signed.",
    duty: "JARM §2.4",
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
