/** ID tokens: what the attacks on their signature and on their claims have in common. */

import type { Stage } from "../attack.ts";
import { forgedIdToken } from "./effects.ts";
import { forgeJwt, type Original } from "./forged_jwt.ts";

/** Every ID token that a client must reject: no userinfo request follows. */
export const rejected = {
  level: "must-reject",
  stop: "token",
  endpoints: ["token"],
  needs: ["idToken", "readsIdToken"],
  correctClient: "It discards the token response, and no session begins.",
} as const;

/** Every unusual ID token that a client must accept. */
export const accepted = {
  level: "must-tolerate",
  endpoints: ["token"],
  needs: ["idToken", "readsIdToken"],
  correctClient: "It accepts the ID token.",
} as const;

/** Every ID token that the server did not sign. */
export const forged = { ...rejected, effect: forgedIdToken } as const;

/** Adds a rule that forges the ID token of the next token response. */
export function forge({ as }: Stage, name: string, create: (original: Original) => string | Promise<string>): void {
  as.on("token").once(forgeJwt(name, create));
}
