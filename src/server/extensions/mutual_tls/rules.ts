/** Rules of mutual TLS (RFC 8705). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const mutualTlsRules = {
  "MT-04": {
    fix: "Let the proxy send one certificate: its DER bytes as base64 between two colons.",
    cites: ["RFC 9440 §2.2, §4"],
  },
  "MT-05": {
    fix: "Send the token request over a connection with the certificate of the client, and without a DPoP proof.",
    cites: ["RFC 8705 §3, §3.1, §3.2, §3.3"],
  },
  "MT-06": {
    fix: "Call the resource over a connection with the certificate of the token request.",
    cites: ["RFC 8705 §3"],
  },
  "MT-07": {
    fix: "Refresh over a connection with the certificate of the first token request.",
    cites: ["RFC 8705 §4"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
