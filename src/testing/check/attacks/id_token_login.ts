/** ID tokens of another login than the requested one: too old, or of another level (OpenID Connect Core §3.1.3.7). */

import { overrideClaims } from "../../faults/resign.ts";
import { type Attack, defineAttack } from "../attack.ts";
import { wrongTime } from "./effects.ts";
import { exchangesOf } from "../observation.ts";
import { rejected } from "./id_token.ts";

/** The attacks of the category `id-token` on the login that they describe. */
export const idTokenLoginAttacks: readonly Attack[] = [
  defineAttack({
    ...rejected,
    id: "id-token/acr-weaker",
    title: "The ID token has another acr than the one that the client requested as essential, or none.",
    needs: [...rejected.needs, "essentialAcr"],
    sources: ["OpenID Connect Core §3.1.3.7", "OpenID Connect Core §5.5.1.1", "RFC 9470 §5"],
    parameters: [{
      name: "acr",
      type: ["string", "null"],
      default: "0",
      description: "The claim acr; null removes it.",
    }],
    variants: [{ acr: "0" }, { acr: "urn:example:weaker" }, { acr: null }],
    start: ({ as }, { acr }) =>
      void as.on("token").once(overrideClaims("ID token with weaker acr", () => ({ acr: acr ?? undefined }))),
  }),
  defineAttack({
    ...rejected,
    id: "id-token/auth-time-old",
    effect: wrongTime,
    allowsNewLogin: true,
    title: "The ID token has no auth_time although the client sent max_age, or one of a login long before.",
    correctClient: "It discards the token response, or requests a new login once.",
    needs: [...rejected.needs, "maxAge"],
    sources: ["OpenID Connect Core §3.1.2.1", "OpenID Connect Core §3.1.3.7"],
    parameters: [{
      name: "secondsAgo",
      type: ["number", "null"],
      default: 31_536_000,
      description: "How long ago auth_time is; null removes it.",
    }],
    variants: [{ secondsAgo: 31_536_000 }, { secondsAgo: null }],
    start: ({ as }, { secondsAgo }) =>
      void as.on("token").once(
        overrideClaims("ID token of an old login", (_, now) => ({
          auth_time: secondsAgo === null ? undefined : now - secondsAgo,
        })),
      ),
    assess: (observation) =>
      observation.outcome === "accepted" && exchangesOf(observation, "authorize").length === 2
        ? { passed: true, because: "the client requested a new login" }
        : undefined,
  }),
];
