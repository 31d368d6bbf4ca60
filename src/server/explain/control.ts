/** Texts of the rules of the control over HTTP. */

import type { Server } from "../../core/server.ts";
import type { controlRules } from "../rules/control.ts";
import { explainRepeated } from "./parameters.ts";
import type { RuleTexts } from "./rule_text.ts";

/** By ID, in the order of `tests/rules.md`. */
export const controlTexts = {
  "CO-01": {
    fix: "Send Authorization: Bearer with the secret of the control: the setting controlSecret.",
  },
  "CO-02": {
    fix: "Send the request to the issuer's address. A proxy in between must forward the Host header unchanged.",
  },
  "CO-03": {
    fix: "Call the control from the process of the test, not from a page in the browser.",
  },
  "CO-04": {
    fix: "Send a JSON object as application/json; {} if the verb needs nothing.",
  },
  "CO-05": {
    fix: "Send the input that /_control/openapi.json describes.",
    explain: explainRepeated,
  },
} as const satisfies RuleTexts<typeof controlRules>;

/**
 * The URL of a verb of the control.
 *
 * @param verb Its path, such as `users/set`.
 */
export function controlUrl({ issuer }: Pick<Server, "issuer">, verb: string): string {
  return `${issuer.replace(/\/$/, "")}/_control/${verb}`;
}
