/** Texts of the rules of rich authorization requests (RFC 9396). */

import type { RejectionTexts, RuleTexts } from "../../explain/rule_text.ts";
import { quote } from "../../config/config_issue.ts";
import type { authorizationDetailsRules, InvalidDetail } from "./rules.ts";

function explainInvalid({ expected, received }: InvalidDetail): RejectionTexts {
  return { expected, received };
}

/** By ID, in the order of `tests/rules.md`. */
export const authorizationDetailsTexts = {
  "RA-02": {
    fix: "Send authorization_details as one JSON array of objects, percent-encoded like any parameter.",
    explain: ({ received }) => ({ expected: "a JSON array of objects, each with a type", received }),
  },
  "RA-03": {
    passes: "every object of authorization_details matches the definition of its type",
    fix:
      "Send only objects of the types in authorization_details_types_supported, with the fields that they define. The setting authorizationDetails defines the types.",
    explain: (facts) =>
      "field" in facts
        ? { expected: `the fields of type ${facts.type}`, received: quote(facts.field) }
        : explainInvalid(facts),
  },
  "RA-04": {
    fix: "Send locations, actions, datatypes and privileges as arrays of strings, and identifier as a string.",
    explain: explainInvalid,
  },
  "RA-05": {
    fix: "Add the type to authorization_details_types of the client, or do not request it.",
    explain: explainInvalid,
  },
  "RA-09": {
    passes: "the authorization_details of the token are within those of the grant",
    fix: "Send objects of the token response of the grant, or leave authorization_details out.",
    explain: ({ type }) => ({
      expected: "objects of the grant, each at most once; an object may have fewer values, but at least one, in " +
        "locations, actions, datatypes, privileges and the lists that the type narrows",
      received: `an object of type ${type} that is not within the grant`,
    }),
  },
  "RA-10": {
    fix: "Request it in the authorization code flow, or add the client to clientsWithoutUser of the type.",
    explain: explainInvalid,
  },
  "RA-13": {
    fix: "Send fewer or smaller objects, or several requests.",
    explain: ({ unit, limit, count }) =>
      unit === "levels"
        ? { expected: `objects of at most ${limit} levels`, received: "a deeper one" }
        : { expected: `at most ${limit} ${unit}`, received: `${count} ${unit}` },
  },
  "RA-15": {
    fix: "Add the type to the setting authorizationDetails, or do not send the parameter.",
  },
  "RA-16": {
    fix: "Push the request to the pushed_authorization_request_endpoint, or sign it as a request object.",
    explain: ({ type }) => ({
      reason: `authorization requests for type ${type} must be pushed or signed`,
      expected: "a pushed authorization request or a signed request object",
      received: "plain parameters",
    }),
  },
} as const satisfies RuleTexts<typeof authorizationDetailsRules>;
