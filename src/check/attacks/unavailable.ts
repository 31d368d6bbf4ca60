/** Forged tokens, while an answer by which a client would see the forgery does not come: it must not fail open. */

import type { Fault } from "../../testing/faults/fault.ts";
import { drop, hang, status } from "../../testing/faults/mod.ts";
import { type Attack, type AttackSource, defineAttack } from "../define_attack.ts";
import { forgeJwt, signWithForeignKey } from "./forged_jwt.ts";
import { wrongBodies } from "./grid.ts";
import { eachWithEach, oneOf } from "./parameters.ts";

/** How an answer fails. */
const failures: Readonly<Record<string, Fault>> = {
  "status 500": status(500),
  dropped: drop("before"),
  empty: wrongBodies.empty!,
  garbage: status(200, { body: "garbage" }),
  "no response": hang(),
};

/** The attack with a kind of token, and with each answer that can show that it is forged. */
function failingAnswers(
  source: Pick<AttackSource<readonly []>, "id" | "title" | "requirement" | "sources" | "by" | "level" | "accepts">,
  kind: "id_token" | "access_token",
  answers: readonly string[],
): Attack {
  return defineAttack({
    ...source,
    fix: "Reject the token if anything that is needed to verify it could not be read, whatever the reason.",
    endpoints: ["token"],
    ...eachWithEach(
      oneOf("answer", answers, "The endpoint whose answer fails after the token was issued."),
      oneOf("how", Object.keys(failures), "How it fails."),
    ),
    start({ as }, { answer, how }) {
      const countTokens = () => as.log.unmasked.filter("token").length;
      const earlier = countTokens();
      const forge = forgeJwt("forged", (jwt) => signWithForeignKey(jwt, () => ({ kid: "unpublished-key" })), kind);
      as.on("token").always(forge);
      as.on(answer, () => countTokens() > earlier).always(failures[how]!);
    },
  });
}

/** The attacks of the categories `keys` and `resource` on clients that fail open. */
export const unavailableAttacks: readonly Attack[] = [
  failingAnswers(
    {
      id: "keys/down-forged",
      title: "The ID token is signed with an unknown key, and the keys, userinfo or the metadata cannot be read.",
      requirement: "RFC 8725 §3.3",
      sources: ["CWE-636"],
    },
    "id_token",
    ["jwks", "userinfo", "discovery"],
  ),
  failingAnswers(
    {
      id: "resource/down-forged",
      title: "The access token is signed with an unknown key, and the introspection, the keys or the metadata fail.",
      ...{ by: "acceptToken", level: "must-reject", accepts: "accessToken" },
      requirement: "RFC 6749 §7",
      sources: ["RFC 7662 §4", "CWE-636"],
    },
    "access_token",
    ["introspect", "jwks", "discovery"],
  ),
];
