/** Texts of the rules of signed authorization requests (RFC 9101). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { signedRequestRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const signedRequestTexts = {
  "JR-02": {
    passes: "a registered key of the client has signed the request object",
    fix:
      "Sign the request object with a registered key of the client, never with none: typ is oauth-authz-req+jwt, iss the client_id, and aud the issuer of this server.",
  },
  "JR-03": {
    fix:
      "Put every parameter into the request object, client_id among them, and leave request and request_uri out of it.",
  },
  "JR-04": {
    fix: "Create a request object for each request: without sub, and with iat, nbf and exp from a correct clock.",
  },
  "JR-05": {
    fix: "Sign the parameters as a JWT. Send it in the parameter request: to the authorization endpoint or PAR.",
    explain: (facts) =>
      "unsupportedFor" in facts
        ? {
          expected: "a client whose requests need no signature",
          received: `client ${facts.unsupportedFor}, whose requests must be signed`,
          fix: "Use another client for backchannel authentication: this endpoint does not support signed requests.",
        }
        : {
          reason: facts.demandedBy === "setting"
            ? `the setting requireSignedRequestObject demands signed requests${facts.byProfile}`
            : `client ${facts.clientId} is registered with require_signed_request_object`,
          expected: "the parameter request: a JWT with the other parameters, signed by the client",
          received: "the parameters themselves",
        },
  },
  "JR-06": {
    passes: "the request object was encrypted to a key of this server",
    fix:
      "Sign the request object first, then encrypt it by a key of the JWKS with use enc: its alg and kid in the header, and no zip. A server offers this by the setting requestObjectEncryption.",
  },
} as const satisfies RuleTexts<typeof signedRequestRules>;
