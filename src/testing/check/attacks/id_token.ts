/** ID tokens: what the attacks on their signature and on their claims have in common. */

/** Every ID token that a client must reject: no userinfo request follows. */
export const rejected = {
  level: "must-reject",
  stop: "token",
  endpoints: ["token"],
  needs: ["idToken"],
  correctClient: "It discards the token response, and no session begins.",
} as const;

/** Every unusual ID token that a client must accept. */
export const accepted = {
  level: "must-tolerate",
  endpoints: ["token"],
  needs: ["idToken"],
  correctClient: "It accepts the ID token.",
} as const;
