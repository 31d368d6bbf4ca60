/** Rules of rich authorization requests (RFC 9396). */

import type { Rule } from "../../oauth/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const authorizationDetailsRules = {
  "RA-02": { cites: ["RFC 9396 §2"] },
  "RA-03": { cites: ["RFC 9396 §5"] },
  "RA-04": { cites: ["RFC 9396 §2.2, §11"] },
  "RA-05": { cites: ["RFC 9396 §10"] },
  "RA-09": { cites: ["RFC 9396 §6, §6.1"] },
  "RA-10": { cites: ["RFC 9396 §6"] },
  "RA-13": { cites: ["RFC 9396 §12, §13"] },
  "RA-15": { cites: [] },
  "RA-16": { cites: ["RFC 9396 §11.4, §12"] },
} as const satisfies Readonly<Record<string, Rule>>;
