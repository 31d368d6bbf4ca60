/** Texts of the rules of mutual TLS (RFC 8705). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { mutualTlsRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const mutualTlsTexts = {
  "MT-04": {
    fix: "Let the proxy send one certificate: its DER bytes as base64 between two colons.",
  },
  "MT-05": {
    fix: "Send the token request over a connection with the certificate of the client, and without a DPoP proof.",
  },
  "MT-06": {
    fix: "Call the resource over a connection with the certificate of the token request.",
  },
  "MT-07": {
    fix: "Refresh over a connection with the certificate of the first token request.",
  },
} as const satisfies RuleTexts<typeof mutualTlsRules>;
