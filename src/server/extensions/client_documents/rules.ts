/** Rules of client ID metadata documents, and of the fetches that clients cause. */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const clientDocumentRules = {
  "MC-03": { cites: ["Client ID Metadata Document §3, §6"] },
  "MC-04": { cites: ["Client ID Metadata Document §4, §5.1, §5.2"] },
  "MC-05": { cites: ["Client ID Metadata Document §8.6, §8.7"] },
  "MC-06": { cites: ["Client ID Metadata Document §4.2, §8.5"] },
} as const satisfies Readonly<Record<string, Rule>>;
