/** Rules of client ID metadata documents, and of the fetches that clients cause. */

import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { rejectBy } from "../../../core/rules/reject.ts";
import { type Rule, rule } from "../../../core/rules/rule.ts";

/** A URL that no metadata document may have. */
export interface WrongDocumentUrl {
  /** Its beginning. */
  readonly url: string;
  readonly problem:
    | "length"
    | "characters"
    | "backslash"
    | "fragment"
    | "scheme"
    | "user"
    | "path"
    | "segments"
    | "syntax"
    | "spelling";
  /** The URL in its normal form, if its spelling is the problem. */
  readonly normalForm?: string;
}

/** A document with a value that a client may not have: a member, or a part of the response. */
export type InvalidDocument = Pick<ConfigIssue, "path" | "expected" | "received">;

/** A document that was not fetched. The texts describe the attempt. */
export interface UnfetchedDocument {
  readonly expected: string;
  readonly received: string;
  readonly fix?: string;
}

/** By ID, in the order of `tests/rules.md`. */
export const clientDocumentRules = {
  "MC-03": rule<WrongDocumentUrl>(
    "invalid_client",
    "client_id is not a URL that a metadata document may have",
    "Client ID Metadata Document §3, §6",
  ),
  "MC-04": rule<InvalidDocument | UnfetchedDocument>(
    "invalid_client",
    (facts) =>
      "path" in facts
        ? "the metadata document of the client is invalid"
        : "the metadata document of the client cannot be fetched",
    "Client ID Metadata Document §4, §5.1, §5.2",
  ),
  "MC-05": rule<UnfetchedDocument>(
    "temporarily_unavailable",
    "too many metadata documents were fetched, try again later",
    "Client ID Metadata Document §8.6, §8.7",
  ),
  "MC-06": { source: "Client ID Metadata Document §4.2, §8.5" },
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of client ID metadata documents. */
export const reject = rejectBy(clientDocumentRules);
