/** Texts of the rules of the device authorization grant (RFC 8628). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import { explainCode, explainDecided, explainPace, explainPollClient } from "../polled/explain.ts";
import type { deviceRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const deviceTexts = {
  "DV-02": {
    fix: "Type the eight letters that the device shows. If it no longer shows a code, start again on the device.",
  },
  "DV-03": {
    passes: "the user approved the device, and device_code was not used before",
    fix:
      "Poll with the latest device_code until the user has decided; until then the error is authorization_pending. After any other error, start a new device authorization.",
    explain: explainCode,
  },
  "DV-04": {
    passes: "the device waited for the interval",
    fix: "Wait for the interval of the response before each poll, and 5 seconds longer after each slow_down.",
    explain: explainPace,
  },
  "DV-05": {
    passes: "device_code was issued to this client",
    fix: "Register the client for the grant type, and poll with the client that started the device authorization.",
    explain: explainPollClient,
  },
  "DV-06": {
    passes: "the user approved the device on a page",
    fix: "Open the page of verification_uri in a browser, log in and decide there.",
    explain: () => ({ expected: "the user's approval", received: "Deny" }),
  },
  "DV-07": {
    fix: "Start again on the device: users can decide only once on each code.",
    explain: explainDecided,
  },
} as const satisfies RuleTexts<typeof deviceRules>;
