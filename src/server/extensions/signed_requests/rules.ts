/** Rules of signed authorization requests (RFC 9101). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const signedRequestRules = {
  "JR-02": {
    passes: "a registered key of the client has signed the request object",
    fix:
      "Sign the request object with a registered key of the client, never with none: typ is oauth-authz-req+jwt, iss " +
      "the client_id, and aud the issuer of this server.",
    cites: ["RFC 9101 §4, §6, §10.8", "RFC 9126 §3"],
  },
  "JR-03": {
    fix:
      "Put every parameter into the request object, client_id among them, and leave request and request_uri out of it.",
    cites: ["RFC 9101 §4, §6.3, §10.7", "RFC 9126 §3"],
  },
  "JR-04": {
    fix: "Create a request object for each request: without sub, and with iat, nbf and exp from a correct clock.",
    cites: ["RFC 9101 §4, §10.8"],
  },
  "JR-05": {
    fix: "Sign the parameters as a JWT. Send it in the parameter request: to the authorization endpoint or PAR.",
    cites: ["RFC 9101 §10.5", "RFC 9126 §3"],
  },
  "JR-06": {
    passes: "the request object was encrypted to a key of this server",
    fix:
      "Sign the request object first, then encrypt it by a key of the JWKS with use enc: its alg and kid in the header, " +
      "and no zip. A server offers this by the setting requestObjectEncryption.",
    cites: ["RFC 9101 §6.1", "RFC 7516 §11.5"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
