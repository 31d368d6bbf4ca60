/** The scenarios of `--scenario`. */

import { type Scenario, userPlaceholder } from "./scenario.ts";
import { userNameSteps } from "./user_names.ts";

/** A scenario with a button on the page of faults. */
export interface BuiltInScenario extends Scenario {
  /** What the button says: its effect in a few words. */
  readonly title: string;
}

/** Every scenario, in the order of the help. */
export const scenarios: readonly BuiltInScenario[] = [
  {
    name: "provider-down-30s",
    title: "Provider down, 30 s",
    does: "From the first request on, every response is 503 for 30 seconds.",
    steps: [{ verb: "faults.add", input: { fault: "status", parameters: { code: 503, retryAfter: 30 }, for: 30 } }],
  },
  {
    name: "provider-slow-3s",
    title: "Provider slow, 3 s",
    does: "Every response comes after 3 seconds.",
    steps: [{ verb: "faults.add", input: { fault: "delay", parameters: { milliseconds: 3000 }, always: true } }],
  },
  {
    name: "rate-limited-5s",
    title: "Rate limited, 5 s",
    does: "From the first request on, the token endpoint responds with 429 and Retry-After for 5 seconds.",
    steps: [{
      verb: "faults.add",
      input: { fault: "status", endpoint: "token", parameters: { code: 429, retryAfter: 5 }, for: 5 },
    }],
  },
  {
    name: "token-fails-twice",
    title: "Token endpoint fails twice",
    does: "The first two requests to the token endpoint get 503.",
    steps: [{
      verb: "faults.add",
      input: { fault: "status", endpoint: "token", parameters: { code: 503, retryAfter: 1 }, times: 2 },
    }],
  },
  {
    name: "refresh-rejected",
    title: "Refresh rejected",
    does: "The first refresh is rejected with invalid_grant.",
    steps: [{
      verb: "faults.add",
      input: {
        fault: "error",
        endpoint: "token",
        grant_type: "refresh_token",
        parameters: { code: "invalid_grant" },
      },
    }],
  },
  {
    name: "keys-rotated",
    title: "Keys rotated",
    does: "After the first tokens, a new key signs; the old one stays published.",
    steps: [{ after: "token", verb: "rotateKeys", input: { lead: 0 } }],
  },
  {
    name: "keys-down-30s",
    title: "Keys down, 30 s",
    does: "From its first request on, the endpoint of the keys responds with 503 for 30 seconds.",
    steps: [{ verb: "faults.add", input: { fault: "status", endpoint: "jwks", parameters: { code: 503 }, for: 30 } }],
  },
  {
    name: "clock-ahead-10m",
    title: "Clock 10 min ahead",
    does: "The clock of the server is ahead by ten minutes.",
    steps: [{ verb: "clock.advance", input: { seconds: 600 } }],
  },
  {
    name: "tokens-revoked",
    title: "Tokens revoked",
    does: "After the first tokens, all tokens of the user are revoked.",
    steps: [{ after: "token", verb: "revoke", input: { sub: userPlaceholder } }],
  },
  {
    name: "user-removed",
    title: "User removed",
    does: "After the first tokens, the user is removed, whose sessions and tokens end.",
    steps: [{ after: "token", verb: "users.delete", input: { sub: userPlaceholder } }],
  },
  {
    name: "consent-denied",
    title: "Consent denied",
    does: "Every user denies: the client receives access_denied.",
    steps: [{ verb: "decisions.deny", input: {} }],
  },
  {
    name: "user-names",
    title: "Errors by user name",
    does: "Names such as deny@, typed at the login page or sent as login_hint, cause an error or a delay.",
    optional: true,
    steps: userNameSteps,
  },
];
