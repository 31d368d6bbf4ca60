/** Rules of rich authorization requests (RFC 9396). */

import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { rejectBy } from "../../../core/rules/reject.ts";
import { type ExtensionErrorCode, type Rule, rule } from "../../../core/rules/rule.ts";

/** RFC 9396 §5. */
export const invalidDetails = "invalid_authorization_details" as ExtensionErrorCode;

/** A value that is not a list of objects. */
export interface MalformedDetails {
  /** The JSON type of the value, never the value. */
  readonly received: string;
}

/** A value or an object of a list that is invalid, with its path in its object, such as `.type`. */
export interface InvalidDetail extends Pick<ConfigIssue, "path" | "expected" | "received"> {
  readonly index: number;
}

/** A field that the type of an object does not define. */
export interface UndefinedField {
  readonly index: number;
  readonly type: string;
  readonly field: string;
}

/** A list that is larger than a limit. */
export interface LargeDetails {
  readonly unit: "bytes" | "objects" | "levels";
  readonly limit: number;
  /** The bytes or objects of the list. */
  readonly count?: number;
}

/** Maximum length of a path in a message, in characters. */
const maxPathLength = 100;

function describeInvalid({ index, path, expected }: InvalidDetail): string {
  return `authorization_details[${index}]${path.slice(0, maxPathLength)} is invalid; expected ${expected}`;
}

/** By ID, in the order of `tests/rules.md`. */
export const authorizationDetailsRules = {
  "RA-02": rule<MalformedDetails>(
    "invalid_request",
    "authorization_details is not a JSON array of objects",
    "RFC 9396 §2",
  ),
  "RA-03": rule<InvalidDetail | UndefinedField>(
    invalidDetails,
    (facts) =>
      "field" in facts
        ? `authorization_details[${facts.index}] has a field that type ${facts.type} does not define`
        : describeInvalid(facts),
    "RFC 9396 §5",
  ),
  "RA-04": rule<InvalidDetail>(invalidDetails, describeInvalid, "RFC 9396 §2.2, §11"),
  "RA-05": rule<InvalidDetail>(invalidDetails, describeInvalid, "RFC 9396 §10"),
  "RA-09": rule<{ readonly index: number; readonly type: string }>(
    invalidDetails,
    ({ index }) => `authorization_details[${index}] is more than was granted`,
    "RFC 9396 §6, §6.1",
  ),
  "RA-10": rule<InvalidDetail>(invalidDetails, describeInvalid, "RFC 9396 §6"),
  "RA-13": rule<LargeDetails>(
    "invalid_request",
    "authorization_details has too many bytes, objects or levels",
    "RFC 9396 §12, §13",
  ),
  "RA-15": { source: "" },
  "RA-16": rule<{ readonly type: string }>(
    "invalid_request",
    "a request for these authorization_details must be pushed or signed",
    "RFC 9396 §11.4, §12",
  ),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of rich authorization requests. */
export const reject = rejectBy(authorizationDetailsRules);
