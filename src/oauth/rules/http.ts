/** Rules of HTTP and of operation. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const httpRules = {
  "HT-01": {
    fix: "Check the address and the method; the home page lists every endpoint.",
    cites: ["RFC 9110 §15.5.5, §15.5.6"],
  },
  "HT-07": {
    fix: "Send less: no form of this server needs that much.",
    cites: ["RFC 9126 §2.3"],
  },
  "HT-08": {
    fix: "Send the parameters as a form by POST, or shorten them; a state should be a name, not the thing itself.",
    cites: [],
  },
  "HT-09": {
    fix: "Send the whole body at once, and read it nowhere before.",
    cites: [],
  },
  "HT-10": {
    fix: "Percent-encode names and values as UTF-8.",
    cites: ["OAuth 2.1 App. B"],
  },
  "HT-13": {
    fix: "Send the body as it is, without Content-Encoding.",
    cites: [],
  },
  "HT-16": {
    fix: "Send the server's own name in the Host header: a host and a port, and nothing else.",
    cites: ["RFC 9700 §4.13"],
  },
  "HT-20": {
    fix: "Send only the parameters that are meant for this address.",
    cites: [],
  },
  "OP-01": {
    fix: "Send fewer requests at once, or raise the number that may be in flight.",
    cites: ["RFC 9110 §15.6.4"],
  },
  "OP-10": {
    fix: "Make the change again, over the entry that the configuration holds now.",
    cites: ["OAuth 2.1 §2.4.1", "RFC 9700 §2.5"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
