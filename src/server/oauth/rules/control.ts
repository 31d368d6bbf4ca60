/** Rules of the control over HTTP. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const controlRules = {
  "CO-01": {
    fix: "Send Authorization: Bearer with the secret of the control: the setting controlSecret.",
    cites: ["RFC 6750 §2.1"],
  },
  "CO-02": {
    fix: "Send the request to the issuer's address. A proxy in between must forward the Host header unchanged.",
    cites: ["RFC 9700 §4.7"],
  },
  "CO-03": {
    fix: "Call the control from the process of the test, not from a page in the browser.",
    cites: ["RFC 9700 §4.7"],
  },
  "CO-04": {
    fix: "Send a JSON object as application/json; {} if the verb needs nothing.",
    cites: ["RFC 9110 §8.3"],
  },
  "CO-05": {
    fix: "Send the input that /_control/openapi.json describes.",
    cites: ["RFC 9457"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
