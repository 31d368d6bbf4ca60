/** All issues of the option `grantTypes`. */

import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";

/** Grant types that no server may have: they expose passwords or tokens (OAuth 2.1 §10). */
const removedGrantTypes = ["password", "implicit", "urn:ietf:params:oauth:grant-type:saml2-bearer"];

/** An issue for each grant type that OAuth 2.1 has removed. */
export function validateGrantTypes(grantTypes: readonly { readonly type: string }[]): ConfigIssue[] {
  return grantTypes.flatMap(({ type }, i) =>
    !removedGrantTypes.includes(type) ? [] : [{
      path: `grantTypes[${i}].type`,
      expected: "a grant type that OAuth 2.1 has not removed",
      received: quote(type),
      hint: "Use authorization_code, or choose a URI of your own as the name of another grant type.",
    }]
  );
}
