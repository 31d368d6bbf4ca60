/** Texts of the rules of mutual TLS (RFC 8705). */

import type { RejectionTexts, RuleTexts } from "../../explain/rule_text.ts";
import type { mutualTlsRules, OtherCertificate } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const mutualTlsTexts = {
  "MT-04": {
    fix: "Let the proxy send one certificate: its DER bytes as base64 between two colons.",
    explain: (facts) =>
      "version" in facts
        ? {
          expected: "one X.509 certificate of version 3",
          received: `one of version ${facts.version}, whose private key Deno does not verify`,
          fix: "Issue one of version 3: openssl x509 -req makes it with -extfile and a file with one extension.",
        }
        : {
          expected: "one X.509 certificate",
          received: facts.problem === "header" ? "a header of another form" : "other bytes",
        },
  },
  "MT-05": {
    fix: "Send the token request over a connection with the certificate of the client, and without a DPoP proof.",
    explain: (facts) =>
      facts.problem === "two proofs"
        ? { expected: "a certificate alone", received: "a certificate and a DPoP proof" }
        : { expected: "a valid certificate", received: facts.received },
  },
  "MT-06": {
    fix: "Call the resource over a connection with the certificate of the token request.",
    explain: explainOtherCertificate,
  },
  "MT-07": {
    fix: "Refresh over a connection with the certificate of the first token request.",
    explain: ({ name, expected, received }) => ({
      reason: `the ${name} is bound to another certificate`,
      expected,
      received,
    }),
  },
} as const satisfies RuleTexts<typeof mutualTlsRules>;

function explainOtherCertificate(facts: OtherCertificate): RejectionTexts {
  const expected = `the certificate with the SHA-256 thumbprint ${facts.expected}`;
  if ("received" in facts) return { expected, received: facts.received };
  const { isPassed, certificate } = facts;
  if (!isPassed) {
    return {
      expected,
      received: "no certificate",
      fix: "Call the resource with the certificate of the token request. The resource passes it as certificate to " +
        "requireToken().",
    };
  }
  if (certificate === undefined) return { expected, received: "bytes that are no certificate" };
  const { isProvable, thumbprint, version } = certificate;
  const received = isProvable ? thumbprint : `one of version ${version}, whose private key Deno does not verify`;
  return { expected, received };
}
