/** Texts of the rules of rich authorization requests (RFC 9396). */

import type { RuleTexts } from "../../explain/rule_text.ts";
import type { authorizationDetailsRules } from "./rules.ts";

/** By ID, in the order of `tests/rules.md`. */
export const authorizationDetailsTexts = {
  "RA-02": {
    fix: "Send authorization_details as one JSON array of objects, percent-encoded like any parameter.",
  },
  "RA-03": {
    passes: "every object of authorization_details matches the definition of its type",
    fix:
      "Send only objects of the types in authorization_details_types_supported, with the fields that they define. The setting authorizationDetails defines the types.",
  },
  "RA-04": {
    fix: "Send locations, actions, datatypes and privileges as arrays of strings, and identifier as a string.",
  },
  "RA-05": {
    fix: "Add the type to authorization_details_types of the client, or do not request it.",
  },
  "RA-09": {
    passes: "the authorization_details of the token are within those of the grant",
    fix: "Send objects of the token response of the grant, or leave authorization_details out.",
  },
  "RA-10": {
    fix: "Request it in the authorization code flow, or add the client to clientsWithoutUser of the type.",
  },
  "RA-13": {
    fix: "Send fewer or smaller objects, or several requests.",
  },
  "RA-15": {
    fix: "Add the type to the setting authorizationDetails, or do not send the parameter.",
  },
  "RA-16": {
    fix: "Push the request to the pushed_authorization_request_endpoint, or sign it as a request object.",
  },
} as const satisfies RuleTexts<typeof authorizationDetailsRules>;
