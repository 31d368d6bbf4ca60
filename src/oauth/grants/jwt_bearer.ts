/** The JWT bearer grant type (RFC 7523 §2.1): an assertion of a trusted issuer is exchanged for an access token. */

import type { TrustedIssuer } from "../config/trusted_issuers.ts";
import { parameters } from "../parameter.ts";
import type { GrantType } from "../server.ts";

/** The grant type for these issuers. Its code is loaded with the first assertion. */
export function jwtBearer(trustedIssuers: readonly TrustedIssuer[]): Omit<GrantType, "type"> {
  const acceptsIdJag = trustedIssuers.some(({ grantProfile }) => grantProfile === "id-jag");
  return {
    parameters: parameters(
      { name: "assertion", secret: "assertion", linksFlow: true },
      "scope",
      "authorization_details",
      {
        name: "resource",
        repeatable: true,
      },
    ),
    ...acceptsIdJag && {
      metadata: { authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"] },
    },
    async authorize(server, request) {
      const { authorizeAssertion } = await import("./assertion.ts");
      return await authorizeAssertion(server, request, trustedIssuers);
    },
    async identifyClient(server, parameters) {
      const { identifyClient } = await import("./assertion.ts");
      return await identifyClient(server, parameters, trustedIssuers);
    },
  };
}
