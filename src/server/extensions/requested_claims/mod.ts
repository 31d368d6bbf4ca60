/**
 * Requested claims: the parameter `claims`, by which clients request claims by name, or with certain values (OpenID
 * Connect Core §5.5).
 */

import type { Extension } from "../../hosting/extension.ts";

const load = () => import("./requested_claims.ts");

/** Lets clients request claims by name. */
export const requestedClaims: Extension = {
  name: "requested_claims",
  requestParts: [{
    at: ["authorize", "par", "poll"],
    name: "loginRequirements",
    rule: "OI-08",
    read: (from, parts) =>
      from.params.get("claims") === undefined
        ? parts.loginRequirements!
        : load().then(({ addRequestedClaims }) => addRequestedClaims(from, parts)),
  }],
  extend: (server) => ({
    ...server,
    requestParts: {
      ...server.requestParts,
      claims: {
        approve: async (...request) => (await load()).approveClaims(...request),
        narrow: async (...granted) => (await load()).narrowClaims(...granted),
        inAccessToken: async (granted) => (await load()).claimsInAccessToken(granted),
        inIdToken: async (...granted) => (await load()).claimsInIdToken(...granted),
        inUserinfo: (current, token, client, user, claims) =>
          token.userinfo_claims === undefined && token.userinfo_values === undefined
            ? claims
            : load().then(({ claimsInUserinfo }) => claimsInUserinfo(current, token, client, user, claims)),
      },
    },
  }),
  metadata: () => ({ claims_parameter_supported: true }),
};
