/** ID tokens of an invalid form (RFC 7515, RFC 7519). */

import { type Attack, defineAttack } from "../define_attack.ts";
import { forgeJwt, signWithOwnKey } from "./forged_jwt.ts";
import { oneOf } from "./parameters.ts";

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
    title: "The response has an access token in place of the ID token.",
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
];
