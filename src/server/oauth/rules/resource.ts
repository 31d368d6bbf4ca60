/** Rules of protected resources: metadata and challenges (RFC 9728), access tokens. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const resourceRules = {
  "PR-08": { cites: ["OAuth 2.1 §5.3", "RFC 9068 §4"] },
  "PR-10": { cites: ["OAuth 2.1 §5.3", "MCP authorization"] },
  "PR-15": { cites: [] },
  "MC-08": { cites: ["RFC 8707 §2", "RFC 9728 §3.3", "MCP authorization"] },
  "MC-12": { cites: ["MCP elicitation"] },
  "ST-04": { cites: ["RFC 9470 §3, §6"] },
} as const satisfies Readonly<Record<string, Rule>>;
