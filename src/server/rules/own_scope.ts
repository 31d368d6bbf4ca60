/** The rule of scope values that only a client itself can get, not a user. */

import { rejectBy } from "../../core/rules/reject.ts";
import type { DisallowedScope, ScopeValues } from "../../core/rules/authorize.ts";
import { rule } from "../../core/rules/rule.ts";

/** Facts about a request for a user that names such values. */
export type ScopeOfClients = ScopeValues & DisallowedScope & { readonly problem: "not for users" };

/** Creates the error. The core knows no such values. */
export const reject = rejectBy({
  "AZ-17": rule<ScopeOfClients>(
    "invalid_scope",
    "scope contains a value that only a client itself can get, not a user",
    "OAuth 2.1 §4.1.2.1; OpenID Connect Core §3.1.2.1",
  ),
});
