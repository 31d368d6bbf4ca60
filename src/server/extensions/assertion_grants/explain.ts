/** Texts of the rules of the JWT bearer grant (JB), and of ID-JAGs as its assertions (IJ). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { assertionGrantRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const assertionGrantTexts = {
  "JB-01": {
    fix: "Send one assertion: a signed JWT of the issuer, unchanged.",
  },
  "JB-02": {
    fix: "Read the reason in the terminal, on the page of the flow or in the log of the mock.",
  },
  "JB-03": {
    passes: "iss of the assertion is a trusted issuer",
    fix: "Add the issuer to the setting trustedIssuers, spelt exactly as the iss of its assertions.",
  },
  "JB-04": {
    passes: "the assertion is valid now",
    fix: "Request a new assertion with sub, iat and exp. Compare both clocks. For longer lifetimes, set maxLifetime.",
  },
  "JB-05": {
    passes: "aud contains this server",
    fix: "Request the assertion for the issuer of this server, as its metadata spells it.",
  },
  "JB-06": {
    passes: "a key of the issuer verifies the signature",
    fix: "Sign with a key of the issuer's jwks or jwks_uri and one of its algorithms.",
  },
  "JB-07": {
    passes: "the assertion is not a token of another kind",
    fix:
      'Send an assertion, not an access token, a proof or a logout token. An ID-JAG needs grantProfile: "id-jag" in the entry of its issuer.',
  },
  "JB-08": {
    passes: "the client may use assertions of this issuer",
    fix: "Authenticate the client, and add it to clients in the entry of the issuer if that lists clients.",
  },
  "JB-09": {
    passes: "the subject is known to this server",
    fix: "Map the sub in the entry of the issuer, with subjects or users. The user must be registered.",
  },
  "JB-10": {
    fix: "Request a new assertion for each access token: the entry of the issuer has singleUse.",
  },
  "JB-11": {
    passes: "the assertion can grant the scope",
    fix:
      "Request less, or add the scope value to the client, and to scopes in the entry of the issuer if it has scopes.",
  },
  "IJ-13": {
    passes: "aud of the ID-JAG is this server",
    fix: "Request the ID-JAG with audience = the issuer of this server, as its metadata spells it.",
  },
  "IJ-14": {
    fix: "Send the ID-JAG that the identity provider issued for this server. Its typ is oauth-id-jag+jwt.",
  },
  "IJ-15": {
    fix:
      "Send the ID-JAG with the client whose id is the client_id in it. The identity provider maps its own client ids to those of this server.",
  },
  "IJ-16": {
    fix: "Let the identity provider issue the ID-JAG with jti, iat, exp, sub and client_id.",
  },
  "IJ-17": {
    fix: "Request the ID-JAG for a resource that this server issues tokens for.",
  },
  "IJ-19": {
    fix: "Send a DPoP proof signed by the key that the assertion is bound to.",
  },
} as const satisfies RuleTexts<typeof assertionGrantRules>;
