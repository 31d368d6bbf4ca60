/** Rules of the resources that requests name (RFC 8707). */

import { rejectBy } from "../../core/rules/reject.ts";
import { type Rule, rule } from "../../core/rules/rule.ts";
import type { ByProfile } from "../config/server_policy.ts";

/** Limits of one request: number of resources, characters of one URI, characters of all URIs. */
export const resourceLimits = { count: 16, uriLength: 512, totalLength: 2048 } as const;

const messages = {
  "too much": "the resource parameters are too long or too many",
  "not absolute": "resource is not an absolute URI without a fragment",
  unknown: "resource is not a resource of this server",
  unsuitable: "the server issues no tokens for this resource",
} as const;

/** Facts about a resource that the server issues no access tokens for. */
export interface WrongResource {
  readonly uri: string;
  /** `unknown`: the setting `resources` does not list it. `unsuitable`: no resource can have this URI. */
  readonly problem: keyof typeof messages;
}

/** By ID, in the order of `tests/rules.md`. */
export const resourceIndicatorRules = {
  "RI-03": rule<{ readonly granted: readonly string[]; readonly requested: readonly string[] }>(
    "invalid_target",
    "resource was not granted",
    "RFC 8707 §2.2",
  ),
  "RI-05": rule<{ readonly resources: readonly string[] }>(
    "invalid_target",
    "none of the granted resources is still registered",
    "RFC 8707 §2",
  ),
  "MC-02": rule<ByProfile>("invalid_target", "resource is missing", "MCP authorization; RFC 8707 §2"),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error. The core rejects every resource by RI-01. */
export const reject = rejectBy({
  ...resourceIndicatorRules,
  "RI-01": rule<WrongResource>("invalid_target", ({ problem }) => messages[problem], "RFC 8707 §2"),
});
