/** Rules of HTTP and of operation. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const httpRules = {
  "HT-01": {
    fix: "Check the URL. The home page lists every endpoint.",
    cites: ["RFC 9110 §15.5.5, §15.5.6"],
  },
  "HT-07": {
    fix: "Send a smaller body.",
    cites: ["RFC 9126 §2.3"],
  },
  "HT-08": {
    fix: "Send the parameters as a form by POST, or shorten them. Keep state short.",
    cites: [],
  },
  "HT-09": {
    fix: "Send the whole body without pauses. Middleware in front of Latchkey must not consume it.",
    cites: [],
  },
  "HT-10": {
    fix: "Percent-encode names and values as UTF-8.",
    cites: ["OAuth 2.1 App. B"],
  },
  "HT-13": {
    fix: "Send the body uncompressed, without Content-Encoding.",
    cites: [],
  },
  "HT-16": {
    fix: "Send the server's host and port in the Host header, and nothing else.",
    cites: ["RFC 9700 §4.13"],
  },
  "HT-20": {
    fix: "Send only the parameters of this URL.",
    cites: [],
  },
  "HT-22": {
    fix: "Serve the page on a test host such as localhost, or add its origin to the setting allowedOrigins.",
    cites: ["RFC 9700 §4.7"],
  },
  "HT-23": {
    fix: "Send fewer requests, or use a client that the operator has registered with a secret or a key.",
    cites: [],
  },
  "HT-24": {
    fix: "Use a loopback host, or add the host to the setting issuerHosts.",
    cites: ["RFC 9700 §4.13", "RFC 9110 §15.5.20"],
  },
  "HT-25": {
    fix: "Send a shorter token, or delete the cookies of this host: all ports share them.",
    cites: ["RFC 6585 §5"],
  },
  "OP-01": {
    fix: "Send fewer concurrent requests, or raise the limit of requests in flight.",
    cites: ["RFC 9110 §15.6.4"],
  },
  "OP-10": {
    fix:
      "Change the entry in the configuration. To keep it in the store instead, remove it from the configuration, and add it again at run time.",
    cites: ["OAuth 2.1 §2.4.1", "RFC 9700 §2.5"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
