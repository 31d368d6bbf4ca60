/** Rules of the device authorization grant (RFC 8628). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const deviceRules = {
  "DV-02": {
    fix: "Type the eight letters that the device shows. If it no longer shows a code, start again on the device.",
    cites: ["RFC 8628 §5.1, §6.1", "RFC 10027 §6.1.2, §6.1.4"],
  },
  "DV-03": {
    passes: "the user approved the device, and device_code was not used before",
    fix:
      "Poll with the latest device_code until the user has decided; until then the error is authorization_pending. After any other error, start a new device authorization.",
    cites: ["RFC 8628 §3.5"],
  },
  "DV-04": {
    passes: "the device waited for the interval",
    fix: "Wait for the interval of the response before each poll, and 5 seconds longer after each slow_down.",
    cites: ["RFC 8628 §3.5"],
  },
  "DV-05": {
    passes: "device_code was issued to this client",
    fix: "Register the client for the grant type, and poll with the client that started the device authorization.",
    cites: ["RFC 8628 §3.4"],
  },
  "DV-06": {
    passes: "the user approved the device on a page",
    fix: "Open the page of verification_uri in a browser, log in and decide there.",
    cites: ["RFC 8628 §3.3, §5.4", "RFC 10027 §6.1.14"],
  },
  "DV-07": {
    fix: "Start again on the device: users can decide only once on each code.",
    cites: ["RFC 8628 §3.3", "OAuth 2.1 §7.11", "RFC 10027 §6.1.3"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
