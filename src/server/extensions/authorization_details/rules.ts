/** Rules of rich authorization requests (RFC 9396). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const authorizationDetailsRules = {
  "RA-02": {
    fix: "Send authorization_details as one JSON array of objects, percent-encoded like any parameter.",
    cites: ["RFC 9396 §2"],
  },
  "RA-03": {
    passes: "every object of authorization_details matches the definition of its type",
    fix:
      "Send only objects of the types in authorization_details_types_supported, with the fields that they define. The setting authorizationDetails defines the types.",
    cites: ["RFC 9396 §5"],
  },
  "RA-04": {
    fix: "Send locations, actions, datatypes and privileges as arrays of strings, and identifier as a string.",
    cites: ["RFC 9396 §2.2, §11"],
  },
  "RA-05": {
    fix: "Add the type to authorization_details_types of the client, or do not request it.",
    cites: ["RFC 9396 §10"],
  },
  "RA-09": {
    passes: "the authorization_details of the token are within those of the grant",
    fix: "Send objects of the token response of the grant, or leave authorization_details out.",
    cites: ["RFC 9396 §6, §6.1"],
  },
  "RA-10": {
    fix: "Request it in the authorization code flow, or add the client to clientsWithoutUser of the type.",
    cites: ["RFC 9396 §6"],
  },
  "RA-13": {
    fix: "Send fewer or smaller objects, or several requests.",
    cites: ["RFC 9396 §12, §13"],
  },
  "RA-15": {
    fix: "Add the type to the setting authorizationDetails, or do not send the parameter.",
    cites: [],
  },
  "RA-16": {
    fix: "Push the request to the pushed_authorization_request_endpoint, or sign it as a request object.",
    cites: ["RFC 9396 §11.4, §12"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
