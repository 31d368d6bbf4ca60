/** ID tokens of an invalid form (RFC 7515, RFC 7519). */

import { textParameter } from "../../testing/faults/parameters.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { forgeJwt, signWithOwnKey } from "./forged_jwt.ts";
import { oneOf } from "./parameters.ts";
import { passIf } from "./conclusions.ts";

/** The attacks of the category `id-token` on its form. */
export const idTokenFormAttacks: readonly Attack[] = [
  defineAttack({
    id: "id-token/payload-shape",
    fix: "Reject an ID token whose payload is not a JSON object.",
    needs: ["idToken"],
    title: "The ID token payload is not a JSON object.",
    requirement: { source: "RFC 7519 §7.2", binds: ["readsIdToken"] },
    sources: ["CVE-2025-53864"],
    ...oneOf("form", ["text", "list", "null", "deep"]),
    once: ({ form }) =>
      forgeJwt(`ID token whose payload is ${form}`, (original) => {
        const forms = {
          text: "not JSON",
          list: JSON.stringify([original.claims]),
          null: "null",
          deep: "[".repeat(10_000) + "]".repeat(10_000),
        };
        return signWithOwnKey(original, {}, forms[form]);
      }),
    assess: ({ outcome, capabilities }) =>
      outcome === "accepted" && !capabilities.has("readsIdToken")
        ? { passed: false, isWarning: true, because: "the client reads no ID token" }
        : undefined,
  }),
  defineAttack({
    id: "id-token/typ-foreign",
    fix: "Reject an ID token whose typ is that of another kind of token, such as at+jwt or logout+jwt.",
    title: "An access token is instead of the ID token.",
    requirement: "RFC 8725 §3.12",
    sources: ["RFC 8725 §3.11", "RFC 9068 §5"],
    once: () =>
      forgeJwt(
        "access token as ID token",
        (original) =>
          signWithOwnKey(original, { typ: "at+jwt" }, {
            iss: original.claims.iss,
            sub: original.claims.sub,
            aud: original.server.audience,
            client_id: original.claims.aud,
            scope: "openid",
            iat: original.claims.iat,
            exp: original.claims.exp,
          }),
      ),
  }),
  defineAttack({
    id: "id-token/claims-twice",
    fix: "Reject an ID token that has a claim twice.",
    needs: ["readsIdToken", "namesUser"],
    title: "The payload of the ID token has a claim twice, with different values.",
    correctClient: "The client discards the token response, or checks and uses the same one of the two values.",
    level: "should-reject",
    stop: undefined,
    sources: ["RFC 7519 §4", "RFC 8259 §4"],
    parameters: [
      textParameter("claim", "sub", "The claim: sub, aud or exp."),
      textParameter("wrong", "first", "Which of the two values is wrong: first or last."),
    ],
    // If sub is repeated, a client may use the last one (RFC 7519 §4).
    variants: [{ claim: "sub" }, { claim: "aud" }, { claim: "aud", wrong: "last" }, { claim: "exp", wrong: "last" }],
    once: ({ claim, wrong }) =>
      forgeJwt(`ID token with ${claim} twice`, (original) => {
        const member = `${JSON.stringify(claim)}:${JSON.stringify(claim === "exp" ? 1 : "another")}`;
        const text = JSON.stringify(original.claims);
        const payload = wrong === "first" ? text.replace("{", `{${member},`) : text.replace(/}$/, `,${member}}`);
        return signWithOwnKey(original, {}, payload);
      }),
    assess: ({ outcome, session, expectedSub }) =>
      passIf(outcome === "accepted" && session!.sub === expectedSub, "the client checks and uses the same value"),
  }),
];
