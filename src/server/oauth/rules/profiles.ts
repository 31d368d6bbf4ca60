/** Rules of the named profiles. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const profileRules = {
  "MC-02": {
    fix:
      "Send resource with the URI of the MCP server, as its metadata names it, in the authorization request and in the token request.",
    cites: ["MCP authorization", "RFC 8707 §2"],
  },
  "PF-10": {
    fix: "Publish a client ID metadata document, and use its URL as the client_id. Registration still works.",
    cites: ["MCP authorization"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
