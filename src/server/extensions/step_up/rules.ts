/** Rules of levels of authentication (RFC 9470). */

import { rejectBy } from "../../../core/rules/reject.ts";
import { type Rule, rule } from "../../../core/rules/rule.ts";

interface MissedLevel {
  readonly demanded: readonly string[];
  readonly reached: string | undefined;
}

/** The message about a level that a login misses, or that no login reaches. */
const missedLevelMessage = "the required level of authentication cannot be reached";

interface UnknownLevel {
  readonly demanded: readonly string[];
  readonly known: readonly string[];
}

/** By ID, in the order of `tests/rules.md`. */
export const stepUpRules = {
  "ST-06": rule<MissedLevel>(
    "unmet_authentication_requirements",
    missedLevelMessage,
    "RFC 9470 §5; OpenID Connect Core §3.1.2.1",
  ),
  "ST-07": rule<UnknownLevel>(
    "unmet_authentication_requirements",
    missedLevelMessage,
    "RFC 9470 §5; OpenID Connect Unmet Authentication Requirements §2",
  ),
  "ST-08": rule<UnknownLevel>(
    "unmet_authentication_requirements",
    missedLevelMessage,
    "OpenID Connect Core §5.5.1.1; OpenID Connect Unmet Authentication Requirements §2",
  ),
  "ST-12": rule<{ readonly stated: string; readonly known: readonly string[] }>(
    "server_error",
    "the approver states an acr that this server does not have",
    "RFC 9068 §2.2.1",
  ),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of levels of authentication. */
export const reject = rejectBy(stepUpRules);
