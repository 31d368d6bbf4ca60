/** All issues of the option `grantTypes`. */

import { quote } from "./config_issue.ts";
import type { ConfigIssue } from "./config_issue.ts";

/** Grant types that no server may have: OAuth 2.1 §10 omits the first two; SAML assertions are not supported. */
const rejectedGrantTypes = ["password", "implicit", "urn:ietf:params:oauth:grant-type:saml2-bearer"];

/** An issue for each grant type that no server may have. */
export function validateGrantTypes(grantTypes: readonly { readonly type: string }[]): ConfigIssue[] {
  return grantTypes.flatMap(({ type }, i) =>
    !rejectedGrantTypes.includes(type) ? [] : [{
      path: `grantTypes[${i}].type`,
      expected: "a grant type other than password, implicit and SAML bearer assertions",
      received: quote(type),
      hint: "Use authorization_code, or choose a URI of your own as the name of another grant type.",
    }]
  );
}
