/** ID tokens of a login other than the requested one: too old, or with a weaker acr (OpenID Connect Core §3.1.3.7). */

import { overrideClaims } from "../../testing/faults/resign.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import { exchangesOf } from "../attack.ts";
import { sent } from "./parameters.ts";
import { passIf } from "./conclusions.ts";
import { anyParameter } from "../../testing/faults/parameters.ts";

/** The attacks of the category `id-token` on the login that they describe. */
export const idTokenLoginAttacks: readonly Attack[] = [
  defineAttack({
    id: "id-token/acr-weaker",
    title: "The client requested an essential acr, and the ID token has a weaker acr, or none.",
    needs: ["readsIdToken", "essentialAcr"],
    sources: ["OpenID Connect Core §3.1.3.7", "OpenID Connect Core §5.5.1.1", "RFC 9470 §5"],
    ...sent("acr", ["0", "urn:example:weaker", null], "The claim acr; null removes it."),
    once: ({ acr }) => overrideClaims("ID token with weaker acr", () => ({ acr: acr ?? undefined })),
  }),
  defineAttack({
    id: "id-token/auth-time-old",
    allowsNewLogin: true,
    title: "The client sent max_age, and the ID token has an auth_time that is too old, or none.",
    correctClient: "The client discards the token response, or requests a new login once.",
    needs: ["readsIdToken", "maxAge"],
    sources: ["OpenID Connect Core §3.1.2.1", "OpenID Connect Core §3.1.3.7"],
    parameters: [
      anyParameter<"secondsAgo", number | null>(
        "secondsAgo",
        31_536_000,
        "How long ago the user logged in, by auth_time; null removes the claim.",
      ),
    ],
    variants: [{ secondsAgo: 31_536_000 }, { secondsAgo: null }],
    once: ({ secondsAgo }) =>
      overrideClaims("ID token of an old login", (_, now) => ({
        auth_time: secondsAgo === null ? undefined : now - secondsAgo,
      })),
    assess: (observation) =>
      passIf(
        observation.outcome === "accepted" && exchangesOf(observation, "authorize").length === 2,
        "the client requested a new login",
      ),
  }),
];
