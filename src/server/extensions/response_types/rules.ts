/** Rules of response types with an ID token (OpenID Connect Core §3.2, §3.3). */

import { rejectBy } from "../../../core/rules/reject.ts";
import { type Rule, rule } from "../../../core/rules/rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const responseTypeRules = {
  "HY-02": rule<{ readonly responseType: string; readonly scope: readonly string[] }>(
    "invalid_request",
    ({ responseType }) => `response_type=${responseType} needs the scope openid`,
    "OpenID Connect Core §3.1.2.1, §3.2.2.1",
  ),
  "HY-03": rule<{ readonly responseType: string }>(
    "invalid_request",
    ({ responseType }) => `nonce is missing, and response_type=${responseType} needs it`,
    "OpenID Connect Core §3.2.2.1, §3.3.2.11",
  ),
  "HY-13": rule<{ readonly responseType: string; readonly unusable: string }>(
    "invalid_request",
    ({ responseType, unusable }) =>
      `response_type=${responseType} leads to no access token, but the request has ${unusable}`,
    "OpenID Connect Core §3.2, §5.5",
  ),
  "HY-15": rule<{ readonly length: number; readonly max: number }>(
    "server_error",
    "the ID token is too long for a redirect",
  ),
} as const satisfies Readonly<Record<string, Rule>>;

/** Creates the error of a rule of response types with an ID token. */
export const reject = rejectBy(responseTypeRules);
